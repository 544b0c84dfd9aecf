//! The shipped models and the recipes that make them again, bit for bit on one kind of machine.

use super::{Recipe, Shape};
use crate::task::minilang::words;

/// Seed of every shipped model.
pub const SEED: u64 = 1;

/// One shipped model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Apprentice {
    pub name: &'static str,
    /// Stored blocks.
    pub blocks: usize,
    /// How often each runs.
    pub repeats: usize,
    pub tokens: u64,
    /// Whether snapshots are kept along the way.
    pub snapshots: bool,
}

pub const FAMILY: [Apprentice; 5] = [
    Apprentice {
        name: "apprentice-2",
        blocks: 2,
        repeats: 1,
        tokens: TOKENS,
        snapshots: false,
    },
    Apprentice {
        name: "apprentice-4",
        blocks: 4,
        repeats: 1,
        tokens: TOKENS,
        snapshots: true,
    },
    Apprentice {
        name: "apprentice-8",
        blocks: 8,
        repeats: 1,
        tokens: TOKENS,
        snapshots: false,
    },
    Apprentice {
        name: "apprentice-12",
        blocks: 12,
        repeats: 1,
        tokens: TOKENS,
        snapshots: false,
    },
    Apprentice {
        name: "apprentice-12-shared",
        blocks: 6,
        repeats: 2,
        tokens: TOKENS,
        snapshots: false,
    },
];

/// Tokens that each of the family is trained on.
pub const TOKENS: u64 = 18_000_000;
pub const BATCH: usize = 32;
pub const RATE: f64 = 1e-3;
pub const INITIAL_STD: f64 = 0.08;
pub const WIDTH: usize = 64;

/// The shipped model of this name.
pub fn find(name: &str) -> Option<Apprentice> {
    FAMILY
        .into_iter()
        .find(|apprentice| apprentice.name == name)
}

/// A shape of the family: 4 heads, 2 key-value heads, an MLP of 11/4 of the width.
pub fn shape(blocks: usize, repeats: usize, width: usize) -> Shape {
    Shape {
        vocabulary: words::vocabulary().len(),
        width,
        mlp_width: width * 11 / 4,
        blocks,
        repeats,
        heads: 4,
        kv_heads: 2,
        context: 128,
    }
}

impl Apprentice {
    pub fn recipe(&self) -> Recipe {
        Recipe {
            shape: shape(self.blocks, self.repeats, WIDTH),
            seed: SEED,
            tokens: self.tokens,
            batch: BATCH,
            rate: RATE,
            initial_std: INITIAL_STD,
        }
    }
}
