//! Prompts to begin with, in one row; what finds no room there, and what is rarely used, in a fold.

use leptos::prelude::*;

use crate::app::examples::{self, Example};
use crate::app::link::{Choice, Draft};
use crate::app::state::Studio;
use crate::app::widgets::Tick;
use crate::model::catalogue;
use crate::task::english::EnglishPrompt;

/// An example as the row offers it.
#[derive(Clone, Debug, PartialEq)]
struct OfferedExample {
    name: String,
    look: String,
    draft: Draft,
}

#[component]
pub fn Examples(spaces: RwSignal<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_open = RwSignal::new(false);
    let offers = Memo::new(move |_| offers(studio));
    let current = Memo::new(move |_| {
        let is_in_draft = |offer: &OfferedExample| {
            studio.draft.with(|draft| {
                draft.prompt == offer.draft.prompt && draft.options == offer.draft.options
            })
        };
        offers.with(|offers| offers.iter().position(is_in_draft))
    });
    let look = move || {
        let offer = offers.with(|offers| offers.get(current.get()?).cloned());
        offer.map(|offer| offer.look)
    };
    let buttons = move || {
        let all = offers.get().into_iter().enumerate();
        all.map(|(n, offer)| view! { <ExampleButton offer is_pressed=Memo::new(move |_| current.get() == Some(n)) /> })
            .collect_view()
    };
    view! {
        <div class="try">
            <span class="field">"Try"</span>
            <div class="examples" role="group" aria-label="Examples">{buttons}</div>
            <button
                type="button"
                class="question-more"
                aria-expanded=move || is_open.get().to_string()
                aria-controls="question-fold"
                on:click=move |_| is_open.update(|open| *open = !*open)
            >
                {move || if is_open.get() { "Less" } else { "More" }}
            </button>
        </div>
        <div class="question-fold" id="question-fold" class:open=move || is_open.get()>
            <div class="examples rest" role="group" aria-label="More examples">{buttons}</div>
            <p class="look">{look}</p>
            <Tick words="Show spaces" id="show-spaces" is_on=spaces on_turn=move |on| spaces.set(on) />
            <p class="hint" id="prompt-hint">
                "Enter runs the prompt. Shift and Enter break the line. An option is one token right after the prompt; the space \
                 before a word belongs to it."
            </p>
        </div>
    }
}

#[component]
fn ExampleButton(offer: OfferedExample, is_pressed: Memo<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let OfferedExample { name, look, draft } = offer;
    // A plan is of the model, not of the prompt.
    let take = move |_| {
        let current = studio.draft.get_untracked();
        let is_same_model = current.model.name() == draft.model.name();
        let plan = if is_same_model { current.plan } else { String::new() };
        studio.take(Draft { plan, ..draft.clone() });
    };
    view! {
        <button type="button" title=look aria-pressed=move || is_pressed.get().to_string() on:click=take>
            {name}
        </button>
    }
}

/// Returns the examples that the model reads: plain English, or the scholars' own words.
fn offers(studio: Studio) -> Vec<OfferedExample> {
    let model = studio.draft.with(|draft| draft.model.clone());
    let english = studio.english.get();
    if english.is_empty() {
        let model = scholar(model);
        return examples::ALL
            .iter()
            .map(|example| scholar_example(example, model.clone()))
            .collect();
    }
    english.into_iter().map(|example| english_example(example, model.clone())).collect()
}

/// Returns the model that answers the scholars' examples: a folder's tokenizer knows other words.
fn scholar(model: Choice) -> Choice {
    match model {
        Choice::Known(name) if catalogue::find(&name).is_some() => Choice::Known(name),
        _ => examples::first().model,
    }
}

fn scholar_example(example: &Example, model: Choice) -> OfferedExample {
    OfferedExample {
        name: example.name.to_owned(),
        look: example.look.to_owned(),
        draft: example.draft(model),
    }
}

fn english_example(example: EnglishPrompt, model: Choice) -> OfferedExample {
    let EnglishPrompt { name, like, look, prompt, options, answer } = example;
    let draft = Draft { model, prompt, options, answer: Some(answer), plan: String::new() };
    OfferedExample { name, look: format!("{look} (in the shape of {like})"), draft }
}
