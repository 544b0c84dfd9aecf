//! Which of the page's own surveys is shown.

use leptos::prelude::*;

use crate::app::link::ShippedSurvey;
use crate::app::state::Surveys;
use crate::app::widgets::Radios;

#[component]
pub fn ShippedChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let all = ShippedSurvey::ALL.map(|shipped| (shipped, shipped.models().to_owned()));
    view! {
        <Radios
            name="shipped"
            legend="Survey of"
            class="columns of-page"
            all=all.to_vec()
            chosen=surveys.shipped
            on_choose=move |shipped| surveys.choose_shipped(shipped)
            text=ShippedSurvey::name
        />
    }
}
