//! Members read by the options of their prompt.

use atelier_kernels::sums::product;
use rayon::prelude::*;

use crate::engine::backend::OptionRows;

/// Kept rows `z` [R, D] by the options of their prompts: [R, K + 1], as
/// [`Output::Votes`](crate::engine::backend::Output::Votes) says.
pub fn votes(z: &[f32], d: usize, options: &OptionRows) -> Vec<f32> {
    let (k, prompts) = (options.count, options.prompts.max(1));
    let mut votes = vec![0.0; z.len() / d * (k + 1)];
    votes.par_chunks_exact_mut(k + 1).zip(z.par_chunks_exact(d)).enumerate().for_each(
        |(i, (votes, z))| {
            let rows = &options.numbers[i % prompts * k * d..][..k * d];
            for (vote, row) in votes.iter_mut().zip(rows.chunks_exact(d)) {
                *vote = product(z, row);
            }
            votes[k] = mean_square(z, options.is_centred);
        },
    );
    votes
}

/// In f64; of what is left without the mean, where centred.
fn mean_square(z: &[f32], is_centred: bool) -> f32 {
    let d = z.len() as f64;
    let mean = match is_centred {
        true => z.iter().map(|&z| f64::from(z)).sum::<f64>() / d,
        false => 0.0,
    };
    let squares = z.iter().map(|&z| (f64::from(z) - mean).powi(2));
    (squares.sum::<f64>() / d) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use atelier_kernels::testing::{close, random};

    #[test]
    fn votes_equal_their_twin() {
        let (d, prompts, count) = (37, 3, 2);
        for is_centred in [false, true] {
            let options = OptionRows {
                numbers: random(prompts * count * d, 1.0, 1),
                prompts,
                count,
                is_centred,
            };
            let z = random(2 * prompts * d, 2.0, 2);
            let mut expected = Vec::new();
            for (i, z) in z.chunks(d).enumerate() {
                for k in 0..count {
                    let row = &options.numbers[(i % prompts * count + k) * d..][..d];
                    let products = z.iter().zip(row).map(|(&z, &w)| f64::from(z) * f64::from(w));
                    expected.push(products.sum::<f64>());
                }
                let mean: f64 = z.iter().map(|&z| f64::from(z)).sum::<f64>() / d as f64;
                let mean = if is_centred { mean } else { 0.0 };
                let squares = z.iter().map(|&z| (f64::from(z) - mean).powi(2));
                expected.push(squares.sum::<f64>() / d as f64);
            }
            close(&votes(&z, d, &options), &expected, 1e-5);
        }
    }
}
