//! The first lesson, offered in one line to who comes for the first time.

use leptos::prelude::*;

use crate::app::browser;

/// Kept once the line was sent away or lessons were opened; `early.js` reads it before the first paint.
const KEY: &str = "atelier-offer";

/// Whoever has seen lessons is offered none.
pub fn seen() {
    browser::keep(KEY, "seen");
}

#[component]
pub fn Offer() -> impl IntoView {
    let is_there = RwSignal::new(browser::kept(KEY).is_none());
    let away = move |_| {
        seen();
        is_there.set(false);
    };
    move || {
        is_there.get().then(|| {
            view! {
                <p class="offer">
                    <a href="#view=lessons&lesson=1">"New here? Begin with lesson 1"</a>
                    <button type="button" aria-label="Do not offer lessons" on:click=away>"×"</button>
                </p>
            }
        })
    }
}
