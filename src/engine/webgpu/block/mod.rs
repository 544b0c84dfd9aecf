//! One decoder block of any shape on the GPU.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::arena::{Arena, Use};
use super::attention::TileSize;
use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::gemm::Linear;
use super::gpu::Gpu;
use super::kv_cache::GpuRunCache;
use super::looks::{Looks, LooksRoom};
use super::matrix::GpuMatrix;
use super::member::MemberSink;
use super::norm::{NormVectors, RowSource};
use super::recorder::Recorder;
use super::tables::Tables;
use super::{activation, append, attention, gather, gemm, looks, norm, qk_norm, rope};
use crate::engine::backend::AttentionRows;
use crate::engine::branch::{Branch, Branches, LinearRole, NormRole};
use crate::engine::schedule::program::BlockCall;
use crate::model::shape::{BlockShape, QkNorm};
use crate::model::weights::{MatrixRole, TypedRows, VectorRole};
use crate::plan::{Half, HeadsOff};

/// Numbers of heads' values that go through the output matrix at once.
const LOOKED_AT: usize = 1 << 22;

pub struct GpuBlock {
    pub shape: BlockShape,
    /// By [`MatrixRole::ALL`].
    matrices: [GpuMatrix; 4],
    /// The vectors that the shape has.
    vectors: HashMap<VectorRole, wgpu::Buffer>,
}

/// A recording of GPU work, with its buffers.
pub struct Recording<'a> {
    pub recorder: Recorder<'a>,
    pub arena: Arena,
    pub tables: Tables,
}

impl GpuBlock {
    /// Room for the weights of one block, its matrices' rows of these types.
    ///
    /// # Errors
    /// A row is larger than a binding of this device.
    pub fn reserve(
        device: &Device,
        shape: &BlockShape,
        width: usize,
        typed: [Vec<TypedRows>; 4],
    ) -> Result<Self, GpuError> {
        let matrix = |role: MatrixRole| {
            let [_, columns] = shape.matrix(role, width);
            GpuMatrix::reserve(device, &format!("{role:?}"), &typed[role as usize], columns)
        };
        let [qkv, out, up, down] = MatrixRole::ALL.map(matrix);
        let vector = |(role, length): (VectorRole, usize)| {
            let label = format!("{role:?}");
            (role, device.buffer(&label, length as u64 * 4, STORAGE))
        };
        Ok(Self {
            matrices: [qkv?, out?, up?, down?],
            vectors: shape.vectors(width).into_iter().map(vector).collect(),
            shape: shape.clone(),
        })
    }

    pub fn matrix(&self, role: MatrixRole) -> &GpuMatrix {
        &self.matrices[role as usize]
    }

    pub fn fill_vector(&self, device: &Device, role: VectorRole, numbers: &[f32]) {
        if let Some(buffer) = self.vectors.get(&role) {
            let bytes = bytemuck::cast_slice(numbers);
            device.queue.write_buffer(buffer, 0, bytes);
        }
    }

    pub fn bytes(&self) -> u64 {
        self.matrices.iter().map(GpuMatrix::bytes).sum::<u64>()
            + self.vectors.values().map(wgpu::Buffer::size).sum::<u64>()
    }

    /// Runs a call, whose steps begin with `first_step` among those of the program; a single step, where
    /// its tokens go on from those in a cache.
    pub fn run(
        &self,
        gpu: &Gpu,
        to: &mut Recording,
        call: &BlockCall,
        first_step: usize,
        cache: Option<&GpuRunCache>,
    ) -> Result<(), GpuError> {
        let branches = Branches::new(&self.shape, call.run.half);
        let is_both = call.run.half == Half::Both;
        let steps = call.steps.len();
        let rows = steps * to.tables.rows;
        let streams = RowSource::Streams { first_step };
        // [steps N, D], where the MLP reads the stream with the block's attention added.
        let middle = to.buffer(gpu, Use::Middle, if is_both { rows * gpu.width } else { 0 });
        let feeds_mlp = is_both && branches.mlp_reads_attention();
        let mut read = None;
        if let Some(branch) = branches.attention {
            let x = self.input(gpu, to, branch, streams, call)?; // [steps N, D]
            let attended = self.attend(gpu, to, &x, (steps, cache), call.run.heads_off)?; // [steps N, H W]
            let members = |tables| MemberSink {
                tables,
                middle: &middle,
                first_step,
                is_mlp: false,
                joins_later: false,
                feeds_mlp,
            };
            self.output(gpu, to, branch, &attended, rows, &members)?;
            read = Some((x, branch.norm_before));
        }
        if let Some(branch) = branches.mlp {
            let from = if feeds_mlp { RowSource::Rows(&middle) } else { streams };
            let x = match read {
                Some((x, norm)) if !feeds_mlp && norm == branch.norm_before => x,
                _ => self.input(gpu, to, branch, from, call)?,
            };
            let mlp = &self.shape.mlp;
            let up = to.buffer(gpu, Use::Up, rows * mlp.up_rows()); // [steps N, 2 F] or [steps N, F]
            let activated = to.buffer(gpu, Use::Activated, rows * mlp.width); // [steps N, F]
            let w = self.linear(gpu, branch.widen);
            gemm::run(&mut to.recorder, &x, rows, w, &up, 0)?;
            activation::run(&mut to.recorder, &up, rows, mlp, &activated)?;
            let members = |tables| MemberSink {
                tables,
                middle: &middle,
                first_step,
                is_mlp: true,
                joins_later: is_both,
                feeds_mlp: false,
            };
            self.output(gpu, to, branch, &activated, rows, &members)?;
        }
        Ok(())
    }

    /// Returns a branch's input `[steps N, D]`: `from` through the norm before the branch, if it has one.
    fn input(
        &self,
        gpu: &Gpu,
        to: &mut Recording,
        branch: Branch,
        from: RowSource,
        call: &BlockCall,
    ) -> Result<wgpu::Buffer, GpuError> {
        let n = to.tables.rows;
        let rows = call.steps.len() * n;
        let x = |to: &mut Recording| to.buffer(gpu, Use::Normed, rows * gpu.width);
        match (branch.norm_before, from) {
            (Some(norm), _) => {
                let x = x(to);
                let (norm, Recording { recorder, tables, .. }) = (self.norm(gpu, norm), to);
                norm::run(recorder, from, rows, norm, tables, &x)?;
                Ok(x)
            }
            (None, RowSource::Rows(rows)) => Ok(rows.clone()),
            (None, RowSource::Streams { .. }) => {
                let x = x(to);
                let all = to.arena.lists.place(&gpu.device, &(0..n as u32).collect::<Vec<_>>());
                let streams = (&to.tables.streams, gpu.width);
                for (i, step) in call.steps.iter().enumerate() {
                    let out = (&x, i * n * gpu.width);
                    gather::run(&mut to.recorder, streams, step.slot_in * n, &all, out)?;
                }
                Ok(x)
            }
        }
    }

    /// Attention of `x` `[steps N, D]` before its output matrix.
    fn attend(
        &self,
        gpu: &Gpu,
        to: &mut Recording,
        x: &wgpu::Buffer,
        (steps, cache): (usize, Option<&GpuRunCache>),
        off: HeadsOff,
    ) -> Result<wgpu::Buffer, GpuError> {
        let shape = &self.shape.attention;
        let rows = steps * to.tables.rows;
        let qkv = to.buffer(gpu, Use::Qkv, rows * shape.qkv_width()); // [steps N, (H + 2 KV) W]
        let attended = to.buffer(gpu, Use::Attended, rows * shape.attended_width()); // [steps N, H W]
        let (recorder, tables) = (&mut to.recorder, &to.tables);
        let w = self.linear(gpu, Branch::attention(&self.shape).widen);
        gemm::run(recorder, x, rows, w, &qkv, 0)?;
        if shape.qk_norm != QkNorm::None {
            let gains =
                [VectorRole::QueryNorm, VectorRole::KeyNorm].map(|role| self.vector(gpu, role));
            let eps = self.shape.norm.eps;
            qk_norm::run(recorder, &qkv, rows, shape, eps, gains)?;
        }
        rope::run(recorder, &qkv, rows, shape, tables)?;
        if let Some(GpuRunCache { places, keys }) = cache {
            append::run(recorder, &qkv, rows, shape, places, keys.cache)?;
        }
        // The tables have tiles of every size that the blocks' heads take.
        let tiles = &tables.tiles[&TileSize::of(&gpu.device, shape.head_width)?.queries];
        let keys = cache.map(|cache| cache.keys);
        attention::run(recorder, (&qkv, keys), steps, (shape, off), tiles, &attended)?;
        Ok(attended)
    }

    /// Where tokens of the sequence at `span` look, of the queries, keys and values that a run of this
    /// block has just left, to `out` from number `base` on.
    pub fn looks(
        &self,
        gpu: &Gpu,
        to: &mut Recording,
        rows: &AttentionRows,
        off: HeadsOff,
        span: (usize, usize),
        (out, base): (&wgpu::Buffer, usize),
    ) -> Result<(), GpuError> {
        let shape = &self.shape.attention;
        let numbers = (gpu.device.largest_buffer() / 4) as usize;
        let numbers_a_head = span.1 * shape.attended_width().max(gpu.width);
        let at_once = LOOKED_AT.min(numbers) / numbers_a_head.max(1);
        let at_once = at_once.max(1).min(rows.heads.len());
        let rows_at_once = at_once * span.1;
        let list = looks::list(&rows.heads, off, &rows.queries);
        let looks = Looks {
            shape,
            qkv: &to.buffer(gpu, Use::Qkv, 0),
            span,
            list: &to.arena.lists.place(&gpu.device, &list),
            heads: rows.heads.len(),
            out: Linear { matrix: self.matrix(MatrixRole::Out), bias: &gpu.zeros },
        };
        let room = LooksRoom {
            values: &to.buffer(gpu, Use::Values, rows_at_once * shape.attended_width()),
            through: &to.buffer(gpu, Use::Through, rows_at_once * gpu.width),
        };
        looks::run(&mut to.recorder, &looks, &room, at_once, (out, base))
    }

    /// A branch's output matrix, and its norm where that stands behind: members.
    fn output<'a>(
        &self,
        gpu: &Gpu,
        to: &'a mut Recording,
        branch: Branch,
        inside: &wgpu::Buffer,
        rows: usize,
        members: &dyn Fn(&'a Tables) -> MemberSink<'a>,
    ) -> Result<(), GpuError> {
        let w = self.linear(gpu, branch.narrow);
        let Some(norm) = branch.norm_after else {
            let Recording { recorder, tables, .. } = to;
            return gemm::run_members(recorder, inside, rows, w, &members(tables));
        };
        let z = to.buffer(gpu, Use::Branch, rows * gpu.width);
        let Recording { recorder, tables, .. } = to;
        gemm::run(recorder, inside, rows, w, &z, 0)?;
        norm::run_members(recorder, &z, rows, self.norm(gpu, norm), &members(tables))
    }

    /// A matrix, and its bias or zeros.
    pub fn linear<'a>(&'a self, gpu: &'a Gpu, role: LinearRole) -> Linear<'a> {
        Linear { matrix: self.matrix(role.matrix), bias: self.vector(gpu, role.bias) }
    }

    pub fn norm<'a>(&'a self, gpu: &'a Gpu, role: NormRole) -> NormVectors<'a> {
        let [gain, bias] = role.vectors().map(|role| self.vector(gpu, role));
        NormVectors { shape: self.shape.norm, width: gpu.width, gain, bias }
    }

    /// Zeros where the shape has none.
    pub fn vector<'a>(&'a self, gpu: &'a Gpu, role: VectorRole) -> &'a wgpu::Buffer {
        self.vectors.get(&role).unwrap_or(&gpu.zeros)
    }
}

impl Recording<'_> {
    /// A buffer of `numbers`.
    pub fn buffer(&mut self, gpu: &Gpu, what: Use, numbers: usize) -> wgpu::Buffer {
        let bytes = numbers as u64 * 4;
        self.arena.get(&gpu.device, &gpu.bindings, what, bytes)
    }
}
