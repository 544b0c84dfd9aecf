//! These kernels against their plain twins: natively a test, in a browser part of the self-test.

use super::super::norm::check::plain;
use super::super::probe::{Probe, noise};
use super::*;
use crate::engine::backend::VocabularyRows;
use crate::model::shape::NormShape;

pub fn sums_of_kept_rows_are_normed(probe: &mut Probe) -> Result<(), GpuError> {
    let width = 12;
    let kept = noise(5 * width, 1);
    let sums: [&[u32]; 3] = [&[4], &[0, 2], &[0, 1, 2, 3]];
    let streams: Vec<Vec<f32>> = sums
        .iter()
        .map(|sum| {
            let number = |d: usize| sum.iter().map(|&row| kept[row as usize * width + d]).sum();
            (0..width).map(number).collect()
        })
        .collect();
    let (gain, bias) = (noise(width, 2), noise(width, 3));
    for kind in [NormKind::Rms, NormKind::Layer] {
        let shape = NormShape { kind, eps: 1e-4 };
        let bias = match kind {
            NormKind::Rms => vec![0.0; width],
            NormKind::Layer => bias.clone(),
        };
        let mean = |x: &[f32]| match kind {
            NormKind::Rms => 0.0,
            NormKind::Layer => x.iter().sum::<f32>() / width as f32,
        };
        for is_held in [false, true] {
            let end = &streams[2];
            let of_end = mean(end);
            let square = end.iter().map(|x| (x - of_end).powi(2)).sum::<f32>() / width as f32;
            let scale = 1.0 / (square + 1e-4).sqrt();
            let expected: Vec<f32> = streams
                .iter()
                .flat_map(|stream| match is_held {
                    false => plain(stream, shape, &gain, &bias),
                    true => {
                        let own = mean(stream);
                        let numbers = stream.iter().zip(gain.iter().zip(&bias));
                        numbers.map(|(x, (g, b))| (x - own) * scale * g + b).collect()
                    }
                })
                .collect();
            let mut words = vec![9u32; 3]; // another list's
            let scale_of = |row: usize| if is_held { 2 } else { row };
            let listed = sums
                .iter()
                .enumerate()
                .map(|(row, kept_rows)| SummedStream { kept_rows, scale_of: scale_of(row) });
            words.extend(list(&listed.collect::<Vec<_>>()));
            let lists =
                RowIds { buffer: probe.storage("lists", &words), first: 3, count: words.len() - 3 };
            let from = probe.storage("kept", &kept);
            let [g, b] = [&gain, &bias].map(|vector| probe.storage("vector", vector));
            let vectors = NormVectors { shape, width, gain: &g, bias: &b };
            let out = probe.zeros(3 * width);
            probe.expect("stream sums", &out, &expected, 1e-4, |recorder| {
                norm(recorder, &from, (&lists, 3), vectors, &out)
            })?;
        }
    }
    Ok(())
}

pub fn a_row_is_read_as_the_plain_sums_say(probe: &mut Probe) -> Result<(), GpuError> {
    let (rows, v, top) = (3, 333, 4);
    let mut logits: Vec<f32> = noise((rows + 1) * v, 1).iter().map(|x| 8.0 * x).collect();
    // Equal ones: the first is the likelier.
    (logits[v + 7], logits[v + 71], logits[v + 300]) = (9.0, 9.0, 9.0);
    // Row 2 is its own reference.
    let lists: [[u32; 4]; 3] = [[3, 71, 0, 332], [0, 300, 7, 5], [2, 1, 2, 3]];

    let columns = VocabularyRows::numbers(top, 3);
    let mut expected = vec![0.0; columns]; // another output's
    let of = |row: usize| &logits[row * v..][..v];
    let logs = |row: usize| -> (f64, Vec<f64>) {
        let sum: f64 = of(row).iter().map(|&x| f64::from(x).exp()).sum();
        let logs = of(row).iter().map(|&x| f64::from(x) - sum.ln());
        (sum.ln(), logs.collect())
    };
    for (row, [reference, ids @ ..]) in lists.into_iter().enumerate() {
        let ((log_sum, own), (_, from)) = (logs(row), logs(reference as usize));
        let entropy: f64 = own.iter().map(|x| -x.exp() * x).sum();
        let kl: f64 = from.iter().zip(&own).map(|(from, x)| from.exp() * (from - x)).sum();
        expected.extend([log_sum as f32, entropy as f32, kl as f32]);

        let mut order: Vec<usize> = (0..v).collect();
        order.sort_by(|&a, &b| of(row)[b].total_cmp(&of(row)[a]).then(a.cmp(&b)));
        expected.extend(order[..top].iter().flat_map(|&i| [i as f32, own[i] as f32]));
        for id in ids {
            let rank = 1 + order.iter().position(|&i| i == id as usize).unwrap_or(v);
            expected.extend([rank as f32, own[id as usize] as f32]);
        }
    }

    let from = probe.storage("logits", &logits);
    let words: Vec<u32> = std::iter::once(9).chain(lists.into_iter().flatten()).collect();
    let lists = RowIds { buffer: probe.storage("lists", &words), first: 1, count: words.len() - 1 };
    let out = probe.zeros(expected.len());
    let logits =
        VocabularyLogits { logits: &from, vocabulary: v, rows, top, followed: 3, lists: &lists };
    probe.expect_columns("vocabulary", &out, (&expected, columns), 1e-4, |recorder| {
        run(recorder, &logits, &out, columns)
    })
}
