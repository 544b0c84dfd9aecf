//! Which places count as the middle of a model, and which orders of it are asked about.

use std::ops::Range;

use crate::plan::Strategy;
use crate::study::orders::Sweep;

/// Sizes of a middle where more than one is asked about: all that a model of twelve blocks has.
const SIZES: usize = 6;

/// The middle of a model of so many block runs.
pub struct MiddleRuns {
    /// The `s` whose middle is about half of the model, as in the middle of the paper's curves.
    pub s: usize,
    /// The `s` whose middle is a few blocks: a quarter of the model, at least one.
    pub few: usize,
    /// Between the ends that stay.
    pub inside: Range<usize>,
    pub runs: usize,
}

impl MiddleRuns {
    /// `None` of a model with fewer than two block runs, which has no middle.
    pub fn of(runs: usize) -> Option<Self> {
        let most = runs.checked_sub(2)? / 2;
        let s = ((runs - 1) / 4).min(most);
        let wanted = (runs / 4).max(1);
        let few = (0..=most).min_by_key(|s| (runs - 2 * s - 1).abs_diff(wanted));
        Some(Self { s, few: few.unwrap_or_default(), inside: s + 1..(runs - s).max(s + 1), runs })
    }

    /// Whether an order is of one of a few middles, evenly spread from the largest to the smallest?
    pub fn is_of_sizes(&self, strategy: &Strategy) -> bool {
        let most = self.runs.saturating_sub(2) / 2;
        let (_, s) = Sweep::of(strategy);
        (0..SIZES).any(|n| (n * most + (SIZES - 1) / 2) / (SIZES - 1) == s)
    }

    /// Is an order of one of these middles, or of a single place?
    pub fn is_of(&self, strategy: &Strategy) -> bool {
        match Sweep::of(strategy) {
            (Sweep::Drop | Sweep::Swap | Sweep::Heads, _) => true,
            (Sweep::Skip, s) => s == self.s || s == self.few,
            (_, s) => s == self.s,
        }
    }
}
