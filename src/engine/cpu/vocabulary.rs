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
    let partitions: Vec<Partition> = logits.par_iter().map(|row| Partition::new(row)).collect();
    let streams = part.references.par_iter().enumerate().map(|(s, &reference)| {
        let divergence = match reference == s {
            true => 0.0,
            false => {
                let (from, to) = (logits[reference], logits[s]);
                partitions[reference].divergence(from, to, &partitions[s])
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

    /// From this distribution, of `logits`, to another, nats.
    fn divergence(&self, logits: &[f32], other: &[f32], of_other: &Self) -> f64 {
        let cross = reference_sum(other, logits, self.largest);
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

#[cfg(test)]
mod tests {
    use atelier_kernels::sample::noise;

    use super::*;
    use crate::model::shape::NormShape;

    fn close(found: &[f32], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        for (i, (&found, &expected)) in found.iter().zip(expected).enumerate() {
            let off = (f64::from(found) - expected).abs();
            assert!(off < 1e-4 * (1.0 + expected.abs()), "{i}: {found}, not {expected}");
        }
    }

    #[test]
    fn sums_are_normed_by_their_scale_or_by_the_one_that_is_held() {
        let width = 12;
        let stored = noise(5 * width, 1);
        let sums = vec![vec![4], vec![0, 2], vec![0, 1, 2, 3]];
        let number = |row: u32, d: usize| f64::from(stored[row as usize * width + d]);
        let stream = |sum: &Vec<u32>| -> Vec<f64> {
            (0..width).map(|d| sum.iter().map(|&row| number(row, d)).sum()).collect()
        };
        let streams: Vec<Vec<f64>> = sums.iter().map(stream).collect();

        let kinds = [NormKind::Rms, NormKind::Layer];
        for (kind, is_held) in kinds.into_iter().flat_map(|kind| [(kind, false), (kind, true)]) {
            let gain = noise(width, 2);
            let bias = match kind {
                NormKind::Rms => vec![0.0; width],
                NormKind::Layer => noise(width, 3),
            };
            let mean = |x: &[f64]| match kind {
                NormKind::Rms => 0.0,
                NormKind::Layer => x.iter().sum::<f64>() / width as f64,
            };
            let scale = |x: &[f64]| {
                let squares = x.iter().map(|number| (number - mean(x)).powi(2));
                1.0 / (squares.sum::<f64>() / width as f64 + 1e-4).sqrt()
            };
            let mut expected = Vec::new();
            for stream in &streams {
                let scale = scale(if is_held { &streams[2] } else { stream });
                let vectors = gain.iter().zip(&bias);
                expected.extend(stream.iter().zip(vectors).map(|(x, (&gain, &bias))| {
                    (x - mean(stream)) * scale * f64::from(gain) + f64::from(bias)
                }));
            }

            let rows = VocabularyRows {
                streams: ReadStreams::Sums { sums: sums.clone(), is_held },
                references: vec![2; 3],
                top: 0,
                followed: Vec::new(),
                is_reproducible: true,
            };
            let norm = Norm::new(NormShape { kind, eps: 1e-4 }, gain, bias);
            close(&normed(&norm, &StreamRows { kept: &stored, stream: &[] }, &rows), &expected);
        }
    }

    #[test]
    fn the_smaller_of_equal_ids_is_the_likelier() {
        let (rows, v, top) = (3, 333, 4);
        let mut logits: Vec<f32> = noise((rows + 1) * v, 1).iter().map(|x| 8.0 * x).collect();
        (logits[v + 7], logits[v + 71], logits[v + 300]) = (9.0, 9.0, 9.0);
        // Row 2 is its own reference.
        let lists: [[u32; 4]; 3] = [[3, 71, 0, 332], [0, 300, 7, 5], [2, 1, 2, 3]];

        let row = |row: usize| &logits[row * v..][..v];
        let logs = |n: usize| -> (f64, Vec<f64>) {
            let log_sum = row(n).iter().map(|&x| f64::from(x).exp()).sum::<f64>().ln();
            (log_sum, row(n).iter().map(|&x| f64::from(x) - log_sum).collect())
        };
        let mut expected = Vec::new();
        for (n, [reference, ids @ ..]) in lists.into_iter().enumerate() {
            let ((log_sum, to), (_, from)) = (logs(n), logs(reference as usize));
            let entropy: f64 = to.iter().map(|x| -x.exp() * x).sum();
            let kl: f64 = from.iter().zip(&to).map(|(from, to)| from.exp() * (from - to)).sum();
            expected.extend([log_sum, entropy, kl]);

            let mut order: Vec<usize> = (0..v).collect();
            order.sort_by(|&a, &b| row(n)[b].total_cmp(&row(n)[a]).then(a.cmp(&b)));
            expected.extend(order[..top].iter().flat_map(|&id| [id as f64, to[id]]));
            for id in ids.map(|id| id as usize) {
                let rank = 1 + order.iter().position(|&other| other == id).unwrap_or(v);
                expected.extend([rank as f64, to[id]]);
            }
        }

        let part = VocabularyPart {
            streams: 0..rows,
            read: (0..rows + 1).collect(),
            references: lists.iter().map(|list| list[0] as usize).collect(),
        };
        let read = VocabularyRows {
            streams: ReadStreams::Rows { slot: 0, rows: Vec::new() },
            references: part.references.clone(),
            top,
            followed: lists.iter().flat_map(|list| list[1..].to_vec()).collect(),
            is_reproducible: true,
        };
        close(&readings(&logits, &part, &read), &expected);
    }
}
