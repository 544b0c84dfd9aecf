//! Rows that no model was trained on, by their seed.

use super::split::fnv;
use super::{DataSplit, Dice, GeneratedRow, GeneratedTask, levels, row};

/// Seed of the held-out rows that the card's accuracies are of, and that sweeps run on.
pub const ROWS_SEED: u64 = 1;

/// Most rows that are drawn at once: more than any measurement needs.
pub const MOST_ROWS: usize = 1_000_000;

/// Draws in a row that were seen before, after which a level has no others.
const PATIENCE: usize = 1_000;

/// At most `count` held-out rows, the same for the same seed and no two alike: of one level, or of all in
/// turn. Easy levels have few (sums of two digits about ten): a level that has no more is passed over,
/// and where none has, the rows end.
pub fn held_out(
    task: GeneratedTask,
    level: Option<usize>,
    count: usize,
    seed: u64,
) -> Vec<GeneratedRow> {
    drawn(task, level, count, seed).collect()
}

/// Draws the rows of [`held_out`] one after another; keeps only a hash of each earlier row.
pub fn drawn(
    task: GeneratedTask,
    level: Option<usize>,
    count: usize,
    seed: u64,
) -> impl Iterator<Item = GeneratedRow> {
    // A stream of its own for every task and level.
    let stream = task as u64 + 100 * level.map_or(0, |level| level as u64 + 1);
    let mut dice = Dice::new(seed, stream);
    let mut seen = std::collections::HashSet::new();
    let mut left: Vec<usize> = level.map_or((0..levels(task)).collect(), |level| vec![level]);
    let mut turn = 0;
    let mut next = move || {
        while !left.is_empty() {
            turn %= left.len();
            let mut draws =
                (0..PATIENCE).map(|_| row(task, left[turn], DataSplit::HeldOut, &mut dice));
            if let Some(new) = draws.find(|row| seen.insert(fnv(row.prompt.bytes()))) {
                turn += 1;
                return Some(new);
            }
            left.remove(turn);
        }
        None
    };
    (0..count).map_while(move |_| next())
}
