//! The options of a question: radio buttons before the run; after it, each with the reader's choice, the run's
//! verdict, and the hands that a teacher counted.

use leptos::prelude::*;

use crate::app::state::{OpenLesson, Studio};
use crate::app::widgets::Words;
use crate::study::lessons::{Holding, OptionOutcome, StepOutcome};

#[component]
pub fn Expectations(
    asked: StepOutcome,
    chosen: RwSignal<Option<usize>>,
    expected: Memo<Option<usize>>,
) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let room = expect_context::<OpenLesson>();
    let tally = Memo::new(move |_| room.answer().tally);
    // Where a class looks, hands are counted.
    let is_counted = Memo::new(move |_| {
        let is_class = studio.lessons.with(|lessons| lessons.is_projected || lessons.is_held);
        is_class || tally.with(|tally| tally.iter().any(|&hands| hands > 0))
    });
    // Nothing is to be expected of what a model cannot show.
    let is_shut = asked.lacking().is_some();
    let rows = (0..)
        .zip(asked.options)
        .map(|(i, option)| {
            view! { <Expectation i option chosen expected tally is_counted is_shut /> }
        })
        .collect_view();
    view! {
        <fieldset class="expectations" aria-labelledby="question">{rows}</fieldset>
    }
}

#[component]
fn Expectation(
    i: usize,
    option: OptionOutcome,
    chosen: RwSignal<Option<usize>>,
    expected: Memo<Option<usize>>,
    tally: Memo<Vec<u32>>,
    is_counted: Memo<bool>,
    is_shut: bool,
) -> impl IntoView {
    let OptionOutcome { text, holding, .. } = option;
    let is_own = move || expected.get() == Some(i);
    let said = holding.map(|holding| match holding {
        Holding::Agrees => "the run agrees",
        Holding::Disagrees => "the run disagrees",
        Holding::Open => "the run leaves it open",
    });
    let is_held = holding == Some(Holding::Agrees);
    let id = format!("expect-{i}");
    view! {
        <div class="expectation" class:own=is_own class:held=is_held>
            <input
                type="radio"
                name="expectation"
                id=id.clone()
                disabled=move || is_shut || expected.get().is_some()
                prop:checked=move || chosen.get() == Some(i)
                on:change=move |_| chosen.set(Some(i))
            />
            <label for=id><Words text=text.clone() /></label>
            <Show when=move || is_counted.get() && holding.is_none()>
                <Hands i text=text.clone() tally />
            </Show>
            <Show when=move || is_own() || said.is_some()>
                <p class="marks">
                    <Show when=is_own><span class="mark own">"you expected this"</span></Show>
                    {said.map(|said| view! { <span class="mark" class:run=is_held>{said}</span> })}
                </p>
            </Show>
            <Show when=move || holding.is_some() && tally.with(|tally| tally.iter().any(|&hands| hands > 0))>
                <Share i tally />
            </Show>
        </div>
    }
}

/// Hands for one option, typed by who counts them.
#[component]
fn Hands(i: usize, text: String, tally: Memo<Vec<u32>>) -> impl IntoView {
    let room = expect_context::<OpenLesson>();
    let count = move |event: web_sys::Event| {
        let hands = event_target_value(&event).trim().parse::<u32>();
        let Some(place) = untrack(|| room.place()) else {
            return;
        };
        room.change(&place, |answer| {
            if answer.tally.len() <= i {
                answer.tally.resize(i + 1, 0);
            }
            // An empty field is nobody's hand.
            answer.tally[i] = hands.unwrap_or(0).min(MOST_HANDS);
        });
    };
    // Enter would commit what the class is still counting.
    let stay = |event: web_sys::KeyboardEvent| {
        if event.key() == "Enter" {
            event.prevent_default();
        }
    };
    let now = Memo::new(move |_| tally.with(|tally| tally.get(i).copied().unwrap_or(0)));
    let written = move || match now.get() {
        0 => String::new(),
        hands => hands.to_string(),
    };
    view! {
        <label class="tally">
            "Hands"
            <span class="unseen">" for: " {text}</span>
            <input
                type="number"
                min="0"
                max=MOST_HANDS
                prop:value=written
                on:change=count
                on:keydown=stay
            />
        </label>
    }
}

/// More than any hall has.
const MOST_HANDS: u32 = 9999;

/// How many expected this, of all whose hands were counted.
#[component]
fn Share(i: usize, tally: Memo<Vec<u32>>) -> impl IntoView {
    let hands = move || tally.with(|tally| tally.get(i).copied().unwrap_or(0));
    let all = move || tally.with(|tally| tally.iter().sum::<u32>());
    let width = move || {
        let share = f64::from(hands()) / f64::from(all().max(1));
        format!("{:.1}%", 100.0 * share)
    };
    view! {
        <div class="hands">
            <span class="bar-of" aria-hidden="true"><span class="fill" style:width=width></span></span>
            <span>{move || format!("{} of {} hands", hands(), all())}</span>
        </div>
    }
}
