//! A request for a sweep, made ready for a model.

use serde::{Deserialize, Serialize};

use super::{Stop, failed};
use crate::study::orders::{Extent, Order, PartedSweep, Sweep, Sweeping};
use crate::study::{LoadedModel, StudyError};
use crate::task::built_in::BuiltInTask;
use crate::task::item::Item;

/// Seed of the bootstrap, as the command line's default.
const SEED: u64 = 0;

/// The tasks, their rows and the orders: every worker that is told makes the same of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    pub tasks: Vec<BuiltInTask>,
    pub rows: usize,
    pub sweeps: Vec<Sweep>,
    pub extent: Extent,
    pub plans: Vec<String>,
}

impl Wanted {
    /// The sweep of one task, which is checked whole before a row of it runs.
    pub fn sweep<'a>(&self, model: &'a LoadedModel, task: usize) -> Result<PartedSweep<'a>, Stop> {
        let Some(&task) = self.tasks.get(task) else {
            return Err(Stop::Failed(format!("task {task} does not exist")));
        };
        let (items, orders) = (items(task, self.rows), self.orders(model)?);
        let sweeping = Sweeping::start(model, task.name(), &items, orders, SEED)
            .map_err(|error| Stop::Failed(unreadable("orders", &model.name, task, error)))?;
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

/// At most so many rows of a task.
pub fn items(task: BuiltInTask, rows: usize) -> Vec<Item> {
    task.rows(rows).into_iter().map(|row| row.item).collect()
}

/// Says which task the model cannot be asked, whatever the row: a probe of the task let a row pass that the model
/// cannot read. The command line's `command` takes other rows.
pub fn unreadable(command: &str, model: &str, task: BuiltInTask, error: StudyError) -> String {
    let task = task.name();
    match error {
        StudyError::Row { error, .. } => format!(
            "{model} cannot be asked the task “{task}” ({error}): choose another task, or run `atelier {command}` with rows \
             of your own and open its report here"
        ),
        other => other.to_string(),
    }
}
