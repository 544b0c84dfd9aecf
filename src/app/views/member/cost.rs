//! A member's votes on the options, and the answer without it.

use leptos::prelude::*;

use super::Accounted;
use crate::app::link::View;
use crate::app::state::{Bench, Studio};
use crate::chart::{Column, number, option_name, stroke_votes};
use crate::measure::decomposition::softmax;

/// What it adds to each option's logit, and what it would answer alone.
#[component]
pub fn Votes(accounted: Memo<Accounted>, judged: Memo<bool>) -> impl IntoView {
    move || {
        let judged = judged.get();
        accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            let votes = lens.member_logits.get(account.index)?;
            let wide: Vec<f64> = votes.iter().map(|&vote| f64::from(vote)).collect();
            let alone = softmax(&wide);
            let rows = wide.iter().zip(alone).enumerate().map(|(k, (vote, alone))| {
                let right = if judged && k == lens.answer { "✓ " } else { "" };
                view! {
                    <tr>
                        <th scope="row">{right}{option_name(lens, k)}</th>
                        <td>{number::signed(*vote)}</td>
                        <td>{number::probability(alone)}</td>
                    </tr>
                }
            });
            let lead = stroke_votes(lens, Column::Logit)[account.index];
            let side = if lead >= 0.0 { "for" } else { "against" };
            let caption = if judged {
                format!(
                    "It votes {} {side} the right option, against the others' mean",
                    number::signed(lead)
                )
            } else {
                "What it votes for each option".to_owned()
            };
            Some(view! {
                <div class="answers">
                    <table class="predictions" id="member-votes">
                        <caption>{caption}</caption>
                        <thead>
                            <tr>
                                <th scope="col">"Option"</th>
                                <th scope="col">"vote (logits)"</th>
                                <th scope="col">"alone it would answer"</th>
                            </tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
            })
        })
    }
}

/// The lead and the probabilities before and after it is left out, and the way to try that.
#[component]
pub fn Cost(accounted: Memo<Accounted>, judged: Memo<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    move || {
        let judged = judged.get();
        accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            let Some(without) = &account.without else {
                let why = "It cannot be left out: no run is without its embedding and its read-out's bias, and none runs no block.";
                return Some(view! { <p class="hint" id="member-cost">{why}</p> }.into_any());
            };
            let row = |name: String, before: f64, after: f64, shown: fn(f64) -> String| {
                view! {
                    <tr>
                        <th scope="row">{name}</th>
                        <td>{shown(before)}</td>
                        <td>{shown(after)}</td>
                        <td>{number::signed(after - before)}</td>
                    </tr>
                }
            };
            let both = lens.probabilities.iter().zip(&without.probabilities).enumerate();
            let probabilities = both.map(|(k, (before, after))| {
                row(format!("p({})", option_name(lens, k)), *before, *after, number::probability)
            });
            let lead = judged.then(|| row("lead of the right option (logits)".to_owned(), account.lead, without.lead, number::signed));
            let verdict = match (judged, lens.correct, without.correct) {
                (false, ..) => "The answer with it, and without",
                (true, true, true) => "Without it the answer stays right",
                (true, true, false) => "Without it the answer turns wrong",
                (true, false, true) => "Without it the answer turns right",
                (true, false, false) => "Without it the answer stays wrong",
            };
            let plan = without.plan.clone();
            let try_it = move |_| {
                bench.set_plan(plan.clone());
                studio.open_view(View::Orders);
            };
            Some(view! {
                <div class="answers">
                    <table class="predictions" id="member-cost">
                        <caption>{verdict}</caption>
                        <thead>
                            <tr>
                                <td></td>
                                <th scope="col">"with it"</th>
                                <th scope="col">"without"</th>
                                <th scope="col">"change"</th>
                            </tr>
                        </thead>
                        <tbody>{lead}{probabilities.collect_view()}</tbody>
                    </table>
                    <p>
                        <button type="button" id="leave-out" on:click=try_it>"Leave it out in Orders: " <code>{without.plan.clone()}</code></button>
                    </p>
                    <p class="hint">
                        "A vote is what it says directly; a cost is what the run loses, with all that later blocks made of what it wrote. \
                         Neither stands for the other."
                    </p>
                </div>
            }.into_any())
        })
    }
}
