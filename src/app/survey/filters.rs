//! Which models and which tasks the pictures are of.

use std::collections::BTreeSet;

use leptos::prelude::*;

use super::desk::Desk;
use crate::study::survey::Survey;

#[component]
pub fn Filters() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let models = names(desk, |survey| {
        survey.models.iter().map(|m| m.name.clone()).collect()
    });
    let tasks = names(desk, |survey| {
        survey.tasks.iter().map(|t| t.name.clone()).collect()
    });
    view! {
        <section class="filters" aria-labelledby="filters-title">
            <h2 id="filters-title">"What is compared"</h2>
            <Ticks legend="Models" class="of-models" names=models hidden=desk.hidden_models />
            <Ticks legend="Tasks" class="of-tasks" names=tasks hidden=desk.hidden_tasks />
        </section>
    }
}

fn names(desk: Desk, of: fn(&Survey) -> Vec<String>) -> Memo<Vec<String>> {
    Memo::new(move |_| {
        desk.joined.with(|joined| {
            joined
                .as_ref()
                .map(|joined| of(&joined.survey))
                .unwrap_or_default()
        })
    })
}

#[component]
fn Ticks(
    legend: &'static str,
    class: &'static str,
    names: Memo<Vec<String>>,
    hidden: RwSignal<BTreeSet<String>>,
) -> impl IntoView {
    let tick = move |name: String| {
        let (own, other) = (name.clone(), name.clone());
        let turn = move |event| {
            let shown = event_target_checked(&event);
            hidden.update(|hidden| {
                if shown {
                    hidden.remove(&other);
                } else {
                    hidden.insert(other.clone());
                }
            });
        };
        view! {
            <label class="tick">
                <input
                    type="checkbox"
                    value=name.clone()
                    prop:checked=move || !hidden.with(|hidden| hidden.contains(&own))
                    on:change=turn
                />
                <span>{name}</span>
            </label>
        }
    };
    view! {
        <fieldset class=format!("ticks {class}")>
            <legend>{legend}</legend>
            {move || names.get().into_iter().map(tick).collect_view()}
        </fieldset>
    }
}
