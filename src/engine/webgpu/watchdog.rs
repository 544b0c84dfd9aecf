//! No dispatch may run as long as an operating system's watchdog waits (about two seconds): long
//! products and long attention are cut into several dispatches.

use std::ops::Range;

/// Rows and columns of a product that one workgroup makes.
pub const TILE: usize = 32;

/// Floating-point operations of a dispatch, and of a submission: a slow GPU (25 GFLOP/s) is done
/// with them in a third of a second.
pub const MOST_WORK: u64 = 8_000_000_000;

/// Operations that the workgroups of a product `[m, n]` over `k` make: whole tiles, whatever of them
/// is wanted, so that one row costs as much as 32.
pub fn product_cost(m: usize, n: usize, k: usize) -> u64 {
    let [m, n] = [m, n].map(|length| length.next_multiple_of(TILE) as u64);
    2 * m * n * k as u64
}

/// The (rows, columns) of the dispatches that make a product `[m, n]` over `k`, which cost `most`
/// operations each if a single tile has no more.
pub fn product(
    m: usize,
    n: usize,
    k: usize,
    most: u64,
) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
    let tiles = (most / product_cost(TILE, n, k).max(1)) as usize;
    let (rows, columns) = if tiles > 0 {
        (even(m, tiles.saturating_mul(TILE)), n)
    } else {
        let columns = (most / product_cost(TILE, TILE, k).max(1)) as usize;
        (TILE, even(n, columns.max(1).saturating_mul(TILE)))
    };
    chunks(0..m, rows).flat_map(move |rows| chunks(0..n, columns).map(move |c| (rows.clone(), c)))
}

/// The rows of the dispatches that go over `rows`, which cost `a_row` operations each, of `most`
/// each if a single row has no more.
pub fn rows(rows: usize, a_row: u64, most: u64) -> impl Iterator<Item = Range<usize>> {
    let together = (most / a_row.max(1)).min(rows as u64) as usize;
    chunks(0..rows, even(rows, together))
}

/// The part of attention that one dispatch computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionCut {
    pub tiles: Range<usize>,
    pub heads: Range<usize>,
    pub steps: Range<usize>,
    /// Operations.
    pub cost: u64,
}

/// The dispatches of attention over tiles that take `costs` operations a head and step; of `most`
/// operations each if a tile's head has no more.
pub fn attention(costs: &[u64], heads: usize, steps: usize, most: u64) -> Vec<AttentionCut> {
    let a_step = costs.iter().sum::<u64>() * heads as u64;
    let cut = |tiles: Range<usize>, heads: Range<usize>, steps: Range<usize>| AttentionCut {
        cost: costs[tiles.clone()].iter().sum::<u64>() * (heads.len() * steps.len()) as u64,
        tiles,
        heads,
        steps,
    };
    if a_step <= most {
        let together = (most / a_step.max(1)).min(steps as u64) as usize;
        let steps = chunks(0..steps, even(steps, together));
        return steps.map(|steps| cut(0..costs.len(), 0..heads, steps)).collect();
    }
    let mut cuts = Vec::new();
    for step in 0..steps {
        let step = step..step + 1;
        let mut first = 0;
        while first < costs.len() {
            let mut sum = 0;
            let fit = costs[first..].iter().take_while(|&&a_head| {
                sum += a_head * heads as u64;
                sum <= most
            });
            let fit = fit.count();
            let tiles = first..first + fit.max(1);
            first = tiles.end;
            let together = match fit {
                0 => (most / costs[tiles.start].max(1)) as usize,
                _ => heads,
            };
            for heads in chunks(0..heads, even(heads, together)) {
                cuts.push(cut(tiles.clone(), heads, step.clone()));
            }
        }
    }
    cuts
}

/// A length of at most `most` (at least 1, in whole tiles where `most` is) of which `all` is made in
/// pieces as even as can be: a last one of a few rows would cost a dispatch and idle.
fn even(all: usize, most: usize) -> usize {
    let most = most.max(1);
    let pieces = all.div_ceil(most).max(1);
    let each = all.div_ceil(pieces).max(1);
    if most.is_multiple_of(TILE) { each.next_multiple_of(TILE) } else { each }
}

fn chunks(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length.max(1)).map(move |start| start..(start + length).min(end))
}

#[cfg(test)]
mod tests {
    use super::super::attention::check::whole;
    use super::super::attention::{TileSize, costs};
    use super::super::device::tests::device;
    use super::*;

    /// Llama-3.2-1B: one pack of 4096 tokens was 275 GFLOP in one dispatch. A single token is as much
    /// as 32 of them.
    #[test]
    fn no_dispatch_of_a_pack_is_more_than_a_watchdog_allows() {
        let (width, heads, mlp) = (2048, 32, 8192);
        let matrices = [
            (3072, width),
            (width, width),
            (2 * mlp, width),
            (width, mlp),
            (128_256, width),
            (2 * 13_824, 5120),
        ];
        for tokens in [1, 12, 33, 4096] {
            for (n, k) in matrices {
                let mut made = 0;
                for (rows, columns) in product(tokens, n, k, MOST_WORK) {
                    let tiles = rows.len().div_ceil(32) * columns.len().div_ceil(32);
                    let cost = 2 * (tiles * 32 * 32) as u64 * k as u64;
                    assert!(cost <= MOST_WORK, "{tokens} x {n} x {k}");
                    assert!(rows.start % TILE == 0 && columns.start % TILE == 0);
                    made += rows.len() * columns.len();
                }
                assert_eq!(made, tokens * n);
            }
        }
        let device = device();
        for (head_width, window) in [(64, u32::MAX), (64, 512), (256, u32::MAX)] {
            let size = TileSize::of(&device, head_width).expect("a size");
            for spans in [vec![(0, 4096)], (0..4096).map(|row| (row, 1)).collect()] {
                let spans: Vec<_> = spans.into_iter().map(whole).collect();
                let costs = costs(&spans, size, window);
                let tiles = spans.iter().map(|span| span.tokens.div_ceil(size.queries));
                let tiles: usize = tiles.sum();
                assert_eq!(costs.len(), tiles);
                for steps in [1, 3, 40] {
                    let mut done = 0;
                    for cut in attention(&costs, heads, steps, MOST_WORK) {
                        let each: u64 = costs[cut.tiles.clone()].iter().sum();
                        let runs = (cut.heads.len() * cut.steps.len()) as u64;
                        assert!(each * runs == cut.cost && cut.cost <= MOST_WORK);
                        done += cut.tiles.len() * cut.heads.len() * cut.steps.len();
                    }
                    assert_eq!(done, tiles * heads * steps);
                }
            }
        }
    }

    #[test]
    fn what_is_small_is_one_dispatch() {
        let whole: Vec<_> = product(100, 3072, 2048, MOST_WORK).collect();
        assert_eq!(whole, [(0..100, 0..3072)]);
        let cuts = attention(&[25_600, 25_600], 32, 3, MOST_WORK);
        assert_eq!(cuts.len(), 1);
        assert_eq!((cuts[0].tiles.clone(), cuts[0].steps.clone()), (0..2, 0..3));
    }

    /// However small the bound: one tile's head is the least.
    #[test]
    fn every_output_is_made_once_under_any_bound() {
        for most in [1, 1000, 100_000, 10_000_000] {
            let mut made = vec![0; 70 * 90];
            for (rows, columns) in product(70, 90, 64, most) {
                for row in rows {
                    columns.clone().for_each(|column| made[row * 90 + column] += 1);
                }
            }
            assert!(made.iter().all(|&times| times == 1), "{most}");
            let mut made = [0; 5 * 4 * 3];
            for cut in attention(&[320, 16_000, 640, 960, 32], 4, 3, most) {
                for (tile, head) in cut.tiles.flat_map(|t| cut.heads.clone().map(move |h| (t, h))) {
                    for step in cut.steps.clone() {
                        made[(tile * 4 + head) * 3 + step] += 1;
                    }
                }
            }
            assert!(made.iter().all(|&times| times == 1), "{most}");
            let mut made = Vec::new();
            rows(70, 900, most).for_each(|rows| made.extend(rows));
            assert!(made.into_iter().eq(0..70), "{most}");
        }
    }
}
