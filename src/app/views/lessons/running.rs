//! A step's run on its way, and its answer where that waits for a teacher.

use leptos::prelude::*;

use crate::app::protocol::Stage;
use crate::app::state::{OpenLesson, Studio};
use crate::chart::number::{fixed, per_cent};
use crate::study::lessons::StepPhase;

/// How far the run is, and the way to stop it; where it was stopped, the way to begin again.
#[component]
pub fn Running() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    let is_setting_up = Memo::new(move |_| room.is_running(StepPhase::SetUp));
    let is_answering = Memo::new(move |_| room.is_running(StepPhase::Reveal));
    let is_running = Memo::new(move |_| is_setting_up.get() || is_answering.get());
    let progress = Memo::new(move |_| studio.sweep.with(|work| work.as_ref()?.progress));
    let share = Memo::new(move |_| {
        let (_, done, total) = progress.get()?;
        (total > 0.0).then(|| (done / total).min(1.0))
    });
    let is_fetched =
        Memo::new(move |_| matches!(progress.get(), Some((Stage::Download | Stage::Weights, ..))));
    let words = Memo::new(move |_| {
        let models = room.asked_models(is_setting_up.get()).join(" and ");
        match (is_fetched.get(), is_setting_up.get()) {
            (true, _) => "Fetching what this step needs".to_owned(),
            _ if models.is_empty() => "Reading what needs no model".to_owned(),
            // Whose answers they are may be the question.
            (_, true) => "What the question needs is worked out".to_owned(),
            (_, false) => format!("{models}: the question is asked"),
        }
    });
    let percent =
        move || share.get().map(|share| format!(": {}", per_cent(fixed(100.0 * share, 0))));
    let waits = Memo::new(move |_| {
        let answer = room.answer();
        let is_open = answer.expected.is_some() && !answer.is_run();
        is_open && !is_running.get() && !room.is_preparing.get() && !room.lacks_model()
    });
    let lacks_words =
        Memo::new(move |_| !room.is_busy() && !room.lacks_model() && room.asked().is_none());
    view! {
        <div class="answering-step">
            // The words alone are announced: a per cent that changes would be read out again and again.
            <span class="unseen" role="status">{move || is_running.get().then(|| words.get())}</span>
            <Show when=move || is_running.get()>
                <label class="work">
                    <span>{move || words.get()} <span aria-hidden="true">{percent}</span></span>
                    <progress
                        max="1"
                        prop:value=move || share.get().unwrap_or(0.0)
                        class:unknown=move || share.get().is_none()
                    ></progress>
                </label>
                <button type="button" id="stop-step" on:click=move |_| room.stop()>"Cancel"</button>
            </Show>
            <Show when=move || waits.get()>
                <button type="button" id="ask-model" on:click=move |_| room.ask_model()>"Ask the model"</button>
            </Show>
            <Show when=move || lacks_words.get()>
                <button type="button" on:click=move |_| room.set_up_again()>"Prepare the question"</button>
            </Show>
        </div>
    }
}

/// The model has answered, and a class is not to see it yet.
#[component]
pub fn Held() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let studio = expect_context::<Studio>();
    let is_held = Memo::new(move |_| room.is_held());
    Effect::new(move |_| {
        if is_held.get() {
            studio.say("The model has answered, and its answer is held.");
        }
    });
    view! {
        <Show when=move || is_held.get()>
            <p class="commit">
                "The model has answered, and its answer is held. "
                <button type="button" id="reveal" on:click=move |_| room.is_let_go.set(true)>"Show it"</button>
                <span class="hint">"or press r"</span>
                <button type="button" id="clear-step" on:click=move |_| room.ask_anew()>"Answer anew"</button>
            </p>
        </Show>
    }
}
