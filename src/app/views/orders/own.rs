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
    let percent = |mean: Mean| {
        let hundred = |x: f64| number::fixed(100.0 * x, 1);
        match mean.interval() {
            Some([low, high]) => {
                format!("{} % ({} to {})", hundred(mean.mean), hundred(low), hundred(high))
            }
            None => format!("{} %", hundred(mean.mean)),
        }
    };
    let rows = variants.iter().enumerate().map(|(i, variant)| {
        let name = if i == 0 { "the model's own".to_owned() } else { variant.name.clone() };
        let measures = &variant.measures;
        view! {
            <tr>
                <th scope="row">{name}</th>
                <td>{percent(measures.accuracy)}</td>
                <td>{number::short(measures.kl.mean)}</td>
                <td>{number::short(measures.probability.bias.mean)}</td>
                <td>{number::short(measures.probability.diversity.mean)}</td>
                <td>{number::short(measures.probability.mse.mean)}</td>
            </tr>
        }
    });
    view! {
        <div class="scroll own-orders" tabindex="0" role="region" aria-label=format!("Your order on {task}")>
            <table>
                <caption>{format!("Your order on rows of {task}; accuracy with its 95 % interval")}</caption>
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
