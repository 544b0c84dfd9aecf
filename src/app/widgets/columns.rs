//! Which of the three columns the pictures show.

use leptos::prelude::*;

use super::term::Terms;
use crate::app::state::Studio;
use crate::chart::{Column, capital};

#[component]
pub fn Columns() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let about = move || {
        let column = studio.column.get();
        let points = match column {
            Column::Probability => {
                "Each component answers alone, with shares among the options. MSE = bias − diversity holds."
            }
            Column::Logit => {
                "Each component's logits minus their mean over the options, which moves no probability. MSE = bias − diversity \
                 holds. The tables also have that mean (the offset) and the whole logits."
            }
            Column::Paper => {
                "The numbers as the paper prints them, from two scales at once. MSE = bias − diversity does not hold."
            }
        };
        format!("{points} {}", column.target())
    };
    view! {
        <fieldset class="columns">
            <legend>"Measured in"</legend>
            {Column::ALL
                .map(|column| {
                    view! {
                        <label>
                            <input
                                type="radio"
                                name="column"
                                value=column.name()
                                prop:checked=move || studio.column.get() == column
                                on:change=move |_| studio.choose_column(column)
                            />
                            <span>{capital(column.label())}</span>
                        </label>
                    }
                })
                .collect_view()}
            <p class="hint">{move || view! { <Terms text=about() /> }}</p>
        </fieldset>
    }
}
