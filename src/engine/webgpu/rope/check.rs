//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::rope::{Angles, turn_heads};

use super::super::probe::{Probe, heads, noise};
use super::*;

pub fn pairs_turn_and_the_rest_stays(probe: &mut Probe) -> Result<(), GpuError> {
    let (n, steps, width) = (3, 2, 12);
    for turned in [12, 4] {
        let mut shape = heads(6, 2, width, None);
        if let Some(rope) = &mut shape.rope {
            rope.width = turned;
        }
        let half = turned / 2;
        let row = shape.qkv_width();
        let qkv = noise(steps * n * row, 1);
        let (cos, sin) = (noise(5 * half, 2), noise(5 * half, 3));
        let table: Vec<f32> = cos.iter().zip(&sin).flat_map(|(&cos, &sin)| [cos, sin]).collect();
        let angles = Angles { first: 0, cos, sin };
        let at = [4u32, 0, 2];
        let turned = |numbers: &[f32], back: bool| {
            let mut turned = numbers.to_vec();
            for (r, row) in turned.chunks_mut(row).enumerate() {
                turn_heads(&mut row[..8 * width], width, half, &angles, at[r % n] as usize, back);
            }
            turned
        };
        let expected = turned(&qkv, false);
        let tokens: Vec<u32> = at.iter().flat_map(|&at| [at, u32::MAX]).collect();
        let mut tables = probe.tables(n, &[0.0; 4], &[[0; 8]], &tokens, 4);
        tables.angles = probe.storage("angles", &table);
        let out = probe.storage("qkv", &qkv);
        probe.expect("rope", &out, &expected, 1e-4, |recorder| {
            run(recorder, &out, steps * n, &shape, &tables)
        })?;
        // And by turns that begin later, back: times their own length, for these are no cosines.
        let back = turned(&expected, true);
        let turns = [&[7, 7], &tokens[..]].concat();
        let tokens = probe.storage("turns", &turns);
        let by = Turns { tokens: &tokens, first: 1, count: n, angles: &tables.angles };
        let out = probe.storage("qkv", &expected);
        probe.expect("rope back", &out, &back, 1e-4, |recorder| {
            turn(recorder, &out, steps * n, &shape, by, true)
        })?;
    }
    Ok(())
}
