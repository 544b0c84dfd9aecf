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
                "Every component answers alone, as shares among the options; the identity holds."
            }
            Column::Logit => {
                "Every component's logits less their mean over the options, which moves no probability; the identity holds. \
                 The offset and the whole stand in the tables."
            }
            Column::Paper => {
                "The numbers as the paper prints them, from two scales at once; no identity."
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
