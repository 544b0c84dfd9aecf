//! Which orders a sweep tries on a model of T block runs.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::plan::{HeadsOff, MAX_REPEAT, Strategy};
use crate::study::StudyError;

/// A named set of orders, one a point of a figure of *Transformer Layers as Painters*.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sweep {
    /// Each block run left out (Fig. 2, blue).
    Drop,
    /// Each pair of neighbours exchanged (Fig. 2, green).
    Swap,
    /// The middle left out, every `s` (Fig. 4).
    Skip,
    /// The centre in place of each of the middle (Fig. 5).
    Repeat,
    /// The middle, last first (Fig. 6).
    Reverse,
    /// The middle shuffled, every `s` and seed (Fig. 7).
    Shuffle,
    /// The middle side by side (Fig. 8).
    Parallel,
    /// That again and again, every `s` and number of rounds (Figs. 9 and 10).
    Loop,
    /// Each query head of each block run switched off.
    Heads,
}

/// How many of a sweep's orders there are where the model does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extent {
    /// Shuffles are seeded `0..seeds`.
    pub seeds: u64,
    /// Loops run `1..=rounds` times.
    pub rounds: usize,
    /// Query heads of a block, of a model whose heads are swept.
    #[serde(default)]
    pub heads: usize,
}

/// Shuffles of one size at most: every one is an order of its own.
pub const MAX_SEEDS: u64 = 1000;

impl Default for Extent {
    /// Ten seeds as in the paper; its loops go to 28, on 32 blocks.
    fn default() -> Self {
        Self { seeds: 10, rounds: 8, heads: 0 }
    }
}

impl Sweep {
    /// The paper's; heads are ours.
    pub const ALL: [Sweep; 8] = [
        Sweep::Drop,
        Sweep::Swap,
        Sweep::Skip,
        Sweep::Repeat,
        Sweep::Reverse,
        Sweep::Shuffle,
        Sweep::Parallel,
        Sweep::Loop,
    ];

    /// Those that act on the middle of the model (Fig. 11).
    pub const FAMILY: [Sweep; 6] =
        [Sweep::Skip, Sweep::Repeat, Sweep::Reverse, Sweep::Shuffle, Sweep::Parallel, Sweep::Loop];

    /// As `--strategy` and links spell it.
    pub fn name(self) -> &'static str {
        match self {
            Sweep::Drop => "drop",
            Sweep::Swap => "swap",
            Sweep::Skip => "skip",
            Sweep::Repeat => "repeat",
            Sweep::Reverse => "reverse",
            Sweep::Shuffle => "shuffle",
            Sweep::Parallel => "parallel",
            Sweep::Loop => "loop",
            Sweep::Heads => "heads",
        }
    }

    /// Block runs of the smallest model that has any of its orders.
    pub fn least_runs(self) -> usize {
        match self {
            Sweep::Heads => 1,
            Sweep::Drop | Sweep::Swap | Sweep::Skip | Sweep::Repeat | Sweep::Loop => 2,
            Sweep::Reverse | Sweep::Shuffle | Sweep::Parallel => 3,
        }
    }

    /// Every order of this sweep on a model of `runs` block runs.
    ///
    /// # Errors
    /// A model too small to have any, or an extent without seeds or with more rounds than a plan
    /// can have.
    pub fn strategies(self, runs: usize, extent: Extent) -> Result<Vec<Strategy>, StudyError> {
        if !(1..=MAX_REPEAT).contains(&extent.rounds) || !(1..=MAX_SEEDS).contains(&extent.seeds) {
            return Err(StudyError::Extent);
        }
        // T - 2s - 1 >= 1: the middle is never empty. Nothing to reverse or shuffle in one block.
        let middles = || (0..runs / 2).filter(move |s| 2 * s + 2 <= runs);
        let several = || middles().filter(move |s| 2 * s + 3 <= runs);
        let all: Vec<Strategy> = match self {
            Sweep::Drop if runs > 1 => {
                (0..runs).map(|position| Strategy::Drop { position }).collect()
            }
            Sweep::Drop => Vec::new(),
            Sweep::Swap => (1..runs).map(|next| Strategy::Swap { position: next - 1 }).collect(),
            Sweep::Skip => middles().map(|s| Strategy::Skip { s }).collect(),
            Sweep::Repeat => middles().map(|s| Strategy::Repeat { s }).collect(),
            Sweep::Reverse => several().map(|s| Strategy::Reverse { s }).collect(),
            Sweep::Shuffle => several()
                .flat_map(|s| (0..extent.seeds).map(move |seed| Strategy::Shuffle { s, seed }))
                .collect(),
            Sweep::Parallel => several().map(|s| Strategy::Parallel { s }).collect(),
            Sweep::Loop => middles()
                .flat_map(|s| (1..=extent.rounds).map(move |rounds| Strategy::Loop { s, rounds }))
                .collect(),
            Sweep::Heads => (0..runs)
                .flat_map(|position| {
                    let heads = 0..extent.heads.min(HeadsOff::MOST);
                    heads.map(move |head| Strategy::Head { position, head })
                })
                .collect(),
        };
        if all.is_empty() { Err(StudyError::NoSuchSweep { sweep: self, runs }) } else { Ok(all) }
    }

    /// The sweep and the number that a strategy stands at on its curve.
    pub fn of(strategy: &Strategy) -> (Sweep, usize) {
        match *strategy {
            Strategy::Drop { position } => (Sweep::Drop, position),
            Strategy::Swap { position } => (Sweep::Swap, position),
            Strategy::Skip { s } => (Sweep::Skip, s),
            Strategy::Repeat { s } => (Sweep::Repeat, s),
            Strategy::Reverse { s } => (Sweep::Reverse, s),
            Strategy::Shuffle { s, .. } => (Sweep::Shuffle, s),
            Strategy::Parallel { s } => (Sweep::Parallel, s),
            Strategy::Loop { s, .. } => (Sweep::Loop, s),
            Strategy::Head { position, .. } => (Sweep::Heads, position),
        }
    }
}

impl fmt::Display for Sweep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Sweep {
    type Err = StudyError;

    fn from_str(name: &str) -> Result<Self, StudyError> {
        let all = Sweep::ALL.into_iter().chain([Sweep::Heads]);
        all.into_iter()
            .find(|sweep| sweep.name() == name)
            .ok_or_else(|| StudyError::UnknownSweep { name: name.to_string() })
    }
}
