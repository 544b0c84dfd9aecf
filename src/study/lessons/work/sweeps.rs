//! Whole sweeps over orders, task by task.

use super::tasks::TasksRunning;
use crate::plan::Strategy;
use crate::study::lessons::middle::MiddleRuns;
use crate::study::lessons::{FoundSweeps, SweepsAsk};
use crate::study::orders::{Order, Sweep};
use crate::study::{LoadedModel, StudyError};

pub struct SweepsRunning<'a> {
    ask: SweepsAsk,
    tasks: TasksRunning<'a>,
}

impl<'a> SweepsRunning<'a> {
    pub fn start(model: &'a LoadedModel, ask: &SweepsAsk) -> Result<Self, StudyError> {
        let own = &model.shape().order;
        let mut orders = Order::all(&ask.kinds, ask.extent(), own)?;
        if let Some(middle) = MiddleRuns::of(own.len()) {
            let is_size = |own: &Strategy| ask.every_size && middle.is_of_sizes(own);
            let is_few = |own: &Strategy| ask.few && Sweep::of(own).1 == middle.few;
            let is_of = |own: Strategy| middle.is_of(&own) || is_size(&own) || is_few(&own);
            orders.retain(|order| order.strategy.is_none_or(is_of));
        }
        Ok(Self { ask: ask.clone(), tasks: TasksRunning::start(model, &ask.rows, &orders)? })
    }

    /// Is the device to answer first?
    pub fn is_waiting(&self) -> bool {
        self.tasks.is_waiting()
    }

    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.tasks.advance()
    }

    pub fn finish(self) -> Result<FoundSweeps, StudyError> {
        Ok(FoundSweeps { orders: self.tasks.finish()?, groups: self.ask.groups })
    }
}
