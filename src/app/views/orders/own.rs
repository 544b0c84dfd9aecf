//! The reader's own orders on many rows: they belong to no curve, so they stand in a table.

use leptos::prelude::*;

use crate::app::state::Sweeps;
use crate::chart::number;
use crate::measure::interval::Mean;
use crate::study::orders::Variant;

#[component]
pub fn OwnOrders() -> impl IntoView {
    let sweeps = expect_context::<Sweeps>();
    move || {
        let tables = sweeps.own_orders().into_iter();
        tables.map(|(task, variants)| table(&task, &variants)).collect_view()
    }
}

fn table(task: &str, variants: &[Variant]) -> impl IntoView + use<> {
    let rows = variants.iter().enumerate().map(|(i, variant)| {
        let name = if i == 0 { "the model's own".to_owned() } else { variant.name.clone() };
        let measures = &variant.measures;
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{percent(measures.accuracy)}</td>
                <td>{short(measures.kl)}</td>
                <td>{short(measures.probability.bias)}</td>
                <td>{short(measures.probability.diversity)}</td>
                <td>{short(measures.probability.mse)}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll own-orders" tabindex="0" role="region" aria-label=format!("Your order on {task}")>
            <table>
                <caption>{format!("Your order on rows of {task}, with 95 % intervals")}</caption>
                <thead>
                    <tr>
                        <th scope="col">"order"</th>
                        <th scope="col">"accuracy"</th>
                        <th scope="col">"KL (nats)"</th>
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

/// `73.2 % (68.1 to 77.9)`.
fn percent(share: Mean) -> String {
    let low = number::fixed(100.0 * share.low, 1);
    let high = number::fixed(100.0 * share.high, 1);
    format!("{} ({low} to {high})", number::percent_tenths(share.mean))
}

/// `0.912 (0.850 to 0.950)`.
fn short(mean: Mean) -> String {
    let [mean, low, high] = [mean.mean, mean.low, mean.high].map(number::short);
    format!("{mean} ({low} to {high})")
}
