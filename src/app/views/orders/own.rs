//! The reader's own orders on many rows: they belong to no curve, so they stand in a table.

use leptos::prelude::*;

use crate::app::state::Sweeps;
use crate::chart::number::{interval, percent_interval};
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
        let name = if i == 0 { "original order".to_owned() } else { variant.name.clone() };
        let measures = &variant.measures;
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{percent_interval(&measures.accuracy)}</td>
                <td>{measures.first_word.as_ref().map(percent_interval)}</td>
                <td>{measures.log_likelihood.as_ref().map(interval)}</td>
                <td>{measures.kl.as_ref().map(interval)}</td>
                <td>{interval(&measures.probability.bias)}</td>
                <td>{interval(&measures.probability.diversity)}</td>
                <td>{interval(&measures.probability.mse)}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll own-orders" tabindex="0" role="region" aria-label=format!("This plan on {task}")>
            <table>
                <caption>{format!("This plan on rows of {task}, with 95 % intervals")}</caption>
                <thead>
                    <tr>
                        <th scope="col">"order"</th>
                        <th scope="col">"accuracy"</th>
                        <th scope="col">"first word right"</th>
                        <th scope="col">"ln P(right)"</th>
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
