//! Eight cards, one a theorem, and the shapes that two of them promise.

mod shapes;
mod theorem;

use leptos::prelude::*;

use super::survey::{ModelChoice, SURVEY_COMMAND, TaskChoice};
use crate::app::state::Surveys;
use crate::app::widgets::{Index, IndexEntry, OpenModelNote};
use crate::chart::THEOREMS;
use shapes::Shapes;
use theorem::Card;

#[component]
pub fn TheoryView() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let there = Memo::new(move |_| surveys.shown.with(Option::is_some));
    let from = move || format!("Rows are those of {}.", surveys.names());
    let places = Signal::derive(|| {
        let all = THEOREMS.iter().map(|theorem| {
            let name = format!("{}. {}", theorem.number, theorem.name);
            IndexEntry::new(format!("theorem-{}-title", theorem.number), name)
        });
        let shapes = IndexEntry::new("shapes-title".to_owned(), "Drawn shapes".to_owned());
        all.chain([shapes]).collect::<Vec<_>>()
    });
    view! {
        <Index places />
        <section class="theory" aria-labelledby="theory-title">
            <p class="look">
                "The theorems speak of the members of an ensemble. In a model, each component is a member; members that are made up say so."
            </p>
            <h2 id="theory-title">"Rows of"</h2>
            <Show
                when=move || there.get()
                fallback=move || view! {
                    <p class="hint">{move || if surveys.busy.get() { "The survey is being read." } else { "No report is open: open one in the Survey view." }}</p>
                }
            >
                <p class="picks"><ModelChoice /> <TaskChoice /></p>
                <OpenModelNote
                    shown=Signal::derive(move || surveys.shown_models())
                    way="For its own rows, open the report of"
                    command=SURVEY_COMMAND
                />
                <p class="hint">{from} " Theorems 4 to 6 take one task, the first three all of the model's."</p>
            </Show>
            <p class="problem" class:empty=move || surveys.problem.with(String::is_empty)>{move || surveys.problem.get()}</p>
        </section>
        <Show when=move || there.get()>
            {THEOREMS.iter().map(|theorem| view! { <Card theorem /> }).collect_view()}
            <Shapes />
        </Show>
    }
}
