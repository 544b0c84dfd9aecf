//! Compares these kernels with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::attention::Heads;
use atelier_kernels::attention::tangent::TurnedRows;

use super::super::probe::{Probe, heads, noise};
use super::*;

/// Places 0, 1 and 2 of these positions.
const PLACES: [usize; 3] = [69, 0, 5];
/// (t_in, place, t_out, is one token)
const PAIRS: [[u32; 4]; 5] =
    [[9, 0, 9, 9], [69, 0, 69, 1], [0, 1, 0, 1], [66, 0, 69, 0], [5, 2, 5, 1]];

pub fn looks_and_slopes_are_the_cpus(probe: &mut Probe) -> Result<(), GpuError> {
    let shapes = [(6, 2, 8, Some(20)), (4, 4, 12, None), (2, 1, 96, None)];
    // The last head of the first shape is off.
    let off = HeadsOff::NONE.and(5).unwrap_or_default();
    for &(h, kv_heads, width, window) in probe.some(&shapes, 1) {
        let shape = heads(h, kv_heads, width, window);
        let (tokens, row, wide) = (70, shape.qkv_width(), h * width);
        let qkv = noise(tokens * row, 1);
        let turned = TurnedRows { heads: Heads::from(&shape), qkv: &qkv };
        let looks = PLACES.map(|t| {
            let mut look = turned.look(t);
            off.iter().filter(|&head| head < h).for_each(|head| look.switch_off(head));
            look
        });
        let weights: Vec<f32> = looks.iter().flat_map(|look| look.weights(tokens)).collect();
        let mixed: Vec<f32> = looks.iter().flat_map(|look| look.mixed.clone()).collect();

        let kept =
            [probe.storage("qkv", &qkv), probe.zeros(weights.len()), probe.zeros(mixed.len())];
        let at = Looked {
            shape: &shape,
            off,
            tokens,
            qkv: &kept[0],
            weights: &kept[1],
            mixed: &kept[2],
        };
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
        let (mut pushed, mut pulled) = (vec![0.0; 4 * wide], vec![0.0; 4 * row]);
        for (n, pair) in PAIRS[1..].iter().enumerate() {
            let (t_in, look) = (pair[0] as usize, &looks[pair[1] as usize]);
            turned.push(look, t_in, &moved[n * row..][..row], &mut pushed[n * wide..][..wide]);
            turned.pull(look, t_in, &w[n * wide..][..wide], &mut pulled[n * row..][..row]);
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
            looks_and_slopes_are_the_cpus(&mut probe).expect("sums");
            pollster::block_on(probe.settle()).expect("the same numbers");
        }
    }
}
