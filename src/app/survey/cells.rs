//! Models x tasks as one table of means, each the way to its rows; and what has no numbers, and why.

use leptos::prelude::*;

use super::desk::Desk;
use super::rows::Rows;
use crate::chart::number::{fixed, short};
use crate::study::survey::{Found, Survey, SurveyedOutcome};

type Value = fn(&Found) -> f64;
/// What the table may show.
const QUANTITIES: [(&str, Value); 4] = [
    ("accuracy", |found| found.averages.accuracy),
    ("MSE", |found| found.averages.probability.total.mse),
    ("bias", |found| found.averages.probability.total.bias),
    ("diversity", |found| {
        found.averages.probability.total.diversity
    }),
];

#[component]
pub fn Cells() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let quantity = RwSignal::new(0_usize);
    let failed = move || {
        let survey = desk.shown.get()?;
        let lines: Vec<_> = survey
            .failed()
            .map(|(model, task, why)| view! { <li>{format!("{} on {}: {why}", model.name, task.name)}</li> })
            .collect();
        (!lines.is_empty()).then(|| {
            view! {
                <p class="hint">"Without numbers:"</p>
                <ul class="failed">{lines}</ul>
            }
        })
    };
    let radio = move |(i, (name, _)): (usize, &(&'static str, Value))| {
        view! {
            <label>
                <input
                    type="radio"
                    name="quantity"
                    prop:checked=move || quantity.get() == i
                    on:change=move |_| quantity.set(i)
                />
                <span>{*name}</span>
            </label>
        }
    };
    view! {
        <section class="cells" aria-labelledby="cells-title">
            <h2 id="cells-title">"From means to rows"</h2>
            <p class="look">"Every number is a mean over a task's rows. Choose one to see some of them, and each of those in the lens."</p>
            <fieldset class="columns">
                <legend>"Mean of"</legend>
                {QUANTITIES.iter().enumerate().map(radio).collect_view()}
            </fieldset>
            <div class="scroll" tabindex="0" role="region" aria-label="Models and tasks">
                {move || desk.shown.get().map(|survey| table(desk, &survey, quantity.get()))}
            </div>
            {failed}
            <Show when=move || desk.rows.get()>
                <Rows />
            </Show>
        </section>
    }
}

fn table(desk: Desk, survey: &Survey, quantity: usize) -> impl IntoView + use<> {
    let (name, value) = QUANTITIES[quantity];
    let models: Vec<usize> = (0..survey.models.len())
        .filter(|&model| survey.cells.iter().any(|cell| cell.model == model))
        .collect();
    let head = models
        .iter()
        .map(|&model| view! { <th scope="col">{survey.models[model].name.clone()}</th> });
    let head = head.collect_view();
    let rows = survey.tasks.iter().enumerate().map(|(task, known)| {
        let cells = models.iter().map(|&model| {
            let cell = survey
                .cells
                .iter()
                .find(|cell| cell.model == model && cell.task == task);
            let (model, task) = (survey.models[model].name.clone(), known.name.clone());
            match cell.map(|cell| &cell.outcome) {
                Some(SurveyedOutcome::Found(found)) => {
                    mean(desk, model, task, name, value(found)).into_any()
                }
                Some(SurveyedOutcome::Failed(_)) => {
                    view! { <td class="none">"failed"</td> }.into_any()
                }
                None => view! { <td class="none">"–"</td> }.into_any(),
            }
        });
        view! {
            <tr>
                <th scope="row">{known.name.clone()}</th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <table class="means">
            <caption>{format!("Mean {name} of each model on each task")}</caption>
            <thead>
                <tr>
                    <th scope="col">"task"</th>
                    {head}
                </tr>
            </thead>
            <tbody>{rows.collect_view()}</tbody>
        </table>
    }
}

fn mean(desk: Desk, model: String, task: String, name: &'static str, value: f64) -> impl IntoView {
    let shown = if name == "accuracy" {
        format!("{} %", fixed(100.0 * value, 1))
    } else {
        short(value)
    };
    let label = format!("Rows of {model} on {task}: {name} {shown}");
    let (own_model, own_task) = (model.clone(), task.clone());
    let open = Memo::new(move |_| desk.rows.get() && desk.is_chosen(&own_model, &own_task));
    let choose = move |_| {
        desk.choose_model(model.clone());
        desk.choose_task(task.clone());
        desk.rows.set(true);
        desk.said
            .set(format!("Rows of {model} on {task} are below the table."));
    };
    view! {
        <td>
            <button type="button" class="mean" aria-label=label aria-pressed=move || open.get().to_string() on:click=choose>
                {shown}
            </button>
        </td>
    }
}
