//! In front of a class: an answer that waits, a link with it and the look for a wall, a sheet; no server.

use leptos::prelude::*;

use super::sheet::PrintButton;
use crate::app::shell::WallTick;
use crate::app::state::{OpenLesson, Studio};
use crate::app::widgets::{CopyFrame, CopyLink, Tick};

/// The two ticks that the address holds.
#[component]
fn Ticks() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_held = Memo::new(move |_| studio.lessons.with(|lessons| lessons.is_held));
    let hold = move |is_on| studio.lessons.update(|lessons| lessons.is_held = is_on);
    view! {
        <WallTick words="For a wall: large, high contrast, keys shown" />
        <Tick words="Hold the answer until I show it" id="for-hold" is_on=is_held on_turn=hold />
    }
}

/// Below a step.
#[component]
pub fn ClassTools() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let notes = move || {
        let lesson = room.lesson.get()?;
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
