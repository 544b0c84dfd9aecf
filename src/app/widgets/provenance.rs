//! Where the picture comes from, and the ways to keep it.

use leptos::prelude::*;

use super::download::{CopyFrame, CopyLink, SaveReport};
use crate::app::link::View;
use crate::app::state::{Origin, Studio};
use crate::chart::number;

/// Logits of the same weights differ by less, whatever order a machine sums in.
const SAME: f64 = 1e-2;

#[component]
pub fn Provenance() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let words = move || {
        studio.picture().with(|shown| {
            let Some(shown) = shown else { return String::new() };
            let name = &shown.report.model.name;
            match &shown.origin {
                Origin::Baked => {
                    format!("Baked example: {name} drew this when the page was built; it is drawn again here as soon as the model has arrived.")
                }
                Origin::Live { milliseconds, agrees } => {
                    let time = number::fixed(*milliseconds, 0);
                    let engine = &shown.report.engine;
                    let here = format!("Computed here by {name} in {time} ms, {engine}.");
                    match agrees {
                        Some(error) if *error < SAME => {
                            format!("{here} The baked example agrees to {}.", number::short(*error))
                        }
                        Some(error) => format!(
                            "{here} The baked example came from other weights: its logits differ by {}.",
                            number::short(*error)
                        ),
                        None => here,
                    }
                }
                Origin::Opened { .. } => format!("From a report: {name}, {}.", shown.report.engine),
            }
        })
    };
    let shown = Signal::derive(move || studio.picture().get());
    let name = untrack(|| studio.view.get().name());
    let baked = move || {
        studio.picture().with(|shown| shown.as_ref().is_some_and(|s| s.origin == Origin::Baked))
    };
    // A coupling needs no right answer.
    let judged = Memo::new(move |_| studio.is_judged() || studio.view.get() == View::Coupling);
    let late = Memo::new(move |_| !studio.is_current());
    view! {
        <p class="provenance" class:baked=baked>
            <span>{words}</span>
            <Show when=move || late.get()>
                <span class="late">" The picture is still that of the last prompt that ran."</span>
            </Show>
        </p>
        // A report says which option was right.
        <p class="keep">
            <Show when=move || judged.get()>
                <SaveReport shown name />
            </Show>
            <CopyLink />
            <CopyFrame />
        </p>
    }
}
