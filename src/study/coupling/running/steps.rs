//! Every step's Jacobians: their columns, or what their searches want, and the linearised path on the way.

use std::collections::VecDeque;

use super::super::CouplingMethod;
use super::super::jacobians::JacobianPlace;
use super::super::linearised::LinearPath;
use super::super::step::StepTangents;
use super::{CouplingStage, Linearising, PANEL, StepWork, past};
use crate::engine::TangentProduct;
use crate::measure::coupling::{
    Jacobian, LOCKSTEP, Lanczos, NotFinite, PROBES, PROBES_TOGETHER, Spectrum, TOLERANCE,
};
use crate::study::StudyError;

impl<'a> Linearising<'a> {
    pub(super) fn begin_step(&mut self, step: usize) -> Result<CouplingStage<'a>, StudyError> {
        if step == self.wish.plan.steps().len() {
            return match self.method {
                CouplingMethod::Whole => Ok(CouplingStage::WholePairs(0, 0)),
                CouplingMethod::Lanczos => self.begin_pairs(0),
            };
        }
        let mut tangents = self.tangents(step)?;
        let width = self.width();
        let left = self.jacobians.of_step(step);
        let mut work = match self.method {
            CouplingMethod::Whole => {
                StepWork::Whole { left, columns: Vec::with_capacity(width * width) }
            }
            CouplingMethod::Lanczos => {
                let with_path = self.path_state().is_some();
                if let Some(path) = self.path.as_mut().filter(|_| !with_path) {
                    path.lost();
                }
                StepWork::Searches { waiting: left.into(), searches: Vec::new(), with_path }
            }
        };
        self.ask(step, &mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }

    /// Searches of what waits, until their probes are a panel.
    fn begin_searches(&self, waiting: &mut VecDeque<usize>, searches: &mut Vec<(usize, Lanczos)>) {
        let probes =
            if waiting.len() + searches.len() < LOCKSTEP { PROBES } else { PROBES_TOGETHER };
        while searches.len() < PANEL / probes
            && let Some(number) = waiting.pop_front()
        {
            let top = self.jacobians.all[number].top;
            // One start a Jacobian.
            let seed = self.wish.seed.wrapping_mul(0x9E37_79B9) ^ number as u32;
            let search = Lanczos::new(self.width(), top, probes, TOLERANCE, seed);
            searches.push((number, search));
        }
    }

    /// Asks for the next products of a step.
    fn ask(
        &self,
        step: usize,
        tangents: &mut StepTangents<'a>,
        work: &mut StepWork,
    ) -> Result<(), StudyError> {
        let width = self.width();
        let product = |number: usize, transposed: bool, probes: Vec<f32>| {
            let JacobianPlace { t_in, t_out, .. } = self.jacobians.all[number].place;
            TangentProduct { t_in, t_out, transposed, probes }
        };
        let mut products = Vec::new();
        match work {
            StepWork::Whole { left, columns } => {
                let first = columns.len() / width;
                let count = PANEL.min(width - first);
                let mut probes = vec![0.0; count * width];
                (0..count).for_each(|n| probes[n * width + first + n] = 1.0);
                products.extend(left.first().map(|&number| product(number, false, probes)));
            }
            StepWork::Searches { waiting, searches, with_path } => {
                self.begin_searches(waiting, searches);
                if *with_path && let Some(probes) = self.path_state() {
                    let last = self.jacobians.at_last(step);
                    products.push(TangentProduct {
                        t_in: last.t_in,
                        t_out: last.t_out,
                        transposed: false,
                        probes,
                    });
                }
                for (number, search) in searches {
                    if let Some(wanted) = search.wanted() {
                        products.push(product(*number, wanted.transposed, wanted.rows));
                    }
                }
            }
        }
        Ok(tangents.ask(products)?)
    }

    /// Takes a step's products, if they are there.
    pub(super) fn step(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: StepWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let Some(found) = tangents.answer()? else {
            self.is_waiting = true;
            return Ok(CouplingStage::Step(step, tangents, work));
        };
        let width = self.width();
        match &mut work {
            StepWork::Whole { columns, .. } => {
                let found = found.into_iter().flatten();
                let before = columns.len();
                columns.extend(found);
                self.spent.jvp += ((columns.len() - before) / width) as u64;
                if columns.len() == width * width {
                    return Ok(CouplingStage::TakeApart(step, tangents, work));
                }
            }
            StepWork::Searches { waiting, searches, with_path } => {
                let mut found = found.into_iter();
                if std::mem::take(with_path) {
                    let change = found.next().unwrap_or_default();
                    self.spent.jvp += 1;
                    self.follow(step, &change);
                }
                for ((number, mut search), found) in std::mem::take(searches).into_iter().zip(found)
                {
                    let rows = (found.len() / width) as u64;
                    match search.wanted() {
                        Some(wanted) if wanted.transposed => self.spent.vjp += rows,
                        _ => self.spent.jvp += rows,
                    }
                    search.answer(&found).map_err(|error| past(error, step))?;
                    if search.wanted().is_some() {
                        searches.push((number, search));
                        continue;
                    }
                    let known = &mut self.jacobians.all[number];
                    known.leading = search.into_leading();
                    if let Some(leading) = &known.leading {
                        known.spectrum = Some(Spectrum::of_leading(leading, &self.wish.top));
                    }
                }
                if searches.is_empty() && waiting.is_empty() {
                    // Before the next step's: each holds what its blocks kept.
                    drop(tangents);
                    return self.begin_step(step + 1);
                }
            }
        }
        self.ask(step, &mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }

    fn path_state(&self) -> Option<Vec<f32>> {
        self.path.as_ref()?.state()
    }

    fn follow(&mut self, step: usize, change: &[f32]) {
        let reached = self.last_state(step + 1).to_vec();
        if let Some(path) = &mut self.path {
            path.step(change, &reached);
        }
    }

    /// Singular vectors of a Jacobian whose columns are all there, and on to the next.
    pub(super) fn take_apart(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: StepWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let width = self.width();
        if let StepWork::Whole { left, columns } = &mut work
            && !left.is_empty()
        {
            let number = left.remove(0);
            let columns = std::mem::take(columns);
            let top = &self.wish.top;
            let last = self.jacobians.at_last(step);
            let known = &mut self.jacobians.all[number];
            let seed = self.wish.seed;
            let apart = || -> Result<_, NotFinite> {
                let whole = Jacobian::of_columns(width, columns)?;
                let leading = whole.leading(known.top, seed)?;
                // Of those between tokens only the gaps are shown.
                let spectrum = if known.place == last {
                    whole.spectrum(&leading, top)?
                } else {
                    Spectrum::of_leading(&leading, top)
                };
                Ok((whole, leading, spectrum))
            };
            let (whole, leading, spectrum) = apart().map_err(|error| past(error, step))?;
            let is_last = known.place == last;
            known.leading = Some(leading);
            known.spectrum = Some(spectrum);
            if is_last {
                match self.path_state() {
                    Some(state) => self.follow(step, &whole.times(&state)),
                    None => self.path.iter_mut().for_each(LinearPath::lost),
                }
            }
            self.jacobians.all[number].whole = Some(whole);
            if left.is_empty() {
                drop(tangents);
                return self.begin_step(step + 1);
            }
        }
        self.ask(step, &mut tangents, &mut work)?;
        Ok(CouplingStage::Step(step, tangents, work))
    }
}
