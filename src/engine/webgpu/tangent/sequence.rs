//! One sequence's stream at a point on the GPU.

use super::device::buffer;
use super::rows::TangentUse;
use crate::engine::TangentPoint;
use crate::engine::branch::Branch;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;
use crate::engine::webgpu::GpuError;
use crate::engine::webgpu::arena::Arena;
use crate::engine::webgpu::backend::WebGpuBackend;
use crate::engine::webgpu::norm::RowSource;
use crate::engine::webgpu::recorder::Recorder;
use crate::engine::webgpu::tables::{PackPlan, Tables};
use crate::engine::webgpu::{gemm, norm, qk_norm, rope};
use crate::model::shape::QkNorm;
use crate::model::weights::VectorRole;
use crate::plan::{BlockRun, Plan, Step};

/// One sequence's stream at a point, with its queries, keys and values.
pub struct GpuSequence {
    /// The stream `[T, D]` in slot 0, and every position's angles.
    pub tables: Tables,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm, where they have one
    pub raw: wgpu::Buffer,
    /// `[T, (H + 2 KV) W]` queries and keys turned, where attention runs
    pub qkv: wgpu::Buffer,
}

impl GpuSequence {
    /// Uploads the stream, and records its queries, keys and values for `attention`.
    pub fn new<'a>(
        backend: &'a WebGpuBackend,
        point: &TangentPoint,
        pack: &Pack,
        attention: Option<Branch>,
        recorder: &mut Recorder<'a>,
        arena: &mut Arena,
    ) -> Result<Self, GpuError> {
        let (gpu, block) = (&backend.gpu, &backend.blocks[point.block]);
        let (shape, rows) = (&block.shape.attention, pack.rows);
        let rope = backend.weights.shape.rope();
        // A table of steps without one could not be bound.
        let step = BlockRun::whole(point.block);
        let plan = Plan::new(vec![Step::Block(step)], backend.blocks.len());
        let plans: Vec<Plan> = plan.into_iter().collect();
        let program = Program::new(&Schedule::new(&plans), 1);
        let plan = PackPlan {
            pack,
            program: &program,
            embedded: &point.stream,
            width: gpu.width,
            kept_rows: 0,
            rope_width: rope.map_or(0, |rope| rope.width),
            queries: &[],
        };
        let tables = Tables::upload(arena, &gpu.device, &gpu.bindings, &plan);
        let Some(branch) = attention else {
            let none = gpu.zeros.clone();
            return Ok(Self { tables, raw: none.clone(), qkv: none });
        };

        // The stream through the norm before attention, if there is one, to queries, keys and values.
        let has_norm = shape.qk_norm != QkNorm::None;
        let qkv = buffer(gpu, arena, TangentUse::Qkv, rows * shape.qkv_width());
        let numbers = if has_norm { rows * shape.qkv_width() } else { 0 };
        let raw = buffer(gpu, arena, TangentUse::Raw, numbers);
        let mut read = tables.streams.clone(); // [T, D]
        if let Some(norm) = branch.norm_before {
            let normed = buffer(gpu, arena, TangentUse::Read, rows * gpu.width);
            let (norm, from) = (block.norm(gpu, norm), RowSource::Rows(&read));
            norm::run(recorder, from, rows, norm, &tables, &normed)?;
            read = normed;
        }
        let w = block.linear(gpu, branch.widen);
        gemm::run(recorder, &read, rows, w, &qkv, 0)?;
        if has_norm {
            // A second product instead of a copy: only a few families have this norm.
            gemm::run(recorder, &read, rows, w, &raw, 0)?;
            let gains = [VectorRole::QueryNorm, VectorRole::KeyNorm];
            let gains = gains.map(|role| block.vector(gpu, role));
            let eps = block.shape.norm.eps;
            qk_norm::run(recorder, &qkv, rows, shape, eps, gains)?;
        }
        rope::run(recorder, &qkv, rows, shape, &tables)?;
        Ok(Self { tables, raw, qkv })
    }
}
