//! Orders on rows of tasks, one task after the other.

use super::StepRunning;
use crate::engine::EngineError;
use crate::plan::Strategy;
use crate::study::lessons::found::{FoundCell, PartFound};
use crate::study::lessons::middle::MiddleRuns;
use crate::study::lessons::{RowGroup, RowsAsk, SweepsAsk};
use crate::study::orders::{Extent, Order, Orders, Sweep, Sweeping};
use crate::study::{LoadedModel, Running, SEED, StudyError};
use crate::task::built_in::BuiltInTask;
use crate::task::item::Item;
use crate::task::primer::{held_out, level_of_count};

/// Returns the rows of a group.
pub fn items(group: &RowGroup) -> Result<Vec<Item>, StudyError> {
    let task = match BuiltInTask::from_name(&group.task).ok_or(StudyError::NoRows)? {
        BuiltInTask::Generated(task) => task,
        task @ BuiltInTask::Plain(_) => return Ok(task.items(group.count)),
    };
    let level = match group.level {
        Some(count) => Some(level_of_count(task, count).ok_or(StudyError::NoRows)?),
        None => None,
    };
    let rows = held_out(task, level, group.count, group.seed);
    Ok(rows.into_iter().map(Item::from).collect())
}

/// Makes the step's part of the orders that were found, one a task.
type MakePart = Box<dyn FnOnce(Vec<Orders>) -> PartFound>;

pub struct TasksRunning<'a> {
    tasks: Vec<Sweeping<'a>>,
    at: usize,
    part: MakePart,
}

impl<'a> TasksRunning<'a> {
    /// Rows of tasks under orders.
    pub fn of_rows(model: &'a LoadedModel, ask: &RowsAsk) -> Result<Self, StudyError> {
        let own = &model.shape().order;
        let mut orders = Vec::new();
        for line in ask.plans.values() {
            orders.push(Order::parse(line, own)?);
        }
        let mut plans: Vec<String> = ask.plans.keys().cloned().collect();
        if ask.drops {
            let drops = Order::all(&[Sweep::Drop], Extent::default(), own)?;
            plans.extend(drops.iter().map(|order| order.name.clone()));
            orders.extend(drops);
        }

        let groups = ask.rows.clone();
        let part = move |found: Vec<Orders>| {
            let cells = found.iter().zip(&groups);
            let cells = cells
                .flat_map(|(orders, group)| FoundCell::of_orders(group.name(), &plans, orders));
            PartFound::Cells(cells.collect())
        };
        Self::start(model, &ask.rows, &orders, Box::new(part))
    }

    /// Whole sweeps over orders.
    pub fn of_sweeps(model: &'a LoadedModel, ask: &SweepsAsk) -> Result<Self, StudyError> {
        let own = &model.shape().order;
        let mut orders = Order::all(&ask.kinds, ask.extent(), own)?;
        if let Some(middle) = MiddleRuns::of(own.len()) {
            let is_size = |own: &Strategy| ask.every_size && middle.is_of_sizes(own);
            let is_few = |own: &Strategy| ask.few && Sweep::of(own).1 == middle.few;
            let is_of = |own: Strategy| middle.is_of(&own) || is_size(&own) || is_few(&own);
            orders.retain(|order| order.strategy.is_none_or(is_of));
        }

        Self::start(model, &ask.rows, &orders, Box::new(PartFound::Sweeps))
    }

    fn start(
        model: &'a LoadedModel,
        groups: &[RowGroup],
        orders: &[Order],
        part: MakePart,
    ) -> Result<Self, StudyError> {
        let mut tasks = Vec::with_capacity(groups.len());
        for group in groups {
            let items = items(group)?;
            let sweeping = Sweeping::start(model, group.name(), &items, orders.to_vec(), SEED)?;
            tasks.push(sweeping);
        }
        Ok(Self { tasks, at: 0, part })
    }
}

impl Running for TasksRunning<'_> {
    fn is_waiting(&self) -> bool {
        self.tasks.get(self.at).is_some_and(Sweeping::is_waiting)
    }

    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let count = self.tasks.len();
        while let Some(task) = self.tasks.get_mut(self.at) {
            // Tasks are of one size, nearly.
            if let Some((done, of)) = task.advance()? {
                return Ok(Some((self.at * of + done, count * of)));
            }
            self.at += 1;
        }
        Ok(None)
    }
}

impl StepRunning for TasksRunning<'_> {
    fn finish(self: Box<Self>) -> Result<PartFound, StudyError> {
        let mut orders = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            orders.push(task.orders().ok_or(EngineError::Cancelled)?);
        }
        Ok((self.part)(orders))
    }
}
