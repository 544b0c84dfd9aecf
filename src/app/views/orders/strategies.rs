//! The paper's named orders, one button each, with the numbers they take.

use leptos::prelude::*;

use crate::app::arrangement::{Edit, Offer};
use crate::app::state::{Bench, Studio};
use crate::plan::{MAX_REPEAT, Plan, Strategy};
use crate::study::orders::Sweep;

#[component]
pub fn Strategies() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let order = Memo::new(move |_| {
        bench.row.with(|row| row.as_ref().map_or_else(Vec::new, |row| row.order().to_vec()))
    });
    let runs = move || order.with(Vec::len);
    // A number of the offer, of at most so many for so many runs.
    let number = move |name: &'static str,
                       least: u64,
                       most: fn(usize) -> Option<usize>,
                       of: fn(&Offer) -> u64,
                       set: fn(&mut Offer, u64)| {
        let change = move |event: web_sys::Event| {
            if let Ok(value) = event_target_value(&event).trim().parse() {
                bench.offer.update(|offer| {
                    set(offer, value);
                    *offer = offer.within(order.with_untracked(Vec::len));
                });
            }
        };
        view! {
            <label class="number">
                {name}
                <input
                    type="number"
                    min=least.to_string()
                    max=move || most(runs()).map(|most| most.to_string())
                    prop:value=move || of(&bench.offer.get()).to_string()
                    on:change=change
                />
            </label>
        }
    };
    let buttons = move || {
        let offer = bench.offer.get();
        order.with(|order| {
            offer
                .all(order)
                .into_iter()
                .map(|named| {
                    let strategy = named.strategy;
                    let plan = strategy.plan(order).ok();
                    let line = plan.as_ref().map(Plan::to_string).unwrap_or_default();
                    let is_now = {
                        let line = line.clone();
                        move || {
                            let now = bench.row.with(|row| {
                                row.as_ref()
                                    .and_then(|row| row.plan().ok())
                                    .map(|plan| plan.to_string())
                            });
                            (now.as_ref() == Some(&line)).to_string()
                        }
                    };
                    let title = named.problem.unwrap_or(line);
                    view! {
                        <button
                            type="button"
                            class="strategy"
                            disabled=plan.is_none()
                            aria-pressed=is_now
                            title=title
                            on:click=move |_| bench.edit(Edit::Strategy(strategy))
                        >
                            {about(named.sweep, strategy)} " " <code>{strategy.to_string()}</code>
                        </button>
                    }
                })
                .collect_view()
        })
    };
    let middle = move || {
        let (runs, s) = (runs(), bench.offer.get().s);
        if runs < 2 {
            return "This model has too few blocks for a middle.".to_owned();
        }
        let (first, last) = (s + 1, runs - s - 1);
        let name = studio.draft.with(|draft| draft.model.name().to_owned());
        let middle = match first == last {
            true => format!("step {first}"),
            false => format!("steps {first} to {last}"),
        };
        format!("s = {s} makes {middle} the middle of {name}, whose {runs} steps count from 0.")
    };
    view! {
        <fieldset class="strategies">
            <legend>"Plans of the paper"</legend>
            <div class="numbers-of">
                {number("s", 0, |runs| Some(Offer::most_s(runs)), |offer| offer.s as u64, |offer, n| offer.s = small(n))}
                {number("seed", 0, |_| None, |offer| offer.seed, |offer, n| offer.seed = n)}
                {number("rounds", 1, |_| Some(MAX_REPEAT), |offer| offer.rounds as u64, |offer, n| offer.rounds = small(n))}
                {number(
                    "block",
                    0,
                    |runs| Some(runs.saturating_sub(1)),
                    |offer| offer.position as u64,
                    |offer, n| offer.position = small(n),
                )}
            </div>
            <div class="buttons">{buttons}</div>
            <p class="hint">{middle}</p>
        </fieldset>
    }
}

fn small(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn about(sweep: Sweep, strategy: Strategy) -> String {
    match (sweep, strategy) {
        (_, Strategy::Drop { position }) => format!("Leave out step {position}"),
        (_, Strategy::Swap { position }) => {
            format!("Swap steps {position} and {}", position + 1)
        }
        (Sweep::Skip, _) => "Leave out the middle".to_owned(),
        (Sweep::Repeat, _) => "Repeat the centre block".to_owned(),
        (Sweep::Reverse, _) => "Reverse the middle".to_owned(),
        (Sweep::Shuffle, _) => "Shuffle the middle".to_owned(),
        (Sweep::Parallel, _) => "The middle in parallel".to_owned(),
        (_, Strategy::Loop { rounds, .. }) => format!("The middle in parallel, {rounds} rounds"),
        (sweep, _) => sweep.name().to_owned(),
    }
}
