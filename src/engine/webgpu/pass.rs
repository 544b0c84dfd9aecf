//! One pack of sequences on its way through a program.

use std::rc::Rc;

use super::arena::{Arena, Use};
use super::backend::WebGpuBackend;
use super::block::Recording;
use super::device::CAN_BLOCK;
use super::error::GpuError;
use super::gather::RowIds;
use super::kv_cache::GpuPassCache;
use super::norm::RowSource;
use super::readback::PendingRead;
use super::recorder::Recorder;
use super::tables::{PackPlan, Tables};
use super::vocabulary::{SummedStream, VocabularyLogits};
use super::votes::Ballot;
use super::{gather, gemm, norm, vocabulary, votes};
use crate::engine::EngineError;
use crate::engine::backend::{
    OptionRows, Output, Pass, ReadStreams, Start, VocabularyPart, VocabularyRows,
};
use crate::engine::schedule::program::Program;

/// Logits computed at once where only a few numbers of each row are read: bounds the `[rows, V]` matrix.
const LOGITS: usize = 1 << 23;

pub struct GpuPass<'a> {
    backend: &'a WebGpuBackend,
    to: Recording<'a>,
    program: Rc<Program>,
    /// (first row, T) of each sequence.
    spans: Vec<(usize, usize)>,
    /// Steps of the calls before each call.
    first_steps: Vec<usize>,
    /// All outputs, one behind the other.
    out: wgpu::Buffer,
    /// Numbers of each output so far, and what they are, for people.
    outputs: Vec<(usize, &'static str)>,
    /// Options were uploaded in this pass.
    has_options: bool,
    /// Cached keys and values of the tokens before the pack's; `None` in a pass without a cache.
    cache: Option<GpuPassCache>,
    reading: Option<PendingRead>,
    is_answered: bool,
}

impl<'a> GpuPass<'a> {
    pub fn open(backend: &'a WebGpuBackend, start: &Start) -> Result<Self, EngineError> {
        let gpu = &backend.gpu;
        let (device, bindings) = (&gpu.device, &gpu.bindings);
        // Errors of a pass that is still under way are kept: a sweep's pass waits while a prompt is answered
        // in between.
        if backend.passes.get() == 0 {
            bindings.forgive(device);
        }
        device.check()?;
        let mut arena = backend.arena.take().unwrap_or_else(|| {
            // The buffers of a run that failed go, and what is bound to them.
            bindings.forget();
            Arena::default()
        });
        arena.lists.clear();
        let rope = backend.weights.shape.rope();
        let plan = PackPlan {
            pack: &start.pack,
            program: &start.program,
            embedded: &start.embedded,
            width: gpu.width,
            kept_rows: start.kept_rows,
            rope_width: rope.map_or(0, |rope| rope.width),
            queries: &backend.queries()?,
        };
        let tables = Tables::upload(&mut arena, device, bindings, &plan);
        let out = arena.get(device, bindings, Use::Out, start.numbers as u64 * 4);
        let mut steps = 0;
        let first_steps = start.program.calls.iter().map(|call| {
            steps += call.steps.len();
            steps - call.steps.len()
        });
        let first_steps = first_steps.collect();
        device.check()?;
        backend.passes.set(backend.passes.get() + 1);
        Ok(Self {
            backend,
            to: Recording { recorder: Recorder::new(device, bindings), arena, tables },
            program: start.program.clone(),
            spans: start.pack.spans.clone(),
            first_steps,
            out,
            outputs: Vec::new(),
            has_options: false,
            cache: None,
            reading: None,
            is_answered: false,
        })
    }

    /// Goes on from what a cache holds, whose tables are uploaded to this pass's buffers.
    pub fn go_on_from(&mut self, upload: impl FnOnce(&mut Arena) -> GpuPassCache) {
        self.cache = Some(upload(&mut self.to.arena));
    }

    fn list(&mut self, rows: &[u32]) -> RowIds {
        let device = &self.backend.gpu.device;
        self.to.arena.lists.place(device, rows)
    }

    /// Rows of the stream in `slot`, to `out` from number `base` on.
    fn gather(
        &mut self,
        slot: usize,
        rows: &RowIds,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), GpuError> {
        let Recording { recorder, tables, .. } = &mut self.to;
        let streams = (&tables.streams, self.backend.gpu.width);
        gather::run(recorder, streams, slot * tables.rows, rows, (out, base))
    }

    /// Logits `[rows, V]` of rows of the stream in `slot`, to `out` from number `base` on.
    fn logits(
        &mut self,
        slot: usize,
        rows: &RowIds,
        out: &wgpu::Buffer,
        base: usize,
    ) -> Result<(), EngineError> {
        let backend = self.backend;
        let gpu = &backend.gpu;
        let numbers = rows.count * gpu.width;
        let read = self.to.buffer(gpu, Use::HeadRows, numbers); // [rows, D]
        let normed = self.to.buffer(gpu, Use::Normed, numbers); // [rows, D]
        self.gather(slot, rows, &read, 0)?;
        let (recorder, tables) = (&mut self.to.recorder, &self.to.tables);
        let from = RowSource::Rows(&read);
        norm::run(recorder, from, rows.count, backend.final_norm(), tables, &normed)?;
        let head = backend.head()?;
        let w = head.linear(gpu);
        gemm::run(recorder, &normed, rows.count, w, out, base)?;
        Ok(())
    }

    /// Logits `[read, V]` of a part's streams, which are sums of kept rows.
    fn logits_of_sums(
        &mut self,
        part: &VocabularyPart,
        (sums, is_held): (&[Vec<u32>], bool),
        out: &wgpu::Buffer,
    ) -> Result<(), EngineError> {
        let backend = self.backend;
        let gpu = &backend.gpu;

        let streams = part.read.iter().enumerate().map(|(row, &stream)| SummedStream {
            kept_rows: &sums[stream],
            // References end their own runs.
            scale_of: part.references.get(row).copied().filter(|_| is_held).unwrap_or(row),
        });
        let lists = self.list(&vocabulary::list(&streams.collect::<Vec<_>>()));

        let count = part.read.len();
        let normed = self.to.buffer(gpu, Use::Normed, count * gpu.width); // [read, D]
        let (recorder, kept) = (&mut self.to.recorder, &self.to.tables.kept);
        vocabulary::norm(recorder, kept, (&lists, count), backend.final_norm(), &normed)?;
        let head = backend.head()?;
        gemm::run(recorder, &normed, count, head.linear(gpu), out, 0)?;
        Ok(())
    }

    /// Kept rows read by options, to the output from number `base` on.
    fn votes(&mut self, options: &OptionRows, base: usize) -> Result<(), GpuError> {
        let gpu = &self.backend.gpu;
        if self.has_options {
            // Recorded work still reads the options that are about to be overwritten.
            self.to.recorder.submit()?;
        }
        self.has_options = true;
        let arena = &mut self.to.arena;
        let uploaded = arena.upload(&gpu.device, &gpu.bindings, Use::Options, &options.numbers);
        let ballot = Ballot {
            kept: &self.to.tables.kept,
            rows: self.to.tables.kept_rows,
            width: gpu.width,
            options: &uploaded,
            prompts: options.prompts,
            count: options.count,
            is_centred: options.is_centred,
        };
        votes::run(&mut self.to.recorder, &ballot, &self.out, base)
    }

    /// Streams read by the whole vocabulary, to the output from number `base` on.
    fn vocabulary(&mut self, rows: &VocabularyRows, base: usize) -> Result<(), EngineError> {
        let backend = self.backend;
        let gpu = &backend.gpu;
        let vocabulary = backend.weights.shape.vocabulary;
        let most = LOGITS.min((gpu.device.largest_buffer() / 4) as usize) / vocabulary;
        let followed = rows.followed_count();
        let a_stream = VocabularyRows::numbers(rows.top, followed);

        for part in rows.parts(most) {
            let count = part.read.len();
            let logits = self.to.buffer(gpu, Use::Logits, count * vocabulary); // [read, V]
            match &rows.streams {
                ReadStreams::Rows { slot, rows } => {
                    let ids: Vec<u32> = part.read.iter().map(|&stream| rows[stream]).collect();
                    let ids = self.list(&ids);
                    self.logits(*slot, &ids, &logits, 0)?;
                }
                ReadStreams::Sums { sums, is_held } => {
                    self.logits_of_sums(&part, (sums, *is_held), &logits)?;
                }
            }

            let lists = part.references.iter().zip(part.streams.clone()).flat_map(
                |(&reference, stream)| {
                    let ids = rows.followed[stream * followed..][..followed].iter().copied();
                    std::iter::once(reference as u32).chain(ids)
                },
            );
            let lists = self.list(&lists.collect::<Vec<_>>());
            let from = VocabularyLogits {
                logits: &logits,
                vocabulary,
                rows: part.streams.len(),
                top: rows.top,
                followed,
                lists: &lists,
            };
            let base = base + part.streams.start * a_stream;
            vocabulary::run(&mut self.to.recorder, &from, &self.out, base)?;
        }
        Ok(())
    }
}

impl Pass for GpuPass<'_> {
    fn run(&mut self, call: usize) -> Result<(), EngineError> {
        let backend = self.backend;
        backend.gpu.device.check()?;
        let first_step = self.first_steps[call];
        let call = &self.program.calls[call];
        let block = &backend.blocks[call.run.index];
        let (gpu, to) = (&backend.gpu, &mut self.to);
        match (&self.cache, call.steps.first()) {
            // A cache is one plan's, which runs its blocks one by one.
            (Some(cache), Some(step)) => {
                cache.run(step, |kept| block.run(gpu, to, call, first_step, Some(&kept)))?
            }
            _ => block.run(gpu, to, call, first_step, None)?,
        }
        Ok(())
    }

    fn keep(&mut self, slot: usize, rows: &[u32], at: usize) -> Result<(), EngineError> {
        let rows = self.list(rows);
        let kept = self.to.tables.kept.clone();
        let base = at * self.backend.gpu.width;
        Ok(self.gather(slot, &rows, &kept, base)?)
    }

    fn put(&mut self, numbers: &[f32], first: usize) -> Result<(), EngineError> {
        // Work that is recorded and not yet submitted may read the rows that are about to be overwritten.
        self.to.recorder.submit()?;
        let offset = (first * self.backend.gpu.width * size_of::<f32>()) as u64;
        let queue = &self.backend.gpu.device.queue;
        queue.write_buffer(&self.to.tables.kept, offset, bytemuck::cast_slice(numbers));
        Ok(())
    }

    fn give(&mut self, output: Output) -> Result<(), EngineError> {
        let (gpu, shape) = (&self.backend.gpu, &self.backend.weights.shape);
        let (width, out) = (gpu.width, self.out.clone());
        let base = self.outputs.iter().map(|output| output.0).sum();
        let numbers = match output {
            Output::Stream(slot) => {
                let rows = self.to.tables.rows;
                let all = self.list(&(0..rows as u32).collect::<Vec<_>>());
                self.gather(slot, &all, &out, base)?;
                rows * width
            }
            Output::Kept(rows) => {
                let rows = self.list(rows);
                let Recording { recorder, tables, .. } = &mut self.to;
                gather::run(recorder, (&tables.kept, width), 0, &rows, (&out, base))?;
                rows.count * width
            }
            Output::Votes(options) => {
                self.votes(options, base)?;
                self.to.tables.kept_rows * (options.count + 1)
            }
            Output::Logits { slot, rows } => {
                let rows = self.list(rows);
                self.logits(slot, &rows, &out, base)?;
                rows.count * shape.vocabulary
            }
            Output::Vocabulary(rows) => {
                self.vocabulary(rows, base)?;
                rows.references.len() * VocabularyRows::numbers(rows.top, rows.followed_count())
            }
            Output::Attention { call, rows } => {
                let call = &self.program.calls[call];
                let block = &self.backend.blocks[call.run.index];
                let (start, tokens) = self.spans[rows.sequence];
                let span = (rows.step * self.to.tables.rows + start, tokens);
                let off = call.run.heads_off;
                block.looks(gpu, &mut self.to, rows, off, span, (&out, base))?;
                2 * rows.heads.len() * rows.queries.len() * tokens
            }
        };
        self.outputs.push((numbers, output.name()));
        Ok(())
    }

    fn is_crowded(&self) -> bool {
        self.to.recorder.is_crowded()
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        let parts = std::mem::take(&mut self.outputs);
        let Recording { recorder, arena, .. } = &mut self.to;
        self.reading = Some(arena.staging.begin(recorder, &self.out, parts)?);
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let device = &self.backend.gpu.device;
        match &self.reading {
            Some(reading) if reading.is_here(device)? => {}
            _ => return Ok(None),
        }
        let reading = self.reading.take();
        let staging = &mut self.to.arena.staging;
        let given = reading.map(|reading| staging.finish(device, reading));
        let given = given.transpose()?;
        device.settle();
        self.is_answered = true;
        Ok(given)
    }
}

impl Drop for GpuPass<'_> {
    /// The next run takes the buffers over, unless something is wrong with them. A browser says that
    /// late: there, only a run that was answered is known to be right.
    fn drop(&mut self) {
        let backend = self.backend;
        backend.passes.set(backend.passes.get() - 1);
        let tally = backend.tally.take() + self.to.recorder.tally;
        backend.tally.set(tally);
        if !self.is_answered {
            backend.gpu.bindings.abandon();
        }
        let arena = std::mem::take(&mut self.to.arena);
        if backend.gpu.device.check().is_err() {
            arena.destroy();
        } else if self.is_answered || CAN_BLOCK {
            backend.arena.set(Some(arena));
        } else {
            arena.destroy();
        }
    }
}
