//! Where the picture comes from, and the ways to save its run.

use leptos::prelude::*;

use super::download::{CopyFrame, CopyLink, SaveReport};
use crate::app::link::View;
use crate::app::state::{Origin, Shown, Studio};
use crate::chart::number;

/// Logits of the same weights differ by less, whatever order a machine sums in.
const SAME: f64 = 1e-2;

/// One line on the run that is shown: which model, how long it took, where.
#[component]
pub fn Provenance() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let words = move || {
        let is_absent = studio.is_absent.get();
        let is_of_lens = studio.view.get() == View::Lens;
        studio.picture().with(|shown| match shown {
            Some(Shown { report, origin: Origin::Baked }) if is_absent && is_of_lens => {
                let name = &report.model.name;
                format!("Computed by {name} when this page was made; not running here.")
            }
            Some(shown) if !is_absent || is_of_lens || is_complete(shown, studio.view.get()) => {
                made_by(shown)
            }
            _ if is_absent => {
                studio.draft.with(|draft| format!("{} is not running here.", draft.model.name()))
            }
            _ => String::new(),
        })
    };
    let is_baked = move || {
        studio.picture().with(|shown| shown.as_ref().is_some_and(|s| s.origin == Origin::Baked))
    };
    // Of an absent model, only the lens has a picture, and a report that stands for itself.
    let has_picture = move || {
        let is_here = studio.view.get() == View::Lens || !studio.is_absent.get();
        let view = studio.view.get();
        studio
            .picture()
            .with(|shown| shown.as_ref().is_some_and(|shown| is_here || is_complete(shown, view)))
    };
    let late = Memo::new(move |_| has_picture() && !studio.is_current());
    view! {
        <p class="provenance" class:baked=is_baked>
            <span>{words}</span>
            " "
            <Show when=move || late.get() fallback=move || (!is_baked()).then_some("Nothing you type leaves this machine.")>
                <span class="late">"The picture is still that of the last run."</span>
            </Show>
        </p>
    }
}

/// Whether a view draws this report although its model is not here: one without a draft, or an opened coupling.
fn is_complete(shown: &Shown, view: View) -> bool {
    let is_opened = matches!(shown.origin, Origin::Opened { .. });
    shown.is_beside() || view == View::Coupling && is_opened && shown.report.coupling.is_some()
}

fn made_by(shown: &Shown) -> String {
    let (name, engine) = (&shown.report.model.name, &shown.report.engine);
    match &shown.origin {
        Origin::Baked => {
            format!("Precomputed by {name} when this page was made.")
        }
        Origin::Live { milliseconds, agrees } => {
            let time = number::fixed(*milliseconds, 0);
            let here = format!("Computed here by {name} in {time} ms, {engine}.");
            match agrees {
                Some(error) if *error >= SAME => format!(
                    "{here} The precomputed example came from other weights: its logits differ by {}.",
                    number::short(*error)
                ),
                _ => here,
            }
        }
        Origin::Opened { .. } => format!("From a report: {name}, {engine}."),
    }
}

/// The largest difference between the run that is shown and the one that came with the page, where both ask the same.
#[component]
pub fn Agreement() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let words = move || {
        studio.picture().with(|shown| match shown.as_ref()?.origin {
            Origin::Live { agrees: Some(error), .. } if error < SAME => {
                Some(format!("The precomputed example agrees to {}.", number::short(error)))
            }
            _ => None,
        })
    };
    view! { <p class="hint" id="agreement">{words}</p> }
}

/// The ways to save the run that is shown, and to lead others to it.
#[component]
pub fn SaveRun() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let shown = Signal::derive(move || studio.picture().get());
    let name = untrack(|| studio.view.get().name());
    view! {
        <p class="keep">
            // A report says which option was right; a coupling needs none.
            <Show when=move || { studio.is_judged() || studio.view.get() == View::Coupling }>
                <SaveReport shown name />
            </Show>
            <CopyLink />
            <CopyFrame />
        </p>
    }
}
