//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn every_row_is_read_by_its_own_prompts_options(probe: &mut Probe) -> Result<(), GpuError> {
    let votes = VotesKernel::new(probe.device);
    for (i, (rows, prompts, k, d)) in [(6, 3, 2, 48), (2, 1, 5, 172), (4, 2, 0, 8)]
        .into_iter()
        .enumerate()
    {
        let is_centred = i == 1;
        let shift = if is_centred { 2.0 } else { 0.0 };
        let kept: Vec<f32> = noise(rows * d, 1).iter().map(|z| z + shift).collect();
        let options = noise(prompts * k * d, 2);
        let mut expected = vec![0.0; i];
        for (row, z) in kept.chunks(d).enumerate() {
            for option in 0..k {
                let w = &options[(row % prompts * k + option) * d..][..d];
                let terms = z.iter().zip(w).map(|(z, w)| f64::from(*z) * f64::from(*w));
                expected.push(terms.sum::<f64>() as f32);
            }
            let mean = match is_centred {
                true => z.iter().map(|z| f64::from(*z)).sum::<f64>() / d as f64,
                false => 0.0,
            };
            let squares = z.iter().map(|z| (f64::from(*z) - mean).powi(2));
            expected.push((squares.sum::<f64>() / d as f64) as f32);
        }
        let ballot = Ballot {
            kept: &probe.storage("kept", &kept),
            rows,
            width: d,
            options: &probe.storage("options", &options),
            prompts,
            count: k,
            is_centred,
        };
        let out = probe.zeros(expected.len());
        probe.expect("votes", &out, &expected, 1e-4, |recorder| {
            votes.run(recorder, &ballot, &out, i)
        })?;
    }
    Ok(())
}
