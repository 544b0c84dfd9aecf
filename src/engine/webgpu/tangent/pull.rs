//! The transposed: rows w at `t_out` to J^T w at `t_in`.

use super::super::add::RowsFrom;
use super::super::block::Branch;
use super::super::error::GpuError;
use super::function::{DeviceFunction, Uploaded};
use super::kept::{DevicePoint, KeptBuffers};
use super::rows::{GpuPairs, KeptRows, TangentUse};
use crate::model::weights::MatrixRole;

impl DeviceFunction<'_, '_> {
    /// Rows of the uploaded probes to the same rows of what is given back.
    pub(super) fn pull(
        &mut self,
        kept: &DevicePoint,
        all: &Uploaded,
        pairs: &GpuPairs,
    ) -> Result<(), GpuError> {
        let Some(at) = &kept.at else {
            return Ok(());
        };
        let (n, d, m) = (pairs.rows, self.gpu.width, self.mlp_rows(pairs));
        // [M, D] what the MLP makes of w, and [N, D] what attention makes of it.
        let of_mlp = self.buffer(TangentUse::Second, m * d);
        let of_attention = self.buffer(TangentUse::First, n * d);
        if m > 0 {
            self.pull_mlp(at, all, &pairs.first_rows(m), &of_mlp)?;
        }
        if self.half.has_attention() {
            let joins = if self.is_sequential() { m } else { 0 };
            self.pull_attention(at, all, pairs, (&of_mlp, joins), &of_attention)?;
        }
        let attention = if self.half.has_attention() { n } else { 0 };
        let to = RowsFrom { buffer: &all.out, first: pairs.first, rows: n };
        self.add(
            RowsFrom::first(&of_attention, attention),
            RowsFrom::first(&of_mlp, pairs.own.min(m)),
            to,
        )
    }

    fn pull_mlp(
        &mut self,
        at: &KeptBuffers,
        all: &Uploaded,
        pairs: &GpuPairs,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (gpu, block, m) = (self.gpu, self.block, pairs.rows);
        let (mlp, d) = (&block.shape.mlp, gpu.width);
        let w = self.buffer(TangentUse::First, m * d); // [M, D]
        let wide = self.buffer(TangentUse::Wide, m * mlp.up_rows());
        let narrow = self.buffer(TangentUse::Narrow, m * mlp.width);
        self.copy(all, pairs, m, &w)?;
        if self.is_after() {
            let x = KeptRows::Places(&at.mlp);
            self.through_norm(x, Branch::Mlp, pairs, &w, true)?;
        }
        let (up, down) = (block.matrix(MatrixRole::Up), block.matrix(MatrixRole::Down));
        let kernels = &gpu.kernels;
        let recorder = &mut self.recorder;
        let gemm = &kernels.gemm_transposed;
        gemm.run(recorder, &w, m, down, &narrow)?;
        let kernel = &kernels.mlp_slope;
        kernel.scale(recorder, &at.slopes, mlp, pairs, &narrow, &wide, true)?;
        gemm.run(recorder, &wide, m, up, out)?;
        if !self.is_after() {
            let x = KeptRows::Places(&at.middle);
            self.through_norm(x, Branch::Mlp, pairs, out, true)?;
        }
        Ok(())
    }

    fn pull_attention(
        &mut self,
        at: &KeptBuffers,
        all: &Uploaded,
        pairs: &GpuPairs,
        (of_mlp, joins): (&wgpu::Buffer, usize),
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let (gpu, block, n) = (self.gpu, self.block, pairs.rows);
        let (shape, d) = (&block.shape.attention, gpu.width);
        let reached = self.buffer(TangentUse::Third, n * d); // [N, D]
        let heads = self.buffer(TangentUse::Heads, n * shape.attended_width());
        let moved = self.buffer(TangentUse::Moved, n * shape.qkv_width());
        let w = RowsFrom { buffer: &all.probes, first: pairs.first, rows: n };
        self.add(w, RowsFrom::first(of_mlp, joins), RowsFrom::first(&reached, n))?;
        if self.is_after() {
            let x = KeptRows::Places(&at.attention);
            self.through_norm(x, Branch::Attention, pairs, &reached, true)?;
        }
        let kernels = &gpu.kernels;
        let gemm = &kernels.gemm_transposed;
        let matrix = block.matrix(MatrixRole::Out);
        let looked = at.looked(self);
        let recorder = &mut self.recorder;
        gemm.run(recorder, &reached, n, matrix, &heads)?;
        let widths = [shape.attended_width(), shape.head_width];
        let off = self.heads_off;
        kernels.heads_off.run(recorder, &heads, n, widths, off)?;
        kernels.attention_slope.pull(recorder, looked, pairs, &heads, &moved)?;
        self.turn(at, all, pairs, &moved, true)?;
        self.through_head_norm(at, pairs, &moved, true)?;
        let matrix = block.matrix(MatrixRole::Qkv);
        gemm.run(&mut self.recorder, &moved, n, matrix, out)?;
        if !self.is_after() {
            let x = KeptRows::Inputs(&at.tables.streams);
            self.through_norm(x, Branch::Attention, pairs, out, true)?;
        }
        Ok(())
    }
}
