//! Which sweep to run: tasks, rows, orders, and what the pictures plot.

use leptos::prelude::*;

use crate::app::link::{MOST_ROWS, MOST_SEEDS};
use crate::app::state::{Place, Studio};
use crate::app::tasks;
use crate::app::widgets::{NumberField, ProblemLine, Tick, WorkBar, duration};
use crate::chart::{Column, Quantity};
use crate::study::orders::Sweep;
use crate::task::built_in::BuiltInTask;

#[component]
pub fn SweepForm() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let task = move |task: BuiltInTask| {
        let refusal = Memo::new(move |_| studio.task_refusal(task));
        view! {
            <Tick
                words=task.name()
                title=refusal
                is_disabled=Signal::derive(move || refusal.with(Option::is_some))
                is_on=Signal::derive(move || studio.is_task_ticked(task))
                on_turn=move |on| studio.tick_task(task, on)
            />
        }
    };
    let group = move |(heading, group): (&'static str, Vec<BuiltInTask>)| {
        let ticks = group.iter().copied().map(task).collect_view();
        view! {
            <fieldset class="ticks">
                <legend>{heading}</legend>
                {ticks}
            </fieldset>
            {move || studio.tasks_refusal(&group).map(|sentence| view! { <p class="hint">{sentence}</p> })}
        }
    };
    let sweep = move |sweep: Sweep| {
        view! {
            <Tick
                words=sweep.name()
                is_disabled=Memo::new(move |_| studio.kind_problem(sweep).is_some())
                is_on=Signal::derive(move || studio.sweeping.with(|s| s.kinds.contains(&sweep)))
                on_turn=move |on| studio.tick_kind(sweep, on)
            />
        }
    };
    let estimate = Memo::new(move |_| studio.sweep_estimate());
    let missing = move || {
        kinds()
            .filter_map(|sweep| studio.kind_problem(sweep))
            .map(|sentence| view! { <p class="hint">{sentence}</p> })
            .collect_view()
    };
    view! {
        <form class="sweep" on:submit=move |event| {
            event.prevent_default();
            studio.run_sweep();
        }>
            <div id="sweep-tasks">{tasks::groups().map(group).collect_view()}</div>
            <fieldset class="ticks" id="sweep-kinds">
                <legend>"Kinds of plans"</legend>
                {kinds().map(sweep).collect_view()}
            </fieldset>
            <div class="tools">
                <NumberField
                    name="rows per task"
                    most=MOST_ROWS
                    value=Signal::derive(move || studio.sweeping.with(|s| s.rows))
                    on_change=move |n| studio.sweeping.update(|s| s.rows = n)
                />
                <NumberField
                    name="shuffles"
                    most=MOST_SEEDS as usize
                    value=Signal::derive(move || studio.sweeping.with(|s| s.extent.seeds as usize))
                    on_change=move |n| studio.sweeping.update(|s| s.extent.seeds = n as u64)
                />
                <NumberField
                    name="most rounds"
                    most=crate::plan::MAX_REPEAT
                    value=Signal::derive(move || studio.sweeping.with(|s| s.extent.rounds))
                    on_change=move |n| studio.sweeping.update(|s| s.extent.rounds = n)
                />
                <button type="submit" disabled=move || !studio.can_sweep()>
                    {move || if studio.sweep.with(Option::is_some) { "Start again" } else { "Run the sweep" }}
                </button>
                <button type="button" id="run-need" disabled=move || !studio.has_sweep_tasks() on:click=move |_| studio.run_need()>
                    "Leave out every part once"
                </button>
            </div>
            {missing}
            <Show when=move || studio.can_sweep() && estimate.with(Option::is_some)>
                <p class="hint" id="sweep-estimate">
                    {move || {
                        let seconds = estimate.get().map(duration).unwrap_or_default();
                        format!("The sweep takes roughly {seconds}, at the pace of the last run.")
                    }}
                </p>
            </Show>
            <WorkBar of=studio.sweep id="cancel-sweep" on_cancel=Callback::new(move |()| studio.cancel_sweep()) />
            <ProblemLine place=Place::Sweep />
        </form>
    }
}

/// Choices of the task, the quantity and the scale to plot.
#[component]
pub fn SweepView() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let quantity = move || studio.sweeping.with(|s| s.quantity);
    let label = |quantity: Quantity| match quantity {
        Quantity::Kl => "KL from the original order",
        Quantity::Normalised => "normalised accuracy",
        other => other.word(),
    };
    let names = Memo::new(move |_| {
        studio.swept.with(|swept| {
            swept.as_ref().map_or_else(Vec::new, |swept| {
                let orders = swept.report.orders.iter();
                orders.map(|orders| orders.task.clone()).collect::<Vec<_>>()
            })
        })
    });
    let tasks = move || {
        let shown = studio.swept_task();
        names
            .get()
            .into_iter()
            .map(|name| {
                let selected = shown.as_ref() == Some(&name);
                view! { <option value=name.clone() selected=selected>{name.clone()}</option> }
            })
            .collect_view()
    };
    view! {
        <div class="plotted">
            <label class="number">
                "Task"
                <select id="sweep-task" on:change=move |event| studio.sweeping.update(|s| s.shown = Some(event_target_value(&event)))>{tasks}</select>
            </label>
            <label class="number">
                "Plotted"
                <select
                    id="plotted"
                    prop:value=move || quantity().name()
                    on:change=move |event| {
                        let plotted = Quantity::parse(&event_target_value(&event)).unwrap_or_default();
                        studio.sweeping.update(|s| s.quantity = plotted);
                    }
                >
                    {Quantity::ALL
                        .map(|quantity| {
                            let selected = move || studio.sweeping.with(|s| s.quantity) == quantity;
                            view! { <option value=quantity.name() selected=selected>{label(quantity)}</option> }
                        })
                        .collect_view()}
                </select>
            </label>
            <Show when=move || quantity().has_columns()>
                <label class="number">
                    "Measured in"
                    <select
                        id="sweep-column"
                        on:change=move |event| studio.column.set(Column::parse(&event_target_value(&event)).unwrap_or_default())
                    >
                        {Column::ALL
                            .map(|column| {
                                let selected = move || studio.column.get() == column;
                                view! { <option value=column.name() selected=selected>{column.label()}</option> }
                            })
                            .collect_view()}
                    </select>
                </label>
            </Show>
        </div>
    }
}

/// The paper's sweeps, and that of heads.
fn kinds() -> impl Iterator<Item = Sweep> {
    Sweep::ALL.into_iter().chain([Sweep::Heads])
}
