//! The prompt as its tokens, what computed the pictures, and the control that they must pass.

use leptos::prelude::*;

use super::with_coupling;
use crate::app::link::CouplingSettings;
use crate::app::spacing::spaced;
use crate::app::state::{Place, Studio};
use crate::app::widgets::{PromptEditor, Provenance};
use crate::study::coupling::{CouplingMethod, MethodReason};

/// Its blocks are six, each run twice in a row: what finds nothing alike here finds nothing anywhere.
const TWIN: &str = "scholar-12-shared";
const OWN: &str = "scholar-12";

#[component]
pub fn Prompt() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let there = Memo::new(move |_| studio.coupled.with(Option::is_some));
    let tokens = move || {
        with_coupling(studio, |coupling| {
            let pieces = match (&coupling.prompt, &coupling.tokens) {
                (Some(prompt), Some(tokens)) => spaced(prompt, tokens),
                _ => coupling.token_ids.iter().map(|id| (" ", id.to_string())).collect(),
            };
            let last = pieces.len().saturating_sub(1);
            let pieces = pieces.into_iter().enumerate().map(|(t, (before, piece))| {
                let special = piece.starts_with('<') && piece.ends_with('>');
                view! {
                    {before}
                    <span class="token" class:special=special class:answering={t == last}>{piece.replace('\n', "↵")}</span>
                }
            });
            pieces.collect_view()
        })
    };
    // What is wrong with the prompt is said where it can be changed.
    let has_problem = Memo::new(move |_| {
        studio
            .problems
            .with(|problems| problems.iter().any(|problem| problem.place == Place::Prompt))
    });
    let how = move || {
        with_coupling(studio, |coupling| {
            let products = coupling.products.jvp + coupling.products.vjp;
            let method = match (coupling.method, coupling.reason) {
                (CouplingMethod::Whole, _) => "every Jacobian was formed whole",
                (CouplingMethod::Lanczos, MethodReason::Memory) => {
                    "whole Jacobians would not fit in memory, so their leading vectors were searched by products alone"
                }
                (CouplingMethod::Lanczos, _) => {
                    "the leading vectors were searched by products alone"
                }
            };
            format!(
                "Plan {}, {} steps, read at the last token (underlined) unless a picture says otherwise; {products} products of a Jacobian with a vector: {method}.",
                coupling.plan,
                coupling.steps.len()
            )
        })
    };
    view! {
        <section class="coupling-prompt" id="coupling-prompt" aria-label="The prompt">
            <p class="tokens" lang="en">{tokens}</p>
            <Show when=move || there.get()>
                <p class="hint">{how}</p>
                <Provenance />
            </Show>
            <details class="more" prop:open=move || has_problem.get()>
                <summary>"Another prompt"</summary>
                <PromptEditor />
            </details>
            <Control />
        </section>
    }
}

/// The layer-shared twin.
#[component]
fn Control() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_twin = Memo::new(move |_| studio.draft.with(|draft| draft.model.name() == TWIN));
    let choose = move |_| {
        let name = if is_twin.get_untracked() { OWN } else { TWIN };
        studio.aim_coupling(CouplingSettings::forget_places);
        studio.choose_known(name.to_owned());
    };
    let words = move || match is_twin.get() {
        true => {
            "This is the control: six blocks, each run twice in a row. Twins must be bright beside each other; a map that does not show it shows nothing. "
        }
        false => {
            "A map must first find what is there: the layer-shared twin runs each of its six blocks twice in a row. "
        }
    };
    let label = move || match is_twin.get() {
        true => "Back to the model with blocks of its own",
        false => "Try the control",
    };
    view! {
        <p class="control">
            {words}
            <button type="button" id="coupling-control" on:click=choose>{label}</button>
        </p>
    }
}
