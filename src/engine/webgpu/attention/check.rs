//! Compares this kernel with the CPU's: natively a test, in a browser part of the self-test.

use atelier_kernels::attention::{Heads, Sequence, attention};
use atelier_kernels::rope::Angles;

use super::super::probe::{Probe, heads, noise};
use super::*;

/// Computes attention from turned rows [steps N, (heads + 2 kv) W].
pub fn on_cpu(qkv: &[f32], shape: &AttentionShape, n: usize, spans: &[(usize, usize)]) -> Vec<f32> {
    let heads = Heads { rope_half: 0, ..Heads::from(shape) };
    let steps = qkv.len() / shape.qkv_width() / n;
    let angles = Angles::default();
    let sequence = |span: &(usize, usize)| {
        let tokens = span.1;
        Sequence { tokens, past: 0, angles: &angles, kept: None }
    };
    let sequences = (0..steps).flat_map(|_| spans.iter().map(sequence));
    let mut out = vec![0.0; steps * n * shape.attended_width()];
    attention(qkv, heads, sequences.collect(), None, &mut out);
    out
}

/// Heads, KV heads, W, window: W of no whole number of lanes, and tiles of every size.
/// The first two are what one start-up tries: both bounds of what is seen, and several tiles of keys.
pub const SHAPES: [(usize, usize, usize, Option<usize>); 6] = [
    (6, 2, 8, None),
    (6, 3, 64, Some(5)),
    (4, 4, 12, Some(1)),
    (2, 1, 96, None),
    (2, 1, 128, Some(20)),
    (1, 1, 256, None),
];
const AT_START: usize = 2;
pub const SPANS: [(usize, usize); 4] = [(0, 1), (1, 37), (38, 16), (54, 3)];
pub const TOKENS: usize = 57;
pub const STEPS: usize = 2;

pub fn qkv(shape: &AttentionShape) -> Vec<f32> {
    let numbers = noise(STEPS * TOKENS * shape.qkv_width(), 1);
    numbers.iter().map(|x| 2.0 * x).collect()
}

pub fn tiles_are_summed_as_on_the_cpu(probe: &mut Probe) -> Result<(), GpuError> {
    for &(h, kv_heads, width, window) in probe.some(&SHAPES, AT_START) {
        let shape = heads(h, kv_heads, width, window);
        let qkv = qkv(&shape);
        let expected = on_cpu(&qkv, &shape, TOKENS, &SPANS);
        let from = probe.storage("qkv", &qkv);
        let queries = TileSize::of(probe.device, width)?.queries;
        let spans = SPANS.map(whole);
        let tiles = Tiles::new(queries, &spans, |table| probe.storage("tiles", table));
        let out = probe.zeros(expected.len());
        probe.expect("attention", &out, &expected, 1e-4, |recorder| {
            run(recorder, (&from, None), STEPS, (&shape, HeadsOff::NONE), &tiles, &out)
        })?;
    }
    Ok(())
}

pub fn heads_that_are_off_are_zero_and_others_stay(probe: &mut Probe) -> Result<(), GpuError> {
    let tokens = 5;
    for (count, width, switched) in
        [(6, 8, &[2][..]), (6, 12, &[0, 1, 5]), (71, 4, &[0, 31, 32, 63, 64, 70]), (128, 4, &[127])]
    {
        let off =
            switched.iter().fold(HeadsOff::NONE, |off, &head| off.and(head).unwrap_or_default());
        let shape = heads(count, count, width, None);
        let qkv = noise(tokens * shape.qkv_width(), 1);
        let mut expected = on_cpu(&qkv, &shape, tokens, &[(0, tokens)]);
        for (n, numbers) in expected.chunks_mut(width).enumerate() {
            if switched.contains(&(n % count)) {
                numbers.fill(0.0);
            }
        }
        let queries = TileSize::of(probe.device, width)?.queries;
        let upload = |table: &[u32]| probe.storage("tiles", table);
        let tiles = Tiles::new(queries, &[whole((0, tokens))], upload);
        let (from, out) = (probe.storage("qkv", &qkv), probe.zeros(expected.len()));
        probe.expect("heads off", &out, &expected, 1e-4, |recorder| {
            run(recorder, (&from, None), 1, (&shape, off), &tiles, &out)
        })?;
    }
    Ok(())
}

/// A sequence of which a pack has every token.
pub fn whole((start, tokens): (usize, usize)) -> Span {
    Span { start, tokens, past: 0 }
}

/// Checks attention of sequences whose first tokens' keys and values lie in a cache, beside those of the
/// other sequences.
pub fn what_goes_on_equals_the_whole(probe: &mut Probe) -> Result<(), GpuError> {
    for &(h, kv_heads, width, window) in probe.some(&SHAPES, AT_START) {
        let shape = heads(h, kv_heads, width, window);
        let (row, own) = (shape.qkv_width(), shape.attended_width());
        let all = &qkv(&shape)[..TOKENS * row];
        let expected = on_cpu(all, &shape, TOKENS, &SPANS);
        let (mut pack, mut after) = (Vec::<f32>::new(), Vec::<f32>::new());
        let mut cache = vec![0f32; 3 * 2 * kv_heads * width];
        let (mut spans, mut sequences, mut rows) = (Vec::new(), Vec::new(), 0);
        // One goes on by all of its tokens, one by one, the others by some.
        for ((start, length), tokens) in SPANS.into_iter().zip([1, 19, 1, 2]) {
            let past = length - tokens;
            sequences.extend([past, cache.len() / (2 * kv_heads * width)].map(|x| x as u32));
            for t in 0..length {
                cache.extend(&all[(start + t) * row + own..][..row - own]);
            }
            // Rows that belong to nobody.
            cache.extend(vec![9.0; 2 * kv_heads * width]);
            pack.extend(&all[(start + past) * row..][..tokens * row]);
            after.extend(&expected[(start + past) * own..][..tokens * own]);
            spans.push(Span { start: rows, tokens, past });
            rows += tokens;
        }
        let queries = TileSize::of(probe.device, width)?.queries;
        let tiles = Tiles::new(queries, &spans, |table| probe.storage("tiles", table));
        let from = probe.storage("qkv", &pack);
        let (cache, sequences) =
            (probe.storage("cache", &cache), probe.storage("sequences", &sequences));
        let keys = CachedKeys { cache: &cache, sequences: &sequences };
        let out = probe.zeros(after.len());
        probe.expect("attention over a cache", &out, &after, 1e-4, |recorder| {
            run(recorder, (&from, Some(keys)), 1, (&shape, HeadsOff::NONE), &tiles, &out)
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::device::tests::device;
    use super::*;

    #[test]
    fn pairs_are_counted_through_the_window() {
        let device = device();
        let table = |table: &[u32]| device.storage("tiles", table);
        let pairs = |window| Tiles::new(4, &[(0, 5), (5, 1)].map(whole), table).pairs(window);
        assert_eq!(pairs(3), 1 + 2 + 3 + 3 + 3 + 1);
        assert_eq!(pairs(u32::MAX), 1 + 2 + 3 + 4 + 5 + 1);
        let span = Span { start: 0, tokens: 2, past: 3 };
        let pairs = |window| Tiles::new(4, &[span], table).pairs(window);
        assert_eq!((pairs(3), pairs(u32::MAX)), (3 + 3, 4 + 5));
    }

    /// Whole tiles: a single token makes its workgroup work as a full one.
    #[test]
    fn a_tile_costs_its_queries_with_whole_tiles_of_keys() {
        let size = TileSize::of(&device(), 64).expect("a size");
        let cost = |keys: u64| 16 * keys * 4 * 64;
        let of = |window| costs(&[(0, 40), (40, 1)].map(whole), size, window);
        assert_eq!(of(u32::MAX), [cost(32), cost(32), cost(64), cost(32)]);
        // The last tile begins at the first key that its first query sees: 32 - 4.
        assert_eq!(of(5), [cost(32), cost(32), cost(32), cost(32)]);
        let on = Span { start: 0, tokens: 1, past: 70 };
        assert_eq!(costs(&[on], size, u32::MAX), [cost(96)]);
        assert_eq!(costs(&[on], size, 5), [cost(32)]);
    }

    /// Else a GPU that joins tiles wrongly would pass.
    #[test]
    fn a_start_up_joins_tiles_of_keys() {
        let longest = SPANS.map(|span| span.1).into_iter().max().expect("spans");
        let device = device();
        let joins = |&(_, _, width, window): &(usize, usize, usize, Option<usize>)| {
            let size = TileSize::of(&device, width).expect("a size");
            window.unwrap_or(longest).min(longest) > size.keys
        };
        assert!(SHAPES[..AT_START].iter().any(joins));
    }

    /// Attention cut for the watchdog's sake, by steps, tiles and heads, is the same attention.
    #[test]
    fn attention_in_several_dispatches_is_the_same() {
        let device = device();
        for most in [1, 20_000, 500_000] {
            let mut probe = Probe::new(&device, true);
            probe.bindings.most_work = most;
            tiles_are_summed_as_on_the_cpu(&mut probe).expect("sums");
            what_goes_on_equals_the_whole(&mut probe).expect("sums");
            pollster::block_on(probe.settle()).expect("the same sums");
        }
    }
}
