//! This kernel against its plain twin: natively a test, in a browser part of the self-test.

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
        let angles = noise(5 * half * 2, 2);
        let at = [4u32, 0, 2];
        let turned = |numbers: &[f32], sign: f32| {
            let mut turned = numbers.to_vec();
            for (r, row) in turned.chunks_mut(row).enumerate() {
                for head in row.chunks_mut(width).take(6 + 2) {
                    let before = head.to_vec();
                    for i in 0..half {
                        let angle = (at[r % n] as usize * half + i) * 2;
                        let (cos, sin) = (angles[angle], sign * angles[angle + 1]);
                        head[i] = before[i] * cos - before[i + half] * sin;
                        head[i + half] = before[i + half] * cos + before[i] * sin;
                    }
                }
            }
            turned
        };
        let expected = turned(&qkv, 1.0);
        let tokens: Vec<u32> = at.iter().flat_map(|&at| [at, u32::MAX]).collect();
        let mut tables = probe.tables(n, &[0.0; 4], &[[0; 8]], &tokens, 4);
        tables.angles = probe.storage("angles", &angles);
        let out = probe.storage("qkv", &qkv);
        probe.expect("rope", &out, &expected, 1e-4, |recorder| {
            run(recorder, &out, steps * n, &shape, &tables)
        })?;
        // And by turns that begin later, back: times their own length, for these are no cosines.
        let back = turned(&expected, -1.0);
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
