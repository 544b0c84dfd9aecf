//! The coupling of one model on many rows, one after the other.

use super::costs;
use super::means::{self, resampled};
use super::relations;
use super::wish::CouplingWish;
use super::{Coupling, CouplingRow, Linearising, ProductCount, RowMap, TaskCoupling};
use crate::measure::interval::Resamples;
use crate::study::orders::{Orders, Reading};
use crate::study::report::Report;
use crate::study::{LoadedModel, Running, StudyError};
use crate::task::item::Item;

/// Resamples of the bootstrap.
const RESAMPLES: usize = 1000;

/// A task's coupling on its way; [`RowsLinearising::advance`] it until nothing is left to do.
pub struct RowsLinearising<'a> {
    model: &'a LoadedModel,
    task: String,
    /// Token ids of each row's prompt, which ends where the answer is read.
    prompts: Vec<Vec<u32>>,
    wish: CouplingWish,
    /// Seed of the bootstrap.
    seed: u64,
    rows: Vec<CouplingRow>,
    spent: ProductCount,
    /// The fields that all rows share, from the first row that is done or was resumed.
    like: Option<TaskCoupling>,
    row: Option<Linearising<'a>>,
    /// Costs of other orders on the same rows, where they are known.
    pub costs: Option<Orders>,
}

impl<'a> RowsLinearising<'a> {
    /// Checks every row before the first one runs.
    ///
    /// # Errors
    /// No rows; the first row that the model cannot read, by its number; a wish that is none of this
    /// model's.
    pub fn start(
        model: &'a LoadedModel,
        task: &str,
        items: &[Item],
        wish: CouplingWish,
        seed: u64,
    ) -> Result<Self, StudyError> {
        refuse_if!(items.is_empty(), StudyError::NoRows);
        let row = |(row, item): (usize, &Item)| {
            let found = Reading::new(model, item).and_then(|reading| {
                let ids = reading.prompt.token_ids;
                wish.check(model.shape(), ids.len()).map(|()| ids)
            });
            found.map_err(|error| error.in_row(task, row + 1))
        };
        let prompts = items.iter().enumerate().map(row);
        Ok(Self {
            model,
            task: task.to_owned(),
            prompts: prompts.collect::<Result<_, _>>()?,
            wish,
            seed,
            rows: Vec::new(),
            spent: ProductCount::default(),
            like: None,
            row: None,
            costs: None,
        })
    }

    /// Goes on from what a stopped run of the same wish on the same rows had.
    ///
    /// # Errors
    /// Another task, plan, K, method, seed, or other rows.
    pub fn resume(&mut self, stopped: &TaskCoupling) -> Result<(), StudyError> {
        let is_same = stopped.task == self.task
            && stopped.plan == self.wish.plan.to_string()
            && stopped.steps.len() == self.wish.plan.steps().len()
            && stopped.top == self.wish.top
            && stopped.seed == self.seed
            && self.wish.method.is_none_or(|method| method == stopped.method)
            && stopped.rows_asked == self.prompts.len()
            && stopped.rows <= self.prompts.len()
            && stopped.each.len() == stopped.rows;
        // A file that was edited may have lists of other lengths.
        if !is_same || super::check::task(stopped).is_err() {
            let task = stopped.task.clone();
            return Err(StudyError::OtherCoupling { task });
        }
        // What began as a search goes on as one.
        self.wish.method.get_or_insert(stopped.method);
        self.rows = stopped.each.clone();
        self.spent = stopped.products;
        self.like = Some(stopped.clone());
        Ok(())
    }

    /// Returns the means over the rows so far, beside what other orders cost on them; `None` without any row.
    pub fn found(&self) -> Option<TaskCoupling> {
        let like = self.like.as_ref()?;
        let rows = self.rows.len();
        let resamples = Resamples::new(rows, RESAMPLES, self.seed);
        let steps = like.steps.len();
        let tops = self.wish.top.iter();
        let depth_wise = tops.map(|&k| (k, means::map(&self.rows, steps, k, &resamples)));
        let mut found = TaskCoupling {
            rows,
            products: self.spent,
            depth_wise: depth_wise.collect(),
            linearised: means::linearised(&self.rows, steps, &resamples),
            line_shape_score: resampled(
                &resamples,
                self.rows.iter().map(|row| row.line_shape_score),
            ),
            expodistance: resampled(&resamples, self.rows.iter().map(|row| row.expodistance)),
            each: self.rows.clone(),
            ..like.clone()
        };
        if let Some(orders) = &self.costs {
            found.accuracy = costs::accuracy(orders, &found.plan);
            found.costs = costs::costs(orders, self.model.shape().order.len());
            found.relations = relations::of_steps(&found);
        }
        Some(found)
    }

    /// Returns a report of the rows so far.
    pub fn report(&self) -> Report {
        Report { task_coupling: self.found().into_iter().collect(), ..Report::of(self.model) }
    }

    fn alike(&self, coupling: &Coupling) -> TaskCoupling {
        TaskCoupling {
            task: self.task.clone(),
            rows_asked: self.prompts.len(),
            resamples: RESAMPLES,
            seed: self.seed,
            plan: coupling.plan.clone(),
            steps: coupling.steps.clone(),
            top: coupling.top.clone(),
            method: coupling.method,
            ..TaskCoupling::default()
        }
    }
}

impl Running for RowsLinearising<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        /// Steps of progress in a row.
        const PARTS: usize = 1000;
        let (done, all) = (self.rows.len(), self.prompts.len());
        let total = all * PARTS;
        let Some(ids) = self.prompts.get(done) else {
            return Ok(None);
        };
        let mut row = match self.row.take() {
            Some(row) => row,
            None => Linearising::start(self.model, ids, self.wish.clone())?,
        };
        if let Some((products, expected)) = row.advance()? {
            self.row = Some(row);
            let part = PARTS * products / expected.max(1);
            return Ok(Some((done * PARTS + part.min(PARTS - 1), total)));
        }
        let coupling = row.coupling(None)?;
        self.spent.jvp += coupling.products.jvp;
        self.spent.vjp += coupling.products.vjp;
        self.rows.push(CouplingRow::of(&coupling));
        if self.like.is_none() {
            self.like = Some(self.alike(&coupling));
        }
        Ok(Some(((done + 1) * PARTS, total)))
    }

    fn is_waiting(&self) -> bool {
        self.row.as_ref().is_some_and(Linearising::is_waiting)
    }

    fn rows_done(&self) -> usize {
        self.rows.len()
    }

    fn interim(&mut self) -> Option<Report> {
        Some(self.report())
    }
}

impl CouplingRow {
    fn of(coupling: &Coupling) -> Self {
        let flat = |map: &Vec<Vec<Option<f64>>>| -> Vec<Option<f32>> {
            let numbers = map.iter().flatten();
            numbers.map(|x| x.map(|x| x as f32)).collect()
        };
        let maps = coupling.depth_wise.iter().map(|(&k, one)| {
            let gap = coupling.spectrum.iter().map(|spectrum| {
                let gap = spectrum.gap.get(&k).copied().flatten();
                gap.map(|gap| gap as f32)
            });
            let map = RowMap {
                off_diagonal: flat(&one.map.off_diagonal),
                singular: flat(&one.map.singular),
                gap: gap.collect(),
            };
            (k, map)
        });
        Self {
            depth_wise: maps.collect(),
            cosine: coupling.linearised.cosine.clone(),
            relative_error: coupling.linearised.relative_error.clone(),
            line_shape_score: coupling.line_shape_score,
            expodistance: coupling.expodistance,
        }
    }
}
