//! The reports that are open, and the ways to open another.

use leptos::prelude::*;

use crate::app::files;
use crate::app::state::{OpenSurvey, Studio, Surveys};
use crate::chart::capital;
use crate::chart::number::counted;

#[component]
pub fn Open() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let studio = expect_context::<Studio>();
    let take = move |event: leptos::ev::Event| {
        if let Some(chosen) = files::chosen(&event) {
            studio.open_files(surveys, chosen);
        }
    };
    let none = move || surveys.opened.with(Vec::is_empty) && !surveys.busy.get();
    let notes = move || {
        let notes = surveys.joined.get().map(|joined| joined.notes.clone()).unwrap_or_default();
        notes.into_iter().map(|note| view! { <p class="hint note">{note}</p> }).collect_view()
    };
    view! {
        <section class="reports" aria-labelledby="reports-title">
            <h2 id="reports-title">"Reports"</h2>
            <ul class="opened">
                <For each=move || surveys.opened.get() key=|one| one.id let(one)>{line(surveys, one)}</For>
            </ul>
            <Show when=move || surveys.busy.get()>
                <p class="hint">"The report is being read."</p>
            </Show>
            <div class="openers">
                <label class="button">
                    "Open reports"
                    <input type="file" id="report" class="unseen" multiple="" accept=".json,application/json" on:change=take />
                </label>
                <Show when=none>
                    <button type="button" on:click=move |_| surveys.open_baked()>{move || capital(surveys.shipped.get().title())}</button>
                </Show>
            </div>
            <p class="hint">
                "Open the " <code>"survey.atelier.json"</code> " that " <code>"atelier survey"</code>
                " writes, or drop it anywhere on the page; several are compared. Nothing is uploaded."
            </p>
            <p class="problem" class:empty=move || surveys.problem.with(String::is_empty)>{move || surveys.problem.get()}</p>
            {notes}
        </section>
    }
}

fn line(surveys: Surveys, one: OpenSurvey) -> impl IntoView {
    let survey = &one.survey;
    let shots = match survey.shots {
        0 => String::new(),
        shots => format!(", {} in front", counted(shots, "worked example")),
    };
    let name = match one.shipped {
        Some(shipped) => format!("{}, precomputed", capital(shipped.title())),
        None => one.name.clone(),
    };
    let close = format!("Close {name}");
    // The largest task's rows, whether or not the survey was asked for that many.
    let rows = survey.tasks.iter().map(|task| task.rows).max();
    let facts = format!(
        "{}, {}, at most {} each{shots}",
        counted(survey.models.len(), "model"),
        counted(survey.tasks.len(), "task"),
        counted(rows.unwrap_or(0), "row")
    );
    view! {
        <li>
            <span class="report-name">{name}</span>
            <span class="hint">{facts}</span>
            <button type="button" aria-label=close on:click=move |_| surveys.close(one.id)>"Close"</button>
        </li>
    }
}
