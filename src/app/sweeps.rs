//! What the reader asked to sweep, and what is shown of it.

use leptos::prelude::*;

use super::protocol::Ask;
use super::studio::{Origin, Studio, sentence};
use crate::chart::number;
use crate::study::orders::{Extent, Orders, Sweep};
use crate::task::minilang::GeneratedTask;

#[derive(Clone, Copy)]
pub struct Sweeps {
    studio: Studio,
    pub tasks: RwSignal<Vec<GeneratedTask>>,
    /// A task.
    pub rows: RwSignal<usize>,
    pub kinds: RwSignal<Vec<Sweep>>,
    pub extent: RwSignal<Extent>,
    /// Which task's pictures are shown; the first where it is not there.
    pub task: RwSignal<Option<String>>,
}

impl Sweeps {
    pub fn start(studio: Studio) -> Self {
        Self {
            studio,
            tasks: RwSignal::new(vec![GeneratedTask::Sum]),
            rows: RwSignal::new(48),
            kinds: RwSignal::new(vec![Sweep::Drop, Sweep::Swap]),
            extent: RwSignal::new(Extent::default()),
            task: RwSignal::new(None),
        }
    }

    pub fn choose_task(self, task: GeneratedTask, on: bool) {
        self.tasks.update(|tasks| {
            tasks.retain(|&other| other != task);
            if on {
                tasks.push(task);
                tasks.sort_by_key(|task| *task as u8);
            }
        });
    }

    pub fn choose_kind(self, kind: Sweep, on: bool) {
        self.kinds.update(|kinds| {
            kinds.retain(|&other| other != kind);
            if on {
                kinds.push(kind);
                kinds.sort_unstable();
            }
        });
    }

    /// Why the model held has nothing to try for a sweep.
    pub fn problem(self, sweep: Sweep) -> Option<String> {
        let runs = self
            .studio
            .model
            .with(|model| model.as_ref().map(|model| model.order.len()))?;
        let extent = self.extent.get();
        sweep
            .strategies(runs, extent)
            .err()
            .map(|error| sentence(&error.to_string()))
    }

    /// The chosen sweeps that the model has.
    fn existing(self) -> Vec<Sweep> {
        self.kinds
            .get()
            .into_iter()
            .filter(|&kind| self.problem(kind).is_none())
            .collect()
    }

    pub fn can_run(self) -> bool {
        !self.tasks.with(Vec::is_empty) && !self.existing().is_empty()
    }

    pub fn run(self) {
        let (tasks, sweeps) = untrack(|| (self.tasks.get(), self.existing()));
        self.ask(&tasks, sweeps);
    }

    /// These sweeps on these tasks, with the rows and extent that are set.
    pub fn ask(self, tasks: &[GeneratedTask], sweeps: Vec<Sweep>) {
        self.studio.start_sweep(Ask::Orders {
            tasks: tasks.iter().map(|task| task.name().to_owned()).collect(),
            rows: self.rows.get_untracked(),
            sweeps,
            extent: self.extent.get_untracked(),
        });
    }

    /// The task whose pictures are shown.
    pub fn shown_task(self) -> Option<String> {
        self.with_orders(|orders| orders.task.clone())
    }

    /// The sweep that is shown.
    pub fn with_orders<T>(self, of: impl Fn(&Orders) -> T) -> Option<T> {
        let wanted = self.task.get();
        self.studio.swept.with(|swept| {
            let all = &swept.as_ref()?.report.orders;
            let chosen = all
                .iter()
                .find(|orders| Some(&orders.task) == wanted.as_ref());
            chosen.or_else(|| all.first()).map(of)
        })
    }

    /// Where the pictures come from, in one sentence.
    pub fn source(self) -> String {
        let counted = self.with_orders(|orders| {
            format!(
                "{} of {} rows of “{}”, {} orders, {} block runs a row instead of {}; chance {}, always the commonest answer {}",
                orders.rows,
                orders.rows_asked,
                orders.task,
                orders.variants.len(),
                orders.block_runs,
                orders.block_runs_alone,
                number::fixed(orders.chance, 3),
                number::fixed(orders.majority, 3),
            )
        });
        self.studio.swept.with(|swept| {
            let (Some(swept), Some(counted)) = (swept, counted) else {
                return String::new();
            };
            let name = &swept.report.model.name;
            match &swept.origin {
                Origin::Live { milliseconds, .. } => {
                    let time = number::fixed(milliseconds / 1000.0, 1);
                    format!("Computed here by {name} in {time} s: {counted}.")
                }
                _ => format!("From a report: {name}, {counted}."),
            }
        })
    }
}
