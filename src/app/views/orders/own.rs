//! The reader's own orders on many rows: they belong to no curve, so they stand in a table.

use leptos::prelude::*;

use crate::app::state::Studio;
use crate::chart::number::{interval, percent_interval, points_interval};
use crate::measure::bits::{mean_bits, mean_surprise};
use crate::study::orders::Variant;
use crate::task::score::Score;

#[component]
pub fn OwnOrders() -> impl IntoView {
    let studio = expect_context::<Studio>();
    move || {
        let tables = studio.own_orders().into_iter();
        tables.map(|(task, score, variants)| table(&task, score, &variants)).collect_view()
    }
}

fn table(task: &str, score: Score, variants: &[Variant]) -> impl IntoView + use<> {
    let rows = variants.iter().enumerate().map(|(i, variant)| {
        let name = if i == 0 { "original order".to_owned() } else { variant.name.clone() };
        let measures = &variant.measures;
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{percent_interval(&measures.accuracy)}</td>
                <td>{(i > 0).then(|| points_interval(&measures.change))}</td>
                <td>{measures.first_word.as_ref().map(percent_interval)}</td>
                <td>{measures.log_likelihood.map(|log| interval(&mean_surprise(log)))}</td>
                <td>{measures.kl.map(|kl| interval(&mean_bits(kl)))}</td>
                <td>{interval(&measures.probability.bias)}</td>
                <td>{interval(&measures.probability.diversity)}</td>
                <td>{interval(&measures.probability.mse)}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll own-orders" tabindex="0" role="region" aria-label=format!("This plan on {task}")>
            <table>
                <caption>{format!("This plan on rows of {task}, with 95\u{a0}% intervals")}</caption>
                <thead>
                    <tr>
                        <th scope="col">"plan"</th>
                        <th scope="col">{score.right()}</th>
                        <th scope="col">"change, percentage points, row by row"</th>
                        <th scope="col">"first word right"</th>
                        <th scope="col">"surprise (bits)"</th>
                        <th scope="col">"KL (bits)"</th>
                        <th scope="col">"bias"</th>
                        <th scope="col">"diversity"</th>
                        <th scope="col">"MSE"</th>
                    </tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
}
