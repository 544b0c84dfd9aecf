//! Which models and which tasks the pictures are of.

use std::collections::BTreeSet;

use leptos::prelude::*;

use crate::app::link::Looking;
use crate::app::state::Surveys;
use crate::app::widgets::Tick;
use crate::study::survey::Survey;

#[component]
pub fn Filters() -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let models = names(surveys, |survey| survey.models.iter().map(|m| m.name.clone()).collect());
    let tasks = names(surveys, |survey| survey.tasks.iter().map(|t| t.name.clone()).collect());
    view! {
        <section class="filters" aria-labelledby="filters-title">
            <h2 id="filters-title">"What is compared"</h2>
            <Ticks legend="Models" class="of-models" names=models hidden=surveys.hidden_models setting=|looking| &mut looking.hidden_models />
            <Ticks legend="Tasks" class="of-tasks" names=tasks hidden=surveys.hidden_tasks setting=|looking| &mut looking.hidden_tasks />
        </section>
    }
}

fn names(surveys: Surveys, of: fn(&Survey) -> Vec<String>) -> Memo<Vec<String>> {
    Memo::new(move |_| {
        surveys
            .joined
            .with(|joined| joined.as_ref().map(|joined| of(&joined.survey)).unwrap_or_default())
    })
}

#[component]
fn Ticks(
    legend: &'static str,
    class: &'static str,
    names: Memo<Vec<String>>,
    hidden: Memo<BTreeSet<String>>,
    /// The setting that `hidden` reads.
    setting: fn(&mut Looking) -> &mut BTreeSet<String>,
) -> impl IntoView {
    let surveys = expect_context::<Surveys>();
    let tick = move |name: String| {
        let (own, other) = (name.clone(), name.clone());
        let turn = move |shown: bool| {
            surveys.looking.update(|looking| {
                if shown {
                    setting(looking).remove(&other);
                } else {
                    setting(looking).insert(other.clone());
                }
            });
        };
        let is_on = Signal::derive(move || !hidden.with(|hidden| hidden.contains(&own)));
        view! { <Tick words=name.clone() value=name is_on on_turn=turn /> }
    };
    view! {
        <fieldset class=format!("ticks {class}")>
            <legend>{legend}</legend>
            {move || names.get().into_iter().map(tick).collect_view()}
        </fieldset>
    }
}
