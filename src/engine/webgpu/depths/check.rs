//! These kernels against their plain twins: natively a test, in a browser part of the self-test.

use super::super::norm::check::plain;
use super::super::probe::{Probe, noise};
use super::*;
use crate::model::shape::NormShape;

pub fn sums_of_kept_rows_are_normed(probe: &mut Probe) -> Result<(), GpuError> {
    let kernel = &probe.kernels.depths;
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
            words.extend(DepthsKernel::list(&sums));
            let lists =
                RowIds { buffer: probe.storage("lists", &words), first: 3, count: words.len() - 3 };
            let from = probe.storage("kept", &kept);
            let [g, b] = [&gain, &bias].map(|vector| probe.storage("vector", vector));
            let norm = NormVectors { shape, width, gain: &g, bias: &b };
            let out = probe.zeros(3 * width);
            probe.expect("depth rows", &out, &expected, 1e-4, |recorder| {
                kernel.norm(recorder, &from, &lists, 3, norm, is_held, &out)
            })?;
        }
    }
    Ok(())
}

pub fn a_row_is_read_as_the_plain_sums_say(probe: &mut Probe) -> Result<(), GpuError> {
    let kernel = &probe.kernels.depths;
    let (rows, end, v, top) = (3, 3, 333, 4);
    let mut logits: Vec<f32> = noise((end + 1) * v, 1).iter().map(|x| 8.0 * x).collect();
    // Equal ones: the first is the likelier.
    (logits[v + 7], logits[v + 71], logits[v + 300]) = (9.0, 9.0, 9.0);
    let ids = [5u32, 71, 0, 332];
    let columns = DepthRows::numbers(top, 3);
    let mut expected = vec![0.0; columns]; // another output's
    let of = |row: usize| &logits[row * v..][..v];
    let logs = |row: usize| -> (f64, Vec<f64>) {
        let sum: f64 = of(row).iter().map(|&x| f64::from(x).exp()).sum();
        let logs = of(row).iter().map(|&x| f64::from(x) - sum.ln());
        (sum.ln(), logs.collect())
    };
    let (_, of_end) = logs(end);
    for row in 0..rows {
        let (log_sum, own) = logs(row);
        let entropy: f64 = own.iter().map(|x| -x.exp() * x).sum();
        let kl: f64 = of_end.iter().zip(&own).map(|(e, x)| e.exp() * (e - x)).sum();
        expected.extend([log_sum as f32, entropy as f32, kl as f32]);
        let mut order: Vec<usize> = (0..v).collect();
        order.sort_by(|&a, &b| of(row)[b].total_cmp(&of(row)[a]).then(a.cmp(&b)));
        expected.extend(order[..top].iter().flat_map(|&i| [i as f32, of(row)[i]]));
        for &id in &ids[1..] {
            let x = of(row)[id as usize];
            let above = of(row).iter().filter(|&&other| other > x).count();
            expected.extend([above as f32 + 1.0, x]);
        }
    }
    let from = probe.storage("logits", &logits);
    let followed = RowIds { buffer: probe.storage("followed", &ids), first: 1, count: 3 };
    let out = probe.zeros(expected.len());
    let logits = DepthLogits { logits: &from, vocabulary: v, rows, end, top, followed: &followed };
    probe.expect_columns("depths", &out, (&expected, columns), 1e-4, |recorder| {
        kernel.run(recorder, &logits, &out, columns)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_with_one_end_stand_together_and_fit() {
        let rows = DepthRows {
            sums: vec![vec![0]; 7],
            ends: vec![3, 3, 3, 3, 6, 6, 6],
            is_held: false,
            top: 1,
            followed: Vec::new(),
        };
        assert_eq!(parts(&rows, 100), [0..4, 4..7]);
        assert_eq!(parts(&rows, 3), [0..2, 2..4, 4..6, 6..7]);
        assert_eq!(parts(&rows, 0).len(), 7);
    }
}
