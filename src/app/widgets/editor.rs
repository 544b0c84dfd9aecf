//! Examples, and the prompt, options and right answer in plain form controls.

use leptos::prelude::*;
use web_sys::KeyboardEvent;

use super::problem::ProblemLine;
use crate::app::examples;
use crate::app::link::{Choice, Draft};
use crate::app::state::{Place, Studio};
use crate::model::catalogue;
use crate::task::english::EnglishPrompt;

/// The engine takes more, but nobody compares more by eye.
const MOST_OPTIONS: usize = 12;

#[component]
pub fn PromptEditor() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let count = Memo::new(move |_| studio.draft.with(|draft| draft.options.len()));
    let keyed = move |event: KeyboardEvent| {
        // Enter runs, Shift and Enter break the line; a word that is being composed is not done.
        if event.key() == "Enter" && !event.shift_key() && !event.is_composing() {
            event.prevent_default();
            studio.run();
        }
    };
    view! {
        <div class="asking">
            <Examples />
            <ProblemLine place=Place::Prompt />
            <form class="editor" on:submit=move |event| {
                event.prevent_default();
                studio.run();
            }>
                <label class="field" for="prompt">"Your prompt"</label>
                <textarea
                    id="prompt"
                    rows="2"
                    spellcheck="false"
                    autocomplete="off"
                    aria-describedby="prompt-hint"
                    prop:value=move || studio.draft.with(|draft| draft.prompt.clone())
                    on:input=move |event| studio.edit(|draft| draft.prompt = event_target_value(&event))
                    on:keydown=keyed
                ></textarea>
                <fieldset>
                    <legend>"Options, and which one is right"</legend>
                    <div class="option-fields">
                        {move || (0..count.get()).map(|k| view! { <OptionField k /> }).collect_view()}
                        <span class="option-count">
                            <button
                                type="button"
                                aria-label="Add an option"
                                title="Add an option"
                                disabled={move || count.get() >= MOST_OPTIONS}
                                on:click=move |_| studio.edit(crate::app::link::Draft::add_option)
                            >"+"</button>
                            <button
                                type="button"
                                aria-label="Remove the last option"
                                title="Remove the last option"
                                disabled={move || count.get() <= 2}
                                on:click=move |_| studio.edit(Draft::remove_option)
                            >"−"</button>
                        </span>
                    </div>
                    <button type="button" class="says" on:click=move |_| studio.ask_what_it_says()>
                        "What does it say by itself?"
                    </button>
                    <button type="button" class="says" id="go-on" on:click=move |_| studio.go_on()>
                        "Go on"
                    </button>
                    <output class="written" aria-live="off">{move || studio.written.get()}</output>
                    <p class="hint" id="offered">{move || studio.offered.get()}</p>
                    <p class="hint" id="prompt-hint">
                        "An option is one token right after the prompt; the space before a word belongs to it. Enter runs at once, \
                         Shift and Enter break the line."
                    </p>
                </fieldset>
            </form>
        </div>
    }
}

#[component]
fn OptionField(k: usize) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let keyed = move |event: KeyboardEvent| {
        if event.key() == "Enter" && !event.is_composing() {
            event.prevent_default();
            studio.run();
        }
    };
    view! {
        <span class="option-field">
            <input
                type="radio"
                name="answer"
                aria-label=format!("Option {} is right", k + 1)
                prop:checked=move || studio.draft.with(|draft| draft.answer == Some(k))
                on:change=move |_| studio.judge(k)
            />
            <input
                type="text"
                class="option-text"
                aria-label=format!("Option {}", k + 1)
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                prop:value=move || studio.draft.with(|draft| draft.options.get(k).cloned().unwrap_or_default())
                on:input=move |event| studio.edit(|draft| draft.rename(k, event_target_value(&event)))
                on:keydown=keyed
            />
        </span>
    }
}

#[component]
fn Examples() -> impl IntoView {
    let studio = expect_context::<Studio>();
    view! {
        <Show when=move || studio.english.with(Vec::is_empty) fallback=|| view! { <EnglishExamples /> }>
            <OwnExamples />
        </Show>
    }
}

/// Of models that read text.
#[component]
fn EnglishExamples() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_own = move |example: &EnglishPrompt| {
        studio
            .draft
            .with(|draft| draft.prompt == example.prompt && draft.options == example.options)
    };
    let look = move || {
        let examples = studio.english.get();
        let current = examples.into_iter().find(is_own);
        current.map_or_else(String::new, |example| {
            format!("{} (in the shape of {})", example.look, example.like)
        })
    };
    let buttons = move || {
        let button = |example: EnglishPrompt| {
            let name = example.name.clone();
            let same = example.clone();
            let take = move |_| {
                let model = studio.draft.with_untracked(|draft| draft.model.clone());
                studio.take(Draft {
                    model,
                    prompt: example.prompt.clone(),
                    options: example.options.clone(),
                    answer: Some(example.answer),
                    plan: String::new(),
                });
            };
            let pressed = move || if is_own(&same) { "true" } else { "false" };
            view! { <button type="button" aria-pressed=pressed on:click=take>{name}</button> }
        };
        studio.english.get().into_iter().map(button).collect_view()
    };
    view! {
        <div class="examples" role="group" aria-label="Examples">{buttons}</div>
        <p class="look">{look}</p>
    }
}

/// In the scholars' own words.
#[component]
fn OwnExamples() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let current = Memo::new(move |_| {
        studio.draft.with(|draft| {
            examples::ALL
                .iter()
                .position(|e| e.prompt == draft.prompt && e.options == draft.options.as_slice())
        })
    });
    let look = move || current.get().map_or("", |i| examples::ALL[i].look);
    view! {
        <div class="examples" role="group" aria-label="Examples">
            {examples::ALL
                .iter()
                .enumerate()
                .map(|(i, example)| {
                    let take = move |_| {
                        // On the model chosen now, except that a folder's tokenizer knows other words.
                        let model = studio.draft.with_untracked(|draft| draft.model.clone());
                        let model = match model {
                            Choice::Known(name) if catalogue::find(&name).is_some() => Choice::Known(name),
                            _ => examples::first().model,
                        };
                        studio.take(example.draft(model));
                    };
                    let pressed = move || if current.get() == Some(i) { "true" } else { "false" };
                    view! { <button type="button" aria-pressed=pressed on:click=take>{example.name}</button> }
                })
                .collect_view()}
        </div>
        <p class="look">{look}</p>
    }
}
