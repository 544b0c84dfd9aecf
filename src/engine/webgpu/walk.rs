//! Executes a schedule on packed sequences, block by block; a [`Record`] keeps what is asked for.

use std::ops::Range;

use super::WebGpuEngine;
use super::error::GpuError;
use super::pass::Pass;
use super::readback::{Pending, Source};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::{Group, Room, groups};
use crate::engine::schedule::program::Program;
use crate::engine::{EngineError, Run};
use crate::model::ModelConfig;
use crate::plan::Plan;

/// Rows that one block run takes at most (at least one pack).
const BATCH_ROWS: usize = 8192;

/// Floating-point operations of one block run, beyond which its streams go through in pieces: no
/// dispatch may run as long as a watchdog's two seconds, even at 25 GFLOP/s.
const BLOCK_WORK: u64 = 25_000_000_000;

/// Bytes that streams, or kept members, may take; the device's bindings may allow less.
const MOST_BYTES: u64 = 1 << 30;

/// What to keep of a walk.
pub trait Record {
    /// What one plan gives on one sequence.
    type Item;
    /// What is kept while a pack runs.
    type Kept;

    /// The sequences' token ids.
    fn sequences(&self) -> Vec<&[u32]>;

    /// Rows [D] that are kept of every sequence under a schedule.
    fn kept_rows(&self, _: &Schedule, _: &[bool]) -> usize {
        0
    }

    /// Numbers that are read back of every sequence under a schedule.
    fn numbers_read(&self, _: &ModelConfig, _: &Schedule, _: &[bool]) -> usize {
        0
    }

    /// Rows [D] that are read back of every token under a schedule.
    fn rows_a_token(&self, _: &Schedule) -> usize {
        0
    }

    /// Where in them a node's run keeps its attention and its MLP; `None`: nowhere.
    fn places(&self, _: &Group) -> Option<Vec<Vec<[usize; 2]>>> {
        None
    }

    /// A pack begins; slot 0 holds its embeddings.
    fn open(
        &self,
        pass: &mut Pass,
        group: &Group,
        range: Range<usize>,
    ) -> Result<Self::Kept, GpuError>;

    /// The stream in `slot` is that after step `node`.
    fn complete(
        &self,
        pass: &mut Pass,
        kept: &mut Self::Kept,
        group: &Group,
        node: usize,
        slot: usize,
    ) -> Result<(), GpuError>;

    /// The pack is through: records what is left to compute, and says what to read back.
    fn close(
        &self,
        pass: &mut Pass,
        kept: &mut Self::Kept,
        group: &Group,
        range: Range<usize>,
    ) -> Result<Vec<Output>, GpuError>;

    /// One item for each of the group's plans and each sequence of `range`, from what was read.
    fn items(
        &self,
        config: &ModelConfig,
        kept: Self::Kept,
        read: Vec<Vec<f32>>,
        group: &Group,
        range: Range<usize>,
    ) -> Vec<Vec<Self::Item>>;
}

/// A buffer whose beginning is read back: words of it, and what they are, for people.
pub type Output = (wgpu::Buffer, usize, &'static str);

pub struct Walk<'a, R: Record> {
    engine: &'a WebGpuEngine,
    record: R,
    sequences: Vec<Vec<u32>>,
    groups: Vec<Group>,
    /// The group and the pack being run.
    at: (usize, usize),
    state: Option<State<'a, R::Kept>>,
    /// The GPU has not answered yet; see [`Run::is_waiting`].
    is_waiting: bool,
    done: usize,
    total: usize,
    /// [plan][sequence]
    items: Vec<Vec<R::Item>>,
}

/// One pack on its way.
struct State<'a, K> {
    pass: Pass<'a>,
    program: Program,
    kept: K,
    next: usize,
    /// Copies of the pieces before.
    copies: usize,
    keep: bool,
    /// All pieces ran; what was recorded is on its way back.
    reading: Option<Pending>,
}

impl<'a, R: Record> Walk<'a, R> {
    pub fn new(engine: &'a WebGpuEngine, record: R, plans: &[Plan]) -> Result<Self, GpuError> {
        let sequences: Vec<Vec<u32>> = record.sequences().iter().map(|ids| ids.to_vec()).collect();
        let lengths: Vec<usize> = sequences.iter().map(Vec::len).collect();
        let a_row = engine.config.width as u64 * 4;
        let bytes = engine.device.largest_buffer().min(MOST_BYTES);
        let widest = engine.widest_row() as u64 * 4;
        let room = |schedule: &Schedule| {
            let ends = vec![true; schedule.nodes.len()];
            let kept = record.kept_rows(schedule, &ends) as u64 * a_row;
            let read = record.numbers_read(&engine.config, schedule, &ends) as u64 * 4;
            let rows = schedule.peak_streams().max(record.rows_a_token(schedule));
            Room {
                rows: (bytes / (rows as u64 * a_row)).min(bytes / widest) as usize,
                sequences: bytes
                    .checked_div(kept.max(read))
                    .map_or(usize::MAX, |n| n as usize),
            }
        };
        let groups = groups(&lengths, plans, &room);
        let longest = lengths.iter().copied().max().unwrap_or(0);
        for group in &groups {
            let room = room(&group.schedule);
            if longest > room.rows || room.sequences == 0 {
                let rows = room.rows;
                return Err(GpuError::Memory(format!(
                    "the longest prompt has {longest} tokens, and {rows} have room at once"
                )));
            }
        }
        let runs: usize = groups.iter().map(|group| group.schedule.block_runs()).sum();
        Ok(Self {
            engine,
            record,
            groups,
            at: (0, 0),
            state: None,
            is_waiting: false,
            done: 0,
            total: runs * sequences.len(),
            items: plans
                .iter()
                .map(|_| Vec::with_capacity(sequences.len()))
                .collect(),
            sequences,
        })
    }

    fn open(&self, group: &Group, range: Range<usize>) -> Result<State<'a, R::Kept>, GpuError> {
        let engine = self.engine;
        let sequences = &self.sequences[range.clone()];
        let rows: usize = sequences.iter().map(Vec::len).sum();
        let most = [
            BATCH_ROWS,
            (BLOCK_WORK / engine.work_a_row()) as usize,
            (engine.device.largest_buffer() / 4) as usize / engine.widest_row(),
        ];
        let most = most.into_iter().fold(usize::MAX, usize::min) / rows;
        let program = Program::new(&group.schedule, most.max(1));
        let kept_rows = self.record.kept_rows(&group.schedule, &group.is_end);
        let places = self.record.places(group);
        let place = |node: usize, run: usize| match &places {
            None => [0, 0],
            Some(places) => places[node][run].map(|place| (place * sequences.len()) as u32),
        };
        let arena = engine.arena.take().unwrap_or_default();
        let kept_rows = kept_rows * sequences.len();
        let mut pass = Pass::open(engine, arena, sequences, &program, kept_rows, &place)?;
        let kept = self.record.open(&mut pass, group, range)?;
        Ok(State {
            pass,
            program,
            kept,
            next: 0,
            copies: 0,
            keep: places.is_some(),
            reading: None,
        })
    }

    fn step(&mut self) -> Result<Option<(usize, usize)>, GpuError> {
        let (g, p) = self.at;
        let Some(group) = self.groups.get(g) else {
            return Ok(None);
        };
        let Some(range) = group.packs.get(p).cloned() else {
            self.at = (g + 1, 0);
            return self.step();
        };
        let mut state = match self.state.take() {
            Some(state) => state,
            None => self.open(group, range.clone())?,
        };
        let piece = state.program.calls.get(state.next);
        self.is_waiting = match &state.reading {
            None => state.pass.recorder.is_crowded(),
            Some(pending) => !pending.is_here(&self.engine.device)?,
        };
        if self.is_waiting {
            // A device that is lost never answers.
            self.engine.device.check()?;
            self.state = Some(state);
        } else if let Some(pending) = state.reading.take() {
            let State { mut pass, kept, .. } = state;
            let device = &self.engine.device;
            let read = pass.arena.staging.finish(device, pending)?;
            self.engine.give_back(pass);
            let plans = group.plans.clone();
            let config = &self.engine.config;
            let items = self.record.items(config, kept, read, group, range);
            for (plan, items) in plans.zip(items) {
                self.items[plan].extend(items);
            }
            self.at = (g, p + 1);
        } else if let Some(piece) = piece {
            let block = &self.engine.blocks[piece.run.index];
            block.run(&mut state.pass, piece, state.copies, state.keep)?;
            for &(node, slot) in &piece.complete {
                self.record
                    .complete(&mut state.pass, &mut state.kept, group, node, slot)?;
            }
            state.copies += piece.steps.len();
            state.next += 1;
            self.done += piece.steps.len() * range.len();
            self.state = Some(state);
        } else {
            let (pass, kept) = (&mut state.pass, &mut state.kept);
            let outputs = self.record.close(pass, kept, group, range)?;
            let sources = outputs.iter().map(|(buffer, words, what)| Source {
                buffer,
                words: *words,
                what,
            });
            let sources: Vec<Source> = sources.collect();
            state.reading = Some(state.pass.read(&sources)?);
            self.state = Some(state);
        }
        Ok(Some((self.done, self.total)))
    }
}

impl<R: Record> Run<R::Item> for Walk<'_, R> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError> {
        Ok(self.step()?)
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    fn finish(self: Box<Self>) -> Result<Vec<Vec<R::Item>>, EngineError> {
        Ok(self.items)
    }
}
