//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

use super::super::probe::{Probe, config, noise};
use super::*;

pub fn pairs_turn_and_values_stay(probe: &mut Probe) -> Result<(), GpuError> {
    let config = config(6, 2, 8, "null")?;
    let (n, copies, half) = (3, 2, 4);
    let (row, turned) = ((6 + 2 * 2) * 8, 6 + 2);
    let qkv = noise(copies * n * row, 1);
    let angles = noise(5 * half * 2, 2);
    let at = [4u32, 0, 2];
    let table: Vec<u32> = at.iter().flat_map(|&at| [at, u32::MAX]).collect();
    let mut expected = qkv.clone();
    for (r, row) in expected.chunks_mut(row).enumerate() {
        for head in row.chunks_mut(8).take(turned) {
            let before = head.to_vec();
            for i in 0..half {
                let angle = (at[r % n] as usize * half + i) * 2;
                let (cos, sin) = (angles[angle], angles[angle + 1]);
                head[i] = before[i] * cos - before[i + half] * sin;
                head[i + half] = before[i + half] * cos + before[i] * sin;
            }
        }
    }
    let turn = Turn::new(probe.device, &config);
    let out = probe.storage("qkv", &qkv);
    let (tokens, angles) = (
        probe.storage("tokens", &table),
        probe.storage("angles", &angles),
    );
    probe.expect("rope", &out, &expected, 1e-4, |recorder| {
        turn.run(recorder, &out, copies * n, n, &tokens, &angles)
    })
}
