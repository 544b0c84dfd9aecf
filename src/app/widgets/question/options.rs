//! The options in one row: which is right, its text, and what the model says of it.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::text::seen_text;
use super::{is_answered, with_lens};
use crate::app::link::Draft;
use crate::app::state::Studio;
use crate::chart::{number, share_and_rank};
use crate::measure::decomposition::argmax;
use crate::study::report::Lens;

/// The engine takes more, but nobody compares more by eye.
const MAX_OPTIONS: usize = 12;

/// Options that stand in one row with their numbers in full.
const FEW: usize = 4;

#[component]
pub fn Options(spaces: RwSignal<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_answered = is_answered(studio);
    let count = Memo::new(move |_| studio.draft.with(|draft| draft.options.len()));
    let fields = move || {
        (0..count.get()).map(|k| view! { <OptionField k spaces is_answered /> }).collect_view()
    };
    view! {
        <fieldset class="options" class:many=move || { count.get() > FEW }>
            <legend class="unseen">"Options, and which one is right"</legend>
            {fields}
        </fieldset>
    }
}

/// The buttons that add an option and take the last one away.
#[component]
pub fn OptionCount() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let count = Memo::new(move |_| studio.draft.with(|draft| draft.options.len()));
    view! {
        <span class="option-count">
            <button
                type="button"
                aria-label="Add an option"
                title="Add an option"
                disabled={move || count.get() >= MAX_OPTIONS}
                on:click=move |_| studio.edit(Draft::add_option)
            >"+"</button>
            <button
                type="button"
                aria-label="Remove the last option"
                title="Remove the last option"
                disabled={move || count.get() <= 2}
                on:click=move |_| studio.edit(Draft::remove_option)
            >"−"</button>
        </span>
    }
}

#[component]
fn OptionField(k: usize, spaces: RwSignal<bool>, is_answered: Memo<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let text = Memo::new(move |_| {
        studio.draft.with(|draft| draft.options.get(k).cloned().unwrap_or_default())
    });
    let is_likeliest = Memo::new(move |_| {
        let likeliest = with_lens(studio, |lens| argmax(&lens.probabilities) == k);
        is_answered.get() && likeliest == Some(true)
    });
    let keyed = move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            studio.run();
        }
    };
    let numbers = move || with_lens(studio, |lens| numbers(lens, k));
    view! {
        <span class="option-field" class:likeliest=move || is_likeliest.get()>
            <input
                type="radio"
                name="answer"
                aria-label=format!("Option {} is right", k + 1)
                title="The right answer"
                prop:checked=move || studio.draft.with(|draft| draft.answer == Some(k))
                on:change=move |_| studio.judge(k)
            />
            // The text once more gives the field its width.
            <span class="fit">
                <span aria-hidden="true">{move || text.with(|text| seen_text(text, spaces.get()))}</span>
                <input
                    type="text"
                    class="option-text"
                    size="1"
                    aria-label=format!("Option {}", k + 1)
                    spellcheck="false"
                    autocomplete="off"
                    autocapitalize="off"
                    prop:value=move || text.get()
                    on:input=move |event| studio.edit(|draft| draft.rename(k, event_target_value(&event)))
                    on:keydown=keyed
                />
            </span>
            <span class="said" class:stale=move || !is_answered.get()>{numbers}</span>
        </span>
    }
}

/// An option's probability in the whole vocabulary, its rank there, and its share among the options.
fn numbers(lens: &Lens, k: usize) -> Option<AnyView> {
    let share = *lens.probabilities.get(k)?;
    let vocabulary = lens.vocabulary.as_ref();
    // A bar of the share would have another scale.
    let bar = vocabulary.map_or(0.0, |v| v.option_probabilities[k]);
    let whole = vocabulary
        .map_or_else(|| "of all: not known".to_owned(), |v| share_and_rank(v, k).join(" · "));
    let numbers = view! {
        <span class="bar-of" aria-hidden="true">
            <span class="fill" style:width=format!("{:.2}%", 100.0 * bar)></span>
        </span>
        <span class="shares">
            <span class="of-all">{whole}</span>
            " · "
            <span class="among">{number::percent_tenths(share)}</span>
            <span class="of-these">" of these"</span>
        </span>
    };
    Some(numbers.into_any())
}
