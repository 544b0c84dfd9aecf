//! Executes plans on sequences: pack by pack, block call by block call, on any backend; a [`Record`]
//! keeps what is asked for.

use std::ops::Range;
use std::rc::Rc;

use super::backend::{Pass, Start};
use super::record::{Record, Scene};
use super::schedule::Schedule;
use super::schedule::group::{Group, Room, groups};
use super::schedule::pack::Pack;
use super::schedule::program::Program;
use super::{Engine, EngineError, Run};
use crate::plan::Plan;

pub struct Execution<'a, R: Record> {
    engine: &'a Engine,
    record: R,
    /// Token ids of every sequence.
    sequences: Vec<Vec<u32>>,
    groups: Vec<Group>,
    /// The group and the pack being run.
    at: (usize, usize),
    state: Option<State<'a, R::Kept>>,
    /// The device has not answered yet; see [`Run::is_waiting`].
    is_waiting: bool,
    done: usize,
    total: usize,
    /// [plan][sequence]
    items: Vec<Vec<R::Item>>,
}

/// One pack on its way.
struct State<'a, K> {
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
        Self::within(engine, record, plans, engine.backend.limits().bytes)
    }

    /// With streams, kept rows and numbers given back of at most `bytes` each.
    pub(super) fn within(
        engine: &'a Engine,
        record: R,
        plans: &[Plan],
        bytes: u64,
    ) -> Result<Self, EngineError> {
        let sequences: Vec<Vec<u32>> = record.sequences().iter().map(|ids| ids.to_vec()).collect();
        let lengths: Vec<usize> = sequences.iter().map(Vec::len).collect();
        let room = |schedule: &Schedule, is_end: &[bool]| room(engine, &record, bytes, schedule, is_end);
        let groups = groups(&lengths, plans, &room);
        let tokens = lengths.iter().copied().max().unwrap_or(0);
        for group in &groups {
            let room = room(&group.schedule, &group.is_end);
            if tokens > room.rows || room.sequences == 0 {
                let room = if room.sequences == 0 { 0 } else { room.rows };
                return Err(EngineError::Room { tokens, room });
            }
        }
        let runs: usize = groups.iter().map(|group| group.schedule.block_runs()).sum();
        let items = plans.iter().map(|_| Vec::with_capacity(sequences.len()));
        Ok(Self {
            engine,
            record,
            groups,
            at: (0, 0),
            state: None,
            is_waiting: false,
            done: 0,
            total: runs * sequences.len(),
            items: items.collect(),
            sequences,
        })
    }

    fn open(&self, group: &Group, range: Range<usize>) -> Result<State<'a, R::Kept>, EngineError> {
        let engine = self.engine;
        let sequences = &self.sequences[range.clone()];
        let lengths: Vec<usize> = sequences.iter().map(Vec::len).collect();
        let pack = Rc::new(Pack::of(&lengths, engine.rope.as_ref()));
        let most = engine.backend.limits().call_rows / pack.rows.max(1);
        let mut program = Program::new(&group.schedule, most.max(1));
        if let Some(places) = self.record.places(group) {
            let first_row = |set: usize| set * sequences.len();
            program.keep(&|node, run| places[node][run].map(first_row));
        }
        let program = Rc::new(program);
        let demand = self.record.demand(&group.schedule, &group.is_end);
        let mut pass = engine.backend.begin(Start {
            pack: pack.clone(),
            program: program.clone(),
            embedded: engine.embed(sequences)?,
            kept_rows: demand.kept_rows * sequences.len(),
            numbers: demand.numbers * sequences.len() + demand.numbers_a_token * pack.rows,
        })?;
        let scene = Scene {
            group,
            pack: &pack,
            range,
        };
        let kept = self.record.open(pass.as_mut(), &scene)?;
        Ok(State {
            pack,
            program,
            pass,
            kept,
            next_call: 0,
            is_reading: false,
        })
    }

    /// One block call, or one look for the answer.
    fn step(&mut self, state: &mut State<'a, R::Kept>) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let (g, p) = self.at;
        let group = &self.groups[g];
        let scene = Scene {
            group,
            pack: &state.pack,
            range: group.packs[p].clone(),
        };
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
            for &(node, slot) in &call.complete {
                self.record
                    .complete(pass, &scene, &mut state.kept, node, slot)?;
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

/// What fits on the device at once under a schedule.
fn room<R: Record>(
    engine: &Engine,
    record: &R,
    bytes: u64,
    schedule: &Schedule,
    is_end: &[bool],
) -> Room {
    let a_row = engine.shape().width as u64 * 4;
    let demand = record.demand(schedule, is_end);
    let a_token = (schedule.peak_streams() as u64 * a_row).max(demand.numbers_a_token as u64 * 4);
    let a_sequence = (demand.kept_rows as u64 * a_row).max(demand.numbers as u64 * 4);
    let fit = |each: u64| {
        let count = bytes.checked_div(each).unwrap_or(u64::MAX);
        usize::try_from(count).unwrap_or(usize::MAX)
    };
    Room {
        rows: fit(a_token).min(engine.backend.limits().pack_rows),
        sequences: fit(a_sequence),
    }
}

impl<R: Record> Run<R::Item> for Execution<'_, R> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError> {
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
        let Some(given) = self.step(&mut state)? else {
            self.state = Some(state);
            return Ok(Some((self.done, self.total)));
        };
        let group = &self.groups[g];
        let scene = Scene {
            group,
            pack: &state.pack,
            range,
        };
        let items = self.record.items(&scene, state.kept, given);
        for (plan, items) in group.plans.clone().zip(items) {
            self.items[plan].extend(items);
        }
        self.at = (g, p + 1);
        Ok(Some((self.done, self.total)))
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    fn finish(self: Box<Self>) -> Result<Vec<Vec<R::Item>>, EngineError> {
        Ok(self.items)
    }
}
