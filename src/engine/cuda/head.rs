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

/// The final norm and the unembedding on the device.
struct OutputRows {
    gain: Tensor,         // [D]
    bias: Option<Tensor>, // [D], of a LayerNorm
    /// Slices of the unembedding in the order of rows, in the stored dtype: `[rows, D]` each, small enough to
    /// be widened one at a time.
    slices: Vec<Tensor>,
    head_bias: Option<Tensor>, // [V]
}

impl CandleHead {
    pub fn new(weights: Rc<Weights>, device: Device) -> Self {
        Self { weights, device, rows: OnceCell::new() }
    }

    /// V
    pub fn vocabulary(&self) -> usize {
        self.weights.shape.vocabulary
    }

    /// D
    pub fn width(&self) -> usize {
        self.weights.shape.width
    }

    fn rows(&self) -> Result<&OutputRows, EngineError> {
        match self.rows.get() {
            Some(rows) => Ok(rows),
            None => {
                let read = self.read()?;
                Ok(self.rows.get_or_init(|| read))
            }
        }
    }

    /// Streams `[R, D]` to logits `[R, V]`.
    pub fn logits(&self, streams: &Tensor) -> Result<Tensor, EngineError> {
        let rows = self.rows()?;
        let shape = self.weights.shape.head.norm;
        let normed = match (shape.kind, &rows.bias) {
            (NormKind::Layer, Some(bias)) => norm::layer(streams, &rows.gain, bias, shape.eps)?,
            (NormKind::Layer, None) => norm::rms(&norm::centred(streams)?, &rows.gain, shape.eps)?,
            (NormKind::Rms, _) => norm::rms(streams, &rows.gain, shape.eps)?,
        }; // [R, D]
        self.products(&normed)
    }

    /// Streams `[S, D]` to logits `[S, V]`: the first with the scales of their references, which are the
    /// last with their own.
    pub fn held_logits(
        &self,
        streams: &Tensor,
        references: &[usize],
    ) -> Result<Tensor, EngineError> {
        let rows = self.rows()?;
        let shape = self.weights.shape.head.norm;
        let own = match shape.kind {
            NormKind::Layer => norm::centred(streams)?, // [S, D]
            NormKind::Rms => streams.clone(),           // [S, D]
        };
        let outside = references.len()..streams.dims()[0];
        let references = references.iter().copied().chain(outside).map(|stream| stream as u32);
        let references = Tensor::new(references.collect::<Vec<u32>>(), &self.device)?; // [S]
        let references = own.index_select(&references, 0)?; // [S, D]
        let scale = (norm::mean_square(&references)? + shape.eps)?.sqrt()?; // [S, 1]
        let normed = own.broadcast_div(&scale)?.broadcast_mul(&rows.gain)?; // [S, D]
        match &rows.bias {
            Some(bias) => self.products(&normed.broadcast_add(bias)?),
            None => self.products(&normed),
        }
    }

    /// Normed streams `[R, D]` by the output rows: `[R, V]`.
    fn products(&self, normed: &Tensor) -> Result<Tensor, EngineError> {
        let rows = self.rows()?;
        let slices = rows.slices.iter().map(|slice| multiply(normed, slice)); // [R, rows]
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
