//! Settings of the view of orders, as a link holds them: the sweep, and how it is plotted.

use super::{LinkPairs, changed};
use crate::chart::Quantity;
use crate::study::orders::{Extent, Sweep};
use crate::task::built_in::BuiltInTask;

/// The settings of a sweep and of its pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepSettings {
    /// Tasks that the reader ticked; the first that the model can be asked where nothing was ticked or cleared.
    pub tasks: Option<Vec<BuiltInTask>>,
    /// A task.
    pub rows: usize,
    pub kinds: Vec<Sweep>,
    pub extent: Extent,
    /// The quantity that the pictures plot.
    pub quantity: Quantity,
    /// Which task's pictures are shown; the first where it is not there.
    pub shown: Option<String>,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self {
            tasks: None,
            rows: 48,
            kinds: vec![Sweep::Drop, Sweep::Swap],
            extent: Extent::default(),
            quantity: Quantity::default(),
            shown: None,
        }
    }
}

/// Rows a task that a sweep on the page may ask for.
pub const MOST_ROWS: usize = 1000;
/// Shuffles.
pub const MOST_SEEDS: u64 = 100;

impl SweepSettings {
    pub(super) fn write(&self, pairs: &mut LinkPairs) {
        let Self { rows, kinds, extent, quantity, .. } = Self::default();
        let tasks = self.tasks.iter().map(|tasks| tasks.iter().map(|task| task.name()));
        let tasks = tasks.map(|names| names.collect::<Vec<_>>().join(","));
        let kinds = changed(&self.kinds, &kinds).into_iter();
        let kinds = kinds.map(|kinds| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>());

        pairs.known("plot", changed(self.quantity, quantity).map(Quantity::name));
        pairs.each("tasks", tasks);
        pairs.each("sweeps", kinds.map(|names| names.join(",")));
        pairs.known("sweep-rows", changed(self.rows, rows));
        pairs.known("shuffles", changed(self.extent.seeds, extent.seeds));
        pairs.known("rounds", changed(self.extent.rounds, extent.rounds));
        pairs.known("swept", self.shown.as_ref());
    }

    /// True if the key is one of these.
    pub(super) fn read(&mut self, key: &str, value: &str) -> bool {
        let listed = || value.split(',').filter(|name| !name.is_empty());
        let number = || value.parse::<usize>().ok();
        match key {
            "plot" => self.quantity = Quantity::parse(value).unwrap_or_default(),
            "tasks" => {
                let mut tasks: Vec<BuiltInTask> =
                    listed().filter_map(BuiltInTask::from_name).collect();
                tasks.sort_unstable();
                tasks.dedup();
                self.tasks = Some(tasks);
            }
            "sweeps" => {
                self.kinds = listed().filter_map(|name| name.parse().ok()).collect();
                self.kinds.sort_unstable();
                self.kinds.dedup();
            }
            "sweep-rows" => self.rows = number().unwrap_or(self.rows).clamp(1, MOST_ROWS),
            "shuffles" => {
                let seeds = number().map_or(self.extent.seeds, |n| n as u64);
                self.extent.seeds = seeds.clamp(1, MOST_SEEDS);
            }
            "rounds" => {
                let rounds = number().unwrap_or(self.extent.rounds);
                self.extent.rounds = rounds.clamp(1, crate::plan::MAX_REPEAT);
            }
            "swept" => self.shown = Some(value.to_owned()),
            _ => return false,
        }
        true
    }
}
