//! Reads members through the final norm and the options' output rows (MATH section 1).

use candle_core::{Result, Tensor};

use super::norm::rms_norm;
use super::{CandleEngine, slices};
use crate::model::Prompt;

/// The output rows of every prompt's options.
pub struct OptionRows {
    /// Output rows of each prompt's options [K, D], one prompt after the other.
    plain: Vec<Vec<f32>>,
    /// The same, times the final norm's weight.
    normed: Vec<Vec<f32>>,
    /// The final norm's weight. `[D]`
    norm: Vec<f32>,
    eps: f32,
}

impl OptionRows {
    pub fn new(engine: &CandleEngine, prompts: &[Prompt]) -> Result<Self> {
        let d = engine.config.width;
        let norm = slices::of(&engine.final_norm, <[f32]>::to_vec)?;
        let rows = |prompt: &Prompt| {
            let ids = Tensor::new(prompt.option_ids.as_slice(), &engine.device)?;
            slices::of(&engine.output.index_select(&ids, 0)?, <[f32]>::to_vec)
        };
        let plain: Vec<Vec<f32>> = prompts.iter().map(rows).collect::<Result<_>>()?;
        let normed = plain.iter().map(|rows| {
            let rows = rows.chunks_exact(d);
            rows.flat_map(|row| row.iter().zip(&norm).map(|(w, g)| w * g))
                .collect()
        });
        Ok(Self {
            normed: normed.collect(),
            plain,
            norm,
            eps: engine.config.rms_norm_eps as f32,
        })
    }

    /// `W[options] (g * z)` of member vectors z [n P, D] (n sets of one row a prompt): K numbers
    /// for each of their rows, still without the norm's scale r, which is known only when a plan
    /// has ended.
    pub fn members(&self, z: &Tensor) -> Result<Vec<Vec<f32>>> {
        slices::of(z, |z| self.products(z, &self.normed))
    }

    /// The model's own logits of final streams [P, D], and their mean squares: what r comes from.
    pub fn logits(&self, streams: &Tensor) -> Result<(Vec<Vec<f32>>, Vec<f64>)> {
        let d = self.norm.len();
        slices::of(streams, |streams| {
            let mut normed = vec![0f32; streams.len()];
            rms_norm(streams, &self.norm, self.eps, &mut normed);
            let square = |x: &f32| f64::from(*x) * f64::from(*x);
            let mean = |row: &[f32]| row.iter().map(square).sum::<f64>() / d as f64;
            let mean_squares = streams.chunks_exact(d).map(mean).collect();
            (self.products(&normed, &self.plain), mean_squares)
        })
    }

    /// Every row's products with its prompt's options.
    fn products(&self, rows: &[f32], options: &[Vec<f32>]) -> Vec<Vec<f32>> {
        let d = self.norm.len();
        let prompts = options.iter().cycle();
        rows.chunks_exact(d)
            .zip(prompts)
            .map(|(row, options)| options.chunks_exact(d).map(|w| dot(row, w)).collect())
            .collect()
    }
}

/// In eight sums side by side: one after the other, each addition would wait for the last.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    for (a, b) in a.iter().zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f32>() + rest
}
