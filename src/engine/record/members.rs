//! Members at every prompt's last token, and the states of all tokens where asked.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use super::{
    AttentionReading, AttentionWish, Demand, Outputs, PackScene, Record, Reference,
    VocabularyReading, VocabularyWish,
};
use crate::engine::backend::{
    AttentionRows, OptionRows, Output, Pass, ReadStreams, VocabularyRows,
};
use crate::engine::readout::Readout;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::PlanGroup;
use crate::engine::schedule::program::BlockCall;
use crate::engine::{Capture, EngineError, Trace, members};
use crate::model::Prompt;
use crate::plan::{Half, Plan};

/// Asks for the members of prompts under plans: a [`Trace`] each.
pub struct Members {
    prompts: Arc<[Prompt]>,
    plans: Arc<[Plan]>,
    capture: Capture,
    readout: Rc<Readout>,
    /// The first plan's last stream on every prompt so far, for the plans of later groups. `[D]` each
    first_streams: RefCell<Vec<Vec<f32>>>,
}

/// Kept of one pack of P prompts.
pub struct KeptMembers {
    sets: Sets,
    /// K: the most options of a prompt.
    count: usize,
    options: OptionRows,
    /// The bias member's vote on each option, `[P][K]`; `None`: the model has no such member.
    biases: Option<Vec<Vec<f32>>>,
    outputs: Outputs<MemberOutput>,
}

/// Numbers that are given back of a pack of P prompts.
#[derive(PartialEq, Eq, Hash)]
enum MemberOutput {
    /// `[N, D]` the stream after a node, where states are recorded.
    State(usize),
    /// `[kept rows, K + 1]`
    Votes,
    /// `[paths, P, D]`
    Written,
    /// `[streams, numbers]`
    Depths,
    /// `[P, readings of a prompt, numbers]`
    Vocabulary,
    /// `[P, D]`
    LastStreams,
    /// Where a prompt looked in a run of a block's attention, by the wish for it.
    Looks { wish: usize, node: usize, run: usize, prompt: usize },
}

/// Which kept rows are whose: sets of one row a prompt, the embedding's first.
struct Sets {
    /// For each node and run: its attention, its MLP.
    members: Vec<Vec<[usize; 2]>>,
    /// For nodes where plans end: the final stream.
    ends: Vec<Option<usize>>,
    /// The first set of the streams at other positions: for each node, a set a position.
    grid: usize,
    positions: usize,
    /// Last streams of a run that was made before.
    reference: Option<usize>,
    count: usize,
}

impl Sets {
    fn new(schedule: &Schedule, is_end: &[bool], positions: usize, has_reference: bool) -> Self {
        let mut count = 1;
        let mut next = |wanted: bool| {
            count += usize::from(wanted);
            count - 1
        };
        let members = schedule.nodes.iter().map(|node| {
            let run = |half: Half| [next(half.has_attention()), next(half.has_mlp())];
            node.runs.iter().map(|run_of| run_of.half).map(run).collect()
        });
        let members = members.collect();
        let ends = is_end.iter().map(|&is_end| is_end.then(|| next(true))).collect();
        let grid = count;
        count += positions * schedule.nodes.len();
        let reference = has_reference.then_some(count);
        count += usize::from(has_reference);
        Self { members, ends, grid, positions, reference, count }
    }

    /// The stream after a node at the `n`-th of the other positions.
    fn at(&self, node: usize, n: usize) -> usize {
        self.grid + node * self.positions + n
    }

    /// A plan's members, the embedding's first, in the order in which they were written.
    fn of(&self, group: &PlanGroup, path: &[usize]) -> Vec<usize> {
        let mut sets = vec![0];
        for &node in path {
            let runs = &group.schedule.nodes[node].runs;
            for (run, [attention, mlp]) in runs.iter().zip(&self.members[node]) {
                sets.extend(run.half.has_attention().then_some(*attention));
                sets.extend(run.half.has_mlp().then_some(*mlp));
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
    /// Asks for the members of `prompts` under `plans`, and for what `capture` wishes beside them.
    pub fn new(
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
        readout: Rc<Readout>,
    ) -> Self {
        Self { prompts, plans, capture, readout, first_streams: RefCell::default() }
    }

    /// Other positions than the last at which streams are read.
    fn positions(&self) -> &[usize] {
        let depths = self.capture.depths.as_ref();
        depths.map_or(&[], |wish| &wish.positions)
    }

    fn most_options(&self) -> usize {
        let counts = self.prompts.iter().map(|prompt| prompt.option_ids.len());
        counts.max().unwrap_or(0).max(1)
    }

    /// The run with which each is compared, which may have been made before.
    fn reference(&self) -> &Reference {
        let vocabulary = self.capture.vocabulary.as_ref();
        vocabulary.map_or(&Reference::None, |wish| &wish.reference)
    }

    fn has_reference(&self) -> bool {
        *self.reference() != Reference::None
    }

    /// The reference's last streams of a pack's prompts, where its run is not among the group's.
    fn earlier_streams(&self, scene: &PackScene) -> Option<Vec<f32>> {
        match self.reference() {
            Reference::None => None,
            Reference::Streams(streams) | Reference::OfEarlier(streams) => {
                Some(streams[scene.range.clone()].concat())
            }
            Reference::FirstPlan if scene.group.plans.start == 0 => None,
            Reference::FirstPlan => Some(self.first_streams.borrow()[scene.range.clone()].concat()),
        }
    }

    fn sets(&self, group: &PlanGroup) -> Sets {
        let has_reference = match self.reference() {
            Reference::None => false,
            Reference::Streams(_) | Reference::OfEarlier(_) => true,
            Reference::FirstPlan => group.plans.start > 0,
        };
        Sets::new(&group.schedule, &group.is_end, self.positions().len(), has_reference)
    }

    /// The streams of which the whole vocabulary is read, prompt by prompt: the reference of an earlier
    /// run, then where each plan ends.
    fn ends(&self, wish: &VocabularyWish, scene: &PackScene, kept: &KeptMembers) -> VocabularyRows {
        let prompts = &self.prompts[scene.range.clone()];
        let (mut sums, mut references, mut followed) = (Vec::new(), Vec::new(), Vec::new());
        for (p, prompt) in prompts.iter().enumerate() {
            let first = sums.len();
            let paths = scene.group.schedule.paths.iter();
            let ends = kept.sets.reference.into_iter().chain(paths.map(|path| kept.sets.end(path)));
            sums.extend(ends.map(|set| vec![(set * prompts.len() + p) as u32]));

            match wish.reference {
                Reference::None => references.extend(first..sums.len()),
                Reference::OfEarlier(_) => references.resize(sums.len(), first + 1),
                _ => references.resize(sums.len(), first),
            }

            // Prompts with fewer options than others follow token 0 for want of one.
            let mut ids = prompt.option_ids.clone();
            ids.resize(kept.count, 0);
            followed.extend(ids.repeat(sums.len() - first));
        }
        let streams = ReadStreams::Sums { sums, is_held: false };
        let is_reproducible = wish.is_reproducible;
        VocabularyRows { streams, references, top: wish.top, followed, is_reproducible }
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
        let (options, width) = (self.most_options(), self.readout.width());
        let positions = self.positions().len();
        let sets = Sets::new(schedule, is_end, positions, self.has_reference()).count;
        let states = if self.capture.states { schedule.nodes.len() } else { 0 };
        let depths = self.capture.depths.as_ref();
        let depths = depths.map(|wish| wish.demand(schedule)).unwrap_or_default();
        let attention = self.capture.attention.iter();
        let attention = attention.map(|wish| wish.demand(schedule, self.readout.shape()));
        let attention = attention.map(|demand| demand.numbers_a_token).sum::<usize>();
        let written = match self.capture.written {
            Some(_) => schedule.paths.len() * width,
            None => 0,
        };
        // The reference may be read beside the paths; the first plan's last stream is given back.
        let vocabulary = self.capture.vocabulary.as_ref().map(|wish| wish.numbers(options));
        let vocabulary = vocabulary.map_or(0, |each| (schedule.paths.len() + 1) * each + width);
        Demand {
            kept_rows: sets,
            option_rows: options,
            numbers: sets * (options + 1) + depths.numbers + written + vocabulary,
            numbers_a_token: states * width + attention,
        }
    }

    fn places(&self, group: &PlanGroup) -> Option<Vec<Vec<[usize; 2]>>> {
        Some(self.sets(group).members)
    }

    fn open(&self, pass: &mut dyn Pass, scene: &PackScene) -> Result<KeptMembers, EngineError> {
        let prompts = &self.prompts[scene.range.clone()];
        let count = self.most_options();
        let options = self.readout.options(prompts, count)?;
        let mut kept = KeptMembers {
            sets: self.sets(scene.group),
            count,
            options: options.rows,
            biases: options.biases,
            outputs: Outputs::default(),
        };
        if let Some((streams, set)) = self.earlier_streams(scene).zip(kept.sets.reference) {
            pass.put(&streams, set * prompts.len())?;
        }
        // A set of rows counted for a reference that does not exist would hold old numbers.
        let last = scene.pack.last_rows();
        if self.has_reference() && kept.sets.reference.is_none() {
            pass.keep(0, &last, kept.sets.count * prompts.len())?;
        }
        pass.keep(0, &last, 0)?; // the embedding
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
                for (prompt, &(_, tokens)) in scene.pack.spans.iter().enumerate() {
                    let rows = AttentionRows {
                        step,
                        sequence: prompt,
                        queries: wish.queries(tokens),
                        heads: wish.heads(block.attention.heads),
                    };
                    let key = MemberOutput::Looks { wish: n, node: of.node, run: of.run, prompt };
                    kept.outputs.ask(pass, key, Output::Attention { call, rows: &rows })?;
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
            let last = scene.pack.last_rows();
            pass.keep(slot, &last, set * last.len())?;
        }
        for (n, &position) in self.positions().iter().enumerate() {
            let spans = scene.pack.spans.iter();
            let rows: Vec<u32> = spans.map(|span| (span.0 + position) as u32).collect();
            pass.keep(slot, &rows, kept.sets.at(node, n) * rows.len())?;
        }
        if self.capture.states {
            kept.outputs.ask(pass, MemberOutput::State(node), Output::Stream(slot))?;
        }
        Ok(())
    }

    fn close(
        &self,
        pass: &mut dyn Pass,
        scene: &PackScene,
        kept: &mut KeptMembers,
    ) -> Result<(), EngineError> {
        kept.outputs.ask(pass, MemberOutput::Votes, Output::Votes(&kept.options))?;

        let paths = &scene.group.schedule.paths;
        let prompts = scene.range.len();
        let row = |set: usize, p: usize| (set * prompts + p) as u32;
        if let Some(member) = self.capture.written {
            // A plan without that member gives the embedding, which nobody reads.
            let sets = paths.iter();
            let sets = sets.map(|path| kept.sets.of(scene.group, path).get(member).copied());
            let rows = sets.flat_map(|set| (0..prompts).map(move |p| row(set.unwrap_or(0), p)));
            let rows: Vec<u32> = rows.collect();
            kept.outputs.ask(pass, MemberOutput::Written, Output::Kept(&rows))?;
        }

        if let Some(wish) = &self.capture.depths {
            let runs = paths.iter().flat_map(|path| {
                let (members, end) = (kept.sets.of(scene.group, path), kept.sets.end(path));
                (0..prompts).map(move |p| {
                    let members = members.iter().map(|&set| row(set, p)).collect();
                    (members, row(end, p))
                })
            });
            let grid = paths.iter().flat_map(|path| {
                let sets = &kept.sets;
                (0..prompts).flat_map(move |p| {
                    let of = move |n: usize| path.iter().map(move |&node| row(sets.at(node, n), p));
                    (0..sets.positions).map(move |n| of(n).collect())
                })
            });
            let rows = wish.rows(runs, grid);
            kept.outputs.ask(pass, MemberOutput::Depths, Output::Vocabulary(&rows))?;
        }

        if let Some(wish) = &self.capture.vocabulary {
            let rows = self.ends(wish, scene, kept);
            kept.outputs.ask(pass, MemberOutput::Vocabulary, Output::Vocabulary(&rows))?;
            if scene.group.plans.start == 0 {
                let end = kept.sets.end(&paths[0]);
                let rows: Vec<u32> = (0..prompts).map(|p| row(end, p)).collect();
                kept.outputs.ask(pass, MemberOutput::LastStreams, Output::Kept(&rows))?;
            }
        }
        Ok(())
    }

    /// Applies each plan's own scale, and turns what was recorded into traces.
    fn items(&self, scene: &PackScene, kept: KeptMembers, given: Vec<Vec<f32>>) -> Vec<Vec<Trace>> {
        let paths = &scene.group.schedule.paths;
        let prompts = scene.range.len();
        let given = GivenMembers { record: self, scene, kept: &kept, given: &given };
        if *self.reference() == Reference::FirstPlan {
            let streams = (0..prompts).map(|p| given.last_stream(0, p));
            self.first_streams.borrow_mut().extend(streams.filter(|stream| !stream.is_empty()));
        }

        // Streams read along the depth before each plan's.
        let members = |path: &Vec<usize>| kept.sets.of(scene.group, path).len();
        let (first_depths, end) = firsts(paths, 0, |path| prompts * members(path));
        let (first_grid, _) = firsts(paths, end, |path| prompts * kept.sets.positions * path.len());
        let firsts = first_depths.into_iter().zip(first_grid).enumerate();
        let traces = firsts.map(|(n, (depths, grid))| {
            (0..prompts).map(|p| given.trace(n, p, FirstStreams { depths, grid })).collect()
        });
        traces.collect()
    }
}

/// The outputs of one pack, read plan by plan and prompt by prompt.
struct GivenMembers<'a> {
    record: &'a Members,
    scene: &'a PackScene<'a>,
    kept: &'a KeptMembers,
    given: &'a [Vec<f32>],
}

/// Streams before a plan's among those that were read along the depth.
#[derive(Clone, Copy)]
struct FirstStreams {
    depths: usize,
    grid: usize,
}

impl GivenMembers<'_> {
    /// An output; empty where it was not asked for.
    fn output(&self, key: MemberOutput) -> &[f32] {
        self.kept.outputs.of(key, self.given)
    }

    /// One kept row's products with the K options of prompt `p`, then the row's mean square (its variance
    /// where the norm centres). `[K + 1]`
    fn votes(&self, set: usize, p: usize) -> &[f32] {
        let count = self.kept.count + 1;
        let row = set * self.scene.range.len() + p;
        &self.output(MemberOutput::Votes)[row * count..][..count]
    }

    /// Plan `n` of the group on prompt `p` of the pack.
    fn trace(&self, n: usize, p: usize, first: FirstStreams) -> Trace {
        let (record, kept, group) = (self.record, self.kept, self.scene.group);
        let (path, plan) = (&group.schedule.paths[n], &record.plans[group.plans.start + n]);
        let prompt = &record.prompts[self.scene.range.start + p];
        let options = prompt.option_ids.len();

        // The final norm's scale, held for every member.
        let end = kept.sets.end(path);
        let scale = record.readout.scale(f64::from(self.votes(end, p)[kept.count]));
        let read = |set: usize| self.votes(set, p)[..options].iter().map(|x| x * scale);
        let sets = kept.sets.of(group, path);
        let mut member_logits: Vec<Vec<f32>> =
            sets.iter().map(|&set| read(set).collect()).collect();
        let mut logits: Vec<f32> = read(end).collect();
        if let Some(biases) = &kept.biases {
            logits.iter_mut().zip(&biases[p]).for_each(|(x, b)| *x += b);
            member_logits.push(biases[p].clone());
        }

        Trace {
            members: members(plan, kept.biases.is_some()),
            member_logits,
            scale,
            logits,
            vocabulary: self.vocabulary(n, p, &prompt.option_ids),
            earlier_kl: self.earlier_kl(n, p),
            last_stream: self.last_stream(n, p),
            states: self.states(path, p),
            depths: self.depths(p, sets.len(), first),
            grid: self.grid(p, path.len(), first),
            attention: self.attention(path, p),
            written: self.written(n, p, sets.len()),
        }
    }

    /// The reading of the whole vocabulary where plan `n` ends.
    fn vocabulary(&self, n: usize, p: usize, option_ids: &[u32]) -> Option<VocabularyReading> {
        let before = usize::from(self.kept.sets.reference.is_some());
        self.reading(before + n, p, option_ids)
    }

    /// KL from the first plan's run to the earlier one that was given as a stream.
    fn earlier_kl(&self, n: usize, p: usize) -> Option<f64> {
        let is_reference = matches!(self.record.reference(), Reference::OfEarlier(_));
        let is_first = self.scene.group.plans.start + n == 0;
        (is_reference && is_first).then(|| self.reading(0, p, &[]))?.map(|reading| reading.kl)
    }

    /// Reading number `n` of prompt `p`: the reference of an earlier run, then where each plan ends.
    fn reading(&self, n: usize, p: usize, option_ids: &[u32]) -> Option<VocabularyReading> {
        let wish = self.record.capture.vocabulary.as_ref()?;
        let before = usize::from(self.kept.sets.reference.is_some());
        let each = before + self.scene.group.schedule.paths.len();
        let numbers = wish.numbers(self.kept.count);
        let first = (p * each + n) * numbers;
        let given = self.output(MemberOutput::Vocabulary).get(first..first + numbers)?;
        Some(VocabularyReading::parse(given, wish.top, option_ids))
    }

    /// The first plan's last stream; empty of every other.
    fn last_stream(&self, n: usize, p: usize) -> Vec<f32> {
        let streams = self.output(MemberOutput::LastStreams);
        let stream = streams.chunks_exact(self.record.readout.width()).nth(p);
        stream.filter(|_| n == 0).unwrap_or_default().to_vec()
    }

    /// `[D]` what the wished member wrote; empty where plan `n` has none.
    fn written(&self, n: usize, p: usize, members: usize) -> Vec<f32> {
        let written = self.output(MemberOutput::Written);
        let row = n * self.scene.range.len() + p;
        let row = written.chunks_exact(self.record.readout.width()).nth(row);
        let has_member = self.record.capture.written.is_some_and(|member| member < members);
        row.filter(|_| has_member).unwrap_or_default().to_vec()
    }

    fn states(&self, path: &[usize], p: usize) -> Vec<Vec<f32>> {
        let width = self.record.readout.width();
        let (start, length) = self.scene.pack.spans[p];
        let span = start * width..(start + length) * width;
        let states = path.iter().map(|&node| self.output(MemberOutput::State(node)));
        let states = states.filter(|state| !state.is_empty());
        states.map(|state| state[span.clone()].to_vec()).collect()
    }

    fn depths(&self, p: usize, members: usize, first: FirstStreams) -> Vec<VocabularyReading> {
        let given = self.output(MemberOutput::Depths);
        let wish = self.record.capture.depths.as_ref();
        let readings = wish.map(|wish| wish.readings(given, first.depths + p * members, members));
        readings.unwrap_or_default()
    }

    fn grid(
        &self,
        p: usize,
        nodes: usize,
        first: FirstStreams,
    ) -> Vec<(usize, Vec<VocabularyReading>)> {
        let given = self.output(MemberOutput::Depths);
        let wish = self.record.capture.depths.iter();
        let grid = wish.flat_map(|wish| {
            wish.positions.iter().enumerate().map(move |(n, &position)| {
                let before = (p * wish.positions.len() + n) * nodes;
                (position, wish.readings(given, first.grid + before, nodes))
            })
        });
        grid.collect()
    }

    /// For every wish, where the prompt looked along a plan's path.
    fn attention(&self, path: &[usize], prompt: usize) -> Vec<Vec<AttentionReading>> {
        let wishes = self.record.capture.attention.iter().enumerate();
        wishes.map(|(n, wish)| self.wished_attention(n, wish, path, prompt)).collect()
    }

    /// Readings of wish number `n`, one for each block run that it keeps.
    fn wished_attention(
        &self,
        n: usize,
        wish: &AttentionWish,
        path: &[usize],
        prompt: usize,
    ) -> Vec<AttentionReading> {
        let (schedule, shape) = (&self.scene.group.schedule, self.record.readout.shape());
        let tokens = self.scene.pack.spans[prompt].1;
        let mut readings = Vec::new();
        for &node in path {
            let runs = schedule.nodes[node].runs.iter().enumerate();
            for (run, block_run) in runs.filter(|(_, run)| wish.keeps(run)) {
                let given = self.output(MemberOutput::Looks { wish: n, node, run, prompt });
                let (weights, carried) = given.split_at(given.len() / 2);
                let block = block_run.index;
                readings.push(AttentionReading {
                    block,
                    heads: wish.heads(shape.blocks[block].attention.heads),
                    queries: wish.queries(tokens),
                    tokens,
                    weights: weights.to_vec(),
                    carried: carried.to_vec(),
                });
            }
        }
        readings
    }
}
