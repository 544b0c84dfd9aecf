//! The prediction before and after, and what the new order did to the stream, in numbers.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::chart::{number, option_name};
use crate::study::report::{Lab, Lens};

#[component]
pub fn Answers() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let both = move || {
        studio.lab.with(|shown| {
            let report = &shown.as_ref()?.report;
            report.lab.as_ref().map(|lab| both(lab))
        })
    };
    view! { {both} }
}

fn both(lab: &Lab) -> AnyView {
    let lenses = [&lab.original, &lab.arranged];
    let bar = |side: usize, k: usize| {
        let p = lenses[side].probabilities[k];
        let class = ["bar before", "bar after"][side];
        view! {
            <span class=class aria-hidden="true">
                <span class="fill" style:width=format!("{:.2}%", 100.0 * p)></span>
            </span>
        }
    };
    let rows = (0..lab.original.probabilities.len())
        .map(|k| {
            let right = k == lab.original.answer;
            let name = option_name(&lab.original, k);
            let [before, after] = lenses.map(|lens| number::probability(lens.probabilities[k]));
            view! {
                <tr class:right=right>
                    <th scope="row">
                        <span class="check" aria-hidden="true">{if right { "✓" } else { "" }}</span>
                        {name.trim_matches(['“', '”']).to_owned()}
                        <span class="unseen">{if right { " (the right answer)" } else { "" }}</span>
                    </th>
                    <td>{before}</td>
                    <td class="bars">{bar(0, k)} {bar(1, k)}</td>
                    <td>{after}</td>
                </tr>
            }
        })
        .collect_view();
    // How far the right option is ahead of the best other, in logits.
    let margin = |lens: &Lens| {
        let right = f64::from(lens.logits[lens.answer]);
        let others = lens.logits.iter().enumerate();
        let others = others.filter(|(k, _)| *k != lens.answer);
        let best = others.map(|(_, &x)| f64::from(x));
        right - best.fold(f64::NEG_INFINITY, f64::max)
    };
    let [own, yours] = &lab.geometry;
    let said = |x: Option<f64>| x.map_or_else(|| "none".to_owned(), number::short);
    let fact = |name: &'static str, gloss: &'static str, before: String, after: String| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{before} <span class="arrow">" → "</span> {after}</dd>
                <dd class="gloss">{gloss}</dd>
            </div>
        }
    };
    let verdict = |correct: bool| if correct { "right" } else { "wrong" }.to_owned();
    view! {
        <div class="answers">
            <table class="predictions">
                <caption>"The prediction before and after"</caption>
                <thead>
                    <tr>
                        <th scope="col">"Option"</th>
                        <th scope="col">"own order"</th>
                        <td></td>
                        <th scope="col">"your order"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <dl class="facts">
                {fact(
                    "Answer",
                    "",
                    verdict(lab.original.correct),
                    verdict(lab.arranged.correct),
                )}
                {fact(
                    "Margin",
                    "The right option's logit less the best other's: above 0 is right.",
                    number::signed(margin(&lab.original)),
                    number::signed(margin(&lab.arranged)),
                )}
                <div>
                    <dt>"KL (nats)"</dt>
                    <dd>{lab.kl().map_or_else(|| "not known".to_owned(), number::short)}</dd>
                    <dd class="gloss">"How far the new answer lies from the original one, over the whole vocabulary; 0 is the same."</dd>
                </div>
                {fact(
                    "Line-shape score",
                    "1 where the last token's stream runs straight; more, the more it turns about.",
                    said(own.line_shape_score),
                    said(yours.line_shape_score),
                )}
                {fact(
                    "Expodistance",
                    "0 where that stream grows by the same factor at every step; more, the more unevenly.",
                    said(own.expodistance),
                    said(yours.expodistance),
                )}
            </dl>
        </div>
    }
    .into_any()
}
