//! From a stream to logits over the whole vocabulary: the final norm, then the output rows, read
//! slice by slice as they are stored.

use std::rc::Rc;

use atelier_kernels::logits::sum_of_exp;
use atelier_kernels::matmul::{multiply, multiply_stored};
use atelier_kernels::norm::Norm;
use atelier_kernels::sums::largest;
use atelier_kernels::team::Team;
use rayon::prelude::*;

use super::scratch::fit;
use crate::engine::EngineError;
use crate::model::weights::{Vector, Weights};

/// Logits that exist at once where only their fates are asked for.
const LOGITS: usize = 1 << 23;

pub struct Head {
    pub(super) weights: Rc<Weights>,
    pub(super) norm: Norm,
    pub(super) bias: Vec<f32>, // [V], or none
}

/// What is known of a row's target after some of the vocabulary.
#[derive(Clone, Copy)]
struct Fate {
    largest: f32,
    /// Where the first of the largest is.
    best: usize,
    /// Of `exp(logit - largest)`.
    sum: f64,
    target: f32,
}

impl Head {
    pub fn new(weights: Rc<Weights>) -> Result<Self, EngineError> {
        let optional = |vector: &Option<Vector>| match vector {
            Some(vector) => weights.vector(vector),
            None => Ok(Vec::new()),
        };
        let gain = weights.vector(&weights.final_norm)?;
        let norm_bias = optional(&weights.final_norm_bias)?;
        let bias = optional(&weights.head_bias)?;
        Ok(Self { norm: Norm::new(weights.shape.head.norm, gain, norm_bias), bias, weights })
    }

    /// `rows` of `stream` [N, D] through the final norm: [R, D].
    fn normed(&self, stream: &[f32], rows: &[u32]) -> Vec<f32> {
        let d = self.norm.gain.len();
        let mut normed = vec![0.0; rows.len() * d];
        for (&row, to) in rows.iter().zip(normed.chunks_exact_mut(d)) {
            self.norm.run(&stream[row as usize * d..][..d], to);
        }
        normed
    }

    /// Logits of `rows` of `stream` [N, D]: [R, V].
    pub fn logits(&self, stream: &[f32], rows: &[u32]) -> Result<Vec<f32>, EngineError> {
        let normed = self.normed(stream, rows);
        let head = self.weights.head();
        let v = head.rows;
        let mut logits = vec![0.0; rows.len() * v];
        for slice in head.slices() {
            let weights = self.weights.rows(head, slice.clone())?;
            multiply(&normed, &weights, self.bias_of(&slice), &mut logits, v, slice.start);
        }
        Ok(logits)
    }

    /// The same for one row, which reads the output rows as they are stored: [V].
    pub fn logits_of_one(
        &self,
        stream: &[f32],
        row: u32,
        team: &Team,
    ) -> Result<Vec<f32>, EngineError> {
        let normed = self.normed(stream, &[row]);
        let head = self.weights.head();
        let mut logits = vec![0.0; head.rows];
        for slice in head.slices() {
            let weights = self.weights.rows(head, slice.clone())?;
            let bias = self.bias_of(&slice);
            multiply_stored(&normed, &weights, bias, &mut logits[slice.clone()], team);
        }
        Ok(logits)
    }

    /// How the targets of `rows` of `stream` [N, D] fare: [R, 4], as
    /// [`Pass::give_fates`](crate::engine::backend::Pass::give_fates) says.
    pub fn fates(
        &self,
        stream: &[f32],
        rows: &[u32],
        targets: &[u32],
    ) -> Result<Vec<f32>, EngineError> {
        let d = self.norm.gain.len();
        let normed = self.normed(stream, rows);
        let head = self.weights.head();
        let none = Fate { largest: f32::NEG_INFINITY, best: 0, sum: 0.0, target: f32::NAN };
        let mut fates = vec![none; rows.len()];
        let mut logits = Vec::new();
        for slice in head.slices() {
            let weights = self.weights.rows(head, slice.clone())?;
            let count = slice.len();
            let most = (LOGITS / count.max(1)).max(1);
            let parts = normed.chunks(most * d).zip(fates.chunks_mut(most));
            for ((normed, fates), targets) in parts.zip(targets.chunks(most)) {
                let logits = fit(&mut logits, fates.len() * count); // [R', V']
                multiply(normed, &weights, self.bias_of(&slice), logits, count, 0);
                fates.par_iter_mut().zip(logits.par_chunks_exact(count)).zip(targets).for_each(
                    |((fate, logits), &target)| {
                        fate.go_on(logits, slice.start, target as usize);
                    },
                );
            }
        }
        let fates = fates.iter().zip(targets);
        Ok(fates.flat_map(|(fate, &target)| fate.numbers(target as usize)).collect())
    }

    pub(super) fn bias_of(&self, slice: &std::ops::Range<usize>) -> &[f32] {
        self.bias.get(slice.clone()).unwrap_or_default()
    }
}

impl Fate {
    /// Takes the logits of the vocabulary from `first` on into account.
    fn go_on(&mut self, logits: &[f32], first: usize, target: usize) {
        let most = largest(logits);
        if most > self.largest {
            let at = logits.iter().position(|&logit| logit == most);
            self.best = first + at.unwrap_or_default();
            self.sum *= f64::from(self.largest - most).exp();
            self.largest = most;
        }
        self.sum += sum_of_exp(logits, self.largest);
        let own = target.checked_sub(first).and_then(|at| logits.get(at));
        self.target = own.copied().unwrap_or(self.target);
    }

    fn numbers(&self, target: usize) -> [f32; 4] {
        let is_best = f32::from(u8::from(self.best == target));
        [self.largest, self.sum as f32, self.target, is_best]
    }
}
