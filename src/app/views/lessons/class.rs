//! In front of a class: the look for a wall, an answer that waits, a link with both, a sheet; no server.

use leptos::prelude::*;

use super::sheet::PrintButton;
use crate::app::link::LessonSettings;
use crate::app::state::{OpenLesson, Studio};
use crate::app::widgets::{CopyFrame, CopyLink};

/// The class of the document's root that the style of the wall hangs on.
const LOOK: &str = "projected";

/// Large and in high contrast as long as lessons are open and the address says so.
#[component]
pub fn WallLook() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let look = |is_on: bool| {
        if let Some(root) = document().document_element() {
            // A class that is no class name is refused; this one is.
            let _ = root.class_list().toggle_with_force(LOOK, is_on);
        }
    };
    Effect::new(move |_| look(studio.lessons.with(|lessons| lessons.is_projected)));
    on_cleanup(move || look(false));
}

/// The two ticks that the address holds.
#[component]
fn Ticks() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let tick =
        move |id: &'static str, words: &'static str, of: fn(&mut LessonSettings) -> &mut bool| {
            let is_on = Memo::new(move |_| *of(&mut studio.lessons.get()));
            view! {
                <label class="tick">
                    <input
                        type="checkbox"
                        id=id
                        prop:checked=move || is_on.get()
                        on:change=move |event| {
                            let is_on = event_target_checked(&event);
                            studio.set_lessons(|lessons| *of(lessons) = is_on);
                        }
                    />
                    <span>{words}</span>
                </label>
            }
        };
    view! {
        {tick("for-wall", "For a wall: large, high contrast, keys shown", |lessons| &mut lessons.is_projected)}
        {tick("for-hold", "Hold the answer until I show it", |lessons| &mut lessons.is_held)}
    }
}

/// Below a step.
#[component]
pub fn ClassTools() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let notes = move || {
        let lesson = room.words.get()?;
        let list = |texts: &[String]| {
            let items = texts.iter().cloned();
            items.map(|text| view! { <li>{text}</li> }).collect_view()
        };
        Some(view! {
            <details class="more">
                <summary>"For who teaches"</summary>
                <p>"What is often heard:"</p>
                <ul>{list(&lesson.teacher.heard)}</ul>
                <p>"What to ask back:"</p>
                <ul>{list(&lesson.teacher.ask_back)}</ul>
            </details>
        })
    };
    view! {
        <div class="class-tools" role="group" aria-label="For a class">
            <Ticks />
            <CopyLink />
            <CopyFrame />
            <PrintButton />
        </div>
        {notes}
    }
}

/// Below the list.
#[component]
pub fn ForClass() -> impl IntoView {
    view! {
        <section class="for-class" aria-labelledby="class-title">
            <h2 id="class-title">"In front of a class"</h2>
            <p>
                "Tick these, open a lesson, and copy its link: whoever opens it sees the same step in the same look. Ask first, \
                 count hands beside the options, then show what the model says. Nothing is sent anywhere."
            </p>
            <div class="class-tools" role="group" aria-label="For a class">
                <Ticks />
                <CopyLink />
            </div>
        </section>
    }
}
