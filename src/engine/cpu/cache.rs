//! Keys and values of a plan's block runs on this processor, in f32.

use std::cell::{RefCell, RefMut};
use std::rc::Rc;

use super::attention::RunCache;
use super::backend::CpuBackend;
use super::pass::CpuPass;
use crate::engine::EngineError;
use crate::engine::backend::{KvCache, Pass, Start};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::program::StreamStep;
use crate::plan::BlockRun;

/// Of every block run, node by node of the plan's schedule.
type NodeCaches = Rc<RefCell<Vec<Vec<RunCache>>>>;

pub struct CpuCache<'a> {
    backend: &'a CpuBackend,
    nodes: NodeCaches,
    /// It is of a single text.
    is_of_one: bool,
    bytes_a_token: u64,
}

/// What a pass goes on from.
pub struct PassCache {
    nodes: NodeCaches,
    /// Which of the cache's sequences each of the pack's is.
    pub sequences: Vec<usize>,
    /// There is no other text, on whose growing no number may depend.
    pub is_of_one: bool,
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
        Ok(Box::new(CpuPass::going_on(self.backend, start, cache)))
    }

    fn bytes_a_token(&self) -> u64 {
        self.bytes_a_token
    }
}

impl PassCache {
    /// What is kept of a step's block run.
    pub fn run(&self, step: &StreamStep) -> RefMut<'_, RunCache> {
        RefMut::map(self.nodes.borrow_mut(), |nodes| &mut nodes[step.node][step.run])
    }
}
