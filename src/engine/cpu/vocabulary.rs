//! Streams read by the whole vocabulary, of which only a few numbers each are given back.

use atelier_kernels::logits::{entropy_sums, reference_sum};
use atelier_kernels::norm::Norm;
use atelier_kernels::sums::largest;
use atelier_kernels::team::Team;
use rayon::prelude::*;

use super::head::Head;
use super::scratch::fit;
use crate::engine::EngineError;
use crate::engine::backend::{ReadStreams, VocabularyPart, VocabularyRows};
use crate::model::shape::NormKind;

/// Logits that exist at once.
const LOGITS: usize = 1 << 23;

/// Where streams stand before they are read.
pub struct StreamRows<'a> {
    /// `[kept rows, D]`
    pub kept: &'a [f32],
    /// The stream of [`ReadStreams::Rows`]; empty for sums. `[N, D]`
    pub stream: &'a [f32],
}

/// Sums over one stream's logits.
struct Partition {
    largest: f32,
    /// The sum of `exp(logit - largest)`.
    sum: f64,
    /// The sum of `exp(logit - largest) logit`.
    weighted: f64,
}

impl Head {
    /// Streams as [`Output::Vocabulary`](crate::engine::backend::Output::Vocabulary) gives them.
    pub fn vocabulary(
        &self,
        from: StreamRows,
        rows: &VocabularyRows,
        team: &Team,
    ) -> Result<Vec<f32>, EngineError> {
        let (d, v) = (self.norm.gain.len(), self.weights.shape.vocabulary);
        let normed = normed(&self.norm, &from, rows); // [S, D]
        let is_alone = !rows.is_reproducible && rows.references.len() == 1;
        let mut numbers = Vec::new();
        let mut logits = Vec::new();

        for part in rows.parts((LOGITS / v.max(1)).max(1)) {
            let read = part.read.iter().flat_map(|&s| &normed[s * d..][..d]);
            let read: Vec<f32> = read.copied().collect(); // [S', D]
            let logits = fit(&mut logits, part.read.len() * v); // [S', V]
            match is_alone {
                true => self.products_of_one(&read, logits, team)?,
                false => self.products(&read, logits)?,
            }

            numbers.extend(readings(logits, &part, rows));
        }
        Ok(numbers)
    }
}

/// Logits `[read, V]` of a part to the numbers of its streams.
pub fn readings(logits: &[f32], part: &VocabularyPart, rows: &VocabularyRows) -> Vec<f32> {
    let logits: Vec<&[f32]> = logits.chunks_exact(logits.len() / part.read.len()).collect();
    let partitions: Vec<Partition> = logits.par_iter().map(|own| Partition::new(own)).collect();
    let streams = part.references.par_iter().enumerate().map(|(s, &reference)| {
        let divergence = match reference == s {
            true => 0.0,
            false => {
                let (own, other) = (logits[reference], logits[s]);
                partitions[reference].divergence(own, other, &partitions[s])
            }
        };
        let stream = part.streams.start + s;
        let f = rows.followed_count();
        let followed = &rows.followed[stream * f..][..f];
        partitions[s].numbers(logits[s], divergence, rows.top, followed)
    });
    streams.collect::<Vec<_>>().concat()
}

/// Every stream through the final norm: `[S, D]`.
pub fn normed(norm: &Norm, from: &StreamRows, rows: &VocabularyRows) -> Vec<f32> {
    let d = norm.gain.len();
    let (streams, is_held) = match &rows.streams {
        ReadStreams::Sums { sums, is_held } => (summed(from.kept, sums, d), *is_held),
        ReadStreams::Rows { rows, .. } => {
            let row = |&row: &u32| &from.stream[row as usize * d..][..d];
            (rows.iter().flat_map(row).copied().collect(), false)
        }
    }; // [S, D]

    let mut normed = vec![0f32; streams.len()];
    let references = streams.chunks_exact(d).zip(&rows.references);
    for ((stream, &reference), out) in references.zip(normed.chunks_exact_mut(d)) {
        match is_held {
            true => held(norm, stream, &streams[reference * d..][..d], out),
            false => norm.run(stream, out),
        }
    }
    normed
}

/// Sums of kept rows: `[S, D]`.
fn summed(kept: &[f32], sums: &[Vec<u32>], d: usize) -> Vec<f32> {
    let mut streams = vec![0f32; sums.len() * d];
    for (stream, sum) in streams.chunks_exact_mut(d).zip(sums) {
        for &row in sum {
            let row = &kept[row as usize * d..][..d];
            stream.iter_mut().zip(row).for_each(|(x, z)| *x += z);
        }
    }
    streams
}

/// A stream through the final norm with the scale of another.
fn held(norm: &Norm, stream: &[f32], reference: &[f32], out: &mut [f32]) {
    let mean_of_reference = mean(norm, reference);
    let squares = reference.iter().map(|&x| (f64::from(x) - mean_of_reference).powi(2));
    let square = squares.sum::<f64>() / reference.len() as f64;
    let scale = 1.0 / (square + f64::from(norm.eps)).sqrt();

    let mean = mean(norm, stream);
    for (i, (out, &x)) in out.iter_mut().zip(stream).enumerate() {
        let bias = norm.bias.get(i).copied().unwrap_or_default();
        *out = ((f64::from(x) - mean) * scale) as f32 * norm.gain[i] + bias;
    }
}

/// The mean that the norm subtracts from `x`: 0 for an RMS norm.
fn mean(norm: &Norm, x: &[f32]) -> f64 {
    match norm.kind {
        NormKind::Rms => 0.0,
        NormKind::Layer => x.iter().map(|&x| f64::from(x)).sum::<f64>() / x.len() as f64,
    }
}

impl Partition {
    fn new(logits: &[f32]) -> Self {
        let largest = largest(logits);
        let [sum, weighted] = entropy_sums(logits, largest);
        Self { largest, sum, weighted }
    }

    fn log_sum(&self) -> f64 {
        f64::from(self.largest) + self.sum.ln()
    }

    /// From this distribution, of `own` logits, to another, nats.
    fn divergence(&self, own: &[f32], other: &[f32], of_other: &Self) -> f64 {
        let cross = reference_sum(other, own, self.largest);
        (self.weighted - cross) / self.sum - self.log_sum() + of_other.log_sum()
    }

    fn numbers(&self, logits: &[f32], divergence: f64, top: usize, followed: &[u32]) -> Vec<f32> {
        let log_sum = self.log_sum();
        let entropy = log_sum - self.weighted / self.sum;
        let log_probability = |logit: f32| (f64::from(logit) - log_sum) as f32;
        let mut numbers = vec![log_sum as f32, entropy as f32, divergence as f32];
        for (logit, id) in likeliest(logits, top) {
            numbers.extend([id as f32, log_probability(logit)]);
        }
        for &id in followed {
            numbers.extend([rank(logits, id) as f32, log_probability(logits[id as usize])]);
        }
        numbers
    }
}

/// The largest logits and their ids, the largest first; of equal ones the smaller id.
fn likeliest(logits: &[f32], count: usize) -> Vec<(f32, u32)> {
    let mut top: Vec<(f32, u32)> = Vec::with_capacity(count + 1);
    for (id, &logit) in (0..).zip(logits) {
        let is_full = top.len() == count;
        if is_full && top.last().is_none_or(|&(least, _)| logit <= least) {
            continue;
        }
        let place = top.partition_point(|&(better, _)| better >= logit);
        if is_full {
            top.pop();
        }
        top.insert(place, (logit, id));
    }
    top
}

/// 1 + the tokens that are likelier; of equal ones the smaller id is.
fn rank(logits: &[f32], id: u32) -> usize {
    let (before, rest) = logits.split_at(id as usize);
    let logit = rest[0];
    let above = |logits: &[f32], is_above: fn(f32, f32) -> bool| {
        logits.iter().filter(|&&other| is_above(other, logit)).count()
    };
    1 + above(before, |other, logit| other >= logit) + above(rest, |other, logit| other > logit)
}
