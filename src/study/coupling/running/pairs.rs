//! Every Jacobian in all bases that are wanted of it: its images of their leading vectors.

use super::super::jacobians::{JacobianPlace, KnownPair};
use super::super::step::StepTangents;
use super::{CouplingStage, Linearising, PANEL, PairWork, past};
use crate::engine::TangentProduct;
use crate::measure::coupling::{Alignment, NotFinite};
use crate::study::StudyError;

impl<'a> Linearising<'a> {
    /// The vectors of the bases that a Jacobian is wanted in and that exist: whose, and how many.
    fn bases(&self, number: usize) -> Vec<(usize, usize)> {
        let known = &self.jacobians.all[number];
        if known.why_row().is_some() {
            return Vec::new();
        }
        let of = known.bases.iter().filter_map(|&(basis, k)| {
            let leading = self.jacobians.all[basis].leading.as_ref()?;
            let most = (1..=k).rev().find(|&k| leading.is_basis(k))?;
            Some((basis, most))
        });
        of.collect()
    }

    fn right(&self, number: usize, k: usize) -> Vec<f32> {
        let leading = self.jacobians.all[number].leading.as_ref();
        let rows = leading.map_or(&[][..], |leading| leading.right(k));
        rows.iter().map(|&x| x as f32).collect()
    }

    fn align(&mut self, number: usize, basis: usize, k: usize, images: &[f32]) {
        let width = self.width();
        let leading = self.jacobians.all[basis].leading.as_ref();
        if let Some(aligned) = leading.map(|leading| Alignment::of(leading, images, k, width)) {
            self.keep(number, basis, k, &aligned);
        }
    }

    fn keep(&mut self, number: usize, basis: usize, k: usize, aligned: &Alignment) {
        let known = &mut self.jacobians.all[number];
        if let Some(own) = &known.leading {
            let pair = KnownPair::new(aligned, own, &self.wish.top, k);
            known.aligned.insert(basis, pair);
        }
    }

    /// In its own basis no product is needed.
    fn align_with_itself(&mut self, number: usize, k: usize) {
        let leading = self.jacobians.all[number].leading.as_ref();
        if let Some(own) = leading.map(|leading| Alignment::with_itself(leading, k)) {
            self.keep(number, number, k, &own);
        }
    }

    /// A Jacobian in its bases from the one of this place on, a panel of vectors at a time.
    pub(super) fn whole_pairs(
        &mut self,
        number: usize,
        first: usize,
    ) -> Result<CouplingStage<'a>, StudyError> {
        if number == self.jacobians.all.len() {
            return Ok(CouplingStage::Done);
        }
        let width = self.width();
        let mut bases = self.bases(number).split_off(first);
        let mut rows = 0;
        let fits = bases.iter().take_while(|(_, k)| {
            rows += k;
            rows <= PANEL
        });
        let taken = fits.count().max(1);
        let is_last = taken >= bases.len();
        bases.truncate(taken);
        let others = bases.iter().filter(|(basis, _)| *basis != number);
        let rows: Vec<f32> = others.flat_map(|&(basis, k)| self.right(basis, k)).collect();
        let whole = self.jacobians.all[number].whole.as_ref();
        let images = whole.map_or(Vec::new(), |whole| whole.times(&rows));
        let mut at = 0;
        for (basis, k) in bases {
            if basis == number {
                self.align_with_itself(number, k);
            } else {
                self.align(number, basis, k, &images[at..at + k * width]);
                at += k * width;
            }
        }
        if is_last {
            // Its columns are read no more.
            self.jacobians.all[number].whole = None;
            return Ok(CouplingStage::WholePairs(number + 1, 0));
        }
        Ok(CouplingStage::WholePairs(number, first + taken))
    }

    pub(super) fn begin_pairs(&mut self, step: usize) -> Result<CouplingStage<'a>, StudyError> {
        if step == self.wish.plan.steps().len() {
            return Ok(CouplingStage::Done);
        }
        let mut left = Vec::new();
        for number in self.jacobians.of_step(step) {
            for (basis, k) in self.bases(number) {
                if basis == number {
                    self.align_with_itself(number, k);
                } else {
                    left.push((number, basis, k));
                }
            }
        }
        if left.is_empty() {
            return self.begin_pairs(step + 1);
        }
        let mut work = PairWork { left, asked: Vec::new() };
        let mut tangents = self.tangents(step)?;
        self.ask_pairs(&mut tangents, &mut work)?;
        Ok(CouplingStage::Pairs(step, tangents, work))
    }

    fn ask_pairs(
        &self,
        tangents: &mut StepTangents<'a>,
        work: &mut PairWork,
    ) -> Result<(), StudyError> {
        let mut rows = 0;
        let fits = work.left.iter().take_while(|(_, _, k)| {
            rows += k;
            rows <= PANEL
        });
        let count = fits.count().max(1).min(work.left.len());
        work.asked = work.left.drain(..count).collect();
        let products = work.asked.iter().map(|&(number, basis, k)| {
            let JacobianPlace { t_in, t_out, .. } = self.jacobians.all[number].place;
            TangentProduct { t_in, t_out, transposed: false, probes: self.right(basis, k) }
        });
        Ok(tangents.ask(products.collect())?)
    }

    pub(super) fn pairs(
        &mut self,
        step: usize,
        mut tangents: StepTangents<'a>,
        mut work: PairWork,
    ) -> Result<CouplingStage<'a>, StudyError> {
        let Some(found) = tangents.answer()? else {
            self.is_waiting = true;
            return Ok(CouplingStage::Pairs(step, tangents, work));
        };
        for (&(number, basis, k), images) in work.asked.iter().zip(&found) {
            refuse_if!(!images.iter().all(|x| x.is_finite()), past(NotFinite, step));
            self.spent.jvp += k as u64;
            self.align(number, basis, k, images);
        }
        if work.left.is_empty() {
            // Before the next step's: each holds what its blocks kept.
            drop(tangents);
            return self.begin_pairs(step + 1);
        }
        self.ask_pairs(&mut tangents, &mut work)?;
        Ok(CouplingStage::Pairs(step, tangents, work))
    }
}
