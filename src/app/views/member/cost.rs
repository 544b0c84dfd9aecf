//! A member's votes on the options, and the answer without it.

use leptos::prelude::*;

use super::Accounted;
use crate::app::link::View;
use crate::app::state::{Bench, Studio};
use crate::app::widgets::{Answered, Terms, predictions};
use crate::chart::{capital, judged as judged_words, number, option_name, stroke_votes};
use crate::measure::decomposition::softmax;

/// Table of the member's vote on each option, and of its own answer.
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
            let vote = stroke_votes(lens)[account.index];
            let side = if vote >= 0.0 { "for" } else { "against" };
            let caption = if judged {
                format!("Its net vote is {} {side} the right option", number::signed(vote))
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
                                <th scope="col">"alone: share among these"</th>
                            </tr>
                        </thead>
                        <tbody>{rows.collect_view()}</tbody>
                    </table>
                </div>
            })
        })
    }
}

/// The lead and the answer before and after it is left out, and the way to try that.
#[component]
pub fn Cost(accounted: Memo<Accounted>, judged: Memo<bool>) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    move || {
        let judged = judged.get();
        accounted.with(|found| {
            let (lens, account) = found.as_ref()?;
            let Some(without) = &account.without else {
                let why = "It cannot be left out: every run needs its embedding, its constant term, and at least one block.";
                return Some(view! { <p class="hint" id="member-cost">{why}</p> }.into_any());
            };
            let (answer, options) = (lens.answer, lens.logits.len());
            let [with, left] = [
                judged_words(lens.correct, lens.vocabulary.as_ref(), answer, options),
                judged_words(without.correct, without.vocabulary.as_ref(), answer, options),
            ];
            let caption = match judged {
                false => "The answer with it, and without".to_owned(),
                true => format!("{} with it, {left} without", capital(&with)),
            };
            let lead = judged.then_some(("logit difference (logits)", [account.lead, without.lead]));
            let left_out = Answered {
                heading: "without",
                shares: &without.probabilities,
                vocabulary: without.vocabulary.as_ref(),
            };
            let answers = [Answered::of("with it", lens), left_out];
            let table = predictions("member-cost", caption, lens, judged, answers, lead);
            let plan = without.plan.clone();
            let try_it = move |_| {
                bench.set_plan(plan.clone());
                studio.open_view(View::Orders);
            };
            Some(view! {
                <div class="answers">
                    {table}
                    <p>
                        <button type="button" id="leave-out" on:click=try_it>"Leave it out in Orders: " <code>{without.plan.clone()}</code></button>
                    </p>
                    <p class="hint">
                        <Terms text="A vote is what a component adds directly. The loss without it also counts what later blocks made of what it \
                                     wrote. Neither stands for the other." />
                    </p>
                </div>
            }.into_any())
        })
    }
}
