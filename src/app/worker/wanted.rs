//! A request for a sweep, made ready for a model.

use super::{Stop, failed};
use crate::app::protocol::OrdersAsk;
use crate::study::orders::{Extent, Order, PartedSweep, Sweeping};
use crate::study::{LoadedModel, SEED, StudyError};
use crate::task::built_in::BuiltInTask;

impl OrdersAsk {
    /// The sweep of one task, which is checked whole before a row of it runs.
    pub(super) fn sweep<'a>(
        &self,
        model: &'a LoadedModel,
        task: usize,
    ) -> Result<PartedSweep<'a>, Stop> {
        let Some(&task) = self.tasks.get(task) else {
            return Err(Stop::Failed(format!("task {task} does not exist")));
        };
        let (items, orders) = (task.items(self.rows), self.orders(model)?);
        let sweeping = Sweeping::start(model, task.name(), &items, orders, SEED)
            .map_err(|error| unreadable("orders", model, task, error))?;
        Ok(PartedSweep::new(sweeping))
    }

    /// Returns the orders that this model has of those asked for. An error where it has none of them, and where a
    /// reader's own order is none of this model's.
    fn orders(&self, model: &LoadedModel) -> Result<Vec<Order>, Stop> {
        let own = model.shape().order.as_slice();
        let extent = Extent { heads: model.facts().heads, ..self.extent };
        let mut orders = Vec::new();
        let mut missing = None;
        for &sweep in &self.sweeps {
            match Order::all(&[sweep], extent, own) {
                Ok(of) => orders.extend(of),
                Err(error @ StudyError::NoSuchSweep { .. }) => missing = Some(error),
                Err(error) => return Err(failed(error)),
            }
        }
        for line in &self.plans {
            orders.push(Order::parse(line, own).map_err(failed)?);
        }
        match missing {
            Some(error) if orders.is_empty() => Err(failed(error)),
            _ => Ok(orders),
        }
    }
}

/// Says which task the model cannot be asked, whatever the row: a probe of the task let a row pass that the model
/// cannot read. The command line's `command` takes other rows.
pub fn unreadable(
    command: &str,
    model: &LoadedModel,
    task: BuiltInTask,
    error: StudyError,
) -> Stop {
    let (model, task) = (&model.name, task.name());
    match error {
        StudyError::Row { error, .. } => Stop::Failed(format!(
            "{model} cannot be asked the task “{task}” ({error}): choose another task, or run `atelier {command}` with rows \
             of your own and open its report here"
        )),
        other => failed(other),
    }
}
