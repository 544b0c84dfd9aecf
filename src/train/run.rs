//! One run of a block in training, forwards and backwards.

use atelier_kernels::activation::{swiglu, swiglu_gradient};
use atelier_kernels::attention::Heads;
use atelier_kernels::attention::training as attention;
use atelier_kernels::matmul::training as matmul;
use atelier_kernels::norm::{rms_norm_gradient, rms_norm_keeping};
use atelier_kernels::rope::rotate_in_place;

use super::shape::{BlockLayout, RMS_NORM_EPS, Shape};
use super::weights::TurnedBlock;
use crate::engine::rope::Angles;

/// Activations of one run of a block that its gradient needs. N tokens.
#[derive(Default)]
pub struct KeptRun {
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

/// Sets the length; what it held does not matter.
pub fn fit(buffer: &mut Vec<f32>, len: usize) -> &mut [f32] {
    buffer.resize(len, 0.0);
    buffer
}

/// Buffers that every block's gradient uses again.
#[derive(Default)]
pub struct Scratch {
    pub normed: Vec<f32>,
    activated: Vec<f32>,
    mixed: Vec<f32>,
    qkv: Vec<f32>,
}

/// The inputs that all block runs of a pass share.
#[derive(Clone, Copy)]
pub struct RunSetting<'a> {
    pub shape: &'a Shape,
    pub heads: Heads,
    pub angles: &'a Angles,
    /// Where each row starts, and the end.
    pub starts: &'a [usize],
    pub parameters: &'a [f32],
}

impl RunSetting<'_> {
    /// Computes `stream [N, D] <- stream + attention + MLP`, and keeps the activations that the gradient needs.
    pub fn forward(
        self,
        block: &BlockLayout,
        turned: &TurnedBlock,
        kept: &mut KeptRun,
        stream: &mut [f32],
    ) {
        let (d, f, q) = (self.shape.width, self.shape.mlp_width, self.shape.qkv_width());
        let n = stream.len() / d;
        fit(&mut kept.x, n * d).copy_from_slice(stream);

        let gain = &self.parameters[block.attention_norm.clone()];
        let normed = fit(&mut kept.attention_normed, n * d);
        let inverse = fit(&mut kept.attention_inverse, n);
        rms_norm_keeping(stream, gain, RMS_NORM_EPS, normed, inverse);
        let qkv = fit(&mut kept.qkv, n * q);
        matmul::forward(qkv, normed, &turned.qkv, n, false);
        rotate_in_place(qkv, self.heads, self.starts, self.angles, false);
        let probabilities = fit(
            &mut kept.probabilities,
            attention::probabilities_len(self.starts, self.shape.heads),
        );
        let mixed = fit(&mut kept.mixed, n * d);
        attention::forward(mixed, probabilities, qkv, self.starts, self.heads);
        matmul::forward(stream, mixed, &turned.attention_out, n, true);
        fit(&mut kept.middle, n * d).copy_from_slice(stream);

        let gain = &self.parameters[block.mlp_norm.clone()];
        let normed = fit(&mut kept.mlp_normed, n * d);
        let inverse = fit(&mut kept.mlp_inverse, n);
        rms_norm_keeping(stream, gain, RMS_NORM_EPS, normed, inverse);
        let gate_up = fit(&mut kept.gate_up, n * 2 * f);
        matmul::forward(gate_up, normed, &turned.gate_up, n, false);
        let activated = fit(&mut kept.activated, n * f);
        swiglu(gate_up, f, activated);
        matmul::forward(stream, activated, &turned.down, n, true);
    }

    /// Turns `dx`, the gradient of the stream after the block, into that before it.
    pub fn backward(
        self,
        block: &BlockLayout,
        kept: &mut KeptRun,
        dx: &mut [f32],
        gradient: &mut [f32],
        scratch: &mut Scratch,
    ) {
        let (d, f, q) = (self.shape.width, self.shape.mlp_width, self.shape.qkv_width());
        let n = dx.len() / d;
        let parameters = self.parameters;
        let normed = fit(&mut scratch.normed, n * d);

        let down = block.down.clone();
        matmul::weight_gradient(&mut gradient[down.clone()], dx, &kept.activated, n, f);
        let activated = fit(&mut scratch.activated, n * f);
        matmul::input_gradient(activated, dx, &parameters[down], n, f);
        let gate_up = &mut kept.gate_up;
        swiglu_gradient(gate_up, activated, f);
        let wide = block.gate_up.clone();
        matmul::weight_gradient(&mut gradient[wide.clone()], gate_up, &kept.mlp_normed, n, d);
        matmul::input_gradient(normed, gate_up, &parameters[wide], n, d);
        let norm = block.mlp_norm.clone();
        let gain = &parameters[norm.clone()];
        let dgain = &mut gradient[norm];
        rms_norm_gradient(dx, dgain, normed, &kept.middle, &kept.mlp_inverse, gain);

        let out = block.attention_out.clone();
        matmul::weight_gradient(&mut gradient[out.clone()], dx, &kept.mixed, n, d);
        let mixed = fit(&mut scratch.mixed, n * d);
        matmul::input_gradient(mixed, dx, &parameters[out], n, d);
        let qkv = fit(&mut scratch.qkv, n * q);
        let probabilities = &kept.probabilities;
        attention::gradient(qkv, mixed, probabilities, &kept.qkv, self.starts, self.heads);
        rotate_in_place(qkv, self.heads, self.starts, self.angles, true);
        let own = block.qkv.clone();
        let before = &kept.attention_normed;
        matmul::weight_gradient(&mut gradient[own.clone()], qkv, before, n, d);
        matmul::input_gradient(normed, qkv, &parameters[own], n, d);
        let norm = block.attention_norm.clone();
        let gain = &parameters[norm.clone()];
        let dgain = &mut gradient[norm];
        rms_norm_gradient(dx, dgain, normed, &kept.x, &kept.attention_inverse, gain);
    }
}
