//! A model's blocks and read-out on a GPU.

use std::cell::Cell;
use std::rc::Rc;

use super::arena::Arena;
use super::attention::TileSize;
use super::block::GpuBlock;
use super::gpu::Gpu;
use super::head::{FinalNorm, GpuHead};
use super::kv_cache::GpuCache;
use super::norm::NormVectors;
use super::pass::GpuPass;
use super::recorder::Tally;
use super::tangent::GpuTangents;
use crate::engine::backend::{Backend, KvCache, Limits, Pass, Start};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::{EngineError, TangentPoint, Tangents};
use crate::model::shape::BlockShape;
use crate::model::weights::{MatrixRole, Weights};
use crate::model::{DType, names};

/// Rows that one block call takes at most (at least one pack).
const CALL_ROWS: usize = 8192;

/// Floating-point operations of one block call (at least one pack): between two calls a run tells
/// how far it is, and hears "cancel".
const CALL_WORK: u64 = 25_000_000_000;

/// Bytes that streams, kept rows, or numbers given back may take; the device's bindings may allow
/// less.
const MOST_BYTES: u64 = 1 << 30;

/// Attention's smallest tiles have 4 queries, and a dispatch has 65535 workgroups in one direction.
const PACK_ROWS: usize = 4 * 65535;

pub struct WebGpuBackend {
    pub(super) gpu: Gpu,
    pub(super) weights: Rc<Weights>,
    /// `None`: every matrix as it is stored.
    pub(super) dtype: Option<DType>,
    pub(super) blocks: Vec<GpuBlock>,
    pub(super) final_norm: FinalNorm,
    /// `None`: the device has no room for it beside the blocks.
    pub(super) head: Option<GpuHead>,
    /// Its memory was given back.
    pub(super) is_head_gone: Cell<bool>,
    /// The last run's buffers, until the next run takes them.
    pub(super) arena: Cell<Option<Arena>>,
    /// The last derivatives' buffers, likewise.
    pub(super) tangent_arena: Cell<Option<Arena>>,
    pub(super) tally: Cell<Tally>,
    /// Passes under way.
    pub(super) passes: Cell<usize>,
    /// Bytes of keys and values that are kept for texts.
    pub(super) cached_bytes: Cell<u64>,
}

impl WebGpuBackend {
    /// The whole output head.
    ///
    /// # Errors
    /// [`EngineError::NoVocabulary`]: the device has no room for it.
    pub(super) fn head(&self) -> Result<&GpuHead, EngineError> {
        match &self.head {
            Some(head) if !self.is_head_gone.get() => Ok(head),
            _ => Err(EngineError::NoVocabulary { bytes: self.weights.head().bytes_in(self.dtype) }),
        }
    }

    /// The final norm's shape and vectors.
    pub(super) fn final_norm(&self) -> NormVectors<'_> {
        NormVectors {
            shape: self.weights.shape.head.norm,
            width: self.gpu.width,
            gain: &self.final_norm.gain,
            bias: self.final_norm.bias.as_ref().unwrap_or(&self.gpu.zeros),
        }
    }

    /// Sizes of attention's tiles, by the blocks' heads.
    pub(super) fn queries(&self) -> Result<Vec<usize>, EngineError> {
        let mut queries = Vec::new();
        for block in &self.blocks {
            let size = TileSize::of(&self.gpu.device, block.shape.attention.head_width)?;
            if !queries.contains(&size.queries) {
                queries.push(size.queries);
            }
        }
        Ok(queries)
    }

    /// Bytes of weights on the GPU.
    fn weight_bytes(&self) -> u64 {
        let head = self.head().map_or(0, GpuHead::bytes);
        head + self.blocks.iter().map(GpuBlock::bytes).sum::<u64>()
    }

    /// Bytes that the runs so far have left on the GPU for the next, keys and values among them.
    fn activation_bytes(&self) -> u64 {
        let bytes = |held: &Cell<Option<Arena>>| {
            let arena = held.take();
            let bytes = arena.as_ref().map_or(0, Arena::bytes);
            held.set(arena);
            bytes
        };
        bytes(&self.arena) + bytes(&self.tangent_arena) + self.cached_bytes.get()
    }
}

impl Backend for WebGpuBackend {
    fn describe(&self) -> String {
        let stored = self.weights.blocks.iter().flat_map(|block| &block.matrices);
        let stored = stored.flat_map(|matrix| matrix.dtypes());
        let names = names(stored.map(|dtype| self.dtype.unwrap_or(dtype)));
        format!("WebGPU on {} ({names})", self.gpu.device.name)
    }

    fn limits(&self) -> Limits {
        limits(
            self.gpu.device.largest_buffer(),
            self.gpu.width,
            self.blocks.iter().map(|block| &block.shape),
        )
    }

    fn vocabulary_lack(&self) -> Option<u64> {
        match self.head() {
            Err(EngineError::NoVocabulary { bytes }) => Some(bytes),
            _ => None,
        }
    }

    fn give_back_vocabulary(&self) {
        self.is_head_gone.set(true);
        if let Some(head) = &self.head {
            self.gpu.bindings.forget();
            head.destroy();
        }
    }

    fn profile(&self) -> Option<String> {
        let Tally { dispatches, submissions, work, read_back_bytes } = self.tally.take();
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        Some(format!(
            "{dispatches} dispatches in {submissions} submissions, {:.2} GFLOP, {read_back_bytes} bytes read back; \
             on the GPU {:.1} MiB of weights and {:.1} MiB of activations",
            work as f64 / 1e9,
            mib(self.weight_bytes()),
            mib(self.activation_bytes()),
        ))
    }

    fn begin<'a>(&'a self, start: Start) -> Result<Box<dyn Pass + 'a>, EngineError> {
        Ok(Box::new(GpuPass::open(self, &start)?))
    }

    fn tangents<'a>(
        &'a self,
        point: TangentPoint,
        pack: Rc<Pack>,
    ) -> Result<Box<dyn Tangents + 'a>, EngineError> {
        Ok(Box::new(GpuTangents::new(self, point, pack)?))
    }

    fn cache<'a>(
        &'a self,
        schedule: &Schedule,
        sequences: usize,
    ) -> Option<Box<dyn KvCache<'a> + 'a>> {
        Some(Box::new(GpuCache::new(self, schedule, sequences)))
    }
}

/// Returns the limits of a pack whose every binding has at most `largest` bytes.
fn limits<'a>(
    largest: u64,
    width: usize,
    blocks: impl Iterator<Item = &'a BlockShape> + Clone,
) -> Limits {
    let widest = blocks.clone().map(|block| widest_row(block, width)).max();
    let work = blocks.map(|block| work_a_row(block, width)).max();
    // Kernels count numbers in 32 bits, whatever a binding holds.
    let numbers = usize::try_from((largest / 4).min(u32::MAX.into())).unwrap_or(usize::MAX);
    let fit = numbers / widest.unwrap_or(width).max(1);
    let worked = (CALL_WORK / work.unwrap_or(1).max(1)) as usize;
    Limits {
        // Half: what a pack gives back may be as much for its tokens as for its sequences, and all
        // of it lies in one buffer.
        bytes: (largest / 2).min(MOST_BYTES),
        call_rows: fit.min(worked).min(CALL_ROWS),
        pack_rows: fit.min(PACK_ROWS),
    }
}

/// Numbers in the widest row that a block makes of a token.
fn widest_row(block: &BlockShape, width: usize) -> usize {
    let (attention, mlp) = (&block.attention, &block.mlp);
    let inside = attention.qkv_width().max(attention.attended_width());
    inside.max(mlp.up_rows()).max(width)
}

/// Floating-point operations of a block's matrix products for one token.
fn work_a_row(block: &BlockShape, width: usize) -> u64 {
    let matrices = MatrixRole::ALL.map(|role| block.matrix(role, width));
    let numbers = |[rows, columns]: [usize; 2]| rows as u64 * columns as u64;
    2 * matrices.map(numbers).iter().sum::<u64>()
}

#[cfg(test)]
mod tests {
    use super::super::GpuError;
    use super::super::arena::Use;
    use super::super::device::tests::panic_at_next_wait;
    use super::super::loading::tests::backend;
    use super::super::probe::noise;
    use super::*;
    use crate::engine::backend::{OptionRows, Output};
    use crate::engine::rope::Rope;
    use crate::engine::schedule::program::Program;
    use crate::engine::{Capture, Engine};
    use crate::model::Prompt;
    use crate::model::shape::MlpShape;
    use crate::plan::Plan;

    /// A pack of one sequence of 4 tokens, which runs nothing.
    fn start(backend: &WebGpuBackend) -> Start {
        let rope = backend.weights.shape.rope().map(Rope::of);
        Start {
            pack: Rc::new(Pack::of(&[4], rope.as_ref())),
            program: Rc::new(Program { calls: Vec::new(), slots: 1 }),
            embedded: noise(4 * backend.gpu.width, 1),
            kept_rows: 1,
            numbers: 3,
        }
    }

    /// Reads the last of four embeddings of `seed` by two options, twice, in a submission each. `meddle` hears
    /// how many submissions were made before each, and at the end.
    fn readings(
        backend: &WebGpuBackend,
        seed: u32,
        meddle: impl Fn(usize),
    ) -> Result<Vec<Vec<f32>>, EngineError> {
        let width = backend.gpu.width;
        let embedded = noise(4 * width, seed);
        let options =
            OptionRows { numbers: noise(2 * width, 2), prompts: 1, count: 2, is_centred: false };
        let mut pass = backend.begin(Start { embedded, numbers: 6, ..start(backend) })?;
        pass.keep(0, &[3], 0)?;
        pass.give(Output::Votes(&options))?;
        meddle(0);
        pass.give(Output::Votes(&options))?;
        meddle(1);
        pass.finish()?;
        meddle(2);
        Ok(pass.answer()?.expect("this thread waits"))
    }

    /// Else they are numbers of the run before, which nothing else shows to be wrong.
    #[test]
    fn numbers_of_a_submission_that_was_dropped_are_a_lost_gpu() {
        for dropped in [0, 1] {
            let backend = backend("random-llama2", None);
            let before = readings(&backend, 1, |_| ()).expect("votes");
            let drops = &backend.gpu.bindings.counter.drops_next;
            let found = readings(&backend, 7, |submission| drops.set(submission == dropped));
            let sentence = found.expect_err(&format!("not {before:?}")).to_string();
            let lost = "the GPU was lost in mid-run (it did not do all the work that it was given)";
            assert!(sentence.starts_with(lost), "{sentence}");
            readings(&backend, 7, |_| ()).expect_err("it stays lost");
        }
    }

    #[test]
    fn a_gpu_that_is_lost_in_the_middle_of_a_run_is_a_sentence() {
        let backend = backend("random-llama2", None);
        let found = readings(&backend, 1, |submission| {
            if submission == 2 {
                panic_at_next_wait(&backend.gpu.device);
            }
        });
        let sentence = found.expect_err("it is lost").to_string();
        let said = "the GPU was lost in mid-run (Parent device is lost); --engine cpu needs no GPU";
        assert_eq!(sentence, said);
    }

    /// It is never made, so the device counts one less: that is the failed run's affair.
    #[test]
    fn a_submission_that_is_refused_leaves_the_next_run_whole() {
        let backend = backend("random-llama2", None);
        let before = readings(&backend, 1, |_| ()).expect("votes");
        let gpu = &backend.gpu;
        let mut arena = backend.arena.take().expect("the run's buffers");
        arena.get(&gpu.device, &gpu.bindings, Use::Options, 0).destroy();
        backend.arena.set(Some(arena));
        let failed = readings(&backend, 1, |_| ()).expect_err("a buffer that is gone");
        assert!(matches!(failed, EngineError::Gpu(GpuError::Driver(_))), "{failed}");
        assert_eq!(before, readings(&backend, 1, |_| ()).expect("votes"));
    }

    /// A browser says late, or never in time, that it refused a submission of a run that was cancelled.
    #[test]
    fn a_submission_of_a_cancelled_run_that_was_not_made_leaves_the_next_run_whole() {
        let backend = backend("random-llama2", None);
        let before = readings(&backend, 1, |_| ()).expect("votes");
        let options = OptionRows {
            numbers: noise(2 * backend.gpu.width, 2),
            prompts: 1,
            count: 2,
            is_centred: false,
        };
        let mut cancelled = backend.begin(start(&backend)).expect("a pass");
        cancelled.keep(0, &[3], 0).expect("room");
        cancelled.give(Output::Votes(&options)).expect("room");
        backend.gpu.bindings.counter.drops_next.set(true);
        cancelled.finish().expect("a submission");
        drop(cancelled);
        assert_eq!(before, readings(&backend, 1, |_| ()).expect("votes"));
    }

    /// Reads such a pack's embedding by two options.
    fn votes(backend: &WebGpuBackend, fails: bool) -> Result<Vec<Vec<f32>>, EngineError> {
        let width = backend.gpu.width;
        let start = start(backend);
        let embedded = start.embedded.clone();
        let options =
            OptionRows { numbers: noise(2 * width, 2), prompts: 1, count: 2, is_centred: false };
        let mut pass = backend.begin(start)?;
        pass.keep(0, &[3], 0)?;
        if fails {
            backend.gpu.device.report(GpuError::Memory("a test".into()));
        }
        pass.give(Output::Votes(&options))?;
        pass.finish()?;
        let found = pass.answer()?.expect("this thread waits");
        let z = &embedded[3 * width..];
        for (found, w) in found[0].iter().zip(options.numbers.chunks(width)) {
            let expected: f32 = z.iter().zip(w).map(|(z, w)| z * w).sum();
            assert!((found - expected).abs() < 1e-4);
        }
        Ok(found)
    }

    #[test]
    fn a_run_whose_memory_runs_out_goes_on_without_the_vocabulary() {
        let backend = backend("random-llama2", None);
        let (weights, fail) = (backend.weights.clone(), backend.gpu.device.driver());
        let engine = Engine::new(weights, Box::new(backend)).expect("an engine");
        let plans = [Plan::whole(&engine.shape().order).expect("the original order")];
        let prompt = Prompt { token_ids: vec![1, 2, 3], option_ids: vec![4, 5] };
        let begin = || {
            let prompts = [prompt.clone()].into();
            engine.start(prompts, plans.clone().into(), Capture::answer()).expect("a run")
        };
        let before = begin().complete().expect("a trace");
        assert!(before[0][0].vocabulary.is_some());

        let mut run = begin();
        run.advance().expect("a call");
        fail(GpuError::Memory("a test".into()));
        let without = run.complete().expect("a run without the vocabulary");
        let next = begin().complete().expect("the next one");

        let lack = engine.weights.head().bytes_in(None);
        assert_eq!(engine.vocabulary_lack(), Some(lack));
        assert!(engine.has_run_out());
        for trace in [&without[0][0], &next[0][0]] {
            assert!(trace.vocabulary.is_none());
            assert_eq!(trace.logits, before[0][0].logits);
        }
        let error = engine.next([prompt.clone()].into(), plans.clone().into()).expect("a run");
        let sentence = error.complete().expect_err("no head").to_string();
        assert_eq!(
            sentence,
            "the whole vocabulary needs 1 MB more than this device gives; run a smaller model there, or this one on the CPU"
        );
    }

    #[test]
    fn a_run_whose_memory_ran_out_leaves_the_next_one_whole() {
        let backend = backend("random-llama2", None);
        let before = votes(&backend, false).expect("votes");
        let failed = votes(&backend, true).expect_err("no memory");
        assert!(matches!(failed, EngineError::Gpu(GpuError::Memory(_))));
        assert!(backend.arena.take().is_none(), "its buffers are not used again");
        let after = votes(&backend, false).expect("votes");
        assert_eq!(before, after);
    }

    /// Else what is missing would be read as zeros.
    #[test]
    fn a_pass_that_failed_stays_so_while_another_begins() {
        let backend = backend("random-llama2", None);
        let mut first = backend.begin(start(&backend)).expect("a pass");
        first.keep(0, &[3], 0).expect("room");
        backend.gpu.device.report(GpuError::Memory("a test".into()));
        let second = backend.begin(start(&backend));
        drop(second);
        let ended = first.finish().and_then(|()| first.answer());
        assert!(matches!(ended, Err(EngineError::Gpu(GpuError::Memory(_)))));
        drop(first);
        votes(&backend, false).expect("the next run");
    }

    #[test]
    fn what_has_room_at_once_fits_into_a_binding() {
        let backend = backend("random-llama2", None);
        let blocks = || backend.blocks.iter().map(|block| &block.shape);
        let default = limits(128 << 20, backend.gpu.width, blocks());
        let widest = blocks().map(|block| widest_row(block, backend.gpu.width)).max();
        let widest = widest.expect("blocks");
        for rows in [default.call_rows, default.pack_rows] {
            assert!(rows > 0 && (rows * widest * 4) as u64 <= 128 << 20);
        }
        assert!(2 * default.bytes <= 128 << 20);
        // A row of F past a binding: nothing has room, and every prompt is refused.
        // A binding that holds more numbers than 32 bits count, as Metal's may.
        let wide = BlockShape {
            mlp: MlpShape { width: 28_672, ..backend.blocks[0].shape.mlp },
            ..backend.blocks[0].shape.clone()
        };
        let huge = limits(64 << 30, 8192, std::iter::once(&wide));
        assert!(u32::try_from(huge.pack_rows * wide.mlp.up_rows()).is_ok());
        assert!(huge.pack_rows.div_ceil(4) <= 65_535);
        let none = limits(64, backend.gpu.width, blocks());
        assert_eq!((none.call_rows, none.pack_rows), (0, 0));
    }

    #[test]
    fn a_description_names_every_type_of_its_matrices() {
        let describe = |model: &str, dtype| backend(model, dtype).describe();
        assert!(describe("random-llama2", None).starts_with("WebGPU on "));
        assert!(describe("random-pythia", None).ends_with("(f16)"));
        assert!(describe("random-pythia", Some(DType::F32)).ends_with("(f32)"));
    }
}
