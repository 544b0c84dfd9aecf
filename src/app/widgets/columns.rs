//! Which of the three columns the pictures show.

use leptos::prelude::*;

use super::controls::Radios;
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
    let all = Column::ALL.map(|column| (column, capital(column.label())));
    view! {
        <Radios
            name="column"
            legend="Measured in"
            all=all.to_vec()
            chosen=studio.column
            on_choose=move |column| studio.column.set(column)
            text=Column::name
        >
            <p class="hint">{move || view! { <Terms text=about() /> }}</p>
        </Radios>
    }
}
