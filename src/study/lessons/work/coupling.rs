//! Linearised blocks on rows, and what exchanging them costs.

use super::StepRunning;
use super::tasks::items;
use crate::engine::EngineError;
use crate::study::coupling::{CouplingWish, RowsLinearising, orders_of_costs};
use crate::study::lessons::CoupledAsk;
use crate::study::lessons::found::PartFound;
use crate::study::orders::Sweeping;
use crate::study::{LoadedModel, Running, SEED, StudyError};

pub struct CoupledRunning<'a> {
    costs: Option<Sweeping<'a>>,
    run: RowsLinearising<'a>,
}

impl<'a> CoupledRunning<'a> {
    pub fn start(model: &'a LoadedModel, ask: &CoupledAsk) -> Result<Self, StudyError> {
        let items = items(&ask.rows)?;
        let task = ask.rows.name();
        let plan = model.plan(None)?;
        let costs = if ask.costs {
            let orders = orders_of_costs(&plan, &model.shape().order)?;
            Some(Sweeping::start(model, task, &items, orders, SEED)?)
        } else {
            None
        };
        let tops = CouplingWish::tops(&[], model.shape().width)?;
        let wish = CouplingWish::of(plan, tops);
        Ok(Self { costs, run: RowsLinearising::start(model, task, &items, wish, SEED)? })
    }
}

impl Running for CoupledRunning<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        if let Some(costs) = &mut self.costs {
            if let Some(progress) = costs.advance()? {
                return Ok(Some(progress));
            }
            self.run.costs = costs.orders();
            self.costs = None;
        }
        self.run.advance()
    }

    fn is_waiting(&self) -> bool {
        self.costs.as_ref().is_some_and(Sweeping::is_waiting) || self.run.is_waiting()
    }
}

impl StepRunning for CoupledRunning<'_> {
    fn finish(self: Box<Self>) -> Result<PartFound, StudyError> {
        let found = self.run.found().ok_or(EngineError::Cancelled)?;
        Ok(PartFound::Coupling(Box::new(found)))
    }
}
