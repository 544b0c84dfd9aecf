//! Products with a block's Jacobians on the GPU.

mod device;
mod rows;
mod sequence;

use std::rc::Rc;

use self::device::{GpuFunction, GpuLooks, GpuRows, RowBuffers};
pub use self::rows::{GpuPairs, KeptRows, TangentUse};
use self::sequence::GpuSequence;
use super::arena::Arena;
use super::backend::WebGpuBackend;
use super::device::CAN_BLOCK;
use super::readback::PendingRead;
use super::recorder::Recorder;
use crate::engine::branch::Branches;
use crate::engine::schedule::pack::Pack;
use crate::engine::tangent::{AskedProducts, Linearised, Places, linearise, multiply};
use crate::engine::{EngineError, TangentPoint, TangentProduct, Tangents};

/// Rows that go through the block together.
const MOST_ROWS: usize = 1024;

pub struct GpuTangents<'a> {
    backend: &'a WebGpuBackend,
    point: TangentPoint,
    pack: Rc<Pack>,
    arena: Arena,
    kept: KeptPoint,
    reading: Option<(AskedProducts, PendingRead)>,
    is_answered: bool,
}

/// The forward pass at a point, on the GPU.
#[derive(Default)]
struct KeptPoint {
    places: Places,
    sequence: Option<GpuSequence>,
    linearised: Linearised<GpuRows, GpuLooks>,
    buffers: RowBuffers,
}

impl<'a> GpuTangents<'a> {
    pub fn new(
        backend: &'a WebGpuBackend,
        point: TangentPoint,
        pack: Rc<Pack>,
    ) -> Result<Self, EngineError> {
        let device = &backend.gpu.device;
        if backend.passes.get() == 0 {
            backend.gpu.bindings.forgive(device);
        }
        device.check()?;
        let (tokens, room) = (pack.rows, most_tokens(backend, point.block));
        refuse_if!(tokens > room, EngineError::Room { tokens, room });
        let arena = backend.tangent_arena.take().unwrap_or_else(|| {
            backend.gpu.bindings.forget();
            Arena::default()
        });
        backend.passes.set(backend.passes.get() + 1);
        Ok(Self {
            backend,
            point,
            pack,
            arena,
            kept: KeptPoint::default(),
            reading: None,
            is_answered: true,
        })
    }

    /// Records what was asked: the forward pass of new places first. Returns the products.
    fn record(
        &mut self,
        kept: &mut KeptPoint,
        asked: &AskedProducts,
        has_new: bool,
        recorder: &mut Recorder<'a>,
    ) -> Result<wgpu::Buffer, EngineError> {
        let (backend, point) = (self.backend, &self.point);
        let (gpu, block) = (&backend.gpu, &backend.blocks[point.block]);
        let branches = Branches::new(&block.shape, point.half);
        let arena = &mut self.arena;

        // Queries, keys and values of the whole sequence.
        let sequence = match kept.sequence.take() {
            Some(sequence) => sequence,
            None => {
                let attention = branches.attention;
                GpuSequence::new(backend, point, &self.pack, attention, recorder, arena)?
            }
        };
        let sequence = kept.sequence.insert(sequence);

        // What the slopes need at the places.
        let block = (gpu, block, point.heads_off);
        let places = &kept.places;
        let mut function = GpuFunction::new(block, recorder, arena, sequence, places, asked);
        if has_new {
            kept.linearised = linearise(&mut function, branches)?;
            kept.buffers.clone_from(&function.used);
        }
        function.keep(&kept.buffers);

        // Products of as many rows as fit.
        let shape = &backend.blocks[point.block].shape;
        let widest = shape.mlp.up_rows().max(shape.attention.qkv_width());
        let widest = widest.max(shape.attention.attended_width()).max(gpu.width);
        let numbers = (gpu.device.largest_buffer() / 4) as usize;
        let most = (numbers / widest).clamp(1, MOST_ROWS);
        multiply(&mut function, &kept.linearised, asked, most)?;
        Ok(function.products)
    }

    /// Rows of probes, and places, that a device has room for.
    fn room(&self) -> [usize; 2] {
        let backend = self.backend;
        let numbers = (backend.gpu.device.largest_buffer() / 4) as usize;
        let shape = &backend.blocks[self.point.block].shape;
        let a_place = (shape.attention.heads * self.pack.rows).max(shape.mlp.up_rows());
        let a_place = a_place.max(shape.attention.attended_width());
        let d = backend.gpu.width;
        [numbers / d.max(4), numbers / a_place.max(d)]
    }
}

/// Returns the most tokens whose queries, keys and values fit into one binding.
fn most_tokens(backend: &WebGpuBackend, block: usize) -> usize {
    let shape = &backend.blocks[block].shape;
    let numbers = (backend.gpu.device.largest_buffer() / 4) as usize;
    numbers / shape.attention.qkv_width().max(backend.gpu.width)
}

impl Tangents for GpuTangents<'_> {
    fn ask(&mut self, products: Vec<TangentProduct>) -> Result<(), EngineError> {
        assert!(self.reading.is_none(), "one question at a time");
        let backend = self.backend;
        let gpu = &backend.gpu;
        gpu.device.check()?;
        let (d, block) = (gpu.width, &backend.blocks[self.point.block]);
        let window = block.shape.attention.window;
        let asked = AskedProducts::sort(&products, d, self.pack.rows, window)?;
        let probes = asked.forward.pairs.len() + asked.transposed.pairs.len();
        // On an error nothing stays kept, and a half-recorded pass is made anew.
        let mut kept = std::mem::take(&mut self.kept);
        let has_new = kept.places.add(&asked);
        let places = kept.places.0.len();
        let [most_probes, most_places] = self.room();
        if probes > most_probes || places > most_places {
            return Err(EngineError::ProbeRoom { probes, places, most_probes, most_places });
        }
        self.is_answered = false;
        self.arena.lists.clear();
        let mut recorder = Recorder::new(&gpu.device, &gpu.bindings);
        let recorded = self.record(&mut kept, &asked, has_new, &mut recorder);
        let pending = recorded.and_then(|out| {
            let parts = [&asked.forward, &asked.transposed];
            let parts = parts.map(|rows| (rows.numbers.len(), "the derivatives"));
            Ok(self.arena.staging.begin(&mut recorder, &out, parts.to_vec())?)
        });
        backend.tally.set(backend.tally.take() + recorder.tally);
        let pending = pending?;
        self.kept = kept;
        self.reading = Some((asked, pending));
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        let device = &self.backend.gpu.device;
        let Some((asked, pending)) = self.reading.take() else {
            return Ok(Some(Vec::new()));
        };
        if !pending.is_here(device)? {
            self.reading = Some((asked, pending));
            return Ok(None);
        }
        let given = self.arena.staging.finish(device, pending)?;
        device.settle();
        self.is_answered = true;
        let [forward, transposed] = given.as_slice() else {
            return Ok(Some(Vec::new()));
        };
        Ok(Some(asked.outputs(forward, transposed)))
    }
}

impl Drop for GpuTangents<'_> {
    /// As of a pass: buffers that something is wrong with are not used again.
    fn drop(&mut self) {
        let backend = self.backend;
        backend.passes.set(backend.passes.get() - 1);
        if !self.is_answered {
            backend.gpu.bindings.abandon();
        }
        let is_whole = self.is_answered || CAN_BLOCK;
        let arena = std::mem::take(&mut self.arena);
        if backend.gpu.device.check().is_ok() && is_whole {
            backend.tangent_arena.set(Some(arena));
        } else {
            arena.destroy();
        }
    }
}
