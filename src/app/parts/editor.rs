//! Examples, and the prompt, options and right answer in plain form controls.

use leptos::prelude::*;

use super::problem::ProblemLine;
use crate::app::examples;
use crate::app::studio::{Place, Studio};

/// The engine takes more, but nobody compares more by eye.
const MOST_OPTIONS: usize = 12;

#[component]
pub fn PromptEditor() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let count = Memo::new(move |_| studio.draft.with(|draft| draft.options.len()));
    view! {
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
                prop:value=move || studio.draft.with(|draft| draft.prompt.clone())
                on:input=move |event| studio.edit(|draft| draft.prompt = event_target_value(&event))
            ></textarea>
            <fieldset>
                <legend>"Options, and which one is right"</legend>
                <div class="option-fields">
                    {move || (0..count.get()).map(|k| view! { <OptionField k /> }).collect_view()}
                </div>
                <p class="hint">"An option is one token right after the prompt; the space before a word belongs to it."</p>
                <div class="buttons">
                    <button
                        type="button"
                        disabled={move || count.get() >= MOST_OPTIONS}
                        on:click=move |_| studio.edit(|draft| draft.options.push(" ".to_owned()))
                    >"Add an option"</button>
                    <button
                        type="button"
                        disabled={move || count.get() <= 2}
                        on:click=move |_| studio.edit(|draft| {
                            draft.options.pop();
                            draft.answer = draft.answer.min(draft.options.len().saturating_sub(1));
                        })
                    >"Remove the last"</button>
                    <button type="submit">"Run"</button>
                </div>
            </fieldset>
        </form>
    }
}

#[component]
fn OptionField(k: usize) -> impl IntoView {
    let studio = expect_context::<Studio>();
    view! {
        <span class="option-field">
            <input
                type="radio"
                name="answer"
                aria-label=format!("Option {} is right", k + 1)
                prop:checked=move || studio.draft.with(|draft| draft.answer == k)
                on:change=move |_| studio.edit(|draft| draft.answer = k)
            />
            <input
                type="text"
                class="option-text"
                aria-label=format!("Option {}", k + 1)
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                size="8"
                prop:value=move || studio.draft.with(|draft| draft.options.get(k).cloned().unwrap_or_default())
                on:input=move |event| studio.edit(|draft| {
                    if let Some(option) = draft.options.get_mut(k) {
                        *option = event_target_value(&event);
                    }
                })
            />
        </span>
    }
}

#[component]
fn Examples() -> impl IntoView {
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
            <span class="field" aria-hidden="true">"Examples"</span>
            {examples::ALL
                .iter()
                .enumerate()
                .map(|(i, example)| {
                    let take = move |_| {
                        // On the model chosen now, except that a folder's tokenizer knows other words.
                        let model = studio.draft.with_untracked(|draft| draft.model.clone());
                        let model = match model {
                            known @ crate::app::link::Choice::Known(_) => known,
                            crate::app::link::Choice::Folder(_) => examples::first().model,
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
