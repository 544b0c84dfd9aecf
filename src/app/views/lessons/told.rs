//! The model's answer to a question: in words, with the run's own numbers, beside the reader's expectation.

use leptos::prelude::*;

use super::lacking::CannotShow;
use super::numbers::{NumberRow, Numbers};
use super::picture::StepPictures;
use crate::app::state::{OpenLesson, Studio};
use crate::app::widgets::{Terms, Words};
use crate::chart::number::with_whole_per_cents;
use crate::study::lessons::{
    Holding, LessonStep, OptionOutcome, RunSource, StepOutcome, StepShowing,
};

#[component]
pub fn Told(number: usize, at: usize, of: usize) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let outcome = Memo::new(move |_| room.answer().outcome);
    let expected = Memo::new(move |_| room.answer().expected);
    let cannot =
        Memo::new(move |_| outcome.with(|outcome| Some(outcome.as_ref()?.lacking()?.to_owned())));
    let studio = expect_context::<Studio>();
    Effect::new(move |_| {
        let said = outcome.with(|outcome| Some(verdict(outcome.as_ref()?, expected.get())));
        studio.say(said.unwrap_or_default());
    });
    let title = move || {
        let said = outcome.with(|outcome| outcome.as_ref().map(|it| verdict(it, expected.get())));
        match cannot.with(Option::is_some) {
            true => view! { "What the run says" }.into_any(),
            false => view! { <span id="verdict">{said}</span> }.into_any(),
        }
    };
    view! {
        <section class="told-of-step" id="told" aria-labelledby="told-title">
            <div class="said">
                <h3 id="told-title" tabindex="-1">{title}</h3>
                <Show
                    when=move || cannot.with(Option::is_none)
                    fallback=move || view! { <CannotShow reason=cannot /> }
                >
                    {move || outcome.get().map(|outcome| view! { <p><Terms text=outcome.reveal /></p> })}
                    {move || rows_read(outcome.get()?, room.taken()?).map(|rows| view! { <p class="hint">{rows}</p> })}
                </Show>
            </div>
            <Show when=move || cannot.with(Option::is_none)>
                <div class="because">
                    {move || outcome.get().map(|outcome| view! { <Because outcome expected=expected.get() /> })}
                </div>
                <div class="shown">
                    <StepPictures />
                    {move || outcome.get().map(|outcome| view! { <RunNumbers outcome /> })}
                </div>
            </Show>
            <div class="beyond">
                <Show when=move || cannot.with(Option::is_none)>
                    {move || outcome.get().map(|outcome| view! { <OtherOptions outcome expected=expected.get() /> })}
                    <OwnWords />
                </Show>
                <Source />
                <Done number at of />
            </div>
        </section>
    }
}

/// Says on how many rows the answer rests, beside its per cents; nothing of a single prompt.
fn rows_read(outcome: StepOutcome, step: LessonStep) -> Option<String> {
    let source = outcome.source?;
    let rows = match source {
        RunSource::Models(_) => step.rows_in_words(),
        _ => source.stored_rows_in_words(),
    };
    Some(format!("On {}.", rows?))
}

/// In one sentence: does the run agree with what was expected?
fn verdict(outcome: &StepOutcome, expected: Option<usize>) -> String {
    let own = expected.and_then(|i| outcome.options.get(i)?.holding);
    let right = outcome.right.and_then(|i| outcome.options.get(i));
    match (&outcome.showing, own, right) {
        (StepShowing::CannotShow(reason), ..) => reason.clone(),
        (StepShowing::NoneHolds, ..) => "The run agrees with none of the options.".to_owned(),
        (StepShowing::Open, ..) => {
            "The run leaves it open: its numbers allow for more than one answer.".to_owned()
        }
        (_, Some(Holding::Agrees), _) => "The run agrees with you.".to_owned(),
        (_, Some(Holding::Open), _) => "The run leaves open what you expected.".to_owned(),
        (_, _, Some(right)) => {
            let right = with_whole_per_cents(right.text.trim_end_matches('.'));
            format!("The run disagrees with you. It says: {right}.")
        }
        _ => "The run disagrees with you.".to_owned(),
    }
}

/// The belief behind what was expected, what the run says to it, and what the run does not say.
#[component]
fn Because(outcome: StepOutcome, expected: Option<usize>) -> impl IntoView {
    let own = expected.and_then(|i| outcome.options.get(i).cloned());
    view! {
        {own.map(|option| view! { <Why option /> })}
        <p class="caveat">"But: " <Terms text=outcome.caveat /></p>
    }
}

/// The run's numbers, folded: the sentence names those that matter.
#[component]
fn RunNumbers(outcome: StepOutcome) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let numbers = room.taken().map(|step| NumberRow::all(&outcome.numbers, &step));
    // One number has nothing beside it to compare with.
    let numbers = numbers.filter(|rows| rows.len() > 1);
    numbers.map(|rows| {
        view! {
            <details class="more">
                <summary>"The run's numbers"</summary>
                <Numbers rows />
            </details>
        }
    })
}

/// The options that the reader did not choose, with the belief behind each.
#[component]
fn OtherOptions(outcome: StepOutcome, expected: Option<usize>) -> impl IntoView {
    let others = outcome.options.into_iter().enumerate();
    let others = others.filter(|(i, option)| Some(*i) != expected && !option.why.is_empty());
    let others = others.map(|(_, option)| {
        view! {
            <p class="ask"><Words text=option.text.clone() /></p>
            <Why option is_folded=true />
        }
    });
    let others: Vec<_> = others.collect();
    (!others.is_empty()).then(|| {
        view! {
            <details class="more">
                <summary>"The other options"</summary>
                {others}
            </details>
        }
    })
}

/// A belief of those who choose this option, and the run's words on it.
#[component]
fn Why(option: OptionOutcome, #[prop(optional)] is_folded: bool) -> impl IntoView {
    let is_wrong = option.holding != Some(Holding::Agrees) && !option.belief.is_empty();
    let belief = is_wrong
        .then(|| format!("A belief behind it: “{}”. ", option.belief.trim_end_matches('.')));
    view! { <p class="belief">{belief} <Terms text=option.why aside=is_folded /></p> }
}

/// The reader's own sentence on the difference, stored with the answers.
#[component]
fn OwnWords() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let written = room.answer().own_words;
    let keep = move |event: web_sys::Event| {
        let words = event_target_value(&event);
        if let Some(place) = untrack(|| room.place()) {
            room.change(&place, |answer| answer.own_words = words);
        }
    };
    view! {
        <label class="field" for="own-words">
            "What did you expect differently? (If you like: one sentence"
            {move || if room.is_kept.get() { ", kept with your answers" } else { "" }} ".)"
        </label>
        <textarea class="own-words" id="own-words" rows="2" prop:value=written on:input=keep></textarea>
    }
}

/// Which model said it, on what; and the way to ask another.
#[component]
fn Source() -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let run = Memo::new(move |_| {
        let outcome = room.answer().outcome?;
        Some((outcome.model, outcome.source))
    });
    let said = move || Some(run.get()?.1?.to_string());
    let other = Memo::new(move |_| {
        let (asked, _) = run.get()?;
        room.model().filter(|now| *now != asked)
    });
    let studio = expect_context::<Studio>();
    let further = move || {
        let mut link = room.link()?;
        link.lessons.is_projected = studio.lessons.with(|lessons| lessons.is_projected);
        let name = link.view.title();
        let href = format!("#{}", link.fragment());
        Some(view! { <a href=href id="further">"Look further in " {name}</a> })
    };
    let other_words = move || other.get().map(|name| format!("Run it on {name}"));
    view! {
        <p class="onward">
            <span class="hint">{said}</span>
            {further}
            <Show when=move || other.with(Option::is_some)>
                <button type="button" disabled=move || room.is_busy() on:click=move |_| room.ask_model()>{other_words}</button>
            </Show>
            <button type="button" id="ask-anew" on:click=move |_| room.ask_anew()>"Answer anew"</button>
        </p>
    }
}

/// Behind the last step: what to keep, and the next lesson.
#[component]
fn Done(number: usize, at: usize, of: usize) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    if at + 1 < of {
        return ().into_any();
    }
    let takeaway = room.lesson.get_untracked().map(|lesson| lesson.takeaway.clone());
    let is_next = room.list.with_untracked(Vec::len) > number;
    view! {
        <div id="done" class="belief">
            <p>"The end of this lesson. To keep: " {takeaway.map(|text| view! { <Terms text /> })}</p>
            {is_next
                .then(|| {
                    view! {
                        <button type="button" on:click=move |_| studio.go_to_step(number + 1, 0)>
                            {format!("On to lesson {}", number + 1)}
                        </button>
                    }
                })}
        </div>
    }
    .into_any()
}
