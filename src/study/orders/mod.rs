//! Sweeps over orders (*Transformer Layers as Painters*): plans x rows, scores beside votes.
//!
//! [`Sweep`] names sets of orders, [`Sweeping`] runs them on rows, [`Orders`] is what it found;
//! [`PartedSweep`] lets several workers run the rows of one. Every
//! row, whatever its score, is also read as the lens reads a prompt: at the last token before the
//! answer, the members vote among the row's options; where a row has no single-token options, among
//! the right answer's first token and the three others that the model's own order finds likeliest.

mod generating;
mod median;
mod parts;
mod reading;
mod result;
mod rows;
mod summary;
mod sweep;
mod sweeping;

pub(in crate::study) use generating::{Generating, MAX_WRITTEN};
pub use median::{Median, median, medians};
pub use parts::PartedSweep;
pub use reading::Reading;
pub(in crate::study) use reading::{Rivals, count_unknown};
pub use result::{Fingerprint, Measures, OrderRows, Orders, SweepPoint, Variant, VoteMeans};
pub use summary::per_token;
pub use sweep::{Extent, MAX_SEEDS, Sweep};
pub use sweeping::{CHUNK, Sweeping};

use std::sync::Arc;

use super::{LoadedModel, StudyError};
use crate::engine::schedule::Schedule;
use crate::engine::{Capture, EngineError};
use crate::plan::{Plan, Strategy};
use crate::task::item::Item;

/// One order to try.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// As `--plan` reads it.
    pub name: String,
    /// The strategy that makes it a point of a sweep; `None` for a reader's own line.
    pub strategy: Option<Strategy>,
    pub plan: Plan,
}

impl Order {
    /// # Errors
    /// A strategy that does not exist on a model of this order.
    pub fn of(strategy: Strategy, order: &[usize]) -> Result<Self, StudyError> {
        Ok(Self {
            name: strategy.to_string(),
            plan: strategy.plan(order)?,
            strategy: Some(strategy),
        })
    }

    /// A reader's own line.
    ///
    /// # Errors
    /// A line that is no plan of a model of this order.
    pub fn parse(line: &str, order: &[usize]) -> Result<Self, StudyError> {
        Ok(Self {
            name: line.trim().to_string(),
            plan: Plan::parse(line, order)?,
            strategy: Strategy::parse(line).ok(),
        })
    }

    /// Every order of these sweeps on a model of this order.
    ///
    /// # Errors
    /// The first sweep that has none on this model.
    pub fn all(sweeps: &[Sweep], extent: Extent, order: &[usize]) -> Result<Vec<Self>, StudyError> {
        let mut orders = Vec::new();
        for sweep in sweeps {
            for strategy in sweep.strategies(order.len(), extent)? {
                orders.push(Self::of(strategy, order)?);
            }
        }
        Ok(orders)
    }
}

/// Block runs of one row with shared work done once, and with each plan run alone.
pub fn block_runs(plans: &[Plan]) -> (usize, usize) {
    let alone = plans.iter().map(|plan| plan.block_runs().count()).sum();
    (Schedule::new(plans).block_runs(), alone)
}

/// `[S + 1][T * D]` the residual stream of a row's prompt under a plan.
///
/// # Errors
/// A row that the model cannot read.
pub fn states(model: &LoadedModel, item: &Item, plan: &Plan) -> Result<Vec<Vec<f32>>, StudyError> {
    let prompts: Arc<[_]> = Arc::from([Reading::new(model, item)?.prompt]);
    let plans: Arc<[_]> = Arc::from([plan.clone()]);
    let run = model.engine.start(prompts, plans, Capture::states())?;
    let trace = run.complete()?.into_iter().flatten().next();
    Ok(trace.ok_or(EngineError::Cancelled)?.states)
}
