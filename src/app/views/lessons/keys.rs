//! Keys of a lesson, and the key that was pressed, for a class to see.

use std::time::Duration;

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use crate::app::browser;
use crate::app::state::{OpenLesson, Studio};

/// How long a key is shown.
const SHOWN: Duration = Duration::from_millis(1500);

/// Pictures and tables that scroll sideways.
const SCROLLED: &str = ".scroll, .drawing";

/// Acts on a key where a lesson has the focus; does nothing while somebody types.
pub fn hear(room: OpenLesson, studio: Studio, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() || event.default_prevented() {
        return;
    }
    let focused = event.target().and_then(|target| target.dyn_into::<web_sys::Element>().ok());
    let kind = focused.as_ref().map(|element| match element.get_attribute("type") {
        Some(kind) => kind,
        None => element.tag_name().to_lowercase(),
    });
    let kind = kind.unwrap_or_default();
    if ["textarea", "number", "text"].contains(&kind.as_str()) {
        return;
    }
    let is_in =
        |css: &str| focused.as_ref().is_some_and(|it| matches!(it.closest(css), Ok(Some(_))));
    if is_in("dialog") {
        return;
    }
    // Arrows choose among options, and scroll what is wider than its place.
    let has_arrows = kind == "radio" || is_in(SCROLLED);
    let key = event.key();
    let lesson = studio.lessons.with_untracked(|lessons| lessons.lesson);
    let Some((number, at)) = lesson.zip(untrack(|| room.step_index())) else {
        return;
    };
    let count = room.lesson.get_untracked().map_or(0, |lesson| lesson.steps.len());
    match key.as_str() {
        "n" if at + 1 < count => studio.go_to_step(number, at + 1),
        "ArrowRight" if !has_arrows && at + 1 < count => studio.go_to_step(number, at + 1),
        "p" if at > 0 => studio.go_to_step(number, at - 1),
        "ArrowLeft" if !has_arrows && at > 0 => studio.go_to_step(number, at - 1),
        "r" if untrack(|| room.is_held()) => room.is_let_go.set(true),
        _ => return,
    }
    event.prevent_default();
}

/// The key that was pressed last, on the wall.
#[component]
pub fn KeyShown() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let shown = RwSignal::new(String::new());
    let count = StoredValue::new(0_u32);
    browser::hear(leptos::ev::keydown, move |event| {
        if !studio.lessons.with_untracked(|lessons| lessons.is_projected) {
            return;
        }
        shown.set(match event.key().as_str() {
            " " => "Space".to_owned(),
            key => key.to_owned(),
        });
        let own = count.get_value().wrapping_add(1);
        count.set_value(own);
        set_timeout(
            move || {
                if count.try_get_value() == Some(own) {
                    shown.try_set(String::new());
                }
            },
            SHOWN,
        );
    });
    view! {
        <Show when=move || shown.with(|shown| !shown.is_empty())>
            <p class="pressed-key" aria-hidden="true">{move || shown.get()}</p>
        </Show>
    }
}
