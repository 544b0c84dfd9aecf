//! Members at every prompt's last token, and the states of all tokens where asked.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{AttentionReading, Demand, DepthWish, Outputs, PackScene, Record};
use crate::engine::backend::{AttentionRows, OptionRows, Pass};
use crate::engine::readout::Readout;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::PlanGroup;
use crate::engine::schedule::program::BlockCall;
use crate::engine::{Capture, EngineError, Trace, members};
use crate::model::Prompt;
use crate::plan::{Half, Plan};

/// Asks for the members of prompts under plans: a [`Trace`] each.
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
    /// For every wish, where among those outputs a node's run looks, by (node, run, prompt).
    looks: Vec<HashMap<RunPlace, (usize, AttentionRows)>>,
}

/// A node, a run of it, and a prompt.
type RunPlace = (usize, usize, usize);

/// Which kept rows are whose: sets of one row a prompt, the embedding's first.
struct Sets {
    /// For each node and run: its attention, its MLP.
    members: Vec<Vec<[usize; 2]>>,
    /// For nodes where plans end: the final stream.
    ends: Vec<Option<usize>>,
    /// The first set of the streams at other positions: for each node, a set a position.
    grid: usize,
    positions: usize,
    count: usize,
}

impl Sets {
    fn new(schedule: &Schedule, is_end: &[bool], positions: usize) -> Self {
        let mut count = 1;
        let mut next = |wanted: bool| {
            count += usize::from(wanted);
            count - 1
        };
        let members = schedule.nodes.iter().map(|node| {
            let run = |half: Half| [next(half != Half::Mlp), next(half != Half::Attention)];
            node.runs.iter().map(|run_of| run_of.half).map(run).collect()
        });
        let members = members.collect();
        let ends = is_end.iter().map(|&is_end| is_end.then(|| next(true))).collect();
        Self {
            members,
            ends,
            grid: count,
            positions,
            count: count + positions * schedule.nodes.len(),
        }
    }

    /// The stream after a node at the `n`-th of the other positions.
    fn at(&self, node: usize, n: usize) -> usize {
        self.grid + node * self.positions + n
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

impl KeptMembers {
    /// Where a prompt of `tokens` looked along a plan's path.
    fn looks(
        &self,
        group: &PlanGroup,
        path: &[usize],
        prompt: usize,
        tokens: usize,
        given: &[Vec<f32>],
    ) -> Vec<Vec<AttentionReading>> {
        let of_wish =
            |looks: &HashMap<_, _>| Self::looks_of(looks, group, path, prompt, tokens, given);
        self.looks.iter().map(of_wish).collect()
    }

    fn looks_of(
        looks: &HashMap<(usize, usize, usize), (usize, AttentionRows)>,
        group: &PlanGroup,
        path: &[usize],
        prompt: usize,
        tokens: usize,
        given: &[Vec<f32>],
    ) -> Vec<AttentionReading> {
        let nodes = path.iter().flat_map(|&node| {
            let runs = group.schedule.nodes[node].runs.iter().enumerate();
            runs.map(move |(run, of)| (of.index, (node, run, prompt)))
        });
        let looks = nodes.filter_map(|(block, key)| {
            let (output, rows) = looks.get(&key)?;
            let given = given.get(*output)?;
            let (weights, carried) = given.split_at(given.len() / 2);
            Some(AttentionReading {
                block,
                heads: rows.heads.clone(),
                queries: rows.queries.clone(),
                tokens,
                weights: weights.to_vec(),
                carried: carried.to_vec(),
            })
        });
        looks.collect()
    }
}

/// Where each path's share begins, the first at `start`, and where the last ends.
fn firsts(
    paths: &[Vec<usize>],
    start: usize,
    count: impl Fn(&Vec<usize>) -> usize,
) -> (Vec<usize>, usize) {
    let mut next = start;
    let firsts = paths.iter().map(|path| {
        next += count(path);
        next - count(path)
    });
    (firsts.collect(), next)
}

impl Members {
    /// Other positions than the last at which streams are read.
    fn positions(&self) -> &[usize] {
        let depths = self.capture.depths.as_ref();
        depths.map_or(&[], |wish| &wish.positions)
    }

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
        let sets = Sets::new(schedule, is_end, self.positions().len()).count;
        let states = if self.capture.states { schedule.nodes.len() } else { 0 };
        let depths = self.capture.depths.as_ref();
        let depths = depths.map(|wish| wish.demand(schedule)).unwrap_or_default();
        let attention = self.capture.attention.iter();
        let attention = attention.map(|wish| wish.demand(schedule, self.readout.shape()));
        let attention = attention.map(|demand| demand.numbers_a_token).sum::<usize>();
        let written = match self.capture.written {
            Some(_) => schedule.paths.len() * self.readout.width(),
            None => 0,
        };
        Demand {
            kept_rows: sets,
            option_rows: self.most_options(),
            numbers: sets * (self.most_options() + 1) + depths.numbers + written,
            numbers_a_token: states * self.readout.width() + attention,
        }
    }

    fn places(&self, group: &PlanGroup) -> Option<Vec<Vec<[usize; 2]>>> {
        Some(Sets::new(&group.schedule, &group.is_end, 0).members)
    }

    fn open(&self, pass: &mut dyn Pass, scene: &PackScene) -> Result<KeptMembers, EngineError> {
        let prompts = &self.prompts[scene.range.clone()];
        let count = self.most_options();
        let options = self.readout.options(prompts, count)?;
        let mut kept = KeptMembers {
            sets: Sets::new(&scene.group.schedule, &scene.group.is_end, self.positions().len()),
            count,
            options: options.rows,
            biases: options.biases,
            states: Outputs::new(scene.group),
            looks: vec![HashMap::new(); self.capture.attention.len()],
        };
        pass.keep(0, &scene.pack.last_rows(1), 0)?; // the embedding
        self.complete(pass, scene, &mut kept, 0, 0)?;
        Ok(kept)
    }

    fn ran(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptMembers,
        call: usize,
        what: &BlockCall,
    ) -> Result<(), EngineError> {
        let block = &self.readout.shape().blocks[what.run.index];
        for (n, wish) in self.capture.attention.iter().enumerate() {
            if !wish.keeps(&what.run) {
                continue;
            }
            for (step, of) in what.steps.iter().enumerate() {
                for (sequence, &(_, tokens)) in scene.pack.spans.iter().enumerate() {
                    let rows = AttentionRows {
                        step,
                        sequence,
                        queries: wish.queries(tokens),
                        heads: wish.heads(block.attention.heads),
                    };
                    pass.give_attention(call, &rows)?;
                    let place = (kept.states.next(), rows);
                    kept.looks[n].insert((of.node, of.run, sequence), place);
                }
            }
        }
        Ok(())
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
        for (n, &position) in self.positions().iter().enumerate() {
            let spans = scene.pack.spans.iter();
            let rows: Vec<u32> = spans.map(|span| (span.0 + position) as u32).collect();
            pass.keep(slot, &rows, kept.sets.at(node, n) * rows.len())?;
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
        let prompts = scene.range.len();
        let row = |set: usize, p: usize| (set * prompts + p) as u32;
        if let Some(member) = self.capture.written {
            let sets = scene.group.schedule.paths.iter();
            // A plan without that member gives the embedding, which nobody reads.
            let sets = sets.map(|path| kept.sets.of(scene.group, path).get(member).copied());
            let rows = sets.flat_map(|set| (0..prompts).map(move |p| row(set.unwrap_or(0), p)));
            pass.give_kept(&rows.collect::<Vec<_>>())?;
        }
        let Some(wish) = &self.capture.depths else {
            return Ok(());
        };
        let runs = scene.group.schedule.paths.iter().flat_map(|path| {
            let (members, end) = (kept.sets.of(scene.group, path), kept.sets.end(path));
            (0..prompts).map(move |p| {
                let members = members.iter().map(|&set| row(set, p)).collect();
                (members, row(end, p))
            })
        });
        let grid = scene.group.schedule.paths.iter().flat_map(|path| {
            let sets = &kept.sets;
            (0..prompts).flat_map(move |p| {
                let of = move |n: usize| path.iter().map(move |&node| row(sets.at(node, n), p));
                (0..sets.positions).map(move |n| of(n).collect())
            })
        });
        pass.give_depths(&wish.rows(runs, grid))
    }

    /// Applies each plan's own scale, and turns what was recorded into traces.
    fn items(&self, scene: &PackScene, kept: KeptMembers, given: Vec<Vec<f32>>) -> Vec<Vec<Trace>> {
        let (prompts, spans) = (&self.prompts[scene.range.clone()], &scene.pack.spans);
        let width = self.readout.width();
        let given_behind = |n: usize| given.get(kept.states.count + n);
        let votes = given_behind(0).map_or(&[][..], Vec::as_slice);
        let is_written = usize::from(self.capture.written.is_some());
        let written = given_behind(1).filter(|_| is_written == 1);
        let written = written.map_or(&[][..], Vec::as_slice);
        let depths = given_behind(1 + is_written).map_or(&[][..], Vec::as_slice);
        // Streams read along the depth before each plan's.
        let paths = &scene.group.schedule.paths;
        let each = |path: &Vec<usize>| kept.sets.of(scene.group, path).len();
        let (first_depths, end) = firsts(paths, 0, |path| prompts.len() * each(path));
        let (first_grid, _) =
            firsts(paths, end, |path| prompts.len() * kept.sets.positions * path.len());
        let row = |set: usize, p: usize| {
            &votes[(set * prompts.len() + p) * (kept.count + 1)..][..kept.count + 1]
        };
        let trace = |n: usize,
                     path: &[usize],
                     plan: &Plan,
                     [first_depth, first_grid]: [usize; 2],
                     p: usize| {
            let options = prompts[p].option_ids.len();
            let end = kept.sets.end(path);
            let scale = self.readout.scale(f64::from(row(end, p)[kept.count]));
            let read = |set: usize| row(set, p)[..options].iter().map(|x| x * scale);
            let sets = kept.sets.of(scene.group, path);
            let has_written = self.capture.written.is_some_and(|member| member < sets.len());
            let own = written.chunks_exact(width).nth(n * prompts.len() + p);
            let own = own.filter(|_| has_written).unwrap_or_default().to_vec();
            let of_depths =
                |wish: &DepthWish| wish.readings(depths, first_depth + p * sets.len(), sets.len());
            let wish = self.capture.depths.as_ref();
            let read_depths = wish.map(of_depths);
            let grid = wish.into_iter().flat_map(|wish| {
                (0..kept.sets.positions).map(move |n| {
                    let before = (p * kept.sets.positions + n) * path.len();
                    let readings = wish.readings(depths, first_grid + before, path.len());
                    (wish.positions[n], readings)
                })
            });
            let grid = grid.collect();
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
                scale,
                logits,
                states: states.map(|state| state[span.clone()].to_vec()).collect(),
                depths: read_depths.unwrap_or_default(),
                grid,
                attention: kept.looks(scene.group, path, p, length, &given),
                written: own,
            }
        };
        let plans = &self.plans[scene.group.plans.clone()];
        let firsts = first_depths.into_iter().zip(first_grid);
        let all = paths.iter().zip(plans).zip(firsts).enumerate();
        all.map(|(n, ((path, plan), first))| {
            let of_prompts = (0..prompts.len()).map(|p| trace(n, path, plan, first.into(), p));
            of_prompts.collect()
        })
        .collect()
    }
}
