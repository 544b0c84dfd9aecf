//! Records of a run (members, attention, the vocabulary, …), written once for all backends over [`Pass`].
//!
//! A [`Record`] sees every pack open, every step of it complete, and its end; what it asks the device
//! to give back becomes its items. A new wish is a file here, and an operation of [`Pass`] where it
//! needs one.

mod attention;
mod depths;
mod likelihoods;
mod members;
mod next;
mod streams;
mod vocabulary;

pub use attention::{AttentionReading, AttentionWish};
pub use depths::DepthWish;
pub use likelihoods::{Likelihoods, TokenScore};
pub use members::Members;
pub use next::Next;
pub use streams::Streams;
pub use vocabulary::{FollowedToken, MAX_TOP, Reference, VocabularyReading, VocabularyWish};

use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

use super::EngineError;
use super::backend::{Output, Pass};
use super::schedule::Schedule;
use super::schedule::group::PlanGroup;
use super::schedule::pack::Pack;
use super::schedule::program::BlockCall;

/// How much a record will ask of a device under a schedule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// Kept rows `[D]` per sequence.
    pub kept_rows: usize,
    /// Option rows `[D]` per sequence.
    pub option_rows: usize,
    /// Numbers given back per sequence.
    pub numbers: usize,
    /// Numbers given back per token, beside those.
    pub numbers_a_token: usize,
}

/// A pack on its way, as records see it.
pub struct PackScene<'a> {
    pub group: &'a PlanGroup,
    pub pack: &'a Pack,
    /// Which sequences of the run are in the pack.
    pub range: Range<usize>,
}

/// A recording of runs: it asks a pass for outputs and turns them into items.
pub trait Record {
    /// The result of one plan on one sequence.
    type Item;
    /// The record's state for one pack while it runs.
    type Kept;

    /// The sequences' token ids.
    fn sequences(&self) -> Vec<&[u32]>;

    /// Returns the demand under a schedule whose plans end where `is_end` says.
    fn demand(&self, schedule: &Schedule, is_end: &[bool]) -> Demand;

    /// For each run of each node, the set of kept rows (one row per sequence) for its attention, and the
    /// one for its MLP; `None`: members are not kept.
    fn places(&self, _: &PlanGroup) -> Option<Vec<Vec<[usize; 2]>>> {
        None
    }

    /// A pack begins; slot 0 holds what enters block 0.
    fn open(&self, pass: &mut dyn Pass, scene: &PackScene) -> Result<Self::Kept, EngineError>;

    /// Call number `call` of the program ran, just now: the streams that it read are still there.
    fn ran(
        &self,
        _: &mut dyn Pass,
        _: &PackScene,
        _: &mut Self::Kept,
        _call: usize,
        _: &BlockCall,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// The stream in `slot` is that after step `node`.
    fn complete(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut Self::Kept,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError>;

    /// All steps of the pack are complete.
    fn close(
        &self,
        _: &mut dyn Pass,
        _: &PackScene,
        _: &mut Self::Kept,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    /// One item for each of the group's plans and each sequence of the pack, plan by plan, from what
    /// the device gave back.
    fn items(
        &self,
        scene: &PackScene,
        kept: Self::Kept,
        given: Vec<Vec<f32>>,
    ) -> Vec<Vec<Self::Item>>;
}

/// Index of each output, by its key.
pub struct Outputs<K>(HashMap<K, usize>);

impl<K> Default for Outputs<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

impl<K: Eq + Hash> Outputs<K> {
    /// Asks for an output; each key once.
    fn ask(&mut self, pass: &mut dyn Pass, key: K, output: Output) -> Result<(), EngineError> {
        self.0.insert(key, self.0.len());
        pass.give(output)
    }

    /// An output; empty if it was not asked for.
    fn of<'a>(&self, key: K, given: &'a [Vec<f32>]) -> &'a [f32] {
        let output = self.0.get(&key).and_then(|&output| given.get(output));
        output.map_or(&[], Vec::as_slice)
    }
}

impl Outputs<usize> {
    /// The output of the node where a plan ends, where nodes are the keys.
    fn at_end<'a>(&self, path: &[usize], given: &'a [Vec<f32>]) -> &'a [f32] {
        path.last().map_or(&[], |&node| self.of(node, given))
    }
}
