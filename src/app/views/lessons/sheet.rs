//! A lesson on paper: every question first; behind them, on pages of their own, what the run said, and the link.

use leptos::prelude::*;

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
        let lesson = room.words.get()?;
        let run = room.book.with(|book| {
            let is_run = |step: &&LessonStep| {
                book.of(&lesson.id, &step.id).is_some_and(|answer| answer.is_run())
            };
            lesson.steps.iter().filter(is_run).count()
        });
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
        let lesson = room.words.get()?;
        let number = studio.lessons.with(|lessons| lessons.lesson)?;
        // With the build on which each was run.
        let found: Vec<(Option<StepOutcome>, String)> = room.book.with(|book| {
            let of = |step: &LessonStep| {
                let answer = book.of(&lesson.id, &step.id)?;
                Some((answer.outcome.clone(), answer.page.clone()))
            };
            let steps = lesson.steps.iter();
            steps.map(|step| of(step).unwrap_or_default()).collect()
        });
        let asked = lesson.steps.iter().zip(&found).map(|(step, (outcome, _))| {
            let asked = outcome.as_ref().and_then(|outcome| outcome.asked.clone());
            let taken = match asked {
                Some(asked) => asked.in_step(step.clone()),
                None => step.clone(),
            };
            let prompt = taken.prompt(lesson.prompt.as_ref());
            let prompt = prompt.map(|prompt| prompt.text.clone());
            view! { <Asked step=step.clone() prompt outcome=outcome.clone() /> }
        });
        let asked = asked.collect_view();
        let told = found.iter().map(
            |(outcome, page)| view! { <ToldOnPaper outcome=outcome.clone() page=page.clone() /> },
        );
        let told = told.collect_view();
        let address = browser::beside(&format!("#{}", link_to(number, studio.draft.get())));
        let minutes = lesson.minutes;
        Some(view! {
            <h2>{number} ". " {lesson.title.clone()}</h2>
            <p>{format!("{minutes} minutes. Say first what you expect; what a model said to it stands behind.")}</p>
            <ol class="asked">{asked}</ol>
            <h2 class="told-title">"What the run says"</h2>
            <ol class="told">{told}</ol>
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
    let words = match outcome {
        Some(outcome) => {
            let options = outcome.options.into_iter().map(|option| option.text);
            Some((outcome.say, outcome.ask, options.collect::<Vec<_>>()))
        }
        // What names numbers of a run is not to be read before that run.
        None => step.before.is_none().then(|| {
            let options = step.options.into_iter().map(|option| option.text);
            (step.say, step.ask, options.collect::<Vec<_>>())
        }),
    };
    match words {
        Some((say, ask, options)) => view! {
            <li>
                {prompt.map(|prompt| view! { <p>"The model reads " <q>{prompt}</q> "."</p> })}
                <p>{with_whole_per_cents(&say)}</p>
                <p class="ask"><strong>{with_whole_per_cents(&ask)}</strong></p>
                <ul class="boxes">{options.into_iter().map(|text| view! { <li>{with_whole_per_cents(&text)}</li> }).collect_view()}</ul>
            </li>
        }
        .into_any(),
        None => view! { <li><p>"Not run yet: “Print this lesson” runs what its question needs."</p></li> }.into_any(),
    }
}

#[component]
fn ToldOnPaper(outcome: Option<StepOutcome>, page: String) -> impl IntoView {
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
