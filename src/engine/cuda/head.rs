//! The final norm and the output rows. The rows come to the device when something first asks for the
//! whole vocabulary, and stay.

use std::cell::OnceCell;
use std::rc::Rc;

use candle_core::{Device, Tensor};

use super::loader::stored;
use super::{multiply, norm};
use crate::engine::EngineError;
use crate::model::shape::NormKind;
use crate::model::weights::Weights;

pub struct CandleHead {
    weights: Rc<Weights>,
    device: Device,
    rows: OnceCell<OutputRows>,
}

/// What the last stream meets.
struct OutputRows {
    gain: Tensor,         // [D]
    bias: Option<Tensor>, // [D], of a LayerNorm
    /// One after the other, as they are stored, few enough at a time to be widened: `[rows, D]`.
    slices: Vec<Tensor>,
    head_bias: Option<Tensor>, // [V]
}

impl CandleHead {
    pub fn new(weights: Rc<Weights>, device: Device) -> Self {
        Self {
            weights,
            device,
            rows: OnceCell::new(),
        }
    }

    /// V
    pub fn vocabulary(&self) -> usize {
        self.weights.shape.vocabulary
    }

    /// Streams `[R, D]` to logits `[R, V]`.
    pub fn logits(&self, streams: &Tensor) -> Result<Tensor, EngineError> {
        let rows = match self.rows.get() {
            Some(rows) => rows,
            None => {
                let read = self.read()?;
                self.rows.get_or_init(|| read)
            }
        };
        let shape = self.weights.shape.head.norm;
        let normed = match (shape.kind, &rows.bias) {
            (NormKind::Layer, Some(bias)) => norm::layer(streams, &rows.gain, bias, shape.eps)?,
            (NormKind::Layer, None) => norm::rms(&norm::centred(streams)?, &rows.gain, shape.eps)?,
            (NormKind::Rms, _) => norm::rms(streams, &rows.gain, shape.eps)?,
        }; // [R, D]
        let slices = rows.slices.iter().map(|slice| multiply(&normed, slice)); // [R, rows]
        let slices = slices.collect::<candle_core::Result<Vec<Tensor>>>()?;
        let logits = Tensor::cat(&slices, 1)?; // [R, V]
        Ok(match &rows.head_bias {
            Some(bias) => logits.broadcast_add(bias)?,
            None => logits,
        })
    }

    fn read(&self) -> Result<OutputRows, EngineError> {
        let weights = &self.weights;
        let vector = |vector| -> Result<Tensor, EngineError> {
            Ok(Tensor::new(weights.vector(vector)?, &self.device)?)
        };
        let head = weights.head();
        let mut slices = Vec::new();
        for rows in head.slices() {
            slices.push(stored(&weights.rows(head, rows)?, &self.device)?);
            weights.release();
        }
        Ok(OutputRows {
            gain: vector(&weights.final_norm)?,
            bias: weights.final_norm_bias.as_ref().map(vector).transpose()?,
            slices,
            head_bias: weights.head_bias.as_ref().map(vector).transpose()?,
        })
    }
}
