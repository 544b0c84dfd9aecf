//! The order in which blocks run, as one line.

use leptos::prelude::*;

use crate::app::state::{Bench, Studio};

#[component]
pub fn PlanLine() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let bench = expect_context::<Bench>();
    let line = move || studio.draft.with(|draft| draft.plan.clone());
    let error = Memo::new(move |_| studio.plan_error(&line()));
    let own = move || {
        let held = studio.model.with(|model| model.as_ref().map(|model| model.blocks));
        let drawn = || studio.picture().with(|shown| shown.as_ref().map(|s| s.report.model.blocks));
        let last = held.or_else(drawn).map(|blocks| blocks.saturating_sub(1));
        last.map_or_else(|| "0-11".to_owned(), |last| format!("0-{last}"))
    };
    view! {
        <div class="plan in-bar">
            <label class="field" for="plan">"Plan"</label>
            <input
                type="text"
                id="plan"
                spellcheck="false"
                autocomplete="off"
                autocapitalize="off"
                placeholder=own
                aria-describedby="plan-error plan-how"
                aria-invalid=move || error.with(Option::is_some).to_string()
                prop:value=line
                on:input=move |event| bench.type_plan(event_target_value(&event))
            />
            <Show when=move || studio.draft.with(|draft| !draft.plan.is_empty())>
                <button type="button" on:click=move |_| bench.set_plan(String::new())>"Reset"</button>
            </Show>
            <div class="plan-words">
                <p class="problem" id="plan-error" class:empty=move || error.with(Option::is_none)>{move || error.get()}</p>
                // Seen while the field has the focus.
                <p class="hint" id="plan-how">
                    <code>"0-3,8-11"</code> " skips, " <code>"5x3"</code> " repeats, " <code>"(4-7)"</code> " runs in parallel, "
                    <code>"5a"</code> " runs attention alone. “More” has the rest."
                </p>
            </div>
        </div>
    }
}

/// How the line is written.
#[component]
pub fn PlanHint() -> impl IntoView {
    view! {
        <p class="hint" id="plan-hint">
            "A plan is the order of the blocks: " <code>"0-3,8-11"</code> " skips, " <code>"0-3,7-4,8-11"</code> " reverses, "
            <code>"0-3,(4-7),8-11"</code> " runs in parallel, " <code>"5x3"</code> " repeats, " <code>"5a"</code> " or "
            <code>"5m"</code> " runs one component, " <code>"shuffle:2:0"</code> " shuffles."
        </p>
    }
}
