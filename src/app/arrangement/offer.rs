//! The named orders a model can be set to, and the numbers they take.

use crate::plan::{MAX_REPEAT, Strategy};
use crate::study::orders::Sweep;

/// The numbers a reader chose for the strategies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The first `s + 1` and the last `s` blocks stay.
    pub s: usize,
    /// Seed of a shuffle.
    pub seed: u64,
    /// Rounds of a loop.
    pub rounds: usize,
    /// Which block is dropped, or swapped with its neighbour.
    pub position: usize,
}

/// A strategy as it stands on its button, or why this model has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub sweep: Sweep,
    pub strategy: Strategy,
    pub problem: Option<String>,
}

impl Offer {
    /// Two blocks stay at either end where there are as many, as where the paper's curves begin to
    /// fall.
    pub fn for_model(runs: usize) -> Self {
        Self { s: Self::most_s(runs).min(2), seed: 0, rounds: 3, position: runs / 2 }
    }

    /// The largest `s` that leaves a middle.
    pub fn most_s(runs: usize) -> usize {
        runs.saturating_sub(2) / 2
    }

    /// Returns these numbers, each brought within what a model of `runs` block runs has.
    pub fn within(self, runs: usize) -> Self {
        Self {
            s: self.s.min(Self::most_s(runs)),
            rounds: self.rounds.clamp(1, MAX_REPEAT),
            position: self.position.min(runs.saturating_sub(1)),
            ..self
        }
    }

    /// Every strategy with these numbers.
    pub fn all(self, order: &[usize]) -> [Named; 8] {
        let Self { s, seed, rounds, position } = self;
        Sweep::ALL.map(|sweep| {
            let strategy = match sweep {
                // Heads have a view of their own, and are none of these.
                Sweep::Heads => Strategy::Head { position, head: 0 },
                Sweep::Drop => Strategy::Drop { position },
                Sweep::Swap => Strategy::Swap {
                    // The last block has no next one.
                    position: position.min(order.len().saturating_sub(2)),
                },
                Sweep::Skip => Strategy::Skip { s },
                Sweep::Repeat => Strategy::Repeat { s },
                Sweep::Reverse => Strategy::Reverse { s },
                Sweep::Shuffle => Strategy::Shuffle { s, seed },
                Sweep::Parallel => Strategy::Parallel { s },
                Sweep::Loop => Strategy::Loop { s, rounds },
            };
            let problem = strategy.plan(order).err().map(|error| error.to_string());
            Named { sweep, strategy, problem }
        })
    }
}
