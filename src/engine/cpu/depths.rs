//! Streams read by the whole vocabulary, of which only a few numbers each are kept: the output rows
//! pass once, part by part.

use atelier_kernels::logits::sums;
use atelier_kernels::matmul::multiply;
use atelier_kernels::norm::Norm;
use atelier_kernels::sums::largest;
use rayon::prelude::*;

use super::head::Head;
use super::scratch::fit;
use crate::engine::EngineError;
use crate::engine::backend::DepthRows;
use crate::model::shape::NormKind;
use crate::model::{DType, Tensor};

/// Logits that exist at once.
const LOGITS: usize = 1 << 23;

/// What is known of a stream's distribution after some of the vocabulary.
#[derive(Clone)]
struct RunningDepth {
    largest: f32,
    /// Of `exp(logit - largest)`.
    sum: f64,
    /// Of `exp(logit - largest) logit`.
    weighted: f64,
    /// Of `exp(end's logit - end's largest) logit`.
    cross: f64,
    /// The likeliest so far, best first: (logit, id).
    top: Vec<(f32, u32)>,
    /// Logits of the followed tokens, and how many are larger.
    followed: Vec<(f32, u32)>,
}

impl Head {
    /// Kept rows [R, D] as [`Pass::give_depths`](crate::engine::backend::Pass::give_depths) says.
    pub fn depths(&self, kept: &[f32], rows: &DepthRows) -> Result<Vec<f32>, EngineError> {
        let normed = normed(&self.norm, kept, rows); // [S, D]
        let streams = rows.sums.len();
        let followed = self.followed(&normed, &rows.followed)?; // [S, F]
        let mut depths: Vec<RunningDepth> = (0..streams)
            .map(|s| {
                RunningDepth::new(
                    rows.top,
                    &followed[s * rows.followed.len()..][..rows.followed.len()],
                )
            })
            .collect();
        let head = self.weights.head();
        let most = (LOGITS / streams.max(1)).max(1);
        let mut logits = Vec::new();
        for slice in head.slices() {
            for first in slice.clone().step_by(most) {
                let part = first..(first + most).min(slice.end);
                let weights = self.weights.rows(head, part.clone())?;
                let count = part.len();
                let logits = fit(&mut logits, streams * count); // [S, V']
                multiply(&normed, &weights, self.bias_of(&part), logits, count, 0);
                go_on(&mut depths, logits, rows, first as u32);
            }
        }
        let numbers = depths.iter().zip(&rows.ends);
        Ok(numbers.flat_map(|(depth, &end)| depth.numbers(&depths[end])).collect())
    }

    /// Logits of some ids, [S, F]: the bits that the whole vocabulary's product gives them.
    fn followed(&self, normed: &[f32], ids: &[u32]) -> Result<Vec<f32>, EngineError> {
        let (d, f) = (self.norm.gain.len(), ids.len());
        let mut logits = vec![0.0; normed.len() / d.max(1) * f];
        if f == 0 {
            return Ok(logits);
        }
        let rows = self.weights.gather(self.weights.head(), ids)?;
        let tensor = Tensor {
            dtype: DType::F32,
            rows: f,
            columns: d,
            bytes: rows.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>().into(),
        };
        let bias: Vec<f32> = if self.bias.is_empty() {
            Vec::new()
        } else {
            ids.iter().map(|&id| self.bias[id as usize]).collect()
        };
        multiply(normed, &tensor, &bias, &mut logits, f, 0);
        Ok(logits)
    }
}

/// Every stream through the final norm, its scale its own or its end's: [S, D].
fn normed(norm: &Norm, kept: &[f32], rows: &DepthRows) -> Vec<f32> {
    let d = norm.gain.len();
    let mut streams = vec![0f32; rows.sums.len() * d];
    for (stream, sum) in streams.chunks_exact_mut(d).zip(&rows.sums) {
        for &row in sum {
            let row = &kept[row as usize * d..][..d];
            stream.iter_mut().zip(row).for_each(|(x, z)| *x += z);
        }
    }
    let mut out = vec![0f32; streams.len()];
    let ends = streams.chunks_exact(d).zip(&rows.ends);
    for ((stream, &end), out) in ends.zip(out.chunks_exact_mut(d)) {
        if !rows.is_held {
            norm.run(stream, out);
            continue;
        }
        let (own, end) = (mean(norm, stream), &streams[end * d..][..d]);
        let of_end = mean(norm, end);
        let squares = end.iter().map(|&x| (f64::from(x) - of_end).powi(2));
        let square = squares.sum::<f64>() / d as f64;
        let scale = 1.0 / (square + f64::from(norm.eps)).sqrt();
        for (i, (out, &x)) in out.iter_mut().zip(stream).enumerate() {
            let bias = norm.bias.get(i).copied().unwrap_or_default();
            *out = ((f64::from(x) - own) * scale) as f32 * norm.gain[i] + bias;
        }
    }
    out
}

/// What a LayerNorm takes off.
fn mean(norm: &Norm, x: &[f32]) -> f64 {
    match norm.kind {
        NormKind::Rms => 0.0,
        NormKind::Layer => x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64,
    }
}

/// Takes the logits [S, V'] of the vocabulary from `first` on into account.
fn go_on(depths: &mut [RunningDepth], logits: &[f32], rows: &DepthRows, first: u32) {
    let count = logits.len() / depths.len().max(1);
    let of = |s: usize| &logits[s * count..][..count];
    let before: Vec<f32> = depths.iter().map(|depth| depth.largest).collect();
    let now: Vec<f32> =
        (0..depths.len()).into_par_iter().map(|s| largest(of(s)).max(before[s])).collect();
    depths.par_iter_mut().enumerate().for_each(|(s, depth)| {
        let (end, logits) = (rows.ends[s], of(s));
        let shrunk = |s: usize| f64::from(before[s] - now[s]).exp();
        let [sum, weighted, cross] = sums(logits, now[s], of(end), now[end]);
        depth.largest = now[s];
        depth.sum = depth.sum * shrunk(s) + sum;
        depth.weighted = depth.weighted * shrunk(s) + weighted;
        depth.cross = depth.cross * shrunk(end) + cross;
        depth.note(logits, first, rows.top);
    });
}

impl RunningDepth {
    fn new(top: usize, followed: &[f32]) -> Self {
        Self {
            largest: f32::NEG_INFINITY,
            sum: 0.0,
            weighted: 0.0,
            cross: 0.0,
            top: Vec::with_capacity(top + 1),
            followed: followed.iter().map(|&logit| (logit, 0)).collect(),
        }
    }

    /// Ids come in ascending order, so that of equal logits the first is the likelier.
    fn note(&mut self, logits: &[f32], first: u32, most: usize) {
        for (id, &logit) in (first..).zip(logits) {
            let is_full = self.top.len() == most;
            if is_full && self.top.last().is_some_and(|&(least, _)| logit <= least) {
                continue;
            }
            let at = self.top.partition_point(|&(better, _)| better >= logit);
            if is_full {
                self.top.pop();
            }
            self.top.insert(at, (logit, id));
        }
        for (own, above) in &mut self.followed {
            *above += logits.iter().filter(|&&logit| logit > *own).count() as u32;
        }
    }

    fn log_sum(&self) -> f64 {
        f64::from(self.largest) + self.sum.ln()
    }

    fn numbers(&self, end: &Self) -> Vec<f32> {
        let entropy = self.log_sum() - self.weighted / self.sum;
        let kl = (end.weighted / end.sum - end.log_sum()) - (self.cross / end.sum - self.log_sum());
        let mut numbers = vec![self.log_sum() as f32, entropy as f32, kl as f32];
        numbers.extend(self.top.iter().flat_map(|&(logit, id)| [id as f32, logit]));
        let followed = self.followed.iter();
        numbers.extend(followed.flat_map(|&(logit, above)| [above as f32 + 1.0, logit]));
        numbers
    }
}
