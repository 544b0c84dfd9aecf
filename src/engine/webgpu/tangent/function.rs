//! One block's derivatives, recorded: what is kept of the forward pass first, then rows through it either way.

use super::kept::DevicePoint;
use super::rows::{GpuPairs, TangentUse};
use crate::engine::EngineError;
use crate::engine::TangentPoint;
use crate::engine::schedule::pack::Pack;
use crate::engine::tangent::{AskedProducts, ProbeRows};
use crate::engine::webgpu::GpuError;
use crate::engine::webgpu::add::RowsFrom;
use crate::engine::webgpu::arena::{Arena, Use};
use crate::engine::webgpu::backend::WebGpuBackend;
use crate::engine::webgpu::block::GpuBlock;
use crate::engine::webgpu::gpu::Gpu;
use crate::engine::webgpu::recorder::Recorder;
use crate::model::shape::{NormPlacement, Residual};
use crate::plan::{Half, HeadsOff};

/// Rows that go through the block together.
const MOST_ROWS: usize = 1024;

/// A block as it is multiplied with, and what that is recorded with.
pub(super) struct DeviceFunction<'a, 'b> {
    pub(super) gpu: &'a Gpu,
    pub(super) block: &'a GpuBlock,
    pub(super) half: Half,
    pub(super) heads_off: HeadsOff,
    pub(super) recorder: Recorder<'a>,
    pub(super) arena: &'b mut Arena,
}

/// Rows of one direction, uploaded.
pub(super) struct Uploaded {
    pub(super) pairs: GpuPairs,
    pub(super) turns: wgpu::Buffer,
    pub(super) probes: wgpu::Buffer,
    pub(super) out: wgpu::Buffer,
}

impl DeviceFunction<'_, '_> {
    /// Records what was asked: where all of its rows will lie, the transposed behind the others.
    pub(super) fn record(
        &mut self,
        backend: &WebGpuBackend,
        point: &TangentPoint,
        pack: &Pack,
        kept: &mut DevicePoint,
        has_new: bool,
        asked: &AskedProducts,
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

    pub(super) fn rows_at_once(&self) -> usize {
        let shape = &self.block.shape;
        let widest = shape.mlp.up_rows().max(shape.attention.qkv_width());
        let widest = widest.max(shape.attention.attended_width()).max(self.gpu.width);
        let numbers = (self.gpu.device.largest_buffer() / 4) as usize;
        (numbers / widest).clamp(1, MOST_ROWS)
    }

    pub(super) fn buffer(&mut self, what: TangentUse, numbers: usize) -> wgpu::Buffer {
        let Gpu { device, bindings, .. } = self.gpu;
        let bytes = numbers as u64 * 4;
        self.arena.get(device, bindings, Use::Tangent(what), bytes)
    }

    pub(super) fn upload<T: bytemuck::NoUninit>(
        &mut self,
        what: TangentUse,
        content: &[T],
    ) -> wgpu::Buffer {
        let Gpu { device, bindings, .. } = self.gpu;
        self.arena.upload(device, bindings, Use::Tangent(what), content)
    }

    /// Whether the MLP reads the stream with attention's member added.
    pub(super) fn is_sequential(&self) -> bool {
        self.half.has_attention() && self.block.shape.residual == Residual::Sequential
    }

    /// Whether norms stand after their branch.
    pub(super) fn is_after(&self) -> bool {
        self.block.shape.placement == NormPlacement::After
    }

    /// How many of the rows the MLP has a part in: those of one token, which are the first, and where it
    /// reads what attention added all.
    pub(super) fn mlp_rows(&self, pairs: &GpuPairs) -> usize {
        match (self.half.has_mlp(), self.is_sequential()) {
            (false, _) => 0,
            (true, true) => pairs.rows,
            (true, false) => pairs.own,
        }
    }

    /// `to = a + b`
    pub(super) fn add(&mut self, a: RowsFrom, b: RowsFrom, to: RowsFrom) -> Result<(), GpuError> {
        let (gpu, recorder) = (self.gpu, &mut self.recorder);
        gpu.kernels.add.run(recorder, a, b, gpu.width, to)
    }
}
