//! Surveys: reports of models x tasks, from their means down to single rows. It runs no model.

mod cells;
mod filters;
mod glossary;
mod open;
mod pictures;
mod rows;

use leptos::prelude::*;

use crate::app::state::Surveys;
use crate::app::widgets::{Index, IndexEntry, OpenModelNote};
use crate::chart::{OVERVIEW_QUESTIONS, STREAM_QUESTION};

pub use pictures::{ModelChoice, TaskChoice};

/// Surveys one model.
pub const SURVEY_COMMAND: &str = "atelier survey --models FILE --tasks TASK,… --out FOLDER";

#[component]
pub fn SurveyView() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let there = Memo::new(move |_| surveys.shown.with(Option::is_some));
    let places = Signal::derive(|| {
        let before = [
            ("reports-title", "Reports"),
            ("filters-title", "What is compared"),
            ("cells-title", "Means and rows"),
        ];
        let questions = OVERVIEW_QUESTIONS.iter().chain([&STREAM_QUESTION]);
        let questions = questions.map(|question| (question.id, question.name));
        let all = before.into_iter().chain(questions).chain([("words-title", "Words")]);
        all.map(|(id, name)| IndexEntry::new(id, name)).collect::<Vec<_>>()
    });
    view! {
        <Index places />
        <open::Open />
        <OpenModelNote
            shown=Signal::derive(move || surveys.shown_models())
            way="To see it here, open the report of"
            command=SURVEY_COMMAND
        />
        <Show when=move || there.get()>
            <filters::Filters />
            <cells::Cells />
            <pictures::Pictures />
            <glossary::Glossary />
        </Show>
    }
}
