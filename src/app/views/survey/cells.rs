//! Models x tasks as one table of means with their intervals, each the way to its rows; and what has no numbers, and
//! why.

use leptos::prelude::*;

use super::rows::Rows;
use crate::app::link::MeanOf;
use crate::app::state::Surveys;
use crate::app::widgets::{Radios, Terms};
use crate::chart::number::{interval_ends, percent_tenths, short};
use crate::measure::bits::bits;
use crate::measure::interval::{Mean, wilson};
use crate::study::survey::{Found, Survey, SurveyedOutcome};

/// A cell's mean; `None` where the runs did not read the whole vocabulary, or the task has no such mean. Shares of rows
/// have Wilson's interval. A report holds no interval of the other means.
fn mean_of(found: &Found, of: MeanOf) -> Option<Mean> {
    let total = &found.averages.probability.total;
    let share_of_rows = |share| wilson(share, found.averages.rows);
    match of {
        MeanOf::Accuracy => Some(share_of_rows(found.averages.accuracy)),
        MeanOf::FirstWord => found.first_word.map(share_of_rows),
        MeanOf::LogLikelihood => found.log_likelihood.map(|log| Mean::without_interval(bits(-log))),
        MeanOf::Mass => found.mass.map(Mean::without_interval),
        MeanOf::Mse => Some(Mean::without_interval(total.mse)),
        MeanOf::Bias => Some(Mean::without_interval(total.bias)),
        MeanOf::Diversity => Some(Mean::without_interval(total.diversity)),
    }
}

/// The number of rows behind a task's means: `n = 500`, or `n = 100 to 500` where models differ in it; nothing without
/// a mean.
fn row_counts(survey: &Survey, task: usize) -> Option<String> {
    let cells = survey.cells.iter().filter(|cell| cell.task == task);
    let rows = cells.filter_map(|cell| match &cell.outcome {
        SurveyedOutcome::Found(found) => Some(found.averages.rows),
        SurveyedOutcome::Failed(_) => None,
    });
    let (fewest, most) = (rows.clone().min()?, rows.max()?);
    Some(match fewest == most {
        true => format!("n = {most}"),
        false => format!("n = {fewest} to {most}"),
    })
}

#[component]
pub fn Cells() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let of = Memo::new(move |_| surveys.looking.with(|looking| looking.mean));
    let rows = Memo::new(move |_| surveys.looking.with(|looking| looking.rows));
    let failed = move || {
        let survey = surveys.shown.get()?;
        let lines: Vec<_> = survey
            .failed()
            .map(|(model, task, why)| view! { <li>{format!("{} on {}: {why}", model.name, task.name)}</li> })
            .collect();
        (!lines.is_empty()).then(|| {
            view! {
                <p class="hint">"No numbers for:"</p>
                <ul class="failed">{lines}</ul>
            }
        })
    };
    let means = MeanOf::ALL.map(|mean| (mean, mean.words().to_owned()));
    view! {
        <section class="cells" aria-labelledby="cells-title">
            <h2 id="cells-title">"From means to rows"</h2>
            <p class="look">
                <Terms text="Every number is a mean over a task's rows. Choose a number to see some of its rows. Each row can be opened in the \
                             lens." />
            </p>
            <Show when=move || of.get().is_of_members()>
                <p class="hint">
                    <Terms text="These are means over a model's components. Deeper models have more components, and most of them say little. So \
                                 compare these numbers only among models of one depth." />
                </p>
            </Show>
            <Radios
                name="quantity"
                legend="Mean of"
                all=means.to_vec()
                chosen=of
                on_choose=move |mean| surveys.looking.update(|looking| looking.mean = mean)
            />
            <div class="scroll" tabindex="0" role="region" aria-label="Models and tasks">
                {move || surveys.shown.get().map(|survey| table(surveys, &survey, of.get()))}
            </div>
            {failed}
            <Show when=move || rows.get()>
                <Rows />
            </Show>
        </section>
    }
}

fn table(surveys: Surveys, survey: &Survey, of: MeanOf) -> impl IntoView + use<> {
    let models: Vec<usize> = (0..survey.models.len())
        .filter(|&model| survey.cells.iter().any(|cell| cell.model == model))
        .collect();
    let head = models
        .iter()
        .map(|&model| view! { <th scope="col">{survey.models[model].name.clone()}</th> });
    let head = head.collect_view();
    let rows = survey.tasks.iter().enumerate().map(|(task, known)| {
        let cells = models.iter().map(|&model| {
            let cell = survey.cells.iter().find(|cell| cell.model == model && cell.task == task);
            let (model, task) = (survey.models[model].name.clone(), known.name.clone());
            let value = match cell.map(|cell| &cell.outcome) {
                Some(SurveyedOutcome::Found(found)) => mean_of(found, of).ok_or("not known"),
                Some(SurveyedOutcome::Failed(_)) => Err("failed"),
                None => Err("–"),
            };
            match value {
                Ok(value) => mean(surveys, model, task, of, value).into_any(),
                Err(why) => view! { <td class="none">{why}</td> }.into_any(),
            }
        });
        view! {
            <tr>
                <th scope="row">
                    <span class="task-name">{known.name.clone()}</span>
                    " "
                    <span class="beside">{row_counts(survey, task)}</span>
                </th>
                {cells.collect_view()}
            </tr>
        }
    });
    view! {
        <table class="means">
            <caption>{format!("Of each model on each task: {}{}", of.words(), intervals(survey, of))}</caption>
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

/// Says what stands below each mean, where something does.
fn intervals(survey: &Survey, of: MeanOf) -> &'static str {
    let mut means = survey.found().filter_map(|(.., found)| mean_of(found, of));
    if means.any(|mean| mean.has_interval()) {
        "; below each stands its 95\u{a0}% interval (Wilson's)"
    } else {
        ""
    }
}

fn mean(surveys: Surveys, model: String, task: String, of: MeanOf, value: Mean) -> impl IntoView {
    let shown = if of.is_share() { percent_tenths(value.mean) } else { short(value.mean) };
    // Only shares have one.
    let interval = interval_ends(&value);
    // What is read out holds what is seen, word for word.
    let spoken =
        interval.as_ref().map_or_else(String::new, |ends| format!(" {ends} (95 % interval)"));
    let label = format!("Rows of {model} on {task}: {} {shown}{spoken}", of.words());
    let (own_model, own_task) = (model.clone(), task.clone());
    let open = Memo::new(move |_| {
        let rows = surveys.looking.with(|looking| looking.rows);
        rows && surveys.is_chosen(&own_model, &own_task)
    });
    let choose = move |_| surveys.open_rows(&model, &task);
    view! {
        <td>
            <button type="button" class="mean" aria-label=label aria-pressed=move || open.get().to_string() on:click=choose>
                <span class="number">{shown}</span>
                " "
                {interval.map(|ends| view! { <span class="beside">{ends}</span> })}
            </button>
        </td>
    }
}
