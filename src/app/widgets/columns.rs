//! Which of the three columns the pictures show.

use leptos::prelude::*;

use super::words::Words;
use crate::app::state::Studio;
use crate::chart::{Column, capital};

#[component]
pub fn Columns() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let about = move || match studio.column.get() {
        Column::Probability => {
            "Every stroke answers alone, as shares among the options; the identity holds."
        }
        Column::Logit => {
            "Every stroke's raw logits, which add up to the model's own; the identity holds in their scale."
        }
        Column::Paper => {
            "The numbers as the paper prints them, from two scales at once; no identity."
        }
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
            <p class="hint">{move || view! { <Words text=about() /> }}</p>
        </fieldset>
    }
}
