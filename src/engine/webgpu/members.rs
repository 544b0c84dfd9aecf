//! Records members at every prompt's last token, and the states of all tokens where asked.

use std::ops::Range;
use std::sync::Arc;

use super::arena::Use;
use super::error::GpuError;
use super::gather::Rows;
use super::options::Reading;
use super::pass::Pass;
use super::walk::{Output, Record};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::Group;
use crate::engine::{Capture, Trace, members};
use crate::model::{ModelConfig, Prompt};
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
    /// Where states are recorded.
    states: Option<States>,
    /// (first row, T) of each prompt.
    spans: Vec<(usize, usize)>,
}

/// The streams of all tokens before the first step and after each.
struct States {
    /// 0 .. N
    rows: wgpu::Buffer,
    /// [nodes, N, D]
    all: wgpu::Buffer,
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

    fn rows_a_token(&self, schedule: &Schedule) -> usize {
        match self.capture {
            Capture::Members => 0,
            Capture::States => schedule.nodes.len(),
        }
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
        let numbers = group.schedule.nodes.len() * pass.pack.rows * engine.config.width;
        let states = (self.capture == Capture::States).then(|| States {
            rows: pass.upload(Use::Rows, &(0..pass.pack.rows as u32).collect::<Vec<_>>()),
            all: pass.buffer(Use::States, numbers),
        });
        let kept = Kept {
            last,
            options,
            count,
            layout,
            states,
            spans: pass.pack.spans.clone(),
        };
        take_last(pass, &kept, 0, 0)?; // the embedding
        take_state(pass, &kept, 0, 0)?;
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
        take_state(pass, kept, slot, node)
    }

    /// Reads every kept row at once at the options' rows.
    fn close(
        &self,
        pass: &mut Pass,
        kept: &mut Kept,
        group: &Group,
        range: Range<usize>,
    ) -> Result<Vec<Output>, GpuError> {
        let engine = pass.engine;
        let (rows, a_row) = (kept.layout.sets * range.len(), kept.count + 1);
        let out = pass.buffer(Use::Out, rows * a_row); // [sets P, K + 1]
        let reading = Reading {
            kept: &pass.held.kept,
            rows,
            options: &kept.options,
            prompts: range.len(),
            count: kept.count,
            weight: &engine.final_norm,
        };
        engine
            .kernels
            .options
            .run(&mut pass.recorder, &reading, &out)?;
        let mut outputs = vec![(out, rows * a_row, "the members' logits")];
        if let Some(states) = &kept.states {
            let words = group.schedule.nodes.len() * pass.pack.rows * engine.config.width;
            outputs.push((states.all.clone(), words, "the residual stream"));
        }
        Ok(outputs)
    }

    /// Applies each plan's own r, and makes traces.
    fn items(
        &self,
        config: &ModelConfig,
        kept: Kept,
        read: Vec<Vec<f32>>,
        group: &Group,
        range: Range<usize>,
    ) -> Vec<Vec<Trace>> {
        let prompts = &self.prompts[range];
        let mut read = read.into_iter();
        let (numbers, states) = (read.next().unwrap_or_default(), read.next());
        let a_row = kept.count + 1;
        let rows: usize = kept.spans.iter().map(|span| span.1).sum();
        let read = |set: usize, p: usize| &numbers[(set * prompts.len() + p) * a_row..][..a_row];

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
            let (start, length) = kept.spans[p];
            let state = |states: &[f32], node: usize| {
                let first = (node * rows + start) * config.width;
                states[first..][..length * config.width].to_vec()
            };
            Trace {
                members: members(plan),
                member_logits: sets.into_iter().map(scaled).collect(),
                logits: scaled(end),
                states: match &states {
                    None => Vec::new(),
                    Some(states) => path.iter().map(|&node| state(states, node)).collect(),
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
        paths.map(of).collect()
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

/// Keeps the whole stream in `slot`, where states are recorded.
fn take_state(pass: &mut Pass, kept: &Kept, slot: usize, node: usize) -> Result<(), GpuError> {
    let Some(states) = &kept.states else {
        return Ok(());
    };
    let count = pass.pack.rows;
    let rows = Rows {
        ids: &states.rows,
        first_id: 0,
        count,
        out: &states.all,
        first_out: node * count,
    };
    pass.take(slot, &rows)
}
