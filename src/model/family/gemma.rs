//! Gemma (the first): Llama's block with a GELU gate, gains stored as `gain - 1`, the embedding
//! scaled by the square root of its width; output rows are the embedding's unless told otherwise.

use super::fields::Fields;
use super::names::{LLAMA, Names};
use super::sizes::activation;
use super::{CAUSAL, llama};
use crate::model::shape::Activation;
use crate::model::{ModelError, ModelShape};

pub const NAMES: Names = Names { gain_plus: 1.0, ..LLAMA };

/// Default of transformers where `head_dim` is absent.
const HEAD_WIDTH: usize = 256;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    fields.must_be(&[("use_bidirectional_attention", false, CAUSAL)])?;
    let mut shape = llama::maybe_biased(fields, Some(HEAD_WIDTH))?;
    let act = match fields.get("hidden_activation") {
        Some(_) => activation(fields, "hidden_activation", Activation::GeluTanh)?,
        // The models were trained with the tanh form, but the first configs call it "gelu".
        None => match activation(fields, "hidden_act", Activation::GeluTanh)? {
            Activation::GeluErf => Activation::GeluTanh,
            other => other,
        },
    };
    for block in &mut shape.blocks {
        block.mlp.activation = act;
    }
    shape.input.scale = (shape.width as f32).sqrt();
    shape.head.tied = fields.flag("tie_word_embeddings", true)?;
    Ok(shape)
}
