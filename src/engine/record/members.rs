//! Members at every prompt's last token, and the states of all tokens where asked.

use std::rc::Rc;
use std::sync::Arc;

use super::{Demand, DepthWish, Outputs, PackScene, Record};
use crate::engine::backend::{OptionRows, Pass};
use crate::engine::readout::Readout;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::PlanGroup;
use crate::engine::{Capture, EngineError, Trace, members};
use crate::model::Prompt;
use crate::plan::{Half, Plan};

pub struct Members {
    pub prompts: Arc<[Prompt]>,
    pub plans: Arc<[Plan]>,
    pub capture: Capture,
    pub readout: Rc<Readout>,
}

/// Of one pack of P prompts.
pub struct KeptMembers {
    sets: Sets,
    /// K: the most options of a prompt.
    count: usize,
    options: OptionRows,
    /// What the bias member adds to each option's logit, prompt by prompt; `None`: there is none.
    biases: Option<Vec<Vec<f32>>>,
    /// The stream before the first step and after each, where states are recorded; the votes come
    /// behind them, then the readings along the depth.
    states: Outputs,
}

/// Which kept rows are whose: sets of one row a prompt, the embedding's first.
struct Sets {
    /// For each node and run: its attention, its MLP.
    members: Vec<Vec<[usize; 2]>>,
    /// For nodes where plans end: the final stream.
    ends: Vec<Option<usize>>,
    count: usize,
}

impl Sets {
    fn new(schedule: &Schedule, is_end: &[bool]) -> Self {
        let mut count = 1;
        let mut next = |wanted: bool| {
            count += usize::from(wanted);
            count - 1
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
            count,
        }
    }
}

impl Sets {
    /// A plan's members, the embedding's first, in the order in which they were written.
    fn of(&self, group: &PlanGroup, path: &[usize]) -> Vec<usize> {
        let mut sets = vec![0];
        for &node in path {
            let runs = &group.schedule.nodes[node].runs;
            for (run, [attention, mlp]) in runs.iter().zip(&self.members[node]) {
                sets.extend((run.half != Half::Mlp).then_some(*attention));
                sets.extend((run.half != Half::Attention).then_some(*mlp));
            }
        }
        sets
    }

    /// A plan's last stream.
    fn end(&self, path: &[usize]) -> usize {
        let end = path.last().and_then(|&node| self.ends[node]);
        end.unwrap_or_default()
    }
}

impl Members {
    fn most_options(&self) -> usize {
        let counts = self.prompts.iter().map(|prompt| prompt.option_ids.len());
        counts.max().unwrap_or(0).max(1)
    }
}

impl Record for Members {
    type Item = Trace;
    type Kept = KeptMembers;

    fn sequences(&self) -> Vec<&[u32]> {
        let prompts = self.prompts.iter();
        prompts.map(|prompt| prompt.token_ids.as_slice()).collect()
    }

    fn demand(&self, schedule: &Schedule, is_end: &[bool]) -> Demand {
        let sets = Sets::new(schedule, is_end).count;
        let states = if self.capture.states {
            schedule.nodes.len()
        } else {
            0
        };
        let depths = self.capture.depths.as_ref();
        let depths = depths.map(|wish| wish.demand(schedule)).unwrap_or_default();
        Demand {
            kept_rows: sets,
            option_rows: self.most_options(),
            numbers: sets * (self.most_options() + 1) + depths.numbers,
            numbers_a_token: states * self.readout.width(),
        }
    }

    fn places(&self, group: &PlanGroup) -> Option<Vec<Vec<[usize; 2]>>> {
        Some(Sets::new(&group.schedule, &group.is_end).members)
    }

    fn open(&self, pass: &mut dyn Pass, scene: &PackScene) -> Result<KeptMembers, EngineError> {
        let prompts = &self.prompts[scene.range.clone()];
        let count = self.most_options();
        let options = self.readout.options(prompts, count)?;
        let mut kept = KeptMembers {
            sets: Sets::new(&scene.group.schedule, &scene.group.is_end),
            count,
            options: options.rows,
            biases: options.biases,
            states: Outputs::new(scene.group),
        };
        pass.keep(0, &scene.pack.last_rows(1), 0)?; // the embedding
        self.complete(pass, scene, &mut kept, 0, 0)?;
        Ok(kept)
    }

    fn complete(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptMembers,
        node: usize,
        slot: usize,
    ) -> Result<(), EngineError> {
        if let Some(set) = kept.sets.ends[node] {
            let last = scene.pack.last_rows(1);
            pass.keep(slot, &last, set * last.len())?;
        }
        if self.capture.states {
            kept.states.note(node);
            pass.give_stream(slot)?;
        }
        Ok(())
    }

    fn close(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptMembers,
    ) -> Result<(), EngineError> {
        pass.give_votes(&kept.options)?;
        let Some(wish) = &self.capture.depths else {
            return Ok(());
        };
        let prompts = scene.range.len();
        let row = |set: usize, p: usize| (set * prompts + p) as u32;
        let runs = scene.group.schedule.paths.iter().flat_map(|path| {
            let (members, end) = (kept.sets.of(scene.group, path), kept.sets.end(path));
            (0..prompts).map(move |p| {
                let members = members.iter().map(|&set| row(set, p)).collect();
                (members, row(end, p))
            })
        });
        pass.give_depths(&wish.rows(runs))
    }

    /// Applies each plan's own scale, and turns what was recorded into traces.
    fn items(&self, scene: &PackScene, kept: KeptMembers, given: Vec<Vec<f32>>) -> Vec<Vec<Trace>> {
        let (prompts, spans) = (&self.prompts[scene.range.clone()], &scene.pack.spans);
        let width = self.readout.width();
        let given_behind = |n: usize| given.get(kept.states.count + n);
        let votes = given_behind(0).map_or(&[][..], Vec::as_slice);
        let depths = given_behind(1).map_or(&[][..], Vec::as_slice);
        // Streams read along the depth before each plan's.
        let first_depths: Vec<usize> = scene
            .group
            .schedule
            .paths
            .iter()
            .scan(0, |next, path| {
                let first = *next;
                *next += prompts.len() * kept.sets.of(scene.group, path).len();
                Some(first)
            })
            .collect();
        let row = |set: usize, p: usize| {
            &votes[(set * prompts.len() + p) * (kept.count + 1)..][..kept.count + 1]
        };
        let trace = |path: &[usize], plan: &Plan, first_depth: usize, p: usize| {
            let options = prompts[p].option_ids.len();
            let end = kept.sets.end(path);
            let scale = self.readout.scale(f64::from(row(end, p)[kept.count]));
            let read = |set: usize| row(set, p)[..options].iter().map(|x| x * scale);
            let sets = kept.sets.of(scene.group, path);
            let of_depths =
                |wish: &DepthWish| wish.readings(depths, first_depth + p * sets.len(), sets.len());
            let read_depths = self.capture.depths.as_ref().map(of_depths);
            let mut member_logits: Vec<Vec<f32>> =
                sets.into_iter().map(|set| read(set).collect()).collect();
            let mut logits: Vec<f32> = read(end).collect();
            if let Some(biases) = &kept.biases {
                logits.iter_mut().zip(&biases[p]).for_each(|(x, b)| *x += b);
                member_logits.push(biases[p].clone());
            }
            let (start, length) = spans[p];
            let span = start * width..(start + length) * width;
            let states = path.iter().map(|&node| kept.states.of(node, &given));
            let states = states.filter(|state| !state.is_empty());
            Trace {
                members: members(plan, kept.biases.is_some()),
                member_logits,
                logits,
                states: states.map(|state| state[span.clone()].to_vec()).collect(),
                depths: read_depths.unwrap_or_default(),
            }
        };
        let plans = &self.plans[scene.group.plans.clone()];
        let paths = scene.group.schedule.paths.iter().zip(plans);
        let traces = |((path, plan), &first): ((&Vec<usize>, &Plan), &usize)| {
            let of_prompts = (0..prompts.len()).map(|p| trace(path, plan, first, p));
            of_prompts.collect()
        };
        paths.zip(&first_depths).map(traces).collect()
    }
}
