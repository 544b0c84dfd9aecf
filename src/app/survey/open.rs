//! The reports that are open, and the ways to open another.

use leptos::prelude::*;
use web_sys::{DragEvent, HtmlInputElement};

use super::desk::{Desk, Opened};
use crate::app::files;

#[component]
pub fn Open() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let over = RwSignal::new(false);
    let take = move |event: leptos::ev::Event| {
        let input: HtmlInputElement = event_target(&event);
        if let Some(list) = input.files().filter(|list| list.length() > 0) {
            desk.open_files(files::from_list(&list).files);
        }
        // The same file can be chosen again.
        input.set_value("");
    };
    let drop = move |event: DragEvent| {
        event.prevent_default();
        over.set(false);
        let entries = event
            .data_transfer()
            .map(|transfer| files::dropped(&transfer))
            .unwrap_or_default();
        leptos::task::spawn_local(async move {
            match files::from_entries(entries).await {
                Ok(chosen) => desk.open_files(chosen.files),
                Err(_) => desk.refuse(
                    "The browser could not read what was dropped: choose the file with the button."
                        .to_owned(),
                ),
            }
        });
    };
    let none = move || desk.opened.with(Vec::is_empty) && !desk.busy.get();
    let notes = move || {
        let notes = desk
            .joined
            .get()
            .map(|joined| joined.notes.clone())
            .unwrap_or_default();
        notes
            .into_iter()
            .map(|note| view! { <p class="hint note">{note}</p> })
            .collect_view()
    };
    view! {
        <section
            class="reports"
            aria-labelledby="reports-title"
            class:over=move || over.get()
            on:dragover=move |event: DragEvent| {
                event.prevent_default();
                over.set(true);
            }
            on:dragleave=move |_| over.set(false)
            on:drop=drop
        >
            <h2 id="reports-title">"Reports"</h2>
            <ul class="opened">
                <For each=move || desk.opened.get() key=|one| one.id let(one)>{line(desk, one)}</For>
            </ul>
            <Show when=move || desk.busy.get()>
                <p class="hint">"The report is being read."</p>
            </Show>
            <div class="openers">
                <label class="button">
                    "Open reports"
                    <input type="file" id="report" class="unseen" multiple="" accept=".json,application/json" on:change=take />
                </label>
                <Show when=none>
                    <button type="button" on:click=move |_| desk.open_baked()>"The apprentices' survey"</button>
                </Show>
            </div>
            <p class="hint">
                "Open or drop the " <code>"survey.atelier.json"</code> " that " <code>"atelier survey"</code>
                " writes; several are compared. Nothing is uploaded."
            </p>
            <p class="problem" class:empty=move || desk.problem.with(String::is_empty)>{move || desk.problem.get()}</p>
            {notes}
        </section>
    }
}

fn line(desk: Desk, one: Opened) -> impl IntoView {
    let survey = &one.survey;
    let shots = match survey.shots {
        0 => String::new(),
        shots => format!(", {shots} worked examples in front"),
    };
    let name = if one.baked {
        "The apprentices' survey, baked with the page".to_owned()
    } else {
        one.name.clone()
    };
    let close = format!("Close {name}");
    // The largest task's rows, whether or not the survey was asked for that many.
    let rows = survey.tasks.iter().map(|task| task.rows).max();
    let facts = format!(
        "{} models, {} tasks, at most {} rows each{shots}",
        survey.models.len(),
        survey.tasks.len(),
        rows.unwrap_or(0)
    );
    view! {
        <li>
            <span class="report-name">{name}</span>
            <span class="hint">{facts}</span>
            <button type="button" aria-label=close on:click=move |_| desk.close(one.id)>"Close"</button>
        </li>
    }
}
