//! Every step in every other's basis, and two of them closer.

use leptos::prelude::*;

use super::facts::RunFacts;
use super::with_coupling;
use crate::app::link::pair;
use crate::app::state::{Address, Studio};
use crate::app::widgets::{Choice, FigureView, MemberLinks, Pictures, Radios, Terms};
use crate::chart::{metric_word, most_alike, nearest, step_members, step_names};
use crate::study::coupling::CouplingMetric;

/// The figure of two steps.
const PAIR: &str = "coupling-pair";

#[component]
pub fn AlongDepth(pictures: Pictures) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let folds = expect_context::<Address>().folds;
    // A cell of the map: the first row is at the top.
    let pick = Callback::new(move |pick: String| {
        let steps = with_coupling(studio, |coupling| coupling.steps.len()).unwrap_or_default();
        let Some([x, y]) = pair(&pick).filter(|cell| cell.iter().all(|&n| n < steps)) else {
            return;
        };
        studio.set_coupling(|s| s.pair = Some([steps - 1 - y, x]));
        folds.turned(PAIR, true);
    });
    let has_pair = pictures.has(PAIR);
    view! {
        <section class="pictures" aria-labelledby="depth-title">
            <h2 class="asked" id="depth-title">"Do blocks share directions along the depth?"</h2>
            <FigureView picture=pictures.one("coupling-map") on_pick=pick>
                <Measures />
            </FigureView>
            <p class="look">
                <Terms text="Each row and column is a step of the plan. A click on a cell opens its two steps below." />
            </p>
            <RunFacts />
            {pictures.if_any("coupling-distance", true)}
            <Show when=move || has_pair.get()>
                <FigureView picture=pictures.one(PAIR) folded=true>
                    <PairChoice />
                </FigureView>
            </Show>
        </section>
    }
}

/// Which metric, and how many vectors.
#[component]
fn Measures() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let tops = Memo::new(move |_| {
        let of = |coupling: &crate::study::coupling::Coupling| {
            let all = coupling.top.iter().copied();
            all.collect::<Vec<usize>>()
        };
        with_coupling(studio, of).unwrap_or_default()
    });
    let place = Memo::new(move |_| {
        let k = studio.coupling.with(|s| s.k);
        tops.with(|tops| {
            let own = nearest(tops.iter().copied(), k)?;
            tops.iter().position(|&top| top == own)
        })
    });
    let k = move || {
        let place = place.get()?;
        tops.with(|tops| tops.get(place).copied())
    };
    let slide = move |event: web_sys::Event| {
        let chosen = event_target_value(&event).parse::<usize>().ok();
        let k = chosen.and_then(|place| tops.with_untracked(|tops| tops.get(place).copied()));
        if let Some(k) = k {
            studio.set_coupling(|s| s.k = k);
        }
    };
    let metrics =
        CouplingMetric::ALL.map(|metric| (metric, format!("as in {}", metric_word(metric))));
    view! {
        <div class="tools coupling-tools">
            <Radios
                name="coupling-metric"
                legend="Metric"
                all=metrics.to_vec()
                chosen=Signal::derive(move || studio.coupling.with(|s| s.metric))
                on_choose=move |metric| studio.set_coupling(|s| s.metric = metric)
            />
            <label class="slide">
                "Directions compared, K "
                <input
                    type="range"
                    id="coupling-k"
                    min="0"
                    max=move || tops.with(|tops| tops.len().saturating_sub(1)).to_string()
                    step="1"
                    prop:value=move || place.get().unwrap_or_default().to_string()
                    aria-valuetext=move || k().map(|k| format!("K = {k}"))
                    on:input=slide
                />
                <output for="coupling-k">{move || k().map(|k| k.to_string())}</output>
            </label>
        </div>
    }
}

/// The two steps that are looked at, by name: what a click on the map does.
#[component]
fn PairChoice() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let names = Memo::new(move |_| {
        with_coupling(studio, |coupling| step_names(&coupling.steps)).unwrap_or_default()
    });
    let pair = Memo::new(move |_| {
        let shown = studio.coupling.with(|s| s.shown());
        with_coupling(studio, |coupling| {
            let steps = coupling.steps.len();
            let chosen = shown.pair.filter(|pair| pair.iter().all(|&step| step < steps));
            chosen.or(most_alike(coupling, &shown).map(|(pair, _)| pair))
        })
        .flatten()
        .unwrap_or([0, 0])
    });
    let choice = move |at: usize, id: &'static str, label: &'static str| {
        let choose = move |step: usize| {
            let mut both = pair.get_untracked();
            both[at] = step;
            studio.set_coupling(|s| s.pair = Some(both));
        };
        let chosen = Signal::derive(move || Some(pair.get()[at]));
        view! { <Choice label id names chosen on_choose=choose /> }
    };
    let swap = move |_| {
        let [row, column] = pair.get_untracked();
        studio.set_coupling(|s| s.pair = Some([column, row]));
    };
    // The members that the two steps wrote.
    let members = Signal::derive(move || {
        let pair = pair.get();
        let all = with_coupling(studio, |coupling| step_members(&coupling.plan));
        let of = |step: usize| all.as_ref().and_then(|all| all.get(step).cloned());
        let mut steps = pair.to_vec();
        steps.dedup();
        steps.into_iter().filter_map(of).flatten().collect::<Vec<_>>()
    });
    view! {
        <div class="tools">
            {choice(0, "pair-jacobian", "Jacobian of step ")}
            {choice(1, "pair-basis", "in the basis of step ")}
            <button type="button" on:click=swap>"The other way round"</button>
            <MemberLinks names=members />
        </div>
    }
}
