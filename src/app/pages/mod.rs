//! One view a file. There is one so far: the lens.

mod lens;

use leptos::prelude::*;

use super::parts::{Foot, Head};
use super::studio::Studio;
use super::theme::Themes;

/// Draws the page into the document's `#app`, in place of the words that stand there before.
pub fn mount() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    host.set_text_content(None);
    mount_to(wasm_bindgen::JsCast::unchecked_into(host), Page).forget();
}

#[component]
fn Page() -> impl IntoView {
    let themes = Themes::start();
    provide_context(themes);
    provide_context(Studio::open());
    view! {
        <Head />
        <lens::LensPage />
        <Foot />
    }
}
