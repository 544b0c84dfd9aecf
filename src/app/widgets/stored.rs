//! Which of a view's stored pictures is shown: the teaching models', or a real model's.

use leptos::prelude::*;

use crate::app::at_hand::query_with_report;
use crate::app::browser;
use crate::app::embedding::Embedding;
use crate::app::link::{ShippedSurvey, View};

/// Links to both behind a heading, each a whole address; `report` is the real model's, beside the page. A frame has
/// none.
#[component]
pub fn StoredChoice(heading: &'static str, view: View, report: &'static str) -> impl IntoView {
    if use_context::<Embedding>().is_some() {
        return None;
    }
    let search = browser::search();
    let is_real = search.contains(report);
    let here = |is_here: bool| is_here.then_some("true");
    let [scholars, real] = ShippedSurvey::ALL.map(ShippedSurvey::models);
    let first = format!("{}#view={}", query_with_report(&search, None), view.name());
    let second = query_with_report(&search, Some(report));
    Some(view! {
        <p class="hint stored">
            {heading} ": "
            <a href=first aria-current=here(!is_real)>{scholars}</a>
            " | "
            <a href=second aria-current=here(is_real)>{real}</a>
        </p>
    })
}
