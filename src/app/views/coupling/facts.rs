//! Facts on the run behind the pictures, and the control that the pictures must pass.

use leptos::prelude::*;

use super::with_coupling;
use crate::app::link::CouplingSettings;
use crate::app::state::Studio;
use crate::app::widgets::SaveRun;
use crate::study::coupling::{CouplingMethod, MethodReason};

/// Its blocks are six, each run twice in a row: what finds nothing alike here finds nothing anywhere.
const TWIN: &str = "scholar-12-shared";
const OWN: &str = "scholar-12";

/// Says how the run was linearised, and leads to the control.
#[component]
pub fn RunFacts() -> impl IntoView {
    let studio = expect_context::<Studio>();
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
                "Plan {}, {} steps, read at the last token unless a picture says otherwise; {products} products of a Jacobian with a vector: {method}.",
                coupling.plan,
                coupling.steps.len()
            )
        })
    };
    view! {
        <div id="coupling-facts">
            <p class="hint">{how}</p>
            <SaveRun />
            <Control />
        </div>
    }
}

/// The layer-shared twin.
#[component]
fn Control() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let is_twin = Memo::new(move |_| studio.draft.with(|draft| draft.model.name() == TWIN));
    let choose = move |_| {
        let name = if is_twin.get_untracked() { OWN } else { TWIN };
        studio.coupling.update(CouplingSettings::forget_places);
        studio.choose_known(name.to_owned());
    };
    let words = move || match is_twin.get() {
        true => {
            "This is the control: six blocks, each run twice in a row. The two runs of a block must be bright. A map that does not show it shows nothing. "
        }
        false => {
            "A map must first find what is there: the weight-sharing model runs each of its six blocks twice in a row. "
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
