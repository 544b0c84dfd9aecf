//! Fields that numbers are typed into.

use leptos::prelude::event_target;

/// Shows what is counted with, whatever was typed: where that is what it was before, nothing else draws
/// it again.
pub fn show_number(event: &web_sys::Event, value: usize) {
    let field: web_sys::HtmlInputElement = event_target(event);
    field.set_value(&value.to_string());
}
