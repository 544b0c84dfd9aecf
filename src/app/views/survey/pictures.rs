//! The survey's figures, question by question: of all models together, then along one model's stream.

use leptos::prelude::*;

use crate::app::shell::Themes;
use crate::app::state::{Surveys, is_found};
use crate::app::widgets::{self, FigureView};
use crate::chart::{
    Figure, OVERVIEW_QUESTIONS, STREAM_QUESTION, SurveyQuestion, left_out_figure, model_figures,
    overview_figures,
};

/// The figures of the survey that is shown.
#[derive(Clone, Copy)]
pub struct SurveyFigures {
    /// The figure of all models together.
    overview: Memo<Vec<Figure>>,
    /// Along the stream of the model that is chosen.
    of_model: Memo<Vec<Figure>>,
}

impl SurveyFigures {
    pub fn start(surveys: Surveys, themes: Themes) -> Self {
        let overview = Memo::new(move |_| {
            let (theme, room) = (themes.theme.get(), surveys.room.get());
            let Some(survey) = surveys.shown.get().filter(|survey| survey.found().next().is_some())
            else {
                return Vec::new();
            };
            let all = overview_figures(&survey, theme).into_iter();
            all.map(|one| without_hidden(surveys, one).laid_out(room)).collect::<Vec<Figure>>()
        });
        let of_model = Memo::new(move |_| {
            let (theme, room) = (themes.theme.get(), surveys.room.get());
            let (Some(survey), Some(model)) = (surveys.shown.get(), surveys.model()) else {
                return Vec::new();
            };
            let all = model_figures(&survey, model, theme).into_iter();
            all.map(|one| one.laid_out(room)).collect::<Vec<Figure>>()
        });
        Self { overview, of_model }
    }

    /// Whether a figure answers the question: a survey of one model compares none.
    pub fn answer(self, question: &SurveyQuestion) -> bool {
        let is_asked = |figure: &Figure| question.figures.contains(&figure.key);
        [self.overview, self.of_model].iter().any(|all| all.with(|all| all.iter().any(is_asked)))
    }
}

#[component]
pub fn Pictures(all: SurveyFigures) -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let SurveyFigures { overview: figures, of_model } = all;
    let none = move || figures.with(Vec::is_empty);
    let left_out = Memo::new(move |_| {
        let survey = surveys.shown.get()?;
        left_out_figure(&survey).map(|(_, why)| why)
    });
    view! {
        <div class="pictures">
            <Show when=none>
                <p class="problem">"No model that is ticked has numbers on a task that is ticked: tick another one."</p>
            </Show>
            {move || left_out.get().map(|why| view! { <p class="hint">{why}</p> })}
        </div>
        {OVERVIEW_QUESTIONS.map(|question| view! { <QuestionFigures question figures /> }).collect_view()}
        <QuestionFigures question=STREAM_QUESTION figures=of_model>
            <ModelChoice />
        </QuestionFigures>
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

/// The figures that answer a question, folded but for the first; `children` set all of them.
#[component]
fn QuestionFigures(
    question: SurveyQuestion,
    figures: Memo<Vec<Figure>>,
    #[prop(optional)] children: Option<ChildrenFn>,
) -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let pictures = widgets::Pictures { figures, source: Signal::derive(move || surveys.source()) };
    let keys = Memo::new(move |_| {
        let keys = question.figures.iter().copied();
        let is_there = |key: &&str| figures.with(|all| all.iter().any(|one| one.key == *key));
        keys.filter(is_there).collect::<Vec<_>>()
    });
    let answers = move || {
        let all = keys.get().into_iter().enumerate().map(|(n, key)| {
            view! { <FigureView picture=pictures.one(key) folded={n > 0} /> }
        });
        all.collect_view()
    };
    let children = StoredValue::new(children);
    view! {
        <Show when=move || keys.with(|keys| !keys.is_empty())>
            <section class="pictures" aria-labelledby=question.id>
                <h2 class="asked" id=question.id>{question.text}</h2>
                {children.with_value(|children| children.as_ref().map(|children| children()))}
                {answers}
            </section>
        </Show>
    }
}

/// Which model's rows and stream are looked at.
#[component]
pub fn ModelChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let options = move || {
        let (survey, chosen) = (surveys.shown.get()?, surveys.model());
        let with_numbers = |model: usize| {
            survey.cells.iter().any(|cell| cell.model == model && is_found(&cell.outcome))
        };
        let all = survey.models.iter().enumerate().filter(|(i, _)| with_numbers(*i));
        Some(all.map(|(i, model)| option(&model.name, chosen == Some(i))).collect_view())
    };
    let choose =
        move |event| surveys.looking.update(|looking| looking.model = event_target_value(&event));
    view! {
        <label class="pick">
            <span>"Model "</span>
            <select class="model-choice" on:change=choose>{options}</select>
        </label>
    }
}

/// Which task's.
#[component]
pub fn TaskChoice() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let options = move || {
        let (survey, chosen) = (surveys.shown.get()?, surveys.task());
        let all = survey.tasks.iter().enumerate();
        Some(all.map(|(i, task)| option(&task.name, chosen == Some(i))).collect_view())
    };
    let choose =
        move |event| surveys.looking.update(|looking| looking.task = event_target_value(&event));
    view! {
        <label class="pick">
            <span>"Task "</span>
            <select class="task-choice" on:change=choose>{options}</select>
        </label>
    }
}

fn option(name: &str, selected: bool) -> impl IntoView + use<> {
    view! { <option value=name.to_owned() selected=selected>{name.to_owned()}</option> }
}
