//! Which of the page's own surveys is shown.

use leptos::prelude::*;

use crate::app::link::ShippedSurvey;
use crate::app::state::Surveys;

#[component]
pub fn ShippedChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let radio = move |shipped: ShippedSurvey| {
        view! {
            <label>
                <input
                    type="radio"
                    name="shipped"
                    value=shipped.name()
                    prop:checked=move || surveys.shipped.get() == shipped
                    on:change=move |_| surveys.choose_shipped(shipped)
                />
                <span>{shipped.models()}</span>
            </label>
        }
    };
    view! {
        <fieldset class="columns of-page">
            <legend>"Survey of"</legend>
            {ShippedSurvey::ALL.map(radio).collect_view()}
        </fieldset>
    }
}
