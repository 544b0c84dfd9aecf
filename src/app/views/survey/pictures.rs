//! The survey's figures: of all models together, then along one model's stream.

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::{Surveys, is_found};
use crate::app::widgets::FigureView;
use crate::chart::{Figure, left_out_figure, model_figures, overview_figures};
use crate::study::survey::Survey;

#[component]
pub fn Pictures() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let themes = expect_context::<Themes>();
    let figures = Memo::new(move |_| {
        let (theme, room) = (themes.theme.get(), surveys.room.get());
        let Some(survey) = surveys.shown.get().filter(|survey| survey.found().next().is_some())
        else {
            return Vec::new();
        };
        let all = overview_figures(&survey, theme).into_iter();
        all.map(|one| without_hidden(surveys, one).laid_out(room)).collect::<Vec<Figure>>()
    });
    let own = Memo::new(move |_| {
        let (theme, room) = (themes.theme.get(), surveys.room.get());
        let (Some(survey), Some(model)) = (surveys.shown.get(), surveys.model()) else {
            return Vec::new();
        };
        let all = model_figures(&survey, model, theme).into_iter();
        all.map(|one| one.laid_out(room)).collect::<Vec<Figure>>()
    });
    let none = move || figures.with(Vec::is_empty);
    let left_out = Memo::new(move |_| {
        let survey = surveys.shown.get()?;
        left_out_figure(&survey).map(|(_, why)| why)
    });
    view! {
        <section class="pictures" aria-labelledby="pictures-title">
            <h2 id="pictures-title">"Tables and figures"</h2>
            <Show when=none>
                <p class="problem">"No model that is ticked has numbers on a task that is ticked: tick another one."</p>
            </Show>
            {move || left_out.get().map(|why| view! { <p class="hint">{why}</p> })}
            <All figures />
        </section>
        <section class="pictures" aria-labelledby="stream-title">
            <h2 id="stream-title">"Along one model's stream"</h2>
            <ModelChoice />
            <All figures=own />
        </section>
    }
}

/// Models that are not ticked keep their place in the list, and so all others their colour; they do
/// not stand in the legend.
fn without_hidden(surveys: Surveys, mut one: Figure) -> Figure {
    surveys.hidden_models.with(|hidden| {
        one.plot.legend.retain(|pen| !hidden.contains(&pen.name));
        for panel in &mut one.plot.panels {
            panel.series.retain(|series| !hidden.contains(&series.pen.name));
        }
    });
    one
}

#[component]
fn All(figures: Memo<Vec<Figure>>) -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let source = Signal::derive(move || surveys.source());
    let keys =
        Memo::new(move |_| figures.with(|all| all.iter().map(|one| one.key).collect::<Vec<_>>()));
    move || {
        let all = keys.get().into_iter().map(|key| {
            let figure = Signal::derive(move || {
                figures.with(|all| all.iter().find(|one| one.key == key).cloned())
            });
            view! { <FigureView figure key group=key source /> }
        });
        all.collect_view()
    }
}

/// Which model's rows and stream are looked at.
#[component]
pub fn ModelChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let options = move || {
        let (survey, chosen) = (surveys.shown.get()?, surveys.model());
        let with_numbers = |survey: &Survey, model: usize| {
            survey.cells.iter().any(|cell| cell.model == model && is_found(&cell.outcome))
        };
        let all = survey.models.iter().enumerate().filter(|(i, _)| with_numbers(&survey, *i));
        let options = all.map(|(i, model)| {
            view! { <option value=model.name.clone() selected=chosen == Some(i)>{model.name.clone()}</option> }
        });
        Some(options.collect_view())
    };
    view! {
        <label class="pick">
            <span>"Model "</span>
            <select class="model-choice" on:change=move |event| surveys.choose_model(event_target_value(&event))>{options}</select>
        </label>
    }
}

/// Which task's.
#[component]
pub fn TaskChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let options = move || {
        let (survey, chosen) = (surveys.shown.get()?, surveys.task());
        let options = survey.tasks.iter().enumerate().map(|(i, task)| {
            view! { <option value=task.name.clone() selected=chosen == Some(i)>{task.name.clone()}</option> }
        });
        Some(options.collect_view())
    };
    view! {
        <label class="pick">
            <span>"Task "</span>
            <select class="task-choice" on:change=move |event| surveys.choose_task(event_target_value(&event))>{options}</select>
        </label>
    }
}
