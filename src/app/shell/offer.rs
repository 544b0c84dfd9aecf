//! The way to the first lesson, on the first screen of whoever has opened none.

use leptos::prelude::*;

use crate::app::browser;
use crate::app::link::View;
use crate::app::state::Studio;

/// Kept once lessons were opened; `early.js` reads it before the first paint.
const KEY: &str = "atelier-offer";

/// Whoever has seen lessons is offered none.
pub fn seen() {
    browser::keep(KEY, "seen");
}

#[component]
pub fn Offer() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_offered = move || studio.view.get() == View::Lens && browser::kept(KEY).is_none();
    move || {
        is_offered().then(|| {
            view! { <a class="offer" href="#view=lessons&lesson=1">"New here? Lesson 1 →"</a> }
        })
    }
}
