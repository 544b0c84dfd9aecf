//! A step that the reader's model cannot show, or a model that is not here: why, and the one that can answer.

use leptos::prelude::*;

use crate::app::state::{OpenLesson, Place};
use crate::app::widgets::ProblemLine;

/// The model lacks what the step needs: why, and the one that has it.
#[component]
pub fn CannotShow(reason: Memo<Option<String>>) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    view! {
        <p class="problem">{move || reason.get()}</p>
        // The model that a step is written for may lack something, too.
        <Show when=move || room.is_own() && !room.lacks_model()>
            <Lend />
        </Show>
    }
}

/// The reader's own model is neither here nor on its way, as behind a link made with a folder: why, and the
/// model that can answer.
#[component]
pub fn NoModel() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let is_missing = Memo::new(move |_| {
        let is_run = room.answer().is_run();
        !is_run && room.lacks_model()
    });
    view! {
        <Show when=move || is_missing.get()>
            <div class="commit" id="no-model">
                <ProblemLine place=Place::Model />
                <Lend />
            </div>
        </Show>
    }
}

/// The model that the step is written for, in place of the reader's own.
#[component]
fn Lend() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let wanted = untrack(|| Some(room.lesson.get()?.model_of(&room.step()?).to_owned()));
    view! {
        <button type="button" id="lend" on:click=move |_| room.lend()>
            "Ask " {wanted.unwrap_or_default()} " instead"
        </button>
    }
}
