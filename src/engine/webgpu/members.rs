//! Records members at every prompt's last token, and the states of all tokens where asked.

use std::ops::Range;
use std::sync::Arc;

use super::arena::Use;
use super::error::GpuError;
use super::gather::Rows;
use super::options::Reading;
use super::pass::Pass;
use super::walk::Record;
use crate::engine::group::Group;
use crate::engine::schedule::Schedule;
use crate::engine::{Capture, Trace, members};
use crate::model::Prompt;
use crate::plan::{Half, Plan};

pub struct Members {
    pub prompts: Arc<[Prompt]>,
    pub plans: Arc<[Plan]>,
    pub capture: Capture,
}

/// Of one pack of P prompts.
pub struct Kept {
    /// The rows of the prompts' last tokens. [P]
    last: wgpu::Buffer,
    /// [P, K, D]
    options: wgpu::Buffer,
    /// K: the most options of a prompt.
    count: usize,
    layout: Layout,
    /// [N * D] for each node, where states are recorded.
    states: Vec<Vec<f32>>,
}

/// Which kept rows are whose: row sets of one row a prompt, the embedding's first.
struct Layout {
    /// For each node and run: its attention, its MLP.
    members: Vec<Vec<[usize; 2]>>,
    /// For nodes where plans end: the final stream.
    ends: Vec<Option<usize>>,
    sets: usize,
}

impl Layout {
    fn new(schedule: &Schedule, is_end: &[bool]) -> Self {
        let mut sets = 1;
        let mut next = |wanted: bool| {
            sets += usize::from(wanted);
            sets - 1
        };
        let members = schedule.nodes.iter().map(|node| {
            let run = |half: Half| [next(half != Half::Mlp), next(half != Half::Attention)];
            node.runs
                .iter()
                .map(|run_of| run_of.half)
                .map(run)
                .collect()
        });
        let members = members.collect();
        let ends = is_end
            .iter()
            .map(|&is_end| is_end.then(|| next(true)))
            .collect();
        Self {
            members,
            ends,
            sets,
        }
    }
}

impl Record for Members {
    type Item = Trace;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.prompts
            .iter()
            .map(|prompt| prompt.token_ids.as_slice())
            .collect()
    }

    fn kept_rows(&self, schedule: &Schedule, is_end: &[bool]) -> usize {
        Layout::new(schedule, is_end).sets
    }

    fn places(&self, group: &Group) -> Option<Vec<Vec<[usize; 2]>>> {
        Some(Layout::new(&group.schedule, &group.is_end).members)
    }

    fn open(&self, pass: &mut Pass, group: &Group, range: Range<usize>) -> Result<Kept, GpuError> {
        let engine = pass.engine;
        let prompts = &self.prompts[range];
        let most = prompts.iter().map(|prompt| prompt.option_ids.len()).max();
        let count = most.unwrap_or(0).max(1);
        // Prompts with fewer options than the most read token 0's row in their place; nobody looks.
        let padded = |prompt: &Prompt| {
            let padding = vec![0; count - prompt.option_ids.len()];
            [prompt.option_ids.as_slice(), &padding].concat()
        };
        let ids: Vec<u32> = prompts.iter().flat_map(padded).collect();
        let wanted = pass.upload(Use::Wanted, &ids);
        let options = pass.buffer(Use::Options, ids.len() * engine.config.width); // [P, K, D]
        let rows = Rows {
            ids: &wanted,
            first_id: 0,
            count: ids.len(),
            out: &options,
            first_out: 0,
        };
        let gather = &engine.kernels.gather;
        gather.weights(&mut pass.recorder, engine.output(), &rows)?;

        let last = pass.pack.last_rows(1);
        let last = pass.upload(Use::Ids, &last);
        let layout = Layout::new(&group.schedule, &group.is_end);
        let mut kept = Kept {
            last,
            options,
            count,
            layout,
            states: vec![Vec::new(); group.schedule.nodes.len()],
        };
        take_last(pass, &kept, 0, 0)?; // the embedding
        if self.capture == Capture::States {
            kept.states[0] = state(pass, 0)?;
        }
        Ok(kept)
    }

    fn complete(
        &self,
        pass: &mut Pass,
        kept: &mut Kept,
        _: &Group,
        node: usize,
        slot: usize,
    ) -> Result<(), GpuError> {
        if let Some(set) = kept.layout.ends[node] {
            take_last(pass, kept, slot, set)?;
        }
        if self.capture == Capture::States {
            kept.states[node] = state(pass, slot)?;
        }
        Ok(())
    }

    /// Reads every kept row at once, applies each plan's own r, and makes traces.
    fn close(
        &self,
        pass: &mut Pass,
        kept: Kept,
        group: &Group,
        range: Range<usize>,
    ) -> Result<Vec<Vec<Trace>>, GpuError> {
        let engine = pass.engine;
        let prompts = &self.prompts[range];
        let (rows, a_row) = (kept.layout.sets * prompts.len(), kept.count + 1);
        let out = pass.buffer(Use::Out, rows * a_row); // [sets P, K + 1]
        let reading = Reading {
            kept: &pass.held.kept,
            rows,
            options: &kept.options,
            prompts: prompts.len(),
            count: kept.count,
            weight: &engine.final_norm,
        };
        engine
            .kernels
            .options
            .run(&mut pass.recorder, &reading, &out)?;
        let numbers = pass.read(&out, 0, rows * a_row, "the members' logits")?;
        let read = |set: usize, p: usize| &numbers[(set * prompts.len() + p) * a_row..][..a_row];

        let config = &engine.config;
        let trace = |path: &[usize], plan: &Plan, p: usize, prompt: &Prompt| {
            let end = path
                .last()
                .and_then(|&node| kept.layout.ends[node])
                .unwrap_or_default();
            let mean_square = f64::from(read(end, p)[kept.count]);
            let r = (1.0 / (mean_square + config.rms_norm_eps).sqrt()) as f32;
            let k = prompt.option_ids.len();
            let scaled = |set: usize| {
                read(set, p)[..k]
                    .iter()
                    .map(|x| x * r)
                    .collect::<Vec<f32>>()
            };
            let mut sets = vec![0];
            for &node in path {
                let runs = &group.schedule.nodes[node].runs;
                for (run, [attention, mlp]) in runs.iter().zip(&kept.layout.members[node]) {
                    sets.extend((run.half != Half::Mlp).then_some(*attention));
                    sets.extend((run.half != Half::Attention).then_some(*mlp));
                }
            }
            let (start, length) = pass.pack.spans[p];
            let span = start * config.width..(start + length) * config.width;
            Trace {
                members: members(plan),
                member_logits: sets.into_iter().map(scaled).collect(),
                logits: scaled(end),
                states: match self.capture {
                    Capture::Members => Vec::new(),
                    Capture::States => path
                        .iter()
                        .map(|&node| kept.states[node][span.clone()].to_vec())
                        .collect(),
                },
            }
        };
        let paths = group
            .schedule
            .paths
            .iter()
            .zip(&self.plans[group.plans.clone()]);
        let of = |(path, plan): (&Vec<usize>, &Plan)| {
            let each = prompts.iter().enumerate();
            each.map(|(p, prompt)| trace(path, plan, p, prompt))
                .collect()
        };
        Ok(paths.map(of).collect())
    }
}

/// Keeps the last tokens of the stream in `slot` as a set of rows.
fn take_last(pass: &mut Pass, kept: &Kept, slot: usize, set: usize) -> Result<(), GpuError> {
    let prompts = pass.pack.spans.len();
    let out = pass.held.kept.clone();
    let rows = Rows {
        ids: &kept.last,
        first_id: 0,
        count: prompts,
        out: &out,
        first_out: set * prompts,
    };
    pass.take(slot, &rows)
}

/// The whole stream of a slot [N * D]. Read back at once: what is kept of all steps lies in the
/// CPU's memory, of which there is more.
fn state(pass: &mut Pass, slot: usize) -> Result<Vec<f32>, GpuError> {
    let words = pass.pack.rows * pass.engine.config.width;
    let streams = pass.held.streams.clone();
    pass.read(
        &streams,
        (slot * words) as u64,
        words,
        "the residual stream",
    )
}
