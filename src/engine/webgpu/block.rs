//! One decoder block on the GPU: at most nine dispatches.

use super::arena::Use;
use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::gemm::MemberTo;
use super::matrix::{Format, Matrix};
use super::norm::From;
use super::pass::Pass;
use crate::engine::schedule::program::BlockCall;
use crate::model::{BlockWeights, ModelConfig};
use crate::plan::Half;

pub struct Block {
    attention_norm: wgpu::Buffer, // [D]
    qkv: Matrix,                  // [(H + 2 KV) W, D]
    o: Matrix,                    // [D, H W]
    mlp_norm: wgpu::Buffer,       // [D]
    gate_up: Matrix,              // [2 F, D]
    down: Matrix,                 // [D, F]
}

impl Block {
    /// Room for one block's weights.
    pub fn reserve(
        device: &Device,
        config: &ModelConfig,
        format: Format,
    ) -> Result<Self, GpuError> {
        let (d, f) = (config.width, config.mlp_width);
        let attended = config.heads * config.head_width;
        let qkv = attended + 2 * config.kv_heads * config.head_width;
        let norm = || device.buffer("norm", d as u64 * 4, STORAGE);
        let matrix = |label, rows, columns| Matrix::reserve(device, label, rows, columns, format);
        Ok(Self {
            attention_norm: norm(),
            qkv: matrix("qkv", qkv, d)?,
            o: matrix("o", d, attended)?,
            mlp_norm: norm(),
            gate_up: matrix("gate up", 2 * f, d)?,
            down: matrix("down", d, f)?,
        })
    }

    pub fn fill(&self, device: &Device, weights: &BlockWeights) {
        let norms = [
            (&self.attention_norm, &weights.attention_norm),
            (&self.mlp_norm, &weights.mlp_norm),
        ];
        for (buffer, numbers) in norms {
            let bytes = bytemuck::cast_slice(numbers);
            device.queue.write_buffer(buffer, 0, bytes);
        }
        self.qkv.fill(device, 0, &weights.qkv);
        self.o.fill(device, 0, &weights.o);
        self.gate_up.fill(device, 0, &weights.gate_up);
        self.down.fill(device, 0, &weights.down);
    }

    pub fn bytes(&self) -> u64 {
        let matrices = [&self.qkv, &self.o, &self.gate_up, &self.down];
        self.attention_norm.size()
            + self.mlp_norm.size()
            + matrices.into_iter().map(Matrix::bytes).sum::<u64>()
    }

    /// Runs a piece of a pack, whose copies begin with `first_copy` in the copy table.
    pub fn run(
        &self,
        pass: &mut Pass,
        piece: &BlockCall,
        first_copy: usize,
        keep: bool,
    ) -> Result<(), GpuError> {
        let half = piece.run.half;
        let n = pass.pack.rows;
        let copies = piece.steps.len();
        let rows = copies * n;
        let engine = pass.engine;
        let (config, kernels) = (&engine.config, &engine.kernels);
        let row = (config.heads + 2 * config.kv_heads) * config.head_width;
        let streams = pass.held.streams.clone();
        let copy_table = pass.held.copies.clone();
        let tokens = pass.held.tokens.clone();
        let kept = pass.held.kept.clone();
        let x = pass.buffer(Use::Normed, rows * config.width); // [copies N, D]
        let middle = pass.buffer(Use::Middle, rows * config.width); // [copies N, D]
        let from_streams = From::Streams {
            streams: &streams,
            rows_a_copy: n,
            first_copy,
        };
        let to = |is_mlp: bool| MemberTo {
            streams: &streams,
            middle: &middle,
            kept: &kept,
            copies: &copy_table,
            tokens: &tokens,
            rows_a_copy: n,
            first_copy,
            is_mlp,
            after_attention: is_mlp && half == Half::Both,
            keep,
        };
        if half != Half::Mlp {
            let qkv = pass.buffer(Use::Qkv, rows * row); // [copies N, (H + 2 KV) W]
            let attended = pass.buffer(Use::Attended, rows * config.heads * config.head_width); // [copies N, H W]
            let recorder = &mut pass.recorder;
            let norm = &self.attention_norm;
            kernels
                .norm
                .run(recorder, from_streams, rows, norm, &copy_table, &x)?;
            kernels.gemm.run(recorder, &x, rows, &self.qkv, &qkv)?;
            kernels
                .turn
                .run(recorder, &qkv, rows, n, &tokens, &pass.held.angles)?;
            let (tiles, table) = (&pass.held.tiles, &pass.held.tile_table);
            kernels
                .attention
                .run(recorder, &qkv, copies, n, tiles, table, &attended)?;
            kernels
                .gemm
                .run_member(recorder, &attended, rows, &self.o, &to(false))?;
        }
        if half != Half::Attention {
            let gate_up = pass.buffer(Use::GateUp, rows * 2 * config.mlp_width); // [copies N, 2 F]
            let gated = pass.buffer(Use::Gated, rows * config.mlp_width); // [copies N, F]
            let recorder = &mut pass.recorder;
            let from = if half == Half::Both {
                From::Rows(&middle)
            } else {
                from_streams
            };
            kernels
                .norm
                .run(recorder, from, rows, &self.mlp_norm, &copy_table, &x)?;
            kernels
                .gemm
                .run(recorder, &x, rows, &self.gate_up, &gate_up)?;
            kernels.gate.run(recorder, &gate_up, rows, &gated)?;
            kernels
                .gemm
                .run_member(recorder, &gated, rows, &self.down, &to(true))?;
        }
        Ok(())
    }
}
