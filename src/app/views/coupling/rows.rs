//! Over rows of a task, coupling against what it is to explain: the cost of a swap, or of a step's absence.

use leptos::prelude::*;

use super::points::{Points, take};
use super::relations_at;
use crate::app::link::{AGAINST, MOST_COUPLED_ROWS};
use crate::app::protocol::Ask;
use crate::app::shell::Themes;
use crate::app::state::{Origin, Place, Shown, Studio};
use crate::app::tasks;
use crate::app::widgets::{
    FigureView, NumberField, OpenModelNote, Picture, Pictures, ProblemLine, SaveReport, Terms,
    WorkBar,
};
use crate::chart::{number, relation_figure, relation_word, task_coupling_figures};
use crate::study::coupling::{RelationTo, TaskCoupling};
use crate::task::built_in::BuiltInTask;

/// Figures of one prompt that are drawn as means over rows, too: their keys there and here.
const MEANS: [(&str, &str); 4] = [
    ("coupling-map", "rows-map"),
    ("coupling-distance", "rows-distance"),
    ("coupling-straightness", "rows-straightness"),
    ("coupling-linearised", "rows-linearised"),
];

#[component]
pub fn OverRows() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let themes = expect_context::<Themes>();
    let there = Memo::new(move |_| with_task(studio, |_| ()).is_some());
    let relation = Memo::new(move |_| {
        let (to, metric, k) = studio.coupling.with(|s| (s.against, s.metric, s.k));
        with_task(studio, |task| {
            let mut all = relations_at(&task.relations, metric, k);
            all.find(|one| one.to == to).cloned()
        })
        .flatten()
    });
    let scatter = Memo::new(move |_| {
        let out = studio.coupling.with(|s| s.out.clone());
        let theme = themes.theme.get();
        relation.with(|relation| {
            let relation = relation.as_ref()?;
            Some(relation_figure(relation, &out, theme))
        })
    });
    let said = Signal::derive(move || of(studio));
    let pictures = Pictures::with_source(said, move || {
        let (shown, theme) = (studio.coupling.with(|s| s.shown()), themes.theme.get());
        with_task(studio, |task| task_coupling_figures(task, &shown, theme))
    });
    let has = Memo::new(move |_| scatter.with(Option::is_some));
    let scatter = move || Picture {
        key: "coupling-relation".to_owned(),
        figure: scatter.into(),
        source: said,
    };
    let names = Signal::derive(move || {
        relation.with(|relation| {
            let points = relation.iter().flat_map(|relation| &relation.points);
            points.map(|point| point.name.clone()).collect::<Vec<_>>()
        })
    });
    let task = move || task(studio).map_or("", BuiltInTask::name);
    let toggle = Callback::new(move |name: String| take(studio, &name));
    view! {
        <section class="pictures" aria-labelledby="cost-title">
            <h2 class="asked" id="cost-title">"What does coupling explain?"</h2>
            <p class="look">
                <Terms text="If coupled blocks do the same thing, swapping them should cost little. Compare coupling and cost over rows of a task, \
                             then take a point away: with few pairs, one can make the whole correlation." />
            </p>
            <RowsForm />
            <Show
                when=move || there.get()
                fallback=move || view! {
                    <p class="hint">{move || format!("Nothing was measured on rows of “{}” yet: press Measure.", task())}</p>
                }
            >
                <p class="provenance">{move || provenance(studio)}</p>
                <OpenModelNote
                    shown=Signal::derive(move || {
                        let shown = studio.coupled_rows.get();
                        shown.map(|shown| shown.report.model.name.clone()).into_iter().collect::<Vec<_>>()
                    })
                    way="For its own, press “Measure on these rows”, or open the report of"
                    command="atelier coupling --model FILE --task TASK --out REPORT"
                />
                <p class="keep"><SaveReport shown=studio.coupled_rows name="coupling-rows" /></p>
                <Against />
                <Show
                    when=move || has.get()
                    fallback=|| view! {
                        <p class="problem">
                            "On these rows there is nothing to hold the coupling against: all costs are alike, or the plan is not the model's own. \
                             Choose another cost, or another task."
                        </p>
                    }
                >
                    <FigureView picture=scatter() on_pick=toggle />
                    <Points names back="points-back" />
                </Show>
                <h3 class="part">"Means over these rows"</h3>
                {MEANS.map(|(key, id)| {
                    let has = pictures.has(key);
                    let picture = move || Picture { key: id.to_owned(), ..pictures.one(key) };
                    view! {
                        <Show when=move || has.get()>
                            <FigureView picture=picture() folded=true />
                        </Show>
                    }
                })}
            </Show>
        </section>
    }
}

/// The task that is chosen, or else the first that the model can be asked.
fn task(studio: Studio) -> Option<BuiltInTask> {
    studio.coupling.with(|s| s.task).or_else(|| studio.first_task())
}

/// The rows of the chosen task; a report that was opened shows whatever it is of, since it was asked for
/// by hand.
fn with_task<T>(studio: Studio, of: impl FnOnce(&TaskCoupling) -> T) -> Option<T> {
    studio.coupled_rows.with(|shown| {
        let Shown { report, origin } = shown.as_ref()?;
        let wanted = task(studio).map(BuiltInTask::name);
        let own = report.task_coupling.iter().find(|one| Some(one.task.as_str()) == wanted);
        // What was opened by hand is shown, and so is a report before the reader chooses a task.
        let is_opened = matches!(origin, Origin::Opened { .. });
        let is_chosen = studio.coupling.with(|s| s.task.is_some());
        let any = report.task_coupling.first().filter(|_| is_opened || !is_chosen);
        own.or(any).map(of)
    })
}

/// One line under a saved drawing's title.
fn of(studio: Studio) -> String {
    let counted = with_task(studio, |task| {
        format!("plan {} · {} of {} rows of “{}”", task.plan, task.rows, task.rows_asked, task.task)
    });
    studio.coupled_rows.with(|shown| {
        let name = shown.as_ref().map_or("", |shown| shown.report.model.name.as_str());
        format!("{name} · {}", counted.unwrap_or_default())
    })
}

fn provenance(studio: Studio) -> String {
    let counted = with_task(studio, |task| {
        let accuracy = task.accuracy.map_or_else(String::new, |accuracy| {
            format!(", {} right", number::percent(accuracy.mean))
        });
        format!("{} of {} rows of “{}”{accuracy}", task.rows, task.rows_asked, task.task)
    });
    let shown = studio.coupled_rows.get();
    shown.map(|shown| shown.provenance(&counted.unwrap_or_default())).unwrap_or_default()
}

/// Which rows.
#[component]
fn RowsForm() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let run = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let Some(task) = untrack(|| task(studio)) else { return };
        let rows = studio.coupling.with_untracked(|s| s.rows);
        let plan = studio.draft.with_untracked(|draft| draft.plan_line());
        studio.coupling.update(|s| s.out.clear());
        let ask = Ask::RowsCoupling { task, rows, plan };
        studio.start_sweep(ask);
    };
    let option = move |of: BuiltInTask| {
        let chosen = move || task(studio) == Some(of);
        let refusal = Memo::new(move |_| studio.task_refusal(of));
        view! {
            <option
                value=of.name()
                prop:selected=chosen
                disabled=move || refusal.with(Option::is_some)
                title=move || refusal.get()
            >
                {of.name()}
            </option>
        }
    };
    let tasks = tasks::groups().map(|(heading, group)| {
        view! { <optgroup label=heading>{group.into_iter().map(option).collect_view()}</optgroup> }
    });
    let refusals = move || {
        let said =
            tasks::groups().into_iter().filter_map(|(_, group)| studio.tasks_refusal(&group));
        said.map(|sentence| view! { <p class="hint">{sentence}</p> }).collect_view()
    };
    let cannot_ask = move || task(studio).is_none_or(|task| studio.task_refusal(task).is_some());
    let choose = move |event: web_sys::Event| {
        if let Some(task) = BuiltInTask::from_name(&event_target_value(&event)) {
            studio.set_coupling(|s| s.task = Some(task));
        }
    };
    view! {
        <form class="sweep" on:submit=run>
            <div class="tools">
                <label>
                    "Task "
                    <select id="coupling-task" on:change=choose>{tasks.collect_view()}</select>
                </label>
                <NumberField
                    name="rows "
                    id="coupling-rows"
                    most=MOST_COUPLED_ROWS
                    value=Signal::derive(move || studio.coupling.with(|s| s.rows))
                    on_change=move |rows| studio.set_coupling(|s| s.rows = rows)
                />
                <button type="submit" id="couple-rows" disabled=cannot_ask>
                    {move || if studio.sweep.with(Option::is_some) { "Start again" } else { "Measure on these rows" }}
                </button>
            </div>
            {refusals}
            <WorkBar of=studio.sweep id="cancel-sweep" on_cancel=Callback::new(move |()| studio.cancel_sweep()) />
            <ProblemLine place=Place::Sweep />
        </form>
    }
}

/// Chooses the quantity that the coupling is compared with.
#[component]
fn Against() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let options = AGAINST.map(|(to, name)| {
        let chosen = move || studio.coupling.with(|s| s.against == to);
        view! { <option value=name prop:selected=chosen>{relation_word(to)}</option> }
    });
    let choose = move |event: web_sys::Event| {
        let value = event_target_value(&event);
        let found = AGAINST.iter().find(|(_, name)| *name == value);
        if let Some(&(to, _)) = found {
            studio.set_coupling(|s| {
                // Pairs are no steps.
                if is_of_pairs(s.against) != is_of_pairs(to) {
                    s.out.clear();
                }
                s.against = to;
            });
        }
    };
    view! {
        <div class="tools">
            <label>
                "Against "
                <select id="coupling-against" on:change=choose>{options.collect_view()}</select>
            </label>
        </div>
    }
}

fn is_of_pairs(to: RelationTo) -> bool {
    matches!(to, RelationTo::SwapAccuracy | RelationTo::SwapMargin)
}
