//! One pack of sequences on this processor.

use std::rc::Rc;

use atelier_kernels::sums::are_finite;

use super::backend::{CpuBackend, PassMemory};
use super::block::{BlockRows, LastMembers};
use super::cache::{CacheRows, PassCache};
use super::looks::looks;
use super::scratch::{fit, take};
use super::stretch::Stretch;
use super::vocabulary::StreamRows;
use super::votes::votes;
use crate::engine::EngineError;
use crate::engine::backend::{Output, Pass, ReadStreams, Start};
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::{Program, StreamStep};

pub struct CpuPass<'a> {
    backend: &'a CpuBackend,
    pack: Rc<Pack>,
    program: Rc<Program>,
    kept_rows: usize,
    memory: PassMemory,
    cache: Option<PassCache>,
    /// The outputs that were asked for: a name for people, and the numbers.
    outputs: Vec<(&'static str, Vec<f32>)>,
    /// The first branch that wrote a number that is not finite, at whichever token.
    overflow: Option<String>,
}

/// Whole sequences of one step.
struct StepPart {
    /// Which of the call's steps.
    step: usize,
    sequences: std::ops::Range<usize>,
}

impl<'a> CpuPass<'a> {
    /// A pass whose tokens continue the sequences of `cache`, where there is one.
    pub fn new(backend: &'a CpuBackend, start: Start, cache: Option<PassCache>) -> Self {
        let mut memory = backend.memory.take();
        let count = start.pack.rows * backend.width;
        let streams = fit(&mut memory.streams, start.program.slots * count);
        streams[..count].copy_from_slice(&start.embedded);
        fit(&mut memory.kept, start.kept_rows * backend.width).fill(0.0);
        Self {
            backend,
            pack: start.pack,
            program: start.program,
            kept_rows: start.kept_rows,
            memory,
            cache,
            outputs: Vec::new(),
            overflow: None,
        }
    }

    /// The stream in `slot`. [N, D]
    fn stream(&self, slot: usize) -> &[f32] {
        let count = self.pack.rows * self.backend.width;
        &self.memory.streams[slot * count..][..count]
    }
}

impl Drop for CpuPass<'_> {
    fn drop(&mut self) {
        self.backend.memory.replace(std::mem::take(&mut self.memory));
    }
}

impl Pass for CpuPass<'_> {
    fn run(&mut self, call: usize) -> Result<(), EngineError> {
        let (d, pack) = (self.backend.width, &self.pack);
        let call = &self.program.calls[call];
        let block = &self.backend.blocks[call.run.index];
        let PassMemory { streams, kept, inside } = &mut self.memory;
        // A call reads and writes different slots, and writes none twice.
        let size = (pack.rows * d).max(1);
        let mut slots: Vec<Option<&mut [f32]>> =
            streams.chunks_exact_mut(size).take(self.program.slots).map(Some).collect();
        let mut outs: Vec<&mut [f32]> =
            call.steps.iter().map(|step| slots[step.slot_out].take().unwrap_or_default()).collect();
        let mut kept_of = match (&self.cache, call.steps.first()) {
            (Some(cache), Some(step)) => Some((cache.run(step), cache.sequences.as_slice())),
            _ => None,
        };
        for parts in chunks(&call.steps, pack, self.backend.call_rows) {
            let stretches = parts.iter().map(|part| {
                let step = &call.steps[part.step];
                let first = pack.spans[part.sequences.start].0;
                let (start, length) = pack.spans[part.sequences.end - 1];
                let rows = first * d..(start + length) * d;
                Stretch {
                    out: take(&mut outs[part.step], rows.len()),
                    h: slots[step.slot_in].as_deref().unwrap_or_default()[rows].as_ref(),
                    is_first: step.is_first,
                    scale: 1.0 / step.share as f32,
                }
            });
            let sequences: Vec<usize> =
                parts.iter().flat_map(|part| part.sequences.clone()).collect();
            let rows = BlockRows {
                stretches: stretches.collect(),
                pack,
                sequences: &sequences,
                cache: kept_of.as_mut().map(|(run, of)| CacheRows { run, of }),
            };
            let LastMembers { attention, mlp, overflow } = block.run(call.run, rows, inside);
            if let (None, Some(branch)) = (&self.overflow, overflow) {
                self.overflow = Some(format!("the {branch} of block {}", call.run.index));
            }
            let of_sequences = parts
                .iter()
                .flat_map(|part| part.sequences.clone().map(|s| (&call.steps[part.step], s)));
            for (i, (step, sequence)) in of_sequences.enumerate() {
                let Some(places) = step.kept else { continue };
                let scale = 1.0 / step.share as f32;
                for (members, place) in [attention, mlp].into_iter().zip(places) {
                    let Some(member) = members.get(i * d..(i + 1) * d) else {
                        continue;
                    };
                    let to = &mut kept[(place + sequence) * d..][..d];
                    for (to, z) in to.iter_mut().zip(member) {
                        *to = z * scale;
                    }
                }
            }
        }
        Ok(())
    }

    fn keep(&mut self, slot: usize, rows: &[u32], at: usize) -> Result<(), EngineError> {
        let (d, count) = (self.backend.width, self.pack.rows * self.backend.width);
        let stream = &self.memory.streams[slot * count..][..count];
        let kept = self.memory.kept[at * d..].chunks_exact_mut(d);
        for (&row, to) in rows.iter().zip(kept) {
            to.copy_from_slice(&stream[row as usize * d..][..d]);
        }
        Ok(())
    }

    fn put(&mut self, numbers: &[f32], first: usize) -> Result<(), EngineError> {
        let first = first * self.backend.width;
        self.memory.kept[first..first + numbers.len()].copy_from_slice(numbers);
        Ok(())
    }

    fn give(&mut self, output: Output) -> Result<(), EngineError> {
        let (d, head, team) = (self.backend.width, &self.backend.head, &self.memory.inside.team);
        let kept = &self.memory.kept[..self.kept_rows * d];
        let numbers = match output {
            Output::Stream(slot) => self.stream(slot).to_vec(),
            Output::Kept(rows) => {
                rows.iter().flat_map(|&row| &kept[row as usize * d..][..d]).copied().collect()
            }
            Output::Votes(options) => votes(kept, d, options),
            Output::Logits { slot, rows } => match (&self.cache, rows) {
                (Some(cache), &[row]) if cache.is_of_one => {
                    head.logits_of_one(self.stream(slot), row, team)?
                }
                _ => head.logits(self.stream(slot), rows)?,
            },
            Output::Vocabulary(rows) => {
                let stream = match &rows.streams {
                    ReadStreams::Sums { .. } => &[],
                    ReadStreams::Rows { slot, .. } => self.stream(*slot),
                };
                head.vocabulary(StreamRows { kept, stream }, rows, team)?
            }
            Output::Attention { call, rows } => {
                let call = &self.program.calls[call];
                let block = &self.backend.blocks[call.run.index];
                let (start, length) = self.pack.spans[rows.sequence];
                let stream = self.stream(call.steps[rows.step].slot_in);
                let stream = &stream[start * d..(start + length) * d]; // [T, D]
                let angles = self.pack.angles(rows.sequence);
                looks(block, stream, angles, rows, call.run.heads_off)
            }
        };
        self.outputs.push((output.name(), numbers));
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let bad = self.outputs.iter().find(|(_, numbers)| !are_finite(numbers));
        if let Some((what, _)) = bad {
            let at = self.overflow.take().unwrap_or_else(|| (*what).to_owned());
            return Err(EngineError::NotFinite { at });
        }
        let outputs = self.outputs.drain(..);
        Ok(Some(outputs.map(|(_, numbers)| numbers).collect()))
    }
}

/// The steps' sequences in chunks of at most `most` rows, at least one sequence each, which bounds
/// what a block holds for them.
fn chunks(steps: &[StreamStep], pack: &Pack, most: usize) -> Vec<Vec<StepPart>> {
    let mut chunks: Vec<Vec<StepPart>> = Vec::new();
    let mut rows = 0;
    for step in 0..steps.len() {
        for (sequence, &(_, length)) in pack.spans.iter().enumerate() {
            if chunks.is_empty() || rows + length > most {
                chunks.push(Vec::new());
                rows = 0;
            }
            rows += length;
            let Some(chunk) = chunks.last_mut() else {
                return chunks;
            };
            match chunk.last_mut().filter(|part| part.step == step) {
                Some(part) => part.sequences.end = sequence + 1,
                None => chunk.push(StepPart { step, sequences: sequence..sequence + 1 }),
            }
        }
    }
    chunks
}
