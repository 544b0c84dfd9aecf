//! From a stream to logits over the whole vocabulary: the final norm, then the output rows, read
//! slice by slice as they are stored.

use std::ops::Range;
use std::rc::Rc;

use atelier_kernels::matmul::{multiply, multiply_stored};
use atelier_kernels::norm::Norm;
use atelier_kernels::team::Team;

use crate::engine::EngineError;
use crate::model::weights::{Vector, Weights};
use crate::model::{ModelError, Tensor};

pub struct Head {
    pub(super) weights: Rc<Weights>,
    pub(super) norm: Norm,
    pub(super) bias: Vec<f32>, // [V], or none
    /// The output rows in their slices, where they are not at hand in `weights`.
    held: Vec<Tensor<'static>>,
}

impl Head {
    /// Reads rows from `weights`, or from `held` if all slices are in it.
    pub fn new(weights: Rc<Weights>, held: Vec<Tensor<'static>>) -> Result<Self, EngineError> {
        let optional = |vector: &Option<Vector>| match vector {
            Some(vector) => weights.vector(vector),
            None => Ok(Vec::new()),
        };
        let gain = weights.vector(&weights.final_norm)?;
        let norm_bias = optional(&weights.final_norm_bias)?;
        let bias = optional(&weights.head_bias)?;
        Ok(Self { norm: Norm::new(weights.shape.head.norm, gain, norm_bias), bias, held, weights })
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
        let mut logits = vec![0.0; rows.len() * self.weights.shape.vocabulary];
        self.products(&normed, &mut logits)?;
        Ok(logits)
    }

    /// Logits of one row, which reads the output rows as they are stored: [V].
    pub fn logits_of_one(
        &self,
        stream: &[f32],
        row: u32,
        team: &Team,
    ) -> Result<Vec<f32>, EngineError> {
        let mut logits = vec![0.0; self.weights.shape.vocabulary];
        self.products_of_one(&self.normed(stream, &[row]), &mut logits, team)?;
        Ok(logits)
    }

    /// One stream that went through the norm `[D]` by every output row, as they are stored: [V]. Faster for one
    /// than [`Self::products`], and other in the last bits.
    pub(super) fn products_of_one(
        &self,
        normed: &[f32],
        logits: &mut [f32],
        team: &Team,
    ) -> Result<(), EngineError> {
        for slice in self.slices() {
            let (slice, weights) = slice?;
            let bias = self.bias_of(&slice);
            multiply_stored(normed, &weights, bias, &mut logits[slice], team);
        }
        Ok(())
    }

    /// Streams that went through the norm `[R, D]` by every output row: `[R, V]`. A row's numbers do not
    /// depend on the rows beside it.
    pub(super) fn products(&self, normed: &[f32], logits: &mut [f32]) -> Result<(), EngineError> {
        let vocabulary = self.weights.shape.vocabulary;
        for slice in self.slices() {
            let (slice, weights) = slice?;
            multiply(normed, &weights, self.bias_of(&slice), logits, vocabulary, slice.start);
        }
        Ok(())
    }

    /// The output rows as they are stored, and which they are.
    fn slices(&self) -> impl Iterator<Item = Result<(Range<usize>, Tensor<'_>), ModelError>> {
        let head = self.weights.head();
        head.slices().into_iter().enumerate().map(move |(n, slice)| {
            let rows = match self.held.get(n) {
                Some(held) => held.lent(),
                None => self.weights.rows(head, slice.clone())?,
            };
            Ok((slice, rows))
        })
    }

    fn bias_of(&self, slice: &Range<usize>) -> &[f32] {
        self.bias.get(slice.clone()).unwrap_or_default()
    }
}
