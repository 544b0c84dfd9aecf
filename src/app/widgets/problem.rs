//! An error's sentence, in the place it belongs to.

use leptos::prelude::*;

use crate::app::state::{Place, Studio};

#[component]
pub fn ProblemLine(place: Place) -> impl IntoView {
    let studio = expect_context::<Studio>();
    let sentence = move || {
        studio.problems.with(|problems| {
            let own = problems.iter().find(|problem| problem.place == place);
            own.map(|problem| problem.sentence.clone())
        })
    };
    let class = match place {
        Place::Address => "problem of-address",
        Place::Model => "problem of-model",
        Place::Prompt => "problem of-prompt",
        Place::Sweep => "problem of-sweep",
    };
    // Always there, so that screen readers watch it; said through the page's status as well.
    view! { <p class=class class:empty=move || sentence().is_none()>{sentence}</p> }
}
