//! Keys and values of a plan's block runs on this processor, in f32.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use atelier_kernels::attention::HeadCache;

use super::backend::CpuBackend;
use super::pass::CpuPass;
use crate::engine::EngineError;
use crate::engine::backend::{KvCache, Pass, Start};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::program::StreamStep;
use crate::plan::BlockRun;

/// The cache of every block run, node by node of the plan's schedule.
type NodeCaches = Rc<RefCell<Vec<Vec<RunCache>>>>;

pub struct CpuCache<'a> {
    backend: &'a CpuBackend,
    nodes: NodeCaches,
    /// Whether the cache holds a single sequence.
    is_of_one: bool,
    bytes_a_token: u64,
}

/// The cache that a pass continues, and the sequences that it continues there.
pub struct PassCache {
    nodes: NodeCaches,
    /// For each sequence of the pack, its index among the cache's sequences.
    pub sequences: Vec<usize>,
    /// Whether the cache holds a single sequence. Else no number may depend on how other sequences grow.
    pub is_of_one: bool,
}

/// Keys and values of one block run: one [`HeadCache`] per sequence and KV head.
pub struct RunCache {
    sequences: Vec<Vec<HeadCache>>,
}

/// The cached keys and values of the sequences that a pack continues.
pub struct CacheRows<'a> {
    pub run: &'a mut RunCache,
    /// For each sequence of the pack, its index among the cache's sequences.
    pub of: &'a [usize],
}

impl RunCache {
    pub fn new(sequences: usize, kv_heads: usize) -> Self {
        Self { sequences: vec![vec![HeadCache::default(); kv_heads]; sequences] }
    }

    /// Whether the cache holds a single sequence.
    pub fn is_of_one(&self) -> bool {
        self.sequences.len() == 1
    }
}

impl<'a> CacheRows<'a> {
    /// The KV heads of each of the pack's sequences.
    pub fn heads(self) -> Vec<Option<&'a mut [HeadCache]>> {
        let mut all: Vec<_> = self.run.sequences.iter_mut().map(Some).collect();
        let take = |&sequence: &usize| all[sequence].take().map(Vec::as_mut_slice);
        self.of.iter().map(take).collect()
    }
}

impl<'a> CpuCache<'a> {
    pub fn new(backend: &'a CpuBackend, schedule: &Schedule, sequences: usize) -> Self {
        let heads = |index: usize| backend.blocks[index].heads;
        let nodes = schedule.nodes.iter().map(|node| {
            let runs = node.runs.iter();
            let run = |run: &BlockRun| RunCache::new(sequences, heads(run.index).kv_heads);
            runs.map(run).collect()
        });
        let runs = schedule.nodes.iter().flat_map(|node| &node.runs);
        let numbers = runs.map(|run| 2 * heads(run.index).kv_heads * heads(run.index).width);
        Self {
            backend,
            nodes: Rc::new(RefCell::new(nodes.collect())),
            is_of_one: sequences == 1,
            bytes_a_token: (numbers.sum::<usize>() * size_of::<f32>()) as u64,
        }
    }
}

impl<'a> KvCache<'a> for CpuCache<'a> {
    fn begin(
        &self,
        start: Start,
        sequences: Vec<usize>,
    ) -> Result<Box<dyn Pass + 'a>, EngineError> {
        let cache = PassCache { nodes: self.nodes.clone(), sequences, is_of_one: self.is_of_one };
        Ok(Box::new(CpuPass::new(self.backend, start, Some(cache))))
    }

    fn bytes_a_token(&self) -> u64 {
        self.bytes_a_token
    }
}

impl PassCache {
    /// Borrows the cached keys and values of a step's block run.
    pub fn run(&self, step: &StreamStep) -> RefMut<'_, RunCache> {
        RefMut::map(self.nodes.borrow_mut(), |nodes| &mut nodes[step.node][step.run])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_finds_its_sequences_among_those_of_the_cache() {
        let mut run = RunCache::new(3, 1);
        for (n, heads) in run.sequences.iter_mut().enumerate() {
            heads[0].keys.push(n as f32);
        }
        let heads = CacheRows { run: &mut run, of: &[2, 0] }.heads();
        let firsts = heads.into_iter().map(|heads| heads.map(|heads| heads[0].keys[0]));
        assert_eq!(firsts.collect::<Vec<_>>(), [Some(2.0), Some(0.0)]);
    }
}
