//! Parameters as one step reads them: as they lie, and turned for the products forwards.

use atelier_kernels::matmul::training::TurnedWeights;
use rayon::prelude::*;

use super::shape::{BlockLayout, ParameterLayout, Shape};

/// A model's parameters in both layouts.
#[derive(Clone, Copy)]
pub struct StepWeights<'a> {
    pub parameters: &'a [f32],
    pub turned: &'a TurnedModel,
}

/// The matrices of a model, turned.
pub struct TurnedModel {
    layout: ParameterLayout,
    pub embedding: TurnedWeights,
    pub blocks: Vec<TurnedBlock>,
}

/// A block's matrices, turned.
pub struct TurnedBlock {
    pub qkv: TurnedWeights,
    pub attention_out: TurnedWeights,
    pub gate_up: TurnedWeights,
    pub down: TurnedWeights,
}

impl TurnedModel {
    /// Makes the transposed weights of the present `parameters`.
    pub fn of(shape: &Shape, parameters: &[f32]) -> Self {
        let (d, f, q) = (shape.width, shape.mlp_width, shape.qkv_width());
        let block = || TurnedBlock {
            qkv: TurnedWeights::new(q, d),
            attention_out: TurnedWeights::new(d, d),
            gate_up: TurnedWeights::new(2 * f, d),
            down: TurnedWeights::new(d, f),
        };
        let mut turned = Self {
            layout: shape.layout(),
            embedding: TurnedWeights::new(shape.logits_row(), d),
            blocks: (0..shape.blocks).map(|_| block()).collect(),
        };
        turned.fill(parameters);
        turned
    }

    /// Takes the present values.
    pub fn fill(&mut self, parameters: &[f32]) {
        let Self { layout, embedding, blocks } = self;
        let of_block = |(block, at): (&mut TurnedBlock, &BlockLayout)| {
            block.qkv.fill(&parameters[at.qkv.clone()]);
            block.attention_out.fill(&parameters[at.attention_out.clone()]);
            block.gate_up.fill(&parameters[at.gate_up.clone()]);
            block.down.fill(&parameters[at.down.clone()]);
        };
        rayon::join(
            || embedding.fill(&parameters[layout.embedding.clone()]),
            || {
                let blocks = blocks.par_iter_mut().zip(&layout.blocks);
                blocks.for_each(of_block);
            },
        );
    }
}
