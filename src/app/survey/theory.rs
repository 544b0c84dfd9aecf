//! Eight cards, one a theorem.

use leptos::prelude::*;

use super::desk::Desk;
use super::pictures::{ModelChoice, TaskChoice};
use super::theorem::Card;
use crate::chart::THEOREMS;

#[component]
pub fn Theory() -> impl IntoView {
    let desk = expect_context::<Desk>();
    let there = Memo::new(move |_| desk.shown.with(Option::is_some));
    let from = move || {
        desk.opened.with(|opened| {
            let names: Vec<&str> = opened
                .iter()
                .map(|one| {
                    if one.baked {
                        "the apprentices' survey"
                    } else {
                        one.name.as_str()
                    }
                })
                .collect();
            format!("Rows are those of {}.", names.join(", "))
        })
    };
    view! {
        <section class="theory" aria-labelledby="theory-title">
            <h2 id="theory-title">"Rows of"</h2>
            <Show
                when=move || there.get()
                fallback=move || view! {
                    <p class="hint">{move || if desk.busy.get() { "The survey is being read." } else { "No report is open: open one in the Survey view." }}</p>
                }
            >
                <p class="picks"><ModelChoice /> <TaskChoice /></p>
                <p class="hint">{from} " Theorems 4 to 6 take one task, the first three all of the model's."</p>
            </Show>
            <p class="problem" class:empty=move || desk.problem.with(String::is_empty)>{move || desk.problem.get()}</p>
        </section>
        <Show when=move || there.get()>
            {THEOREMS.iter().map(|theorem| view! { <Card theorem /> }).collect_view()}
        </Show>
    }
}
