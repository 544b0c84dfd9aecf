//! Tables. Those of a figure's numbers lead to members' own rows, and from plans to the reader's order.

use leptos::prelude::*;

use super::member_links::MemberWays;
use crate::chart::{Figure, Table, TableCell};

pub(super) fn view_table(
    figure: Figure,
    on_plan: Option<Callback<String>>,
    ways: MemberWays,
) -> AnyView {
    let cell = move |cell: TableCell| match (cell, on_plan) {
        (TableCell::Plan(plan), Some(on_plan)) => {
            let named = plan.clone();
            let label = format!("Make {plan} the plan");
            view! {
                <button type="button" class="plan-link" aria-label=label on:click=move |_| on_plan.run(plan.clone())>
                    {named}
                </button>
            }
            .into_any()
        }
        (TableCell::Member { text, member }, _) => {
            let label = format!("{text}: its own row");
            view! { <a href=move || ways.to(&member) aria-label=label>{text}</a> }.into_any()
        }
        (cell, _) => cell.shown().into_any(),
    };
    shown(figure.title, figure.table, cell)
}

/// A table that leads nowhere.
pub fn plain_table(title: String, table: Table) -> AnyView {
    shown(title, table, |cell| cell.shown().into_any())
}

fn shown(title: String, table: Table, cell: impl Fn(TableCell) -> AnyView + Copy) -> AnyView {
    let label = format!("Table: {title}");
    let headers = table.headers.into_iter();
    let rows = table.rows.into_iter().map(|row| {
        let mut cells = row.into_iter();
        let first = cells.next().map(|c| view! { <th scope="row">{cell(c)}</th> });
        let rest = cells.map(|c| view! { <td>{cell(c)}</td> }).collect_view();
        view! { <tr>{first} {rest}</tr> }
    });
    view! {
        <div class="scroll" tabindex="0" role="region" aria-label=label>
            <table>
                <caption>{title}</caption>
                <thead>
                    <tr>{headers.map(|h| view! { <th scope="col">{h}</th> }).collect_view()}</tr>
                </thead>
                <tbody>{rows.collect_view()}</tbody>
            </table>
        </div>
    }
    .into_any()
}
