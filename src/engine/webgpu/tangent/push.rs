//! How a block's output moves with its input: rows dx at `t_in` to J dx at `t_out`.

use super::super::add::RowsFrom;
use super::super::block::Branch;
use super::super::error::GpuError;
use super::super::gemm::Linear;
use super::super::rope::Turns;
use super::function::{DeviceFunction, Uploaded};
use super::kept::{DevicePoint, KeptBuffers};
use super::rows::{GpuPairs, KeptRows, TangentUse};
use crate::model::weights::{MatrixRole, VectorRole};

impl<'a> DeviceFunction<'a, '_> {
    /// Rows of the uploaded probes to the same rows of what is given back.
    pub(super) fn push(
        &mut self,
        kept: &DevicePoint,
        all: &Uploaded,
        pairs: &GpuPairs,
    ) -> Result<(), GpuError> {
        let Some(at) = &kept.at else {
            return Ok(());
        };
        let (n, d) = (pairs.rows, self.gpu.width);
        let moved = self.buffer(TangentUse::Second, n * d); // [N, D] attention's
        if self.half.has_attention() {
            self.push_attention(at, all, pairs, &moved)?;
        }
        let m = self.mlp_rows(pairs);
        let third = self.buffer(TangentUse::Third, m * d); // [M, D] the MLP's
        if m > 0 {
            self.push_mlp(at, all, &pairs.first_rows(m), &moved, &third)?;
        }
        let attention = if self.half.has_attention() { n } else { 0 };
        let to = RowsFrom { buffer: &all.out, first: pairs.first, rows: n };
        self.add(RowsFrom::first(&moved, attention), RowsFrom::first(&third, m), to)
    }

    fn push_attention(
        &mut self,
        at: &KeptBuffers,
        all: &Uploaded,
        pairs: &GpuPairs,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (gpu, block, n) = (self.gpu, self.block, pairs.rows);
        let (shape, d) = (&block.shape.attention, gpu.width);
        let read = self.buffer(TangentUse::First, n * d); // [N, D]
        let moved = self.buffer(TangentUse::Moved, n * shape.qkv_width());
        let heads = self.buffer(TangentUse::Heads, n * shape.attended_width());
        self.copy(all, pairs, n, &read)?;
        if !self.is_after() {
            let x = KeptRows::Inputs(&at.tables.streams);
            self.through_norm(x, Branch::Attention, pairs, &read, false)?;
        }
        let kernels = &gpu.kernels;
        let qkv = self.matrix(MatrixRole::Qkv);
        let recorder = &mut self.recorder;
        kernels.gemm.run(recorder, &read, n, qkv, &moved, 0)?;
        self.through_head_norm(at, pairs, &moved, false)?;
        self.turn(at, all, pairs, &moved, false)?;
        let looked = at.looked(self);
        let recorder = &mut self.recorder;
        kernels.attention_slope.push(recorder, looked, pairs, &moved, &heads)?;
        let widths = [shape.attended_width(), shape.head_width];
        let off = self.heads_off;
        kernels.heads_off.run(recorder, &heads, n, widths, off)?;
        let w = self.matrix(MatrixRole::Out);
        let recorder = &mut self.recorder;
        kernels.gemm.run(recorder, &heads, n, w, out, 0)?;
        if self.is_after() {
            let x = KeptRows::Places(&at.attention);
            self.through_norm(x, Branch::Attention, pairs, out, false)?;
        }
        Ok(())
    }

    fn push_mlp(
        &mut self,
        at: &KeptBuffers,
        all: &Uploaded,
        pairs: &GpuPairs,
        moved: &wgpu::Buffer,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (gpu, block, m) = (self.gpu, self.block, pairs.rows);
        let (mlp, d) = (&block.shape.mlp, gpu.width);
        let read = self.buffer(TangentUse::First, m * d); // [M, D]
        let wide = self.buffer(TangentUse::Wide, m * mlp.up_rows());
        let narrow = self.buffer(TangentUse::Narrow, m * mlp.width);
        let joins = if self.is_sequential() { m } else { 0 };
        let own = RowsFrom { buffer: &all.probes, first: pairs.first, rows: pairs.own };
        self.add(RowsFrom::first(moved, joins), own, RowsFrom::first(&read, m))?;
        if !self.is_after() {
            let x = KeptRows::Places(&at.middle);
            self.through_norm(x, Branch::Mlp, pairs, &read, false)?;
        }
        let kernels = &gpu.kernels;
        let (up, down) = (self.matrix(MatrixRole::Up), self.matrix(MatrixRole::Down));
        let recorder = &mut self.recorder;
        kernels.gemm.run(recorder, &read, m, up, &wide, 0)?;
        let kernel = &kernels.mlp_slope;
        kernel.scale(recorder, &at.slopes, mlp, pairs, &wide, &narrow, false)?;
        kernels.gemm.run(recorder, &narrow, m, down, out, 0)?;
        if self.is_after() {
            let x = KeptRows::Places(&at.mlp);
            self.through_norm(x, Branch::Mlp, pairs, out, false)?;
        }
        Ok(())
    }

    /// The first `rows` of the probes of `pairs`, to `to`.
    pub(super) fn copy(
        &mut self,
        all: &Uploaded,
        pairs: &GpuPairs,
        rows: usize,
        to: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let from = RowsFrom { buffer: &all.probes, first: pairs.first, rows };
        let nothing = RowsFrom::first(&self.gpu.zeros, 0);
        self.add(from, nothing, RowsFrom::first(to, rows))
    }

    /// A matrix without its bias, which nothing moves.
    fn matrix(&self, role: MatrixRole) -> Linear<'a> {
        Linear { matrix: self.block.matrix(role), bias: &self.gpu.zeros }
    }

    /// Rows through a branch's norm, in place.
    pub(super) fn through_norm(
        &mut self,
        x: KeptRows,
        branch: Branch,
        pairs: &GpuPairs,
        rows: &wgpu::Buffer,
        transposed: bool,
    ) -> Result<(), GpuError> {
        let norm = self.block.norm(self.gpu, branch);
        let kernel = &self.gpu.kernels.norm_slope;
        kernel.run(&mut self.recorder, x, norm, pairs, rows, transposed)
    }

    /// Queries and keys through their norm, in place, where they have one.
    pub(super) fn through_head_norm(
        &mut self,
        at: &KeptBuffers,
        pairs: &GpuPairs,
        moved: &wgpu::Buffer,
        transposed: bool,
    ) -> Result<(), GpuError> {
        let (gpu, block) = (self.gpu, self.block);
        let gains = [VectorRole::QueryNorm, VectorRole::KeyNorm];
        let gains = gains.map(|role| block.vector(gpu, role));
        let (shape, eps) = (&block.shape.attention, block.shape.norm.eps);
        gpu.kernels.norm_slope.run_heads(
            &mut self.recorder,
            &at.raw,
            shape,
            eps,
            gains,
            pairs,
            moved,
            transposed,
        )
    }

    /// Queries and keys as at `t_in`, in place.
    pub(super) fn turn(
        &mut self,
        at: &KeptBuffers,
        all: &Uploaded,
        pairs: &GpuPairs,
        moved: &wgpu::Buffer,
        transposed: bool,
    ) -> Result<(), GpuError> {
        let by = Turns {
            tokens: &all.turns,
            first: pairs.first,
            count: pairs.rows,
            angles: &at.tables.angles,
        };
        let (rope, shape) = (&self.gpu.kernels.rope, &self.block.shape.attention);
        let recorder = &mut self.recorder;
        rope.turn(recorder, moved, pairs.rows, shape, by, transposed)
    }
}
