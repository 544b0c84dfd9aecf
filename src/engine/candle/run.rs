//! Executes a [`Schedule`] on packed prompts and records members.

use std::sync::Arc;

use candle_core::{D, Result, Tensor};

use super::CandleEngine;
use super::pack::Pack;
use super::read::OptionRows;
use crate::engine::schedule::{Batch, Schedule};
use crate::engine::{EngineError, Run, Trace, members};
use crate::model::Prompt;
use crate::plan::Plan;

/// Tokens a pack holds at most (at least one prompt): bounds what a run keeps, whatever it is given.
const PACK_ROWS: usize = 4096;

/// Rows that one block run takes at most (at least one pack).
const BATCH_ROWS: usize = 8192;

pub struct CandleRun<'a> {
    engine: &'a CandleEngine,
    prompts: &'a [Prompt],
    plans: &'a [Plan],
    schedule: Schedule,
    /// Does a plan end at this node?
    is_end: Vec<bool>,
    /// Ranges of prompts, each one pack.
    chunks: Vec<std::ops::Range<usize>>,
    /// The pack being run.
    chunk: usize,
    state: Option<State>,
    done: usize,
    /// [plan][prompt]
    traces: Vec<Vec<Trace>>,
}

/// One pack on its way through the schedule.
struct State {
    pack: Arc<Pack>,
    options: OptionRows,
    next_batch: usize,
    nodes: Vec<NodeState>,
}

#[derive(Default)]
struct NodeState {
    /// [N, D], while a step still needs it.
    stream: Option<Tensor>,
    /// What a parallel step's blocks have added so far: their mean's partial sum, and blocks missing.
    parallel: Option<(Tensor, usize)>,
    /// Final streams of the last tokens [P, D], kept for nodes where plans end.
    last: Option<Tensor>,
    /// For each of the step's runs, its one or two members: [P, n, K] each, r not applied.
    members: Vec<Option<Tensor>>,
    children_left: usize,
}

impl<'a> CandleRun<'a> {
    pub fn new(engine: &'a CandleEngine, prompts: &'a [Prompt], plans: &'a [Plan]) -> Self {
        let mut chunks: Vec<std::ops::Range<usize>> = Vec::new();
        let mut rows = usize::MAX;
        for (i, prompt) in prompts.iter().enumerate() {
            let length = prompt.token_ids.len();
            rows = rows.saturating_add(length);
            match chunks.last_mut() {
                Some(chunk) if rows <= PACK_ROWS => chunk.end = i + 1,
                _ => {
                    chunks.push(i..i + 1);
                    rows = length;
                }
            }
        }
        let schedule = Schedule::new(plans);
        let traces = plans
            .iter()
            .map(|_| Vec::with_capacity(prompts.len()))
            .collect();
        let mut is_end = vec![false; schedule.nodes.len()];
        for path in &schedule.paths {
            is_end[path[path.len() - 1]] = true;
        }
        Self {
            engine,
            prompts,
            plans,
            schedule,
            is_end,
            chunks,
            chunk: 0,
            state: None,
            done: 0,
            traces,
        }
    }

    fn total(&self) -> usize {
        self.schedule.block_runs() * self.prompts.len()
    }

    fn open(&self, prompts: &[Prompt]) -> Result<State> {
        let pack = Arc::new(Pack::new(prompts, &self.engine.rope));
        let options = OptionRows::new(self.engine, prompts)?;
        let stream = self.engine.embed(prompts)?; // [N, D]
        let mut nodes: Vec<NodeState> = self
            .schedule
            .nodes
            .iter()
            .map(|node| NodeState {
                members: vec![None; node.runs.len()],
                children_left: node.children,
                ..NodeState::default()
            })
            .collect();
        let last = last_tokens(&stream, &pack, 1)?;
        nodes[0].members = vec![Some(options.members(&last)?)];
        nodes[0].stream = Some(stream);
        Ok(State {
            pack,
            options,
            next_batch: 0,
            nodes,
        })
    }

    /// Runs one batch, in pieces of at most [`BATCH_ROWS`].
    fn batch(&self, state: &mut State, batch: &Batch) -> Result<()> {
        let packs = (BATCH_ROWS / state.pack.rows).max(1);
        for nodes in batch.nodes.chunks(packs) {
            self.piece(state, batch, nodes)?;
        }
        Ok(())
    }

    fn piece(&self, state: &mut State, batch: &Batch, nodes: &[(usize, usize)]) -> Result<()> {
        let rows = state.pack.rows;
        let input = |node: usize| {
            let parent = self.schedule.nodes[node].parent;
            state.nodes[parent]
                .stream
                .clone()
                .ok_or_else(|| candle_core::Error::msg("a stream was freed too early"))
        };
        let streams = nodes
            .iter()
            .map(|&(node, _)| input(node))
            .collect::<Result<Vec<_>>>()?;
        let h = if let [one] = streams.as_slice() {
            one.clone()
        } else {
            Tensor::cat(&streams, 0)?
        };
        let added = self.engine.blocks[batch.run.index].run(&h, batch.run.half, &state.pack)?;

        // Members of all nodes at once: [n halves P, D] -> [P, n halves, K].
        let halves: Vec<&Tensor> = added.attention.iter().chain(&added.mlp).collect();
        let lasts = halves
            .iter()
            .map(|z| last_tokens(z, &state.pack, nodes.len()))
            .collect::<Result<Vec<_>>>()?;
        let read = state.options.members(&Tensor::cat(&lasts, 0)?)?;

        for (i, &(node, run)) in nodes.iter().enumerate() {
            let picks: Vec<Tensor> = (0..halves.len())
                .map(|half| read.narrow(1, half * nodes.len() + i, 1))
                .collect::<Result<_>>()?;
            let share = self.schedule.nodes[node].runs.len();
            let mut picked = Tensor::cat(&picks, 1)?; // [P, halves, K]
            if share > 1 {
                picked = (picked / share as f64)?;
            }
            state.nodes[node].members[run] = Some(picked);

            let after = if share == 1 {
                Some(added.stream.narrow(0, i * rows, rows)?)
            } else {
                let mut sum = (halves[0].narrow(0, i * rows, rows)? / share as f64)?;
                for half in &halves[1..] {
                    sum = (sum + (half.narrow(0, i * rows, rows)? / share as f64)?)?;
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
                self.finish(state, node, stream)?;
            }
        }
        Ok(())
    }

    /// A step is complete: keep its stream while a later step needs it, free its parent's if none does.
    fn finish(&self, state: &mut State, node: usize, stream: Tensor) -> Result<()> {
        if self.is_end[node] {
            state.nodes[node].last = Some(last_tokens(&stream, &state.pack, 1)?);
        }
        if state.nodes[node].children_left > 0 {
            state.nodes[node].stream = Some(stream);
        }
        let parent = self.schedule.nodes[node].parent;
        state.nodes[parent].children_left -= 1;
        if state.nodes[parent].children_left == 0 {
            state.nodes[parent].stream = None;
        }
        Ok(())
    }

    /// Applies each plan's own r and turns what was recorded into traces.
    fn close(&mut self, state: State, chunk: std::ops::Range<usize>) -> Result<()> {
        let members_of = |node: usize| -> Result<Vec<Vec<Vec<f32>>>> {
            let runs = state.nodes[node]
                .members
                .iter()
                .flatten()
                .collect::<Vec<_>>();
            Tensor::cat(&runs, 1)?.to_vec3() // [P][n][K]
        };
        let recorded = (0..state.nodes.len())
            .map(members_of)
            .collect::<Result<Vec<_>>>()?;
        for (plan, path) in self.schedule.paths.iter().enumerate() {
            let end = path[path.len() - 1];
            let last = state.nodes[end]
                .last
                .as_ref()
                .ok_or_else(|| candle_core::Error::msg("a plan did not end"))?;
            let eps = self.engine.config.rms_norm_eps;
            let mean_square = last.sqr()?.mean(D::Minus1)?.to_vec1::<f32>()?; // [P]
            let normed = self.engine.normed(last)?;
            let logits = state.options.logits(&normed)?.to_vec3::<f32>()?; // [P][1][K]
            for (p, prompt) in self.prompts[chunk.clone()].iter().enumerate() {
                let r = (1.0 / (f64::from(mean_square[p]) + eps).sqrt()) as f32;
                let k = prompt.option_ids.len();
                let scaled = |raw: &Vec<f32>| raw[..k].iter().map(|x| x * r).collect();
                let member_logits = path
                    .iter()
                    .flat_map(|&node| recorded[node][p].iter().map(scaled))
                    .collect();
                self.traces[plan].push(Trace {
                    members: members(&self.plans[plan]),
                    member_logits,
                    logits: logits[p][0][..k].to_vec(),
                });
            }
        }
        Ok(())
    }
}

impl Run for CandleRun<'_> {
    fn advance(&mut self) -> std::result::Result<Option<(usize, usize)>, EngineError> {
        let Some(chunk) = self.chunks.get(self.chunk).cloned() else {
            return Ok(None);
        };
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.open(&self.prompts[chunk.clone()])?,
        };
        if let Some(batch) = self.schedule.batches.get(state.next_batch) {
            self.batch(&mut state, batch)?;
            state.next_batch += 1;
            self.done += batch.nodes.len() * chunk.len();
        }
        if state.next_batch >= self.schedule.batches.len() {
            self.close(state, chunk)?;
            self.chunk += 1;
        } else {
            self.state = Some(state);
        }
        Ok(Some((self.done, self.total())))
    }

    fn traces(self: Box<Self>) -> std::result::Result<Vec<Vec<Trace>>, EngineError> {
        Ok(self.traces)
    }
}

/// Rows of the prompts' last tokens, in `copies` packs: [copies P, D].
fn last_tokens(stream: &Tensor, pack: &Pack, copies: usize) -> Result<Tensor> {
    stream.index_select(&Tensor::new(pack.last_rows(copies), stream.device())?, 0)
}
