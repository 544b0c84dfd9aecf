//! A lesson on paper: every question first; behind them, on pages of their own, what the run said, and the link.

use leptos::prelude::*;

use crate::app::answers::StepAnswer;
use crate::app::state::{OpenLesson, Studio};
use crate::app::{browser, link};
use crate::chart::number::with_whole_per_cents;
use crate::study::lessons::{LessonStep, StepOutcome, StepShowing};

/// Runs what was not run, then prints.
#[component]
pub fn PrintButton() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    let print = move |_| {
        room.run_all(move || {
            studio.say("The sheet is ready.");
            // Once the sheet has the last of it.
            request_animation_frame(|| {
                let _ = browser::window().print();
            });
        });
    };
    view! {
        <button type="button" id="print-lesson" on:click=print>
            "Print this lesson"
        </button>
        <Preparing />
    }
}

/// Steps of which a model was asked, while the sheet is prepared.
#[component]
fn Preparing() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let words = move || {
        let lesson = room.lesson.get()?;
        let run = lesson.steps.iter().filter(|step| room.answer_to(step).is_run()).count();
        Some(format!("Preparing the sheet: {run} of {} steps", lesson.steps.len()))
    };
    view! {
        <Show when=move || room.is_preparing.get()>
            <span role="status">{words}</span>
            <button type="button" on:click=move |_| room.stop()>"Cancel"</button>
        </Show>
    }
}

/// Only on paper.
#[component]
pub fn Sheet() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    let sheet = move || {
        let lesson = room.lesson.get()?;
        let number = studio.lessons.with(|lessons| lessons.lesson)?;
        let answers = lesson.steps.iter().map(|step| (step, room.answer_to(step)));
        let asked = answers.clone().map(|(step, StepAnswer { outcome, .. })| {
            let taken = step.clone().as_asked(outcome.as_ref());
            let prompt = taken.prompt(lesson.prompt.as_ref());
            let prompt = prompt.map(|prompt| prompt.text.clone());
            view! { <Asked step=step.clone() prompt outcome /> }
        });
        let asked = asked.collect_view();
        let outcomes = answers.map(|(_, answer)| view! { <ToldOnPaper answer /> }).collect_view();
        let address = browser::beside(&format!("#{}", link_to(number, studio.draft.get())));
        let minutes = lesson.minutes;
        Some(view! {
            <h2>{number} ". " {lesson.title.clone()}</h2>
            <p>{format!("{minutes} minutes. Say first what you expect; what a model said to it stands behind.")}</p>
            <ol class="asked">{asked}</ol>
            <h2 class="told-title">"What the run says"</h2>
            <ol class="told">{outcomes}</ol>
            <p>"To keep: " {with_whole_per_cents(&lesson.takeaway)}</p>
            <p>{format!("Printed by build {}. Open it: {address}", browser::build())}</p>
        })
    };
    view! { <section class="sheet" aria-hidden="true">{sheet}</section> }
}

/// The lesson's own address, with the model that is asked: the look of a wall is none of a sheet's.
fn link_to(number: usize, draft: link::Draft) -> String {
    let mut link = link::Link::to(link::View::Lessons);
    link.draft = Some(draft);
    link.lessons.lesson = Some(number);
    link.fragment()
}

#[component]
fn Asked(step: LessonStep, prompt: Option<String>, outcome: Option<StepOutcome>) -> impl IntoView {
    // What names numbers of a run is not to be read before that run.
    let words = outcome.or_else(|| step.before.is_none().then(|| StepOutcome::asked("", &step)));
    match words {
        Some(StepOutcome { say, ask, options, .. }) => view! {
            <li>
                {prompt.map(|prompt| view! { <p>"The model reads " <q>{prompt}</q> "."</p> })}
                <p>{with_whole_per_cents(&say)}</p>
                <p class="ask"><strong>{with_whole_per_cents(&ask)}</strong></p>
                <ul class="boxes">{options.into_iter().map(|option| view! { <li>{with_whole_per_cents(&option.text)}</li> }).collect_view()}</ul>
            </li>
        }
        .into_any(),
        None => view! { <li><p>"Not run yet: “Print this lesson” runs what its question needs."</p></li> }.into_any(),
    }
}

#[component]
fn ToldOnPaper(answer: StepAnswer) -> impl IntoView {
    // With the build on which it was run.
    let StepAnswer { outcome, page, .. } = answer;
    let Some(outcome) = outcome.filter(|outcome| outcome.showing != StepShowing::Asked) else {
        return view! { <li><p>"Not run yet."</p></li> }.into_any();
    };
    let source = outcome.source.map(|source| source.to_string());
    let said = match outcome.showing {
        StepShowing::CannotShow(reason) => reason,
        StepShowing::Open => "The run leaves it open.".to_owned(),
        StepShowing::NoneHolds => "The run agrees with none of the options.".to_owned(),
        StepShowing::Asked | StepShowing::Answered => {
            let right = outcome.right.and_then(|i| outcome.options.get(i));
            right.map(|option| option.text.clone()).unwrap_or_default()
        }
    };
    view! {
        <li>
            <p><strong>{with_whole_per_cents(&said)}</strong></p>
            <p>{with_whole_per_cents(&outcome.reveal)}</p>
            <p>{with_whole_per_cents(&outcome.caveat)}</p>
            <p class="hint">{source} {format!(" (build {page})")}</p>
        </li>
    }
    .into_any()
}
