//! Products with a block's Jacobians on the GPU: rows of probes through the block's matrices and the slopes
//! of what stands between them, at values that are kept of the forward pass.

mod kept;
mod pull;
mod push;

use std::rc::Rc;

use self::kept::Kept;
use super::add::RowsFrom;
use super::arena::{Arena, Use};
use super::backend::WebGpuBackend;
use super::block::GpuBlock;
use super::device::CAN_BLOCK;
use super::gpu::Gpu;
use super::readback::PendingRead;
use super::recorder::Recorder;
use crate::engine::schedule::pack::Pack;
use crate::engine::tangent::{Asked, ProbeRows};
use crate::engine::{EngineError, Product, TangentPoint, Tangents};
use crate::model::shape::{NormPlacement, Residual};
use crate::plan::{Half, HeadsOff};

/// Rows that go through the block together.
const MOST_ROWS: usize = 1024;

/// What a buffer of derivatives holds. N probes that go through together, P places of positions that look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TangentUse {
    /// `[T, D]` or `[P, D]` what a branch reads
    Read,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm
    Raw,
    /// `[T, (H + 2 KV) W]` queries and keys turned
    Qkv,
    /// `[P, H, T]`
    Weights,
    /// `[P, H W]`
    Mixed,
    /// `[P, H W]` but for the heads that are off
    MixedOn,
    /// `[P, D]` attention before the norm that stands after it
    Attention,
    /// `[P, D]` attention's member
    Added,
    /// `[P, D]` the stream at the places
    Stream,
    /// `[P, D]` what the MLP reads, before the norm that stands before it
    Middle,
    /// `[P, 2 F]` or `[P, F]`
    Slopes,
    /// `[P, F]`
    Activated,
    /// `[P, D]` the MLP before the norm that stands after it
    Mlp,
    /// (t_in, place of t_out, t_out, is one token) of all probes
    Pairs,
    /// (angle row of t_in, nothing) of all probes
    Turns,
    /// `[all probes, D]`
    Probes,
    /// `[all probes, D]` what is given back
    Out,
    /// `[N, D]`
    First,
    /// `[N, D]`
    Second,
    /// `[N, D]`
    Third,
    /// `[N, (H + 2 KV) W]`
    Moved,
    /// `[N, H W]`
    Heads,
    /// `[N, 2 F]` or `[N, F]`
    Wide,
    /// `[N, F]`
    Narrow,
}

/// Neighbouring rows of a table of pairs.
pub struct GpuPairs {
    /// `[.., 4]` (t_in, place of t_out, t_out, is one token)
    pub table: wgpu::Buffer,
    pub first: usize,
    pub rows: usize,
    /// The first rows, whose pair is one token.
    pub own: usize,
}

impl GpuPairs {
    /// The first `rows` of them.
    fn first_rows(&self, rows: usize) -> Self {
        Self {
            table: self.table.clone(),
            first: self.first,
            rows,
            own: self.own.min(rows),
        }
    }
}

/// Where the rows lie that a norm's derivative is taken at.
#[derive(Clone, Copy)]
pub enum KeptRows<'a> {
    /// A row a token, by a pair's `t_in`.
    Inputs(&'a wgpu::Buffer),
    /// A row a place, by the place of its `t_out`.
    Places(&'a wgpu::Buffer),
}

pub struct GpuTangents<'a> {
    backend: &'a WebGpuBackend,
    point: TangentPoint,
    pack: Rc<Pack>,
    arena: Arena,
    kept: Option<Kept>,
    reading: Option<(Asked, PendingRead)>,
    is_answered: bool,
}

/// A block as it is multiplied with, and what that is recorded with.
struct Function<'a, 'b> {
    gpu: &'a Gpu,
    block: &'a GpuBlock,
    half: Half,
    heads_off: HeadsOff,
    recorder: Recorder<'a>,
    arena: &'b mut Arena,
}

/// Rows of one direction, uploaded.
struct Uploaded {
    pairs: GpuPairs,
    turns: wgpu::Buffer,
    probes: wgpu::Buffer,
    out: wgpu::Buffer,
}

impl<'a> GpuTangents<'a> {
    pub fn new(
        backend: &'a WebGpuBackend,
        point: TangentPoint,
        pack: Rc<Pack>,
    ) -> Result<Self, EngineError> {
        let device = &backend.gpu.device;
        if backend.passes.get() == 0 {
            device.forgive();
        }
        device.check()?;
        let (tokens, room) = (pack.rows, most_tokens(backend, point.block));
        if tokens > room {
            return Err(EngineError::Room { tokens, room });
        }
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
            kept: None,
            reading: None,
            is_answered: true,
        })
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

/// Whose queries, keys and values fit into a binding.
fn most_tokens(backend: &WebGpuBackend, block: usize) -> usize {
    let shape = &backend.blocks[block].shape;
    let numbers = (backend.gpu.device.largest_buffer() / 4) as usize;
    numbers / shape.attention.qkv_width().max(backend.gpu.width)
}

impl Tangents for GpuTangents<'_> {
    fn ask(&mut self, products: Vec<Product>) -> Result<(), EngineError> {
        assert!(self.reading.is_none(), "one question at a time");
        let backend = self.backend;
        let gpu = &backend.gpu;
        gpu.device.check()?;
        let (d, block) = (gpu.width, &backend.blocks[self.point.block]);
        let window = block.shape.attention.window;
        let asked = Asked::sort(&products, d, self.pack.rows, window)?;
        let probes = asked.forward.pairs.len() + asked.transposed.pairs.len();
        let mut kept = self.kept.take().unwrap_or_default();
        let has_new = kept.place(&asked);
        let places = kept.places.len();
        let [most_probes, most_places] = self.room();
        if probes > most_probes || places > most_places {
            return Err(EngineError::ProbeRoom {
                probes,
                places,
                most_probes,
                most_places,
            });
        }
        self.is_answered = false;
        self.arena.lists.clear();
        let mut function = Function {
            gpu,
            block,
            half: self.point.half,
            heads_off: self.point.heads_off,
            recorder: Recorder::new(&gpu.device, &gpu.bindings),
            arena: &mut self.arena,
        };
        let recorded =
            function.record(backend, &self.point, &self.pack, &mut kept, has_new, &asked);
        let Function {
            mut recorder,
            arena,
            ..
        } = function;
        let pending = recorded.and_then(|out| {
            let parts = [&asked.forward, &asked.transposed];
            let parts = parts.map(|rows| (rows.numbers.len(), "the derivatives"));
            Ok(arena.staging.begin(&mut recorder, &out, parts.to_vec())?)
        });
        backend.tally.set(backend.tally.take() + recorder.tally);
        // What was not recorded to the end is made anew.
        let pending = pending?;
        self.kept = Some(kept);
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
        let is_whole = self.is_answered || CAN_BLOCK;
        if backend.gpu.device.check().is_ok() && is_whole {
            backend
                .tangent_arena
                .set(Some(std::mem::take(&mut self.arena)));
        }
    }
}

impl Function<'_, '_> {
    /// Records what was asked: where all of its rows will lie, the transposed behind the others.
    fn record(
        &mut self,
        backend: &WebGpuBackend,
        point: &TangentPoint,
        pack: &Pack,
        kept: &mut Kept,
        has_new: bool,
        asked: &Asked,
    ) -> Result<wgpu::Buffer, EngineError> {
        self.keep(backend, point, pack, kept)?;
        if has_new {
            self.keep_places(kept)?;
        }
        let of = |rows: &ProbeRows| kept.pairs(&rows.pairs);
        let pairs = [of(&asked.forward), of(&asked.transposed)].concat();
        let turns: Vec<u32> = pairs.iter().flat_map(|pair| [pair[0], 0]).collect();
        let probes = [&asked.forward.numbers[..], &asked.transposed.numbers].concat();
        let uploaded = Uploaded {
            out: self.buffer(TangentUse::Out, probes.len()),
            probes: self.upload(TangentUse::Probes, &probes),
            turns: self.upload(TangentUse::Turns, &turns),
            pairs: GpuPairs {
                table: self.upload(TangentUse::Pairs, pairs.as_flattened()),
                first: 0,
                rows: pairs.len(),
                own: 0,
            },
        };
        let most = self.rows_at_once();
        let mut before = 0;
        for (rows, transposed) in [(&asked.forward, false), (&asked.transposed, true)] {
            for (n, part) in rows.pairs.chunks(most).enumerate() {
                let pairs = GpuPairs {
                    table: uploaded.pairs.table.clone(),
                    first: before + n * most,
                    rows: part.len(),
                    own: part.iter().take_while(|pair| pair.is_own()).count(),
                };
                match transposed {
                    false => self.push(kept, &uploaded, &pairs)?,
                    true => self.pull(kept, &uploaded, &pairs)?,
                }
            }
            before += rows.pairs.len();
        }
        Ok(uploaded.out)
    }

    fn rows_at_once(&self) -> usize {
        let shape = &self.block.shape;
        let widest = shape.mlp.up_rows().max(shape.attention.qkv_width());
        let widest = widest
            .max(shape.attention.attended_width())
            .max(self.gpu.width);
        let numbers = (self.gpu.device.largest_buffer() / 4) as usize;
        (numbers / widest).clamp(1, MOST_ROWS)
    }

    fn buffer(&mut self, what: TangentUse, numbers: usize) -> wgpu::Buffer {
        let Gpu {
            device, bindings, ..
        } = self.gpu;
        let bytes = numbers as u64 * 4;
        self.arena.get(device, bindings, Use::Tangent(what), bytes)
    }

    fn upload<T: bytemuck::NoUninit>(&mut self, what: TangentUse, content: &[T]) -> wgpu::Buffer {
        let Gpu {
            device, bindings, ..
        } = self.gpu;
        self.arena
            .upload(device, bindings, Use::Tangent(what), content)
    }

    fn has_attention(&self) -> bool {
        self.half != Half::Mlp
    }

    fn has_mlp(&self) -> bool {
        self.half != Half::Attention
    }

    /// Does the MLP read what attention added?
    fn is_sequential(&self) -> bool {
        self.has_attention() && self.block.shape.residual == Residual::Sequential
    }

    /// Do norms stand after their branch?
    fn is_after(&self) -> bool {
        self.block.shape.placement == NormPlacement::After
    }

    /// How many of the rows the MLP has a part in: those of one token, which are the first, and where it
    /// reads what attention added all.
    fn mlp_rows(&self, pairs: &GpuPairs) -> usize {
        match (self.has_mlp(), self.is_sequential()) {
            (false, _) => 0,
            (true, true) => pairs.rows,
            (true, false) => pairs.own,
        }
    }

    /// `to = a + b`
    fn add(&mut self, a: RowsFrom, b: RowsFrom, to: RowsFrom) -> Result<(), super::GpuError> {
        let (gpu, recorder) = (self.gpu, &mut self.recorder);
        gpu.kernels.add.run(recorder, a, b, gpu.width, to)
    }
}
