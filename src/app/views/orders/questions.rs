//! The paper's eight questions, one card each: predict, run, read.

use leptos::prelude::*;

use crate::app::state::{Card, Quiz, Studio};
use crate::app::widgets::Words;
use crate::study::questions::{ALL, Answer, PaperQuestion, ROWS, TASKS, Verdict};

#[component]
pub fn Questions() -> impl IntoView {
    let names = TASKS.map(|task| task.name()).join(", ");
    view! {
        <section class="questions" aria-labelledby="questions-title">
            <h2 id="questions-title">"The paper's eight questions"</h2>
            <p class="look">
                {format!(
                    "Transformer Layers as Painters asks eight questions of models with 32 blocks and more. Ask the model on this page: \
                     say first what you expect, then run it, on {ROWS} rows each of {names}. The answers are worked out from the run, \
                     with 95 % intervals; its pictures appear below.",
                )}
            </p>
            <ol class="cards">
                {ALL.iter().enumerate().map(|(i, question)| view! { <QuestionCard i question /> }).collect_view()}
            </ol>
        </section>
    }
}

#[component]
fn QuestionCard(i: usize, question: &'static PaperQuestion) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let quiz = expect_context::<Quiz>();
    let card = Memo::new(move |_| quiz.card(i));
    let open = Memo::new(move |_| studio.sweeping.with(|s| s.question == Some(i)));
    let expanded = move || if open.get() { "true" } else { "false" };
    let turn = move |_| {
        let next = (!open.get_untracked()).then_some(i);
        studio.set_sweeping(|sweeping| sweeping.question = next);
    };
    let waiting = move || card.with(|card| card.predicted.is_none());
    let running = move || quiz.is_asked(i);
    let busy = move || studio.sweep.with(Option::is_some) || studio.model.with(Option::is_none);
    let mut choices: Vec<_> = question
        .choices
        .iter()
        .enumerate()
        .map(|(choice, words)| {
            let id = format!("question-{i}");
            view! {
                <label class="tick">
                    <input
                        type="radio"
                        name=id
                        prop:checked=move || card.with(|card| card.predicted == Some(choice))
                        on:change=move |_| quiz.predict(i, choice)
                    />
                    <span>{*words}</span>
                </label>
            }
        })
        .collect();
    // The paper's own answer is each question's first: it must not always stand first.
    choices.rotate_left(i % question.choices.len());
    let found = move || {
        card.with(|card| {
            card.answered
                .clone()
                .map(|(model, answer)| found(question, card, &model, answer))
        })
    };
    view! {
        <li class="card" id=format!("question-{}", question.section)>
            <h3>
                <button type="button" class="turn" aria-expanded=expanded on:click=turn>{question.ask}</button>
            </h3>
            <div class="card-body" class:open=move || open.get()>
            <p class="hint">{format!("§3.{} · {}", question.section, question.how)}</p>
            <fieldset class="choices">
                <legend>"What do you expect?"</legend>
                {choices}
            </fieldset>
            <button type="button" class="ask" disabled=move || waiting() || busy() on:click=move |_| quiz.ask(i)>
                {move || if running() { "Running" } else { "Ask the model" }}
            </button>
            <div class="found" aria-live="polite">{found}</div>
            </div>
        </li>
    }
}

fn found(
    question: &'static PaperQuestion,
    card: &Card,
    model: &str,
    answer: Option<Answer>,
) -> AnyView {
    let Some(answer) = answer else {
        return view! {
            <p>{format!("{model} is too small for this question, or at chance on every task of it.")}</p>
        }
        .into_any();
    };
    let said = match answer.choice {
        Some(choice) => format!("{model} answers “{}”.", question.choices[choice]),
        None => format!("{model} leaves it open: its intervals allow for more than one answer."),
    };
    let paper = question.choices[question.paper];
    let verdict = match answer.verdict {
        Verdict::Agrees => "So did the paper's models.".to_owned(),
        Verdict::Disagrees | Verdict::Open => format!("The paper's models answered “{paper}”."),
    };
    let yours = match (card.predicted, answer.choice) {
        (Some(mine), Some(choice)) if mine == choice => "You expected that.",
        (Some(_), Some(_)) => "You expected something else.",
        _ => "",
    };
    view! {
        <p class="said">{said}</p>
        {answer.sentences.into_iter().map(|text| view! { <p><Words text /></p> }).collect_view()}
        <p>{format!("{verdict} {yours}")}</p>
    }
    .into_any()
}
