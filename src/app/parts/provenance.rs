//! Where the picture comes from, and the ways to keep it.

use leptos::prelude::*;

use super::download::{CopyLink, SaveReport};
use crate::app::studio::{Origin, Studio};
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
                Origin::Opened => format!("From a report: {name}, {}.", shown.report.engine),
            }
        })
    };
    let shown = Signal::derive(move || studio.picture().get());
    let name = untrack(|| studio.view.get().name());
    view! {
        <p class="provenance" class:baked=move || studio.picture().with(|shown| shown.as_ref().is_some_and(|s| s.origin == Origin::Baked))>
            <span>{words}</span>
            <Show when=move || !studio.is_current()>
                <span class="late">" The picture is still that of the last prompt that ran."</span>
            </Show>
        </p>
        <p class="keep"><SaveReport shown name /> <CopyLink /></p>
    }
}
