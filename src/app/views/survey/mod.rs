//! Surveys: reports of models x tasks, from their means down to single rows. It runs no model.

mod cells;
mod filters;
mod open;
mod pictures;
mod rows;
mod shipped;

use leptos::prelude::*;

use crate::app::first_picture;
use crate::app::shell::Themes;
use crate::app::state::Surveys;
use crate::app::widgets::{Index, IndexEntry, OpenModelNote};
use crate::chart::{OVERVIEW_QUESTIONS, STREAM_QUESTION};

use pictures::SurveyFigures;
pub use pictures::{ModelChoice, TaskChoice};

/// Surveys one model.
pub const SURVEY_COMMAND: &str = "atelier survey --models FILE --tasks TASK,… --out FOLDER";

#[component]
pub fn SurveyView() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let figures = SurveyFigures::start(surveys, expect_context::<Themes>());
    let there = Memo::new(move |_| surveys.shown.with(Option::is_some));
    // In the order in which the parts stand: only those that are there.
    let places = Memo::new(move |_| {
        let is_there = there.get();
        let before =
            [("reports-title", "Reports", true), ("filters-title", "What is compared", is_there)];
        let questions = OVERVIEW_QUESTIONS.iter().chain([&STREAM_QUESTION]);
        let questions =
            questions.map(|question| (question.id, question.name, figures.answer(question)));
        let after = [("cells-title", "Means and rows", is_there)];
        let all = before.into_iter().chain(questions).chain(after);
        let all = all.filter(|(.., is_there)| *is_there);
        all.map(|(id, name, _)| IndexEntry::new(id, name)).collect::<Vec<_>>()
    });
    // What is open and compared is rarely changed; it stands open where there is nothing to show, or a problem to read.
    let needs_report = Memo::new(move |_| !there.get() || !surveys.problem.with(String::is_empty));
    view! {
        <Index places />
        <shipped::ShippedChoice />
        <details class="more" id="survey-settings" prop:open=move || needs_report.get()>
            <summary>"Reports, and what is compared"</summary>
            <open::Open />
            <OpenModelNote
                shown=Signal::derive(move || surveys.shown_models())
                way="To see it here, open the report of"
                command=SURVEY_COMMAND
                // It stands in the choice above.
                except=first_picture::MODEL
            />
            <Show when=move || there.get()>
                <filters::Filters />
            </Show>
        </details>
        <Show when=move || there.get()>
            <pictures::Pictures all=figures />
            <cells::Cells />
        </Show>
    }
}
