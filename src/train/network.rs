//! The decoder forwards and backwards over a packed batch.
//!
//! Hand-written rather than left to an autograd tape: at these sizes a tape spends most of its
//! time on allocations and element-wise passes. A test holds the gradients against candle's
//! autograd of the plain graph.

use atelier_kernels::attention::Heads;
use atelier_kernels::matmul::training as matmul;
use atelier_kernels::norm::{rms_norm_gradient, rms_norm_keeping};

use super::batch::TrainingBatch;
use super::loss::cross_entropy;
use super::run::{KeptRun, RunSetting, Scratch, fit};
use super::shape::{ParameterLayout, RMS_NORM_EPS, ROPE_THETA, Shape};
use super::weights::StepWeights;
use crate::engine::rope::{Angles, Rope};
use crate::model::shape::RopeShape;

/// A model's fixed parts and the memory of one pass; reused from batch to batch.
pub struct Network {
    shape: Shape,
    layout: ParameterLayout,
    heads: Heads,
    angles: Angles,
    kept: Vec<KeptRun>,
    /// [N, D] the stream after the last block.
    last: Vec<f32>,
    last_inverse: Vec<f32>,
    last_normed: Vec<f32>,
    /// [N, V filled up]
    logits: Vec<f32>,
    scratch: Scratch,
    /// [N, D] the gradient of the stream.
    dx: Vec<f32>,
}

impl Network {
    pub fn new(shape: Shape) -> Self {
        let rope = Rope::of(&RopeShape {
            width: shape.head_width(),
            theta: f64::from(ROPE_THETA),
            scaling: None,
        });
        Self {
            shape,
            layout: shape.layout(),
            heads: Heads {
                heads: shape.heads,
                kv_heads: shape.kv_heads,
                width: shape.head_width(),
                window: usize::MAX,
                rope_half: shape.head_width() / 2,
            },
            angles: rope.angles(shape.context, false),
            kept: (0..shape.runs()).map(|_| KeptRun::default()).collect(),
            last: Vec::new(),
            last_inverse: Vec::new(),
            last_normed: Vec::new(),
            logits: Vec::new(),
            scratch: Scratch::default(),
            dx: Vec::new(),
        }
    }

    /// Runs the blocks on packed `tokens`; `starts` holds where each row starts, and the end.
    fn run(&mut self, weights: StepWeights, tokens: &[u32], starts: &[usize]) {
        let (n, d) = (tokens.len(), self.shape.width);
        let embedding = &weights.parameters[self.layout.embedding.clone()];
        let stream = fit(&mut self.last, n * d);
        for (row, &token) in stream.chunks_exact_mut(d).zip(tokens) {
            row.copy_from_slice(&embedding[token as usize * d..][..d]);
        }
        let setting = RunSetting {
            shape: &self.shape,
            heads: self.heads,
            angles: &self.angles,
            starts,
            parameters: weights.parameters,
        };
        for (run, kept) in self.kept.iter_mut().enumerate() {
            let block = run / self.shape.repeats;
            setting.forward(
                &self.layout.blocks[block],
                &weights.turned.blocks[block],
                kept,
                &mut self.last,
            );
        }
        let gain = &weights.parameters[self.layout.final_norm.clone()];
        rms_norm_keeping(
            &self.last,
            gain,
            RMS_NORM_EPS,
            fit(&mut self.last_normed, n * d),
            fit(&mut self.last_inverse, n),
        );
    }

    /// [V] logits after the last token of every row.
    pub fn next_token_logits(
        &mut self,
        weights: StepWeights,
        tokens: &[u32],
        starts: &[usize],
    ) -> Vec<Vec<f32>> {
        self.run(weights, tokens, starts);
        let d = self.shape.width;
        let ends: Vec<f32> = starts[1..]
            .iter()
            .flat_map(|end| self.last_normed[(end - 1) * d..end * d].iter().copied())
            .collect();
        let (rows, row) = (starts.len() - 1, self.shape.logits_row());
        let logits = fit(&mut self.logits, rows * row);
        matmul::forward(logits, &ends, &weights.turned.embedding, rows, false);
        logits.chunks_exact(row).map(|logits| logits[..self.shape.vocabulary].to_vec()).collect()
    }

    /// Adds the gradient of `scale * sum(weight * cross-entropy)` to `gradient` and returns
    /// `sum(weight * cross-entropy)`.
    pub fn gradient(
        &mut self,
        weights: StepWeights,
        batch: &TrainingBatch,
        scale: f32,
        gradient: &mut [f32],
    ) -> f64 {
        self.run(weights, &batch.tokens, &batch.starts);
        let (n, d) = (batch.tokens.len(), self.shape.width);
        let embedding = self.layout.embedding.clone();
        let logits = fit(&mut self.logits, n * self.shape.logits_row());
        matmul::forward(logits, &self.last_normed, &weights.turned.embedding, n, false);
        let v = self.shape.vocabulary;
        let loss = cross_entropy(logits, &batch.targets, &batch.weights, v, scale);
        matmul::weight_gradient(&mut gradient[embedding.clone()], logits, &self.last_normed, n, d);
        let dnormed = fit(&mut self.scratch.normed, n * d);
        let rows = &weights.parameters[embedding.clone()];
        matmul::input_gradient(dnormed, logits, rows, n, d);

        let dx = fit(&mut self.dx, n * d);
        dx.fill(0.0);
        let norm = self.layout.final_norm.clone();
        let gain = &weights.parameters[norm.clone()];
        rms_norm_gradient(dx, &mut gradient[norm], dnormed, &self.last, &self.last_inverse, gain);
        let setting = RunSetting {
            shape: &self.shape,
            heads: self.heads,
            angles: &self.angles,
            starts: &batch.starts,
            parameters: weights.parameters,
        };
        for (run, kept) in self.kept.iter_mut().enumerate().rev() {
            let block = &self.layout.blocks[run / self.shape.repeats];
            setting.backward(block, kept, dx, gradient, &mut self.scratch);
        }
        let gradient = &mut gradient[embedding];
        for (row, &token) in dx.chunks_exact(d).zip(&batch.tokens) {
            for (sum, value) in gradient[token as usize * d..][..d].iter_mut().zip(row) {
                *sum += value;
            }
        }
        loss
    }
}
