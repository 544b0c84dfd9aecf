use leptos::prelude::*;
/// Draws it.
pub fn mount() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    host.set_text_content(None);
}
