//! These kernels against their plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, heads, noise};
use super::*;

/// A sequence of one attention, in f64.
struct PlainSlopes<'a> {
    shape: &'a AttentionShape,
    qkv: &'a [f32],
    tokens: usize,
    off: HeadsOff,
}

impl PlainSlopes<'_> {
    fn at(&self, t: usize, head: usize) -> Vec<f64> {
        let w = self.shape.head_width;
        let row = &self.qkv[t * self.shape.qkv_width() + head * w..][..w];
        row.iter().map(|&x| f64::from(x)).collect()
    }

    /// Returns the columns of a query head's keys and values, counted in heads.
    fn of(&self, head: usize) -> [usize; 2] {
        let key = self.shape.heads + head / (self.shape.heads / self.shape.kv_heads);
        [key, key + self.shape.kv_heads]
    }

    /// Weights of all tokens, zero where nothing is seen, and the mixture; zeros for a head that is off.
    fn look(&self, t: usize, head: usize) -> (Vec<f64>, Vec<f64>) {
        if self.off.contains(head) {
            return (vec![0.0; self.tokens], vec![0.0; self.shape.head_width]);
        }
        let [key, value] = self.of(head);
        let window = self.shape.window.unwrap_or(usize::MAX);
        let scale = (self.shape.head_width as f64).sqrt();
        let query = self.at(t, head);
        let score = |s: usize| match s <= t && t - s < window {
            true => (dot(&query, &self.at(s, key)) / scale).exp(),
            false => 0.0,
        };
        let scores: Vec<f64> = (0..self.tokens).map(score).collect();
        let all: f64 = scores.iter().sum();
        let weights: Vec<f64> = scores.into_iter().map(|score| score / all).collect();
        let mut mixed = vec![0.0; self.shape.head_width];
        for (s, weight) in weights.iter().enumerate() {
            add(*weight, &self.at(s, value), &mut mixed);
        }
        (weights, mixed)
    }

    /// The Jacobian's product with a row `[(H + 2 KV) W]`: `[H W]`.
    fn push(&self, [t_in, t_out]: [usize; 2], moved: &[f32]) -> Vec<f64> {
        let (w, scale) = (self.shape.head_width, (self.shape.head_width as f64).sqrt());
        let of = |head: usize| -> Vec<f64> {
            let part = &moved[head * w..][..w];
            part.iter().map(|&x| f64::from(x)).collect()
        };
        let mut out = Vec::new();
        for head in 0..self.shape.heads {
            let [key, value] = self.of(head);
            let (weights, mixed) = self.look(t_out, head);
            let mut sum = vec![0.0; w];
            for (s, &weight) in weights.iter().enumerate() {
                let mut e = 0.0;
                if s == t_in {
                    e += dot(&self.at(t_out, head), &of(key)) / scale;
                    add(weight, &of(value), &mut sum);
                }
                if t_in == t_out {
                    e += dot(&of(head), &self.at(s, key)) / scale;
                }
                add(weight * e, &self.at(s, value), &mut sum);
                add(-weight * e, &mixed, &mut sum);
            }
            out.extend(sum);
        }
        out
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn add(factor: f64, x: &[f64], to: &mut [f64]) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += factor * x);
}

/// Places 0, 1 and 2 of these positions.
const PLACES: [usize; 3] = [69, 0, 5];
/// (t_in, place, t_out, is one token)
const PAIRS: [[u32; 4]; 5] =
    [[9, 0, 9, 9], [69, 0, 69, 1], [0, 1, 0, 1], [66, 0, 69, 0], [5, 2, 5, 1]];

pub fn looks_and_slopes_are_the_plain_ones(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [(6, 2, 8, Some(20)), (4, 4, 12, None), (2, 1, 96, None)];
    // The last head of the first shape is off.
    let off = HeadsOff::NONE.and(5).unwrap_or_default();
    for &(h, kv_heads, width, window) in probe.some(&shapes, 1) {
        let shape = heads(h, kv_heads, width, window);
        let (tokens, row, wide) = (70, shape.qkv_width(), h * width);
        let qkv = noise(tokens * row, 1);
        let plain = PlainSlopes { shape: &shape, qkv: &qkv, tokens, off };
        let (mut weights, mut mixed) = (Vec::new(), Vec::new());
        for (t, head) in PLACES.iter().flat_map(|&t| (0..h).map(move |head| (t, head))) {
            let (seen, mixture) = plain.look(t, head);
            weights.extend(seen.into_iter().map(|x| x as f32));
            mixed.extend(mixture.into_iter().map(|x| x as f32));
        }
        let kept =
            [probe.storage("qkv", &qkv), probe.zeros(weights.len()), probe.zeros(mixed.len())];
        let [qkv, weights_kept, mixed_kept] = &kept;
        let at =
            Looked { shape: &shape, off, tokens, qkv, weights: weights_kept, mixed: mixed_kept };
        // The list's first word is another's.
        let list = [7, PLACES[0] as u32, PLACES[1] as u32, PLACES[2] as u32];
        let places = RowIds { buffer: probe.storage("places", &list), first: 1, count: 3 };
        probe.expect("looks kept", at.weights, &weights, 1e-4, |recorder| {
            look(recorder, at, &places)
        })?;
        probe.expect("mixtures kept", at.mixed, &mixed, 1e-4, |_| Ok(()))?;

        let pairs =
            GpuPairs { table: probe.storage("pairs", PAIRS.as_flattened()), first: 1, rows: 4 };
        let (moved, w) = (noise(4 * row, 2), noise(4 * wide, 3));
        let (mut pushed, mut pulled) = (Vec::new(), Vec::new());
        for (n, pair) in PAIRS[1..].iter().enumerate() {
            let pair = [pair[0] as usize, pair[2] as usize];
            let found = plain.push(pair, &moved[n * row..][..row]);
            pushed.extend(found.into_iter().map(|x| x as f32));
            // Column by column, each the product with a unit row.
            let w: Vec<f64> = w[n * wide..][..wide].iter().map(|&w| w.into()).collect();
            pulled.extend((0..row).map(|i| {
                let mut unit = vec![0.0; row];
                unit[i] = 1.0;
                // At another position the query does not move, so its derivative is 0.
                let is_query = i < wide;
                match is_query && pair[0] != pair[1] {
                    true => 0.0,
                    false => dot(&plain.push(pair, &unit), &w) as f32,
                }
            }));
        }
        let (from, out) = (probe.storage("moved", &moved), probe.zeros(4 * wide));
        probe.expect("attention slope", &out, &pushed, 1e-4, |recorder| {
            push(recorder, at, &pairs, &from, &out)
        })?;
        let (from, out) = (probe.storage("w", &w), probe.zeros(4 * row));
        let name = "transposed attention slope";
        probe.expect(name, &out, &pulled, 1e-4, |recorder| {
            pull(recorder, at, &pairs, &from, &out)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::*;

    #[test]
    fn slopes_in_several_dispatches_are_the_same() {
        let device = device();
        for most in [1, 50_000] {
            let mut probe = Probe::new(&device, true);
            probe.bindings.most_work = most;
            looks_and_slopes_are_the_plain_ones(&mut probe).expect("sums");
            pollster::block_on(probe.settle()).expect("the same numbers");
        }
    }
}
