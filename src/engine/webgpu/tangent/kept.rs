//! Activations that derivatives reuse from the forward pass: queries, keys and values of the whole
//! sequence, and for each output position the intermediate numbers of its branches.

use super::super::add::RowsFrom;
use super::super::attention_slope::Looked;
use super::super::backend::WebGpuBackend;
use super::super::block::Branch;
use super::super::error::GpuError;
use super::super::gather::RowIds;
use super::super::norm::RowSource;
use super::super::tables::{PackPlan, Tables};
use super::function::DeviceFunction;
use super::rows::TangentUse;
use crate::engine::TangentPoint;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;
use crate::engine::tangent::{AskedProducts, TokenPair};
use crate::model::shape::QkNorm;
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::{BlockRun, Plan, Step};

/// The buffers of a point on the GPU.
#[derive(Default)]
pub struct DevicePoint {
    /// Positions that look, in the order of their places.
    pub places: Vec<usize>,
    pub at: Option<KeptBuffers>,
}

pub struct KeptBuffers {
    /// The stream `[T, D]` in slot 0, and every position's angles.
    pub tables: Tables,
    pub raw: wgpu::Buffer,
    pub qkv: wgpu::Buffer,
    pub weights: wgpu::Buffer,
    pub mixed: wgpu::Buffer,
    pub attention: wgpu::Buffer,
    pub middle: wgpu::Buffer,
    pub slopes: wgpu::Buffer,
    pub mlp: wgpu::Buffer,
}

impl DevicePoint {
    /// Gives every position that looks a place; whether any had none.
    pub fn place(&mut self, asked: &AskedProducts) -> bool {
        let before = self.places.len();
        let pairs = asked.forward.pairs.iter().chain(&asked.transposed.pairs);
        for pair in pairs {
            if !self.places.contains(&pair.t_out) {
                self.places.push(pair.t_out);
            }
        }
        self.places.len() > before
    }

    /// Rows of the table of pairs.
    pub fn pairs(&self, pairs: &[TokenPair]) -> Vec<[u32; 4]> {
        let row = |&pair: &TokenPair| {
            let place = self.places.iter().position(|&t| t == pair.t_out);
            let own = usize::from(pair.is_own());
            [pair.t_in, place.unwrap_or_default(), pair.t_out, own].map(|x| x as u32)
        };
        pairs.iter().map(row).collect()
    }
}

impl KeptBuffers {
    pub fn looked<'a>(&'a self, function: &DeviceFunction<'a, '_>) -> Looked<'a> {
        Looked {
            shape: &function.block.shape.attention,
            tokens: self.tables.rows,
            qkv: &self.qkv,
            weights: &self.weights,
            mixed: &self.mixed,
        }
    }
}

impl<'a> DeviceFunction<'a, '_> {
    /// Records what the whole sequence is needed for, where that has not been.
    pub fn keep(
        &mut self,
        backend: &WebGpuBackend,
        point: &TangentPoint,
        pack: &Pack,
        kept: &mut DevicePoint,
    ) -> Result<(), GpuError> {
        if kept.at.is_some() {
            return Ok(());
        }
        let (gpu, block) = (self.gpu, self.block);
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
        let tables = Tables::upload(self.arena, &gpu.device, &gpu.bindings, &plan);
        let has_norm = shape.qk_norm != QkNorm::None;
        let wide = |wanted: bool| if wanted { rows * shape.qkv_width() } else { 0 };
        let qkv = self.buffer(TangentUse::Qkv, wide(self.half.has_attention()));
        let raw = self.buffer(TangentUse::Raw, wide(self.half.has_attention() && has_norm));
        if self.half.has_attention() {
            let mut read = tables.streams.clone(); // [T, D]
            let kernels = &gpu.kernels;
            if !self.is_after() {
                let normed = self.buffer(TangentUse::Read, rows * gpu.width);
                let norm = block.norm(gpu, Branch::Attention);
                let from = RowSource::Rows(&read);
                kernels.norm.run(&mut self.recorder, from, rows, norm, &tables, &normed)?;
                read = normed;
            }
            let w = block.linear(gpu, MatrixRole::Qkv, VectorRole::QkvBias);
            let recorder = &mut self.recorder;
            kernels.gemm.run(recorder, &read, rows, w, &qkv, 0)?;
            if has_norm {
                // A second product instead of a copy: only a few families have this norm.
                kernels.gemm.run(recorder, &read, rows, w, &raw, 0)?;
                let gains = [VectorRole::QueryNorm, VectorRole::KeyNorm];
                let gains = gains.map(|role| block.vector(gpu, role));
                let eps = block.shape.norm.eps;
                kernels.qk_norm.run(recorder, &qkv, rows, shape, eps, gains)?;
            }
            kernels.rope.run(recorder, &qkv, rows, shape, &tables)?;
        }
        let none = gpu.zeros.clone();
        kept.at = Some(KeptBuffers {
            tables,
            raw,
            qkv,
            weights: none.clone(),
            mixed: none.clone(),
            attention: none.clone(),
            middle: none.clone(),
            slopes: none.clone(),
            mlp: none,
        });
        Ok(())
    }

    /// Records what every place keeps.
    pub fn keep_places(&mut self, kept: &mut DevicePoint) -> Result<(), GpuError> {
        let Some(at) = &mut kept.at else {
            return Ok(());
        };
        let (gpu, count) = (self.gpu, kept.places.len());
        let ids: Vec<u32> = kept.places.iter().map(|&t| t as u32).collect();
        let places = self.arena.lists.place(&gpu.device, &ids);
        let added = match self.half.has_attention() {
            true => self.keep_attention(at, &places)?,
            false => gpu.zeros.clone(),
        };
        if self.half.has_mlp() {
            self.keep_mlp(at, &places, &added, count)?;
        }
        Ok(())
    }

    /// Attention's members at the places. [P, D]
    fn keep_attention(
        &mut self,
        at: &mut KeptBuffers,
        places: &RowIds,
    ) -> Result<wgpu::Buffer, GpuError> {
        let (gpu, block, count) = (self.gpu, self.block, places.count);
        let shape = &block.shape.attention;
        let wide = shape.attended_width();
        let weights = count * shape.heads * at.tables.rows;
        at.weights = self.buffer(TangentUse::Weights, weights);
        at.mixed = self.buffer(TangentUse::Mixed, count * wide);
        at.attention = self.buffer(TangentUse::Attention, count * gpu.width);
        let kernels = &gpu.kernels;
        let looked = at.looked(self);
        kernels.attention_slope.look(&mut self.recorder, looked, places)?;
        let mut mixed = at.mixed.clone();
        if !self.heads_off.is_empty() {
            mixed = self.buffer(TangentUse::MixedOn, count * wide);
            let (from, to) = (RowsFrom::first(&at.mixed, count), RowsFrom::first(&mixed, count));
            let nothing = RowsFrom::first(&gpu.zeros, 0);
            let recorder = &mut self.recorder;
            kernels.add.run(recorder, from, nothing, wide, to)?;
            let widths = [wide, shape.head_width];
            let off = self.heads_off;
            kernels.heads_off.run(recorder, &mixed, count, widths, off)?;
        }
        let w = block.linear(gpu, MatrixRole::Out, VectorRole::OutBias);
        let recorder = &mut self.recorder;
        kernels.gemm.run(recorder, &mixed, count, w, &at.attention, 0)?;
        if !self.is_after() {
            return Ok(at.attention.clone());
        }
        let added = self.buffer(TangentUse::Added, count * gpu.width);
        let norm = block.norm(gpu, Branch::Attention);
        let from = RowSource::Rows(&at.attention);
        let recorder = &mut self.recorder;
        kernels.norm.run(recorder, from, count, norm, &at.tables, &added)?;
        Ok(added)
    }

    fn keep_mlp(
        &mut self,
        at: &mut KeptBuffers,
        places: &RowIds,
        added: &wgpu::Buffer,
        count: usize,
    ) -> Result<(), GpuError> {
        let (gpu, block) = (self.gpu, self.block);
        let (d, mlp) = (gpu.width, &block.shape.mlp);
        let stream = self.buffer(TangentUse::Stream, count * d);
        at.middle = self.buffer(TangentUse::Middle, count * d);
        at.slopes = self.buffer(TangentUse::Slopes, count * mlp.up_rows());
        let kernels = &gpu.kernels;
        let from = (&at.tables, d);
        kernels.gather.by_ids(&mut self.recorder, from, 0, places, &stream, 0)?;
        let joins = if self.is_sequential() { count } else { 0 };
        self.add(
            RowsFrom::first(&stream, count),
            RowsFrom::first(added, joins),
            RowsFrom::first(&at.middle, count),
        )?;
        let mut read = at.middle.clone(); // [P, D]
        if !self.is_after() {
            let normed = self.buffer(TangentUse::Read, count * d);
            let (norm, from) = (block.norm(gpu, Branch::Mlp), RowSource::Rows(&read));
            let recorder = &mut self.recorder;
            kernels.norm.run(recorder, from, count, norm, &at.tables, &normed)?;
            read = normed;
        }
        let up = block.linear(gpu, MatrixRole::Up, VectorRole::UpBias);
        let recorder = &mut self.recorder;
        kernels.gemm.run(recorder, &read, count, up, &at.slopes, 0)?;
        if self.is_after() {
            at.mlp = self.buffer(TangentUse::Mlp, count * d);
            let activated = self.buffer(TangentUse::Activated, count * mlp.width);
            let recorder = &mut self.recorder;
            let kernel = &kernels.activation;
            kernel.run(recorder, &at.slopes, count, mlp, &activated)?;
            let down = block.linear(gpu, MatrixRole::Down, VectorRole::DownBias);
            kernels.gemm.run(recorder, &activated, count, down, &at.mlp, 0)?;
        }
        let recorder = &mut self.recorder;
        kernels.mlp_slope.slopes(recorder, &at.slopes, count, mlp)
    }
}
