//! The decoder forwards and backwards over a packed batch.
//!
//! Hand-written rather than left to an autograd tape: at these sizes a tape spends most of its
//! time on allocations and element-wise passes. A test holds the gradients against candle's
//! autograd of the plain graph.

use super::batch::TrainingBatch;
use super::loss::cross_entropy;
use super::shape::{BlockLayout, ParameterLayout, Shape};
use super::shape::{RMS_NORM_EPS, ROPE_THETA};
use crate::engine::cpu::activation::{swiglu, swiglu_gradient};
use crate::engine::cpu::attention::Heads;
use crate::engine::cpu::attention::training as attention;
use crate::engine::cpu::matmul::training as matmul;
use crate::engine::cpu::norm::{rms_norm_gradient, rms_norm_keeping};
use crate::engine::cpu::rope::rotate_in_place;
use crate::engine::rope::{Angles, Rope};
use crate::model::shape::RopeShape;

/// What one run of a block keeps for its gradient. N tokens.
#[derive(Default)]
struct KeptRun {
    /// [N, D] the stream before the block.
    x: Vec<f32>,
    attention_inverse: Vec<f32>,
    attention_normed: Vec<f32>,
    /// [N, Q] turned queries and keys, values.
    qkv: Vec<f32>,
    probabilities: Vec<f32>,
    /// [N, D] heads side by side.
    mixed: Vec<f32>,
    /// [N, D] the stream between attention and MLP.
    middle: Vec<f32>,
    mlp_inverse: Vec<f32>,
    mlp_normed: Vec<f32>,
    /// [N, 2F]
    gate_up: Vec<f32>,
    /// [N, F]
    activated: Vec<f32>,
}

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
    logits: Vec<f32>,
}

/// Sets the length; what it held does not matter.
fn fit(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    buffer.resize(len, 0.0);
    buffer
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
        }
    }

    /// Runs the blocks on packed `tokens`; `starts` holds where each row starts, and the end.
    fn run(&mut self, parameters: &[f32], tokens: &[u32], starts: &[usize]) {
        let (n, d) = (tokens.len(), self.shape.width);
        let embedding = &parameters[self.layout.embedding.clone()];
        let stream = fit(&mut self.last, n * d);
        for (row, &token) in stream.chunks_exact_mut(d).zip(tokens) {
            row.copy_from_slice(&embedding[token as usize * d..][..d]);
        }
        for (run, kept) in self.kept.iter_mut().enumerate() {
            let block = &self.layout.blocks[run / self.shape.repeats];
            run_block(
                &self.shape,
                block,
                (self.heads, &self.angles),
                parameters,
                starts,
                kept,
                &mut self.last,
            );
        }
        let gain = &parameters[self.layout.final_norm.clone()];
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
        parameters: &[f32],
        tokens: &[u32],
        starts: &[usize],
    ) -> Vec<Vec<f32>> {
        self.run(parameters, tokens, starts);
        let d = self.shape.width;
        let ends: Vec<f32> = starts[1..]
            .iter()
            .flat_map(|end| self.last_normed[(end - 1) * d..end * d].iter().copied())
            .collect();
        let rows = starts.len() - 1;
        let logits = fit(&mut self.logits, rows * self.shape.vocabulary);
        matmul::forward(
            logits,
            &ends,
            &parameters[self.layout.embedding.clone()],
            rows,
            d,
            false,
        );
        logits
            .chunks_exact(self.shape.vocabulary)
            .map(<[f32]>::to_vec)
            .collect()
    }

    /// Adds the gradient of `scale * sum(weight * cross-entropy)` to `gradient` and returns
    /// `sum(weight * cross-entropy)`.
    pub fn gradient(
        &mut self,
        parameters: &[f32],
        batch: &TrainingBatch,
        scale: f32,
        gradient: &mut [f32],
    ) -> f64 {
        self.run(parameters, &batch.tokens, &batch.starts);
        let (n, d, v) = (batch.tokens.len(), self.shape.width, self.shape.vocabulary);
        let embedding = self.layout.embedding.clone();
        let logits = fit(&mut self.logits, n * v);
        matmul::forward(
            logits,
            &self.last_normed,
            &parameters[embedding.clone()],
            n,
            d,
            false,
        );
        let loss = cross_entropy(logits, &batch.targets, &batch.weights, v, scale);
        matmul::weight_gradient(
            &mut gradient[embedding.clone()],
            logits,
            &self.last_normed,
            n,
            d,
        );
        let mut dnormed = vec![0f32; n * d];
        matmul::input_gradient(&mut dnormed, logits, &parameters[embedding.clone()], n, d);

        let mut dx = vec![0f32; n * d];
        let norm = self.layout.final_norm.clone();
        let gain = &parameters[norm.clone()];
        rms_norm_gradient(
            &mut dx,
            &mut gradient[norm],
            &dnormed,
            &self.last,
            &self.last_inverse,
            gain,
        );
        let mut scratch = Scratch {
            normed: dnormed,
            ..Scratch::default()
        };
        for (run, kept) in self.kept.iter_mut().enumerate().rev() {
            let block = &self.layout.blocks[run / self.shape.repeats];
            let starts = &batch.starts;
            block_gradient(
                &self.shape,
                block,
                (self.heads, &self.angles),
                parameters,
                starts,
                kept,
                &mut dx,
                gradient,
                &mut scratch,
            );
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

/// `stream [N, D] <- stream + attention + MLP`, keeping what the gradient needs.
fn run_block(
    shape: &Shape,
    block: &BlockLayout,
    (heads, angles): (Heads, &Angles),
    parameters: &[f32],
    starts: &[usize],
    kept: &mut KeptRun,
    stream: &mut [f32],
) {
    let (d, f, q) = (shape.width, shape.mlp_width, shape.qkv_width());
    let n = stream.len() / d;
    fit(&mut kept.x, n * d).copy_from_slice(stream);

    let gain = &parameters[block.attention_norm.clone()];
    rms_norm_keeping(
        stream,
        gain,
        RMS_NORM_EPS,
        fit(&mut kept.attention_normed, n * d),
        fit(&mut kept.attention_inverse, n),
    );
    matmul::forward(
        fit(&mut kept.qkv, n * q),
        &kept.attention_normed,
        &parameters[block.qkv.clone()],
        n,
        d,
        false,
    );
    rotate_in_place(&mut kept.qkv, heads, starts, angles, false);
    let probabilities = fit(
        &mut kept.probabilities,
        attention::probabilities_len(starts, shape.heads),
    );
    attention::forward(
        fit(&mut kept.mixed, n * d),
        probabilities,
        &kept.qkv,
        starts,
        heads,
    );
    matmul::forward(
        stream,
        &kept.mixed,
        &parameters[block.attention_out.clone()],
        n,
        d,
        true,
    );
    fit(&mut kept.middle, n * d).copy_from_slice(stream);

    let gain = &parameters[block.mlp_norm.clone()];
    rms_norm_keeping(
        stream,
        gain,
        RMS_NORM_EPS,
        fit(&mut kept.mlp_normed, n * d),
        fit(&mut kept.mlp_inverse, n),
    );
    let gate_up = fit(&mut kept.gate_up, n * 2 * f);
    matmul::forward(
        gate_up,
        &kept.mlp_normed,
        &parameters[block.gate_up.clone()],
        n,
        d,
        false,
    );
    swiglu(gate_up, f, fit(&mut kept.activated, n * f));
    matmul::forward(
        stream,
        &kept.activated,
        &parameters[block.down.clone()],
        n,
        f,
        true,
    );
}

/// Buffers that every block's gradient uses again.
#[derive(Default)]
struct Scratch {
    normed: Vec<f32>,
    activated: Vec<f32>,
    mixed: Vec<f32>,
    qkv: Vec<f32>,
}

/// Turns `dx`, the gradient of the stream after the block, into that before it.
#[allow(clippy::too_many_arguments)]
fn block_gradient(
    shape: &Shape,
    block: &BlockLayout,
    (heads, angles): (Heads, &Angles),
    parameters: &[f32],
    starts: &[usize],
    kept: &mut KeptRun,
    dx: &mut [f32],
    gradient: &mut [f32],
    scratch: &mut Scratch,
) {
    let (d, f, q) = (shape.width, shape.mlp_width, shape.qkv_width());
    let n = dx.len() / d;
    let normed = fit(&mut scratch.normed, n * d);

    matmul::weight_gradient(&mut gradient[block.down.clone()], dx, &kept.activated, n, f);
    let activated = fit(&mut scratch.activated, n * f);
    matmul::input_gradient(activated, dx, &parameters[block.down.clone()], n, f);
    swiglu_gradient(&mut kept.gate_up, activated, f);
    matmul::weight_gradient(
        &mut gradient[block.gate_up.clone()],
        &kept.gate_up,
        &kept.mlp_normed,
        n,
        d,
    );
    matmul::input_gradient(
        normed,
        &kept.gate_up,
        &parameters[block.gate_up.clone()],
        n,
        d,
    );
    let norm = block.mlp_norm.clone();
    let gain = &parameters[norm.clone()];
    rms_norm_gradient(
        dx,
        &mut gradient[norm],
        normed,
        &kept.middle,
        &kept.mlp_inverse,
        gain,
    );

    matmul::weight_gradient(
        &mut gradient[block.attention_out.clone()],
        dx,
        &kept.mixed,
        n,
        d,
    );
    let mixed = fit(&mut scratch.mixed, n * d);
    matmul::input_gradient(mixed, dx, &parameters[block.attention_out.clone()], n, d);
    let qkv = fit(&mut scratch.qkv, n * q);
    attention::gradient(qkv, mixed, &kept.probabilities, &kept.qkv, starts, heads);
    rotate_in_place(qkv, heads, starts, angles, true);
    matmul::weight_gradient(
        &mut gradient[block.qkv.clone()],
        qkv,
        &kept.attention_normed,
        n,
        d,
    );
    matmul::input_gradient(normed, qkv, &parameters[block.qkv.clone()], n, d);
    let norm = block.attention_norm.clone();
    let gain = &parameters[norm.clone()];
    rms_norm_gradient(
        dx,
        &mut gradient[norm],
        normed,
        &kept.x,
        &kept.attention_inverse,
        gain,
    );
}
