//! Orders on the rows of one task after the other.

use super::SEED;
use super::rows::items;
use crate::engine::EngineError;
use crate::study::lessons::RowGroup;
use crate::study::orders::{Order, Orders, Sweeping};
use crate::study::{LoadedModel, StudyError};

pub struct TasksRunning<'a> {
    tasks: Vec<Sweeping<'a>>,
    at: usize,
}

impl<'a> TasksRunning<'a> {
    pub fn start(
        model: &'a LoadedModel,
        groups: &[RowGroup],
        orders: &[Order],
    ) -> Result<Self, StudyError> {
        let mut tasks = Vec::with_capacity(groups.len());
        for group in groups {
            let items = items(group)?;
            let sweeping = Sweeping::start(model, group.name(), &items, orders.to_vec(), SEED)?;
            tasks.push(sweeping);
        }
        Ok(Self { tasks, at: 0 })
    }

    /// Is the device to answer first?
    pub fn is_waiting(&self) -> bool {
        self.tasks.get(self.at).is_some_and(Sweeping::is_waiting)
    }

    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
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

    /// A task each.
    pub fn finish(&self) -> Result<Vec<Orders>, StudyError> {
        let mut orders = Vec::with_capacity(self.tasks.len());
        for task in &self.tasks {
            orders.push(task.orders().ok_or(EngineError::Cancelled)?);
        }
        Ok(orders)
    }
}
