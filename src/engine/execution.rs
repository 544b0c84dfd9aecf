//! Executes plans on sequences: pack by pack, block call by block call, on any backend; a [`Record`]
//! keeps what is asked for.

use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

use super::backend::{KvCache, Pass, Start};
use super::record::{PackScene, Record};
use super::schedule::Schedule;
use super::schedule::group::{PackRoom, PlanGroup, groups};
use super::schedule::pack::Pack;
use super::schedule::program::Program;
use super::{Engine, EngineError, Run};
use crate::plan::Plan;

pub struct Execution<'a, R: Record> {
    engine: &'a Engine,
    record: R,
    /// Token ids of every sequence.
    sequences: Vec<Vec<u32>>,
    /// `None`: every sequence begins with its first token.
    continued: Option<ContinuedCache<'a>>,
    groups: Rc<[PlanGroup]>,
    /// The group and the sequences of every pack that is not answered.
    packs: VecDeque<(usize, Range<usize>)>,
    /// State of the first pack.
    state: Option<PackState<'a, R::Kept>>,
    /// The device has not answered yet; see [`Run::is_waiting`].
    is_waiting: bool,
    done: usize,
    total: usize,
    /// [plan][sequence]
    items: Vec<Vec<R::Item>>,
}

/// A cache of one plan's keys and values, and what all executions that continue it have in common.
pub struct PlanCache<'a> {
    keys: Box<dyn KvCache<'a> + 'a>,
    groups: Rc<[PlanGroup]>,
    program: Rc<Program>,
}

/// The keys and values that an execution continues.
pub struct ContinuedCache<'a> {
    pub cache: Rc<PlanCache<'a>>,
    /// For each sequence of the execution, its index among the cache's.
    pub sequences: Vec<usize>,
    /// Tokens of each sequence that the cache holds.
    pub past: Vec<usize>,
}

impl<'a> PlanCache<'a> {
    /// An empty cache for what `record` asks of a plan; `None` where the backend keeps none.
    pub fn new<R: Record>(
        engine: &'a Engine,
        record: &R,
        plan: &Plan,
        sequences: usize,
    ) -> Option<Self> {
        let plans = std::slice::from_ref(plan);
        let schedule = Schedule::new(plans);
        let limits = engine.backend.limits();
        // One plan cannot be cut, and its streams are bounded by the rows of a pack.
        let room = |schedule: &Schedule, is_end: &[bool]| {
            let room = room(engine, record, limits.bytes, schedule, is_end);
            PackRoom { rows: limits.pack_rows, sequences: room.sequences.max(1) }
        };
        Some(Self {
            keys: engine.backend.cache(&schedule, sequences)?,
            groups: groups(0, plans, &room).into(),
            program: Rc::new(Program::new(&schedule, 1)),
        })
    }
}

/// One pack on its way.
struct PackState<'a, K> {
    pack: Rc<Pack>,
    program: Rc<Program>,
    pass: Box<dyn Pass + 'a>,
    kept: K,
    next_call: usize,
    /// All calls ran; what was asked for is on its way back.
    is_reading: bool,
}

impl<'a, R: Record> Execution<'a, R> {
    pub fn new(engine: &'a Engine, record: R, plans: &[Plan]) -> Result<Self, EngineError> {
        Self::within(engine, record, plans, engine.backend.limits().bytes, None)
    }

    /// With streams, kept rows and numbers given back of at most `bytes` each.
    pub(super) fn within(
        engine: &'a Engine,
        record: R,
        plans: &[Plan],
        bytes: u64,
        continued: Option<ContinuedCache<'a>>,
    ) -> Result<Self, EngineError> {
        let sequences: Vec<Vec<u32>> = record.sequences().iter().map(|ids| ids.to_vec()).collect();
        let past = past(&continued, 0..sequences.len());
        let lengths = lengths(&sequences, &past);
        let tokens = lengths.iter().copied().max().unwrap_or(0);

        let groups = match &continued {
            Some(continued) => continued.cache.groups.clone(),
            None => plan_groups(engine, &record, plans, (bytes, tokens)),
        };
        for PackRoom { rows: room, sequences } in groups.iter().map(|group| group.room) {
            refuse_if!(sequences == 0, EngineError::RoomOfOne { room: bytes });
            refuse_if!(tokens > room, EngineError::Room { tokens, room });
        }

        let packs = groups.iter().enumerate().flat_map(|(g, group)| {
            let packs = group.room.packs(&lengths).into_iter();
            packs.map(move |range| (g, range))
        });
        let runs: usize = groups.iter().map(|group| group.schedule.block_runs()).sum();
        let items = plans.iter().map(|_| Vec::with_capacity(sequences.len()));
        Ok(Self {
            engine,
            record,
            packs: packs.collect(),
            groups,
            continued,
            state: None,
            is_waiting: false,
            done: 0,
            total: runs * sequences.len(),
            items: items.collect(),
            sequences,
        })
    }

    /// Whether everything was answered.
    pub fn is_done(&self) -> bool {
        self.packs.is_empty()
    }

    fn open(
        &self,
        group: &PlanGroup,
        range: Range<usize>,
    ) -> Result<PackState<'a, R::Kept>, EngineError> {
        let engine = self.engine;
        let sequences = &self.sequences[range.clone()];
        let past = past(&self.continued, range.clone());
        let lengths = lengths(sequences, &past);
        let pack = Rc::new(Pack::going_on(&past, &lengths, engine.rope.as_ref()));

        let program = match &self.continued {
            Some(continued) => continued.cache.program.clone(),
            None => {
                let most = engine.backend.limits().call_rows / pack.rows.max(1);
                let mut program = Program::new(&group.schedule, most.max(1));
                if let Some(places) = self.record.places(group) {
                    let first_row = |set: usize| set * sequences.len();
                    program.keep(&|node, run| places[node][run].map(first_row));
                }
                Rc::new(program)
            }
        };

        let demand = self.record.demand(&group.schedule, &group.is_end);
        let start = Start {
            pack: pack.clone(),
            program: program.clone(),
            embedded: engine.embed(sequences, &past)?,
            kept_rows: demand.kept_rows * sequences.len(),
            numbers: demand.numbers * sequences.len() + demand.numbers_a_token * pack.rows,
        };
        let mut pass = match &self.continued {
            Some(ContinuedCache { cache, sequences, .. }) => {
                cache.keys.begin(start, sequences[range.clone()].to_vec())?
            }
            None => engine.backend.begin(start)?,
        };

        let scene = PackScene { group, pack: &pack, range };
        let kept = self.record.open(pass.as_mut(), &scene)?;
        Ok(PackState { pack, program, pass, kept, next_call: 0, is_reading: false })
    }

    /// One block call, or one look for the answer.
    fn step(
        &mut self,
        (group, range): (usize, Range<usize>),
        state: &mut PackState<'a, R::Kept>,
    ) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let scene = PackScene { group: &self.groups[group], pack: &state.pack, range };
        let pass = state.pass.as_mut();
        if state.is_reading {
            let given = pass.answer()?;
            self.is_waiting = given.is_none();
            return Ok(given);
        }
        self.is_waiting = pass.is_crowded();
        if self.is_waiting {
            return Ok(None);
        }
        if let Some(call) = state.program.calls.get(state.next_call) {
            pass.run(state.next_call)?;
            self.record.ran(pass, &scene, &mut state.kept, state.next_call, call)?;
            for &(node, slot) in &call.complete {
                self.record.complete(pass, &scene, &mut state.kept, node, slot)?;
            }
            state.next_call += 1;
            self.done += call.steps.len() * scene.range.len();
            if state.next_call < state.program.calls.len() {
                return Ok(None);
            }
        }
        self.record.close(pass, &scene, &mut state.kept)?;
        pass.finish()?;
        state.is_reading = true;
        Ok(None)
    }
}

/// Tokens of some sequences that a cache holds.
fn past(continued: &Option<ContinuedCache>, range: Range<usize>) -> Vec<usize> {
    match continued {
        Some(continued) => continued.past[range].to_vec(),
        None => vec![0; range.len()],
    }
}

/// Tokens of sequences after those that a cache holds.
fn lengths(sequences: &[Vec<u32>], past: &[usize]) -> Vec<usize> {
    sequences.iter().zip(past).map(|(ids, past)| ids.len() - past).collect()
}

/// Plans in groups that need at most `bytes` for each kind of number, for sequences of up to `tokens`.
fn plan_groups<R: Record>(
    engine: &Engine,
    record: &R,
    plans: &[Plan],
    (bytes, tokens): (u64, usize),
) -> Rc<[PlanGroup]> {
    let room = |schedule: &Schedule, is_end: &[bool]| room(engine, record, bytes, schedule, is_end);
    groups(tokens, plans, &room).into()
}

/// How many rows and sequences fit on the device at once under a schedule.
fn room<R: Record>(
    engine: &Engine,
    record: &R,
    bytes: u64,
    schedule: &Schedule,
    is_end: &[bool],
) -> PackRoom {
    let a_row = engine.shape().width as u64 * 4;
    let demand = record.demand(schedule, is_end);
    let a_token = (schedule.peak_streams() as u64 * a_row).max(demand.numbers_a_token as u64 * 4);
    let rows = demand.kept_rows.max(demand.option_rows) as u64;
    let a_sequence = (rows * a_row).max(demand.numbers as u64 * 4);
    let fit = |each: u64| {
        let count = bytes.checked_div(each).unwrap_or(u64::MAX);
        usize::try_from(count).unwrap_or(usize::MAX)
    };
    PackRoom {
        rows: fit(a_token).min(engine.backend.limits().pack_rows),
        sequences: fit(a_sequence),
    }
}

impl<R: Record> Run<R::Item> for Execution<'_, R> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError> {
        let Some((g, range)) = self.packs.front().cloned() else {
            return Ok(None);
        };
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.open(&self.groups[g], range.clone())?,
        };
        let Some(given) = self.step((g, range.clone()), &mut state)? else {
            self.state = Some(state);
            return Ok(Some((self.done, self.total)));
        };
        self.engine.weights.check_unchanged()?;
        let group = &self.groups[g];
        let scene = PackScene { group, pack: &state.pack, range };
        let items = self.record.items(&scene, state.kept, given);
        for (plan, items) in group.plans.clone().zip(items) {
            self.items[plan].extend(items);
        }
        self.packs.pop_front();
        Ok(Some((self.done, self.total)))
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    fn finish(self: Box<Self>) -> Result<Vec<Vec<R::Item>>, EngineError> {
        Ok(self.items)
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use super::*;
    use crate::engine::record::Members;
    use crate::engine::{Capture, EngineChoice, Reference, Trace, VocabularyWish};
    use crate::model::weights::Weights;
    use crate::model::{ModelFiles, Prompt};

    fn folder() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models/random-llama2")
    }

    fn engine() -> Engine {
        engine_of(&folder())
    }

    fn engine_of(folder: &Path) -> Engine {
        let files = ModelFiles::open(folder).expect("it travels with the project");
        let weights = Rc::new(Weights::open(&files).expect("weights"));
        let loading = pollster::block_on(EngineChoice::Cpu.begin(weights));
        let mut loading = loading.expect("a backend");
        while loading.step().expect("a slice").is_some() {}
        loading.finish().expect("an engine")
    }

    #[test]
    fn little_room_makes_more_groups_and_packs_and_the_same_numbers() {
        let engine = engine();
        let order: Vec<usize> = (0..6).collect();
        let lines = ["0-5", "5-0", "0,2-5", "0-1,3-5", "0,(1-4)x3,5", "shuffle:1:0"];
        let plans: Vec<Plan> =
            lines.iter().map(|line| Plan::parse(line, &order).expect(line)).collect();
        let prompts: Vec<Prompt> = [9, 30, 4]
            .iter()
            .map(|&length| Prompt {
                token_ids: (0..length).map(|t| t * 31 % 512).collect(),
                option_ids: vec![1, 2, 3],
            })
            .collect();
        let run = |bytes: u64| -> (usize, usize, Vec<Vec<Trace>>) {
            let capture = Capture {
                vocabulary: Some(VocabularyWish {
                    top: 3,
                    reference: Reference::FirstPlan,
                    is_reproducible: true,
                }),
                ..Capture::states()
            };
            let (prompts, plans) = (prompts.clone(), plans.clone());
            let readout = engine.readout.clone();
            let record = Members::new(prompts.into(), plans.clone().into(), capture, readout);
            let run = Execution::within(&engine, record, &plans, bytes, None);
            let mut run = run.expect("a run");
            let groups = run.groups.len();
            let mut last = (0, 0);
            while let Some(now) = run.advance().expect("a call") {
                last = now;
            }
            assert_eq!(last.0, last.1);
            (groups, last.1, Box::new(run).finish().expect("traces"))
        };
        let (one, runs, roomy) = run(1 << 30);
        let (several, more_runs, tight) = run(30 * 15 * engine.shape().width as u64 * 4);
        assert_eq!(one, 1);
        assert!(several > 1 && more_runs > runs, "{several} {more_runs}");
        let close = |a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            let off = a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + b.abs()));
            assert!(off.fold(0.0, f32::max) < 1e-4);
        };
        for (roomy, tight) in roomy.iter().flatten().zip(tight.iter().flatten()) {
            assert_eq!(roomy.members, tight.members);
            close(&roomy.logits, &tight.logits);
            close(&roomy.member_logits.concat(), &tight.member_logits.concat());
            close(&roomy.states.concat(), &tight.states.concat());
            let [roomy, tight] = [roomy, tight].map(|trace| trace.vocabulary.as_ref());
            let (roomy, tight) = roomy.zip(tight).expect("the vocabulary");
            assert_eq!(roomy.top_ids, tight.top_ids);
            assert!((roomy.kl - tight.kl).abs() < 1e-4 * (1.0 + roomy.kl), "{roomy:?} {tight:?}");
        }
    }

    /// Mapped bytes may be used until an answer is there, so nothing that comes before tells that they
    /// were the model's.
    #[test]
    fn a_file_that_changes_before_the_answer_is_there_is_noticed() {
        let copy = tempfile::tempdir().expect("a folder");
        for file in ["config.json", "model.safetensors"] {
            std::fs::copy(folder().join(file), copy.path().join(file)).expect("a copy");
        }
        let engine = engine_of(copy.path());
        let plans = [Plan::whole(&engine.shape().order).expect("its own order")];
        let prompt = Prompt { token_ids: vec![1, 2, 3], option_ids: vec![4, 5] };
        let record = Members::new(
            [prompt].into(),
            plans.clone().into(),
            Capture::default(),
            engine.readout.clone(),
        );
        let mut run = Execution::new(&engine, record, &plans).expect("a run");
        while !run.state.as_ref().is_some_and(|state| state.is_reading) {
            run.advance().expect("a call");
        }
        let weights = copy.path().join("model.safetensors");
        let weights = std::fs::File::options().write(true).open(weights).expect("weights");
        weights.set_modified(std::time::SystemTime::UNIX_EPOCH).expect("a time");
        let error = loop {
            match run.advance() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("an answer"),
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("model.safetensors changed after this run opened it"), "{error}");
    }

    #[test]
    fn many_options_make_more_packs_and_too_many_are_refused() {
        let engine = engine();
        let plans = [Plan::parse("0", &engine.shape().order).expect("one block")];
        let prompt = Prompt { token_ids: vec![1, 2, 3], option_ids: (0..40).collect() };
        let record = || {
            let (prompts, plans) = (vec![prompt.clone(); 3], plans.clone());
            let (capture, readout) = (Capture::default(), engine.readout.clone());
            Members::new(prompts.into(), plans.into(), capture, readout)
        };
        let a_row = engine.shape().width as u64 * 4;
        let packs = |options: u64| {
            let run = Execution::within(&engine, record(), &plans, options * a_row, None);
            Ok::<_, EngineError>(run?.packs.len())
        };
        assert_eq!(packs(3 * 40).expect("room"), 1);
        assert_eq!(packs(40).expect("room"), 3);
        let sentence = packs(39).expect_err("no room").to_string();
        assert!(sentence.contains("options"), "{sentence}");
    }

    #[test]
    fn a_prompt_without_room_is_refused_and_the_next_one_runs() {
        let engine = engine();
        let plans = [Plan::whole(&engine.shape().order).expect("its own order")];
        let prompts: Arc<[Prompt]> =
            Arc::from([Prompt { token_ids: vec![1; 40], option_ids: vec![2, 3] }]);
        let record = |prompts: &Arc<[Prompt]>| {
            let (capture, readout) = (Capture::default(), engine.readout.clone());
            Members::new(prompts.clone(), plans.clone().into(), capture, readout)
        };
        let a_row = engine.shape().width as u64 * 4;
        let refused = Execution::within(&engine, record(&prompts), &plans, 2 * 39 * a_row, None);
        let sentence = refused.err().expect("no room").to_string();
        assert!(sentence.starts_with("the prompt has 40 tokens, and this device has room for 39"));
        let run = Execution::within(&engine, record(&prompts), &plans, 2 * 40 * a_row, None);
        let run: Box<dyn Run<Trace>> = Box::new(run.expect("room"));
        assert_eq!(run.complete().expect("traces").len(), 1);
    }
}
