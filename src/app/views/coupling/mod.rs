//! Couplings: how alike the linearised steps of a run are, along its depth and between its tokens, how
//! straight its way is, and what of it a baseline leaves.

mod depth;
mod facts;
mod points;
mod rows;
mod several;
mod tokens;
mod ways;

use leptos::prelude::*;

use crate::app::link::View;
use crate::app::shell::Themes;
use crate::app::state::Studio;
use crate::app::widgets::{Index, IndexEntry, Pictures, Question, StoredChoice};
use crate::chart::{coupling_figures, nearest};
use crate::study::coupling::{Coupling, CouplingMetric, Relation};
use depth::AlongDepth;
use rows::OverRows;
use several::OverModels;
use tokens::BetweenTokens;
use ways::Ways;

#[component]
pub fn CouplingView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    studio.show_baked_coupling();
    let pictures = Pictures::of_run(studio.coupled, move || {
        let (shown, theme) = (studio.coupling.with(|s| s.shown()), themes.theme.get());
        with_coupling(studio, |coupling| coupling_figures(coupling, &shown, theme))
    });
    let there = Memo::new(move |_| studio.coupled.with(Option::is_some));
    let places = Signal::derive(move || {
        let all = [
            ("depth-title", "Along the depth", there.get()),
            ("tokens-title", "Between tokens", there.get()),
            ("ways-title", "Ways", there.get()),
            ("cost-title", "What it explains", true),
            ("models-title", "Several models", studio.coupled_models.with(Option::is_some)),
        ];
        let all = all.into_iter().filter(|(.., is_there)| *is_there);
        all.map(|(id, name, _)| IndexEntry::new(id, name)).collect::<Vec<_>>()
    });
    view! {
        <Question without_options=true />
        <StoredChoice heading="Stored pictures of" view=View::Coupling report="examples/smollm2-coupling.atelier.json" />
        <Index places />
        <Show when=move || there.get()>
            <AlongDepth pictures />
            <BetweenTokens pictures />
            <Ways pictures />
        </Show>
        <OverRows />
        <OverModels />
    }
}

/// The coupling that is shown.
fn with_coupling<T>(studio: Studio, of: impl FnOnce(&Coupling) -> T) -> Option<T> {
    studio.coupled.with(|shown| {
        let coupling = shown.as_ref()?.report.coupling.as_deref()?;
        Some(of(coupling))
    })
}

/// Those of one metric, at the number of vectors nearest to `k` that they have.
fn relations_at(
    all: &[Relation],
    metric: CouplingMetric,
    k: usize,
) -> impl Iterator<Item = &Relation> {
    let own = all.iter().filter(move |one| one.metric == metric);
    let k = nearest(own.clone().map(|one| one.k), k);
    own.filter(move |one| Some(one.k) == k)
}
