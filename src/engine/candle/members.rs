//! Records members at every prompt's last token, and the states of all tokens where asked.

use std::ops::Range;
use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::CandleEngine;
use super::block::Added;
use super::read::OptionRows;
use super::walk::Record;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::{Capture, Trace, members};
use crate::model::Prompt;
use crate::plan::Plan;

pub struct Members<'a> {
    pub engine: &'a CandleEngine,
    pub prompts: Arc<[Prompt]>,
    pub plans: Arc<[Plan]>,
    pub capture: Capture,
}

/// Of one pack of P prompts.
pub struct Kept {
    options: OptionRows,
    /// (first row, T) of each prompt.
    spans: Vec<(usize, usize)>,
    /// For each node and each of its step's runs, its one or two members, prompt by prompt: K
    /// numbers each, r not applied.
    members: Vec<Vec<Vec<Vec<f32>>>>,
    /// Final streams of the last tokens [P, D], for nodes where plans end.
    last: Vec<Option<Tensor>>,
    /// [N * D] for each node, where states are recorded.
    states: Vec<Vec<f32>>,
}

impl Record for Members<'_> {
    type Item = Trace;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.prompts
            .iter()
            .map(|prompt| prompt.token_ids.as_slice())
            .collect()
    }

    fn open(
        &self,
        range: Range<usize>,
        pack: &Pack,
        schedule: &Schedule,
        stream: &Tensor,
    ) -> Result<Kept> {
        let options = OptionRows::new(self.engine, &self.prompts[range])?;
        let mut members: Vec<Vec<Vec<Vec<f32>>>> = schedule
            .nodes
            .iter()
            .map(|node| vec![Vec::new(); node.runs.len()])
            .collect();
        members[0] = vec![options.members(&last_tokens(stream, pack, 1)?)?];
        let mut kept = Kept {
            options,
            spans: pack.spans.clone(),
            members,
            last: vec![None; schedule.nodes.len()],
            states: vec![Vec::new(); schedule.nodes.len()],
        };
        self.state(&mut kept, pack, 0, stream, false)?;
        Ok(kept)
    }

    fn added(
        &self,
        kept: &mut Kept,
        pack: &Pack,
        schedule: &Schedule,
        nodes: &[(usize, usize)],
        added: &Added,
    ) -> Result<()> {
        let prompts = pack.spans.len();
        for half in added.attention.iter().chain(&added.mlp) {
            let read = kept
                .options
                .members(&last_tokens(half, pack, nodes.len())?)?;
            for (read, &(node, run)) in read.chunks_exact(prompts).zip(nodes) {
                let share = schedule.nodes[node].runs.len() as f32;
                let shared = |x: &f32| x / share;
                let read = read.iter().map(|read| read.iter().map(shared).collect());
                kept.members[node][run].extend(read);
            }
        }
        Ok(())
    }

    fn state(
        &self,
        kept: &mut Kept,
        pack: &Pack,
        node: usize,
        stream: &Tensor,
        is_end: bool,
    ) -> Result<()> {
        if is_end {
            kept.last[node] = Some(last_tokens(stream, pack, 1)?);
        }
        if self.capture == Capture::States {
            kept.states[node] = stream.flatten_all()?.to_vec1()?;
        }
        Ok(())
    }

    /// Applies each plan's own r and turns what was recorded into traces.
    fn close(
        &self,
        kept: Kept,
        schedule: &Schedule,
        plans: Range<usize>,
        range: Range<usize>,
    ) -> Result<Vec<Vec<Trace>>> {
        let config = &self.engine.config;
        let prompts = &self.prompts[range];
        let one = |path: &[usize], plan: &Plan| -> Result<Vec<Trace>> {
            let last = kept.last[path[path.len() - 1]]
                .as_ref()
                .ok_or_else(|| candle_core::Error::msg("a plan did not end"))?;
            let (mut logits, mean_squares) = kept.options.logits(last)?;
            let trace = |p: usize| {
                let r = (1.0 / (mean_squares[p] + config.rms_norm_eps).sqrt()) as f32;
                let scaled = |raw: &Vec<f32>| raw.iter().map(|x| x * r).collect();
                let (start, length) = kept.spans[p];
                let span = start * config.width..(start + length) * config.width;
                let runs = path.iter().flat_map(|&node| &kept.members[node]);
                Trace {
                    members: members(plan),
                    member_logits: runs
                        .flat_map(|run| run[p..].iter().step_by(prompts.len()).map(scaled))
                        .collect(),
                    logits: std::mem::take(&mut logits[p]),
                    states: match self.capture {
                        Capture::Members => Vec::new(),
                        Capture::States => path
                            .iter()
                            .map(|&node| kept.states[node][span.clone()].to_vec())
                            .collect(),
                    },
                }
            };
            Ok((0..prompts.len()).map(trace).collect())
        };
        schedule
            .paths
            .iter()
            .zip(&self.plans[plans])
            .map(|(path, plan)| one(path, plan))
            .collect()
    }
}

/// Rows of the prompts' last tokens, in `copies` packs: [copies P, D].
fn last_tokens(stream: &Tensor, pack: &Pack, copies: usize) -> Result<Tensor> {
    stream.index_select(&Tensor::new(pack.last_rows(copies), stream.device())?, 0)
}
