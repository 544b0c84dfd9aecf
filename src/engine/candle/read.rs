//! Reads members through the final norm and the options' output rows (MATH section 1).

use candle_core::{Result, Tensor};

use super::CandleEngine;
use crate::model::Prompt;

/// The output rows of every prompt's options, padded with zero rows to the most options (K).
pub struct OptionRows {
    /// `W[options]` transposed: [P, D, K]
    plain: Tensor,
    /// `W[options] * g` transposed, g the final norm's weight: [P, D, K]
    normed: Tensor,
    /// P
    prompts: usize,
}

impl OptionRows {
    pub fn new(engine: &CandleEngine, prompts: &[Prompt]) -> Result<Self> {
        let k = prompts
            .iter()
            .map(|prompt| prompt.option_ids.len())
            .max()
            .unwrap_or(0)
            .max(1);
        let d = engine.config.width;
        let rows = prompts
            .iter()
            .map(|prompt| {
                let ids = Tensor::new(prompt.option_ids.as_slice(), &engine.device)?;
                let rows = engine.output.index_select(&ids, 0)?; // [K', D]
                let padding = Tensor::zeros(
                    (k - prompt.option_ids.len(), d),
                    rows.dtype(),
                    &engine.device,
                )?;
                Tensor::cat(&[rows, padding], 0)
            })
            .collect::<Result<Vec<_>>>()?;
        let rows = Tensor::stack(&rows, 0)?; // [P, K, D]
        let normed = rows.broadcast_mul(&engine.final_norm)?;
        let transposed = |rows: &Tensor| rows.transpose(1, 2)?.contiguous();
        Ok(Self {
            plain: transposed(&rows)?,
            normed: transposed(&normed)?,
            prompts: prompts.len(),
        })
    }

    /// `W[options] (g * z)` of member vectors z [n P, D] (n sets of one row a prompt): [P, n, K],
    /// still without the norm's scale r, which is known only when a plan has ended.
    pub fn members(&self, z: &Tensor) -> Result<Tensor> {
        self.sets(z)?.matmul(&self.normed)
    }

    /// The model's own logits, from final streams that went through the norm itself: [P, n, K].
    pub fn logits(&self, normed_streams: &Tensor) -> Result<Tensor> {
        self.sets(normed_streams)?.matmul(&self.plain)
    }

    /// [n P, D] to [P, n, D]
    fn sets(&self, z: &Tensor) -> Result<Tensor> {
        let (rows, d) = z.dims2()?;
        z.reshape((rows / self.prompts, self.prompts, d))?
            .transpose(0, 1)?
            .contiguous()
    }
}
