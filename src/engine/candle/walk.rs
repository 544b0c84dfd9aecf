//! Executes a [`Schedule`] on packed sequences; a [`Record`] keeps what is asked for.
//!
//! Memory is bounded: see [`crate::engine::schedule::group`].

use std::ops::Range;
use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::CandleEngine;
use super::block::Added;
use crate::engine::schedule::group::{Group, Room, groups};
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::{Batch, Schedule};
use crate::engine::{EngineError, Run};
use crate::plan::Plan;

/// Rows that one block run takes at most (at least one pack).
const BATCH_ROWS: usize = 8192;

/// Bytes that the waiting residual streams may take (at least those of one plan on one sequence),
/// and as many again the insides of the block that is being run.
const STREAM_BYTES: usize = if cfg!(target_arch = "wasm32") {
    192 << 20
} else {
    1 << 30
};

/// What to keep of a walk.
pub trait Record {
    /// What one plan gives on one sequence.
    type Item;
    /// What is kept while a pack runs.
    type Kept;

    /// The sequences' token ids.
    fn sequences(&self) -> Vec<&[u32]>;

    /// A pack begins: `stream` [N, D] are its embeddings.
    fn open(
        &self,
        range: Range<usize>,
        pack: &Pack,
        schedule: &Schedule,
        stream: &Tensor,
    ) -> Result<Self::Kept>;

    /// A block ran once for the steps `nodes` (node, which of its runs): [copies N, D] each. Most keep
    /// nothing of it.
    fn added(
        &self,
        _: &mut Self::Kept,
        _: &Pack,
        _: &Schedule,
        _: &[(usize, usize)],
        _: &Added,
    ) -> Result<()> {
        Ok(())
    }

    /// The stream [N, D] after step `node`; `is_end` where a plan ends there.
    fn state(
        &self,
        kept: &mut Self::Kept,
        pack: &Pack,
        node: usize,
        stream: &Tensor,
        is_end: bool,
    ) -> Result<()>;

    /// The pack is through: one item for each of `plans` and each sequence of `range`, plan by plan.
    fn close(
        &self,
        kept: Self::Kept,
        schedule: &Schedule,
        plans: Range<usize>,
        range: Range<usize>,
    ) -> Result<Vec<Vec<Self::Item>>>;
}

pub struct Walk<'a, R: Record> {
    engine: &'a CandleEngine,
    record: R,
    /// Token ids of every sequence.
    sequences: Vec<Vec<u32>>,
    groups: Vec<Group>,
    /// Rows that one block run takes at most.
    batch_rows: usize,
    /// The group and the pack being run.
    at: (usize, usize),
    state: Option<State<R::Kept>>,
    done: usize,
    total: usize,
    /// [plan][sequence]
    items: Vec<Vec<R::Item>>,
}

/// One pack on its way through the schedule.
struct State<K> {
    pack: Arc<Pack>,
    kept: K,
    next_batch: usize,
    nodes: Vec<NodeState>,
}

#[derive(Default)]
struct NodeState {
    /// [N, D], while a step still needs it.
    stream: Option<Tensor>,
    /// What a parallel step's blocks have added so far: their mean's partial sum, and blocks missing.
    parallel: Option<(Tensor, usize)>,
    children_left: usize,
}

impl<'a, R: Record> Walk<'a, R> {
    pub fn new(engine: &'a CandleEngine, record: R, plans: &[Plan]) -> Self {
        Self::within(engine, record, plans, STREAM_BYTES)
    }

    fn within(engine: &'a CandleEngine, record: R, plans: &[Plan], bytes: usize) -> Self {
        let sequences: Vec<Vec<u32>> = record.sequences().iter().map(|ids| ids.to_vec()).collect();
        let lengths: Vec<usize> = sequences.iter().map(Vec::len).collect();
        let config = &engine.config;
        let groups = groups(&lengths, plans, &|schedule| {
            room(config.width, bytes, schedule)
        });
        // A block's insides: normed input, q, k, v, attended values, gate and up, their product, output.
        let inside = 4 * config.width
            + (2 * config.heads + 2 * config.kv_heads) * config.head_width
            + 3 * config.mlp_width;
        let runs: usize = groups.iter().map(|group| group.schedule.block_runs()).sum();
        Self {
            engine,
            record,
            groups,
            batch_rows: BATCH_ROWS.min(bytes / (inside * size_of::<f32>())),
            at: (0, 0),
            state: None,
            done: 0,
            total: runs * sequences.len(),
            items: plans
                .iter()
                .map(|_| Vec::with_capacity(sequences.len()))
                .collect(),
            sequences,
        }
    }

    fn open(&self, group: &Group, range: Range<usize>) -> Result<State<R::Kept>> {
        let sequences = &self.sequences[range.clone()];
        let pack = Arc::new(Pack::new(sequences, &self.engine.rope));
        let stream = self.engine.embed(sequences)?; // [N, D]
        let mut nodes: Vec<NodeState> = group
            .schedule
            .nodes
            .iter()
            .map(|node| NodeState {
                children_left: node.children,
                ..NodeState::default()
            })
            .collect();
        let kept = self.record.open(range, &pack, &group.schedule, &stream)?;
        nodes[0].stream = Some(stream);
        Ok(State {
            pack,
            kept,
            next_batch: 0,
            nodes,
        })
    }

    /// Runs one batch, in pieces of at most `batch_rows`.
    fn batch(&self, group: &Group, state: &mut State<R::Kept>, batch: &Batch) -> Result<()> {
        let packs = (self.batch_rows / state.pack.rows).max(1);
        for nodes in batch.nodes.chunks(packs) {
            self.piece(group, state, batch, nodes)?;
        }
        Ok(())
    }

    fn piece(
        &self,
        group: &Group,
        state: &mut State<R::Kept>,
        batch: &Batch,
        nodes: &[(usize, usize)],
    ) -> Result<()> {
        let rows = state.pack.rows;
        let schedule = &group.schedule;
        let streams = nodes
            .iter()
            .map(|&(node, _)| {
                let parent = schedule.nodes[node].parent;
                state.nodes[parent]
                    .stream
                    .clone()
                    .ok_or_else(|| candle_core::Error::msg("a stream was freed too early"))
            })
            .collect::<Result<Vec<_>>>()?;
        let h = if let [one] = streams.as_slice() {
            one.clone()
        } else {
            Tensor::cat(&streams, 0)?
        };
        let added = self.engine.blocks[batch.run.index].run(&h, batch.run.half, &state.pack)?;
        self.record
            .added(&mut state.kept, &state.pack, schedule, nodes, &added)?;

        for (i, &(node, _)) in nodes.iter().enumerate() {
            let share = schedule.nodes[node].runs.len();
            let after = if share == 1 {
                Some(added.stream.narrow(0, i * rows, rows)?)
            } else {
                let mut halves = added.attention.iter().chain(&added.mlp);
                let part = |half: &Tensor| half.narrow(0, i * rows, rows)? / share as f64;
                let mut sum = match halves.next() {
                    Some(half) => part(half)?,
                    None => streams[i].zeros_like()?,
                };
                for half in halves {
                    sum = (sum + part(half)?)?;
                }
                let (sum, left) = match state.nodes[node].parallel.take() {
                    None => (sum, share - 1),
                    Some((before, left)) => ((before + sum)?, left - 1),
                };
                if left == 0 {
                    Some((&streams[i] + sum)?)
                } else {
                    state.nodes[node].parallel = Some((sum, left));
                    None
                }
            };
            if let Some(stream) = after {
                self.finish_step(group, state, node, stream)?;
            }
        }
        Ok(())
    }

    /// A step is complete: keep its stream while a later step needs it, free its parent's if none does.
    fn finish_step(
        &self,
        group: &Group,
        state: &mut State<R::Kept>,
        node: usize,
        stream: Tensor,
    ) -> Result<()> {
        let is_end = group.is_end[node];
        self.record
            .state(&mut state.kept, &state.pack, node, &stream, is_end)?;
        if state.nodes[node].children_left > 0 {
            state.nodes[node].stream = Some(stream);
        }
        let parent = group.schedule.nodes[node].parent;
        state.nodes[parent].children_left -= 1;
        if state.nodes[parent].children_left == 0 {
            state.nodes[parent].stream = None;
        }
        Ok(())
    }
}

/// Tokens whose streams fit into `bytes` under a schedule.
fn room(width: usize, bytes: usize, schedule: &Schedule) -> Room {
    let a_row = width * size_of::<f32>();
    Room {
        rows: bytes / (schedule.peak_streams() * a_row).max(1),
        sequences: usize::MAX,
    }
}

impl<R: Record> Run<R::Item> for Walk<'_, R> {
    fn advance(&mut self) -> std::result::Result<Option<(usize, usize)>, EngineError> {
        let (g, p) = self.at;
        let Some(group) = self.groups.get(g) else {
            return Ok(None);
        };
        let Some(range) = group.packs.get(p).cloned() else {
            self.at = (g + 1, 0);
            return self.advance();
        };
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.open(group, range.clone())?,
        };
        if let Some(batch) = group.schedule.batches.get(state.next_batch) {
            self.batch(group, &mut state, batch)?;
            state.next_batch += 1;
            self.done += batch.nodes.len() * range.len();
        }
        if state.next_batch >= group.schedule.batches.len() {
            let (schedule, plans) = (&group.schedule, group.plans.clone());
            let items = self
                .record
                .close(state.kept, schedule, plans.clone(), range)?;
            for (plan, items) in plans.zip(items) {
                self.items[plan].extend(items);
            }
            self.at = (g, p + 1);
        } else {
            self.state = Some(state);
        }
        Ok(Some((self.done, self.total)))
    }

    fn finish(self: Box<Self>) -> std::result::Result<Vec<Vec<R::Item>>, EngineError> {
        Ok(self.items)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::members::Members;
    use super::*;
    use crate::engine::{Capture, Trace};
    use crate::model::{ModelConfig, ModelFiles, Prompt, Weights};

    fn engine() -> CandleEngine {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/random-llama2");
        let files = ModelFiles::open(&folder).expect("it travels with the project");
        let config = ModelConfig::from_json(&String::from_utf8_lossy(&files.config)).expect("it");
        let weights = Weights::load(&config, &files).expect("weights");
        CandleEngine::new(config, weights, candle_core::Device::Cpu).expect("an engine")
    }

    #[test]
    fn little_memory_costs_time_and_changes_nothing() {
        let engine = engine();
        let order = engine.config.order.clone();
        let lines = ["0-5", "1-5", "0,2-5", "5-0", "0,(1-4)x3,5", "shuffle:1:0"];
        let plans: Vec<Plan> = lines
            .iter()
            .map(|line| Plan::parse(line, &order).expect(line))
            .collect();
        let prompts: Vec<Prompt> = [9, 30, 4]
            .iter()
            .map(|&length| Prompt {
                token_ids: (0..length).map(|t| t * 31 % 512).collect(),
                option_ids: vec![1, 2, 3],
            })
            .collect();
        let run = |bytes: usize| -> (usize, usize, Vec<Vec<Trace>>) {
            let record = Members {
                engine: &engine,
                prompts: prompts.clone().into(),
                plans: plans.clone().into(),
                capture: Capture::States,
            };
            let mut walk = Walk::within(&engine, record, &plans, bytes);
            let groups = walk.groups.len();
            let mut last = (0, 0);
            while let Some(now) = walk.advance().expect("a batch") {
                last = now;
            }
            assert_eq!(last.0, last.1);
            (groups, last.1, Box::new(walk).finish().expect("traces"))
        };
        let (one, runs, roomy) = run(STREAM_BYTES);
        let (several, more_runs, tight) = run(30 * 3 * engine.config.width * 4);
        assert_eq!(one, 1);
        assert!(several > 1 && more_runs > runs, "{several} {more_runs}");
        let close = |a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            let off = a
                .iter()
                .zip(b)
                .map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
            assert!(off.fold(0.0, f32::max) < 1e-4);
        };
        for (roomy, tight) in roomy.iter().flatten().zip(tight.iter().flatten()) {
            assert_eq!(roomy.members, tight.members);
            close(&roomy.logits, &tight.logits);
            close(&roomy.member_logits.concat(), &tight.member_logits.concat());
            close(&roomy.states.concat(), &tight.states.concat());
        }
    }
}
