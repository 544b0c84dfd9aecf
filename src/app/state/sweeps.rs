//! The reader's sweeps, and how they are shown.

use leptos::prelude::*;

use super::Studio;
use super::studio::sentence;
use crate::app::protocol::{Ask, OrdersAsk};
use crate::chart::number;
use crate::plan::Plan;
use crate::study::need::Need;
use crate::study::orders::{Extent, Orders, Sweep, Variant, block_runs};
use crate::task::built_in::BuiltInTask;
use crate::task::score::Score;

/// Rows a task on which the reader's own order is tried.
pub const OWN_ROWS: usize = 200;

impl Studio {
    pub fn tick_task(self, task: BuiltInTask, on: bool) {
        let mut tasks = untrack(|| self.ticked_tasks());
        tick(&mut tasks, task, on);
        self.sweeping.update(|sweeping| sweeping.tasks = Some(tasks));
    }

    /// Whether a task's box has its tick.
    pub fn is_task_ticked(self, task: BuiltInTask) -> bool {
        self.ticked_tasks().contains(&task)
    }

    fn ticked_tasks(self) -> Vec<BuiltInTask> {
        let chosen = self.sweeping.with(|sweeping| sweeping.tasks.clone());
        chosen.unwrap_or_else(|| self.first_task().into_iter().collect())
    }

    /// The ticked tasks that the model can be asked.
    fn sweep_tasks(self) -> Vec<BuiltInTask> {
        let ticked = self.ticked_tasks().into_iter();
        ticked.filter(|&task| self.task_refusal(task).is_none()).collect()
    }

    pub fn tick_kind(self, kind: Sweep, on: bool) {
        self.sweeping.update(|sweeping| tick(&mut sweeping.kinds, kind, on));
    }

    /// Why the model held has nothing to try for a sweep.
    pub fn kind_problem(self, sweep: Sweep) -> Option<String> {
        let (runs, heads) = self.model.with(|model| {
            let model = model.as_ref();
            model.map(|model| (model.order.len(), model.heads))
        })?;
        let extent = self.sweeping.with(|sweeping| Extent { heads, ..sweeping.extent });
        sweep.strategies(runs, extent).err().map(|error| sentence(&error.to_string()))
    }

    /// The chosen sweeps that the model has.
    fn sweep_kinds(self) -> Vec<Sweep> {
        let kinds = self.sweeping.with(|sweeping| sweeping.kinds.clone());
        kinds.into_iter().filter(|&kind| self.kind_problem(kind).is_none()).collect()
    }

    /// Whether a task is ticked that the model can be asked.
    pub fn has_sweep_tasks(self) -> bool {
        !self.sweep_tasks().is_empty()
    }

    pub fn can_sweep(self) -> bool {
        self.has_sweep_tasks() && !self.sweep_kinds().is_empty()
    }

    /// Seconds that the chosen sweep takes at the pace of the last run here; `None` where none was timed.
    pub fn sweep_estimate(self) -> Option<f64> {
        let (order, heads) = self.model.with(|model| {
            let model = model.as_ref()?;
            Some((model.order.clone(), model.heads))
        })?;
        let (tasks, rows) = (self.sweep_tasks().len(), self.sweeping.with(|s| s.rows));

        // 1. Block runs of a row; orders that begin alike share them.
        let extent = self.sweeping.with(|s| Extent { heads, ..s.extent });
        let strategies = self.sweep_kinds().into_iter();
        let strategies = strategies.flat_map(|kind| kind.strategies(order.len(), extent)).flatten();
        let plans = strategies.filter_map(|strategy| strategy.plan(&order).ok());
        let plans: Vec<Plan> = Plan::whole(&order).into_iter().chain(plans).collect();
        let (shared, _) = block_runs(&plans);

        // 2. Their seconds
        let per_run = self.pace.get()?;
        Some(per_run * (shared * rows * tasks) as f64)
    }

    /// The reader's own order, if it is one that can be tried.
    pub fn own_plan(self) -> Option<String> {
        let line = self.draft.with(|draft| draft.plan.trim().to_owned());
        let sound = !line.is_empty() && self.plan_error(&line).is_none();
        (sound && self.has_sweep_tasks()).then_some(line)
    }

    /// Says what a trial of the reader's own order runs, on the tasks that are ticked and can be asked.
    pub fn own_plan_words(self) -> String {
        let tasks = self.sweep_tasks();
        let rows = tasks
            .iter()
            .map(|task| format!("{} rows of {}", task.row_count(OWN_ROWS), task.name()));
        match rows.collect::<Vec<_>>().join(", ").as_str() {
            "" => "Try this plan on many rows: tick a task below".to_owned(),
            rows => format!("Try this plan on {rows}"),
        }
    }

    pub fn run_sweep(self) {
        let sweeps = untrack(|| self.sweep_kinds());
        let rows = self.sweeping.with_untracked(|s| s.rows);
        self.ask_orders(rows, sweeps, Vec::new());
    }

    /// Tries the reader's own order on many rows of the ticked tasks.
    pub fn try_own_plan(self) {
        if let Some(plan) = untrack(|| self.own_plan()) {
            self.ask_orders(OWN_ROWS, Vec::new(), vec![plan]);
        }
    }

    /// Measures the vote of every part, and the losses without it, on the ticked tasks.
    pub fn run_need(self) {
        let rows = self.sweeping.with_untracked(|s| s.rows);
        let ask = Ask::Need { tasks: untrack(|| self.sweep_tasks()), rows };
        self.start_sweep(ask);
    }

    /// Where the pictures of needs come from, in one sentence.
    pub fn need_source(self) -> String {
        self.needed.with(|shown| {
            let Some(shown) = shown else {
                return String::new();
            };
            let of = shown.report.need.iter().map(|need| {
                let Need { task, rows, parts, .. } = need;
                format!("{rows} rows of “{task}” without each of {} parts", parts.len())
            });
            let of = of.collect::<Vec<_>>().join(", ");
            shown.provenance(&of) + &shown.unnamed_heads()
        })
    }

    fn ask_orders(self, rows: usize, sweeps: Vec<Sweep>, plans: Vec<String>) {
        let extent = self.sweeping.with_untracked(|s| s.extent);
        let tasks = untrack(|| self.sweep_tasks());
        let ask = Ask::Orders(OrdersAsk { tasks, rows, sweeps, extent, plans });
        self.start_sweep(ask);
    }

    /// The task whose pictures are shown.
    pub fn swept_task(self) -> Option<String> {
        self.with_orders(|orders| orders.task.clone())
    }

    /// The sweep that is shown.
    pub fn with_orders<T>(self, of: impl Fn(&Orders) -> T) -> Option<T> {
        let wanted = self.sweeping.with(|sweeping| sweeping.shown.clone());
        self.swept.with(|swept| {
            let all = &swept.as_ref()?.report.orders;
            let chosen = all.iter().find(|orders| Some(&orders.task) == wanted.as_ref());
            chosen.or_else(|| all.first()).map(of)
        })
    }

    /// `[task][own orders]` what was found of orders that belong to no curve, with the model's own
    /// order before them.
    pub fn own_orders(self) -> Vec<(String, Score, Vec<Variant>)> {
        self.swept.with(|swept| {
            let all = swept.iter().flat_map(|swept| &swept.report.orders);
            all.filter_map(|orders| {
                let drawn: Vec<usize> =
                    orders.points.iter().flat_map(|point| point.variants.clone()).collect();
                let own = orders.variants.iter().enumerate();
                let own = own.filter(|(i, _)| !drawn.contains(i));
                let own: Vec<Variant> = own.map(|(_, variant)| variant.clone()).collect();
                let all = std::iter::once(orders.original.clone()).chain(own);
                let all: Vec<Variant> = all.collect();
                (all.len() > 1).then(|| (orders.task.clone(), orders.score, all))
            })
            .collect()
        })
    }

    /// Where a sweep's pictures come from, in one sentence.
    pub fn sweep_source(self) -> String {
        let counted = self.with_orders(|orders| {
            let has_heads = orders.points.iter().any(|point| point.head.is_some());
            let counted = format!(
                "{} of {} rows of “{}”, {}, {} block runs per row instead of {}; accuracy by chance {}, of always giving the most frequent answer {}",
                orders.rows,
                orders.rows_asked,
                orders.task,
                number::counted(orders.variants.len(), "plan"),
                orders.block_runs,
                orders.block_runs_alone,
                number::fixed(orders.chance, 3),
                number::fixed(orders.majority, 3),
            );
            (counted, has_heads)
        });
        self.swept.with(|swept| {
            let (Some(swept), Some((counted, has_heads))) = (swept, counted) else {
                return String::new();
            };
            let unnamed = if has_heads { swept.unnamed_heads() } else { String::new() };
            swept.provenance(&counted) + &unnamed
        })
    }
}

/// Adds a choice to a sorted list, or takes it out.
fn tick<T: Ord>(list: &mut Vec<T>, choice: T, on: bool) {
    list.retain(|other| *other != choice);
    if on {
        list.push(choice);
        list.sort_unstable();
    }
}
