//! Rows of tasks under orders.

use super::tasks::TasksRunning;
use crate::study::lessons::found::FoundCell;
use crate::study::lessons::{RowGroup, RowsAsk};
use crate::study::orders::{Extent, Order, Sweep};
use crate::study::{LoadedModel, StudyError};
use crate::task::built_in::BuiltInTask;
use crate::task::item::Item;
use crate::task::primer::{held_out, level_of_count};

/// Returns the rows of a group.
pub fn items(group: &RowGroup) -> Result<Vec<Item>, StudyError> {
    let task = match BuiltInTask::from_name(&group.task).ok_or(StudyError::NoRows)? {
        BuiltInTask::Generated(task) => task,
        BuiltInTask::Plain(task) => {
            return Ok(task.rows(group.count).into_iter().map(|row| row.item).collect());
        }
    };
    let level = match group.level {
        Some(count) => Some(level_of_count(task, count).ok_or(StudyError::NoRows)?),
        None => None,
    };
    let rows = held_out(task, level, group.count, group.seed);
    Ok(rows.into_iter().map(Item::from).collect())
}

pub struct RowsRunning<'a> {
    groups: Vec<RowGroup>,
    /// Names of the orders beside the model's own.
    plans: Vec<String>,
    tasks: TasksRunning<'a>,
}

impl<'a> RowsRunning<'a> {
    pub fn start(model: &'a LoadedModel, ask: &RowsAsk) -> Result<Self, StudyError> {
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
        Ok(Self {
            groups: ask.rows.clone(),
            plans,
            tasks: TasksRunning::start(model, &ask.rows, &orders)?,
        })
    }

    /// Is the device to answer first?
    pub fn is_waiting(&self) -> bool {
        self.tasks.is_waiting()
    }

    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.tasks.advance()
    }

    pub fn finish(self) -> Result<Vec<FoundCell>, StudyError> {
        let mut cells = Vec::new();
        for (orders, group) in self.tasks.finish()?.iter().zip(&self.groups) {
            cells.extend(FoundCell::of_orders(group.name(), &self.plans, orders));
        }
        Ok(cells)
    }
}
