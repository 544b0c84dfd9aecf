//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, noise};
use super::*;

pub fn every_row_is_read_at_its_own_prompts_options(probe: &mut Probe) -> Result<(), GpuError> {
    for (rows, prompts, k, d) in [(6, 3, 2, 48), (2, 1, 5, 172), (4, 2, 0, 8)] {
        let (kept, options, weight) = (noise(rows * d, 1), noise(prompts * k * d, 2), noise(d, 3));
        let mut expected = Vec::new();
        for (row, z) in kept.chunks(d).enumerate() {
            for option in 0..k {
                let w = &options[(row % prompts * k + option) * d..][..d];
                let terms = z.iter().zip(w).zip(&weight);
                expected.push(
                    terms
                        .map(|((z, w), g)| f64::from(z * g) * f64::from(*w))
                        .sum::<f64>() as f32,
                );
            }
            expected.push(z.iter().map(|z| z * z).sum::<f32>() / d as f32);
        }
        let reader = Options::new(probe.device, d);
        let reading = Reading {
            kept: &probe.storage("kept", &kept),
            rows,
            options: &probe.storage("options", &options),
            prompts,
            count: k,
            weight: &probe.storage("weight", &weight),
        };
        let out = probe.zeros(expected.len());
        probe.expect("options", &out, &expected, 1e-4, |recorder| {
            reader.run(recorder, &reading, &out)
        })?;
    }
    Ok(())
}
