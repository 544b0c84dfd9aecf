//! The shipped models and the recipes that make them again, bit for bit on one kind of machine.

use super::{Recipe, Shape};
use crate::task::primer;

/// Seed of every shipped model.
pub const SEED: u64 = 1;

/// A model of the family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyMember {
    pub name: &'static str,
    /// Stored blocks.
    pub blocks: usize,
    /// How often each runs.
    pub repeats: usize,
    /// Whether snapshots are kept along the way.
    pub snapshots: bool,
}

const fn member(name: &'static str, blocks: usize) -> FamilyMember {
    FamilyMember { name, blocks, repeats: 1, snapshots: false }
}

/// All of it, the smallest first.
pub const FAMILY: [FamilyMember; 5] = [
    member("scholar-2", 2),
    FamilyMember { snapshots: true, ..member("scholar-4", 4) },
    member("scholar-8", 8),
    member("scholar-12", 12),
    FamilyMember { repeats: 2, ..member("scholar-12-shared", 6) },
];

pub const INITIAL_STD: f64 = 0.08;
pub const WIDTH: usize = 64;
/// Learning rate of every scholar: at twice this rate, it was left to chance whether a model of four
/// blocks found a task.
const RATE: f64 = 3.5e-3;

/// The model of this name.
pub fn find(name: &str) -> Option<FamilyMember> {
    FAMILY.into_iter().find(|member| member.name == name)
}

/// A shape of the family: 4 heads, 2 key-value heads, an MLP of 11/4 of the width.
pub fn shape(blocks: usize, repeats: usize, width: usize) -> Shape {
    Shape {
        vocabulary: primer::vocabulary().len(),
        width,
        mlp_width: width * 11 / 4,
        blocks,
        repeats,
        heads: 4,
        kv_heads: 2,
        context: 128,
    }
}

impl FamilyMember {
    pub fn recipe(&self) -> Recipe {
        Recipe {
            shape: shape(self.blocks, self.repeats, WIDTH),
            seed: SEED,
            tokens: 14_000_000,
            batch: 32,
            rate: RATE,
            initial_std: INITIAL_STD,
        }
    }
}
