//! Rows of derivatives on the GPU.

use std::collections::HashMap;

use super::rows::{GpuPairs, KeptRows, TangentUse};
use super::sequence::GpuSequence;
use crate::engine::branch::{LinearRole, NormRole};
use crate::engine::tangent::{AskedProducts, PlacedPair, Places, ProbeRange, TangentDevice};
use crate::engine::webgpu::GpuError;
use crate::engine::webgpu::add::RowsFrom;
use crate::engine::webgpu::arena::{Arena, Use};
use crate::engine::webgpu::attention_slope::Looked;
use crate::engine::webgpu::block::GpuBlock;
use crate::engine::webgpu::gather::RowIds;
use crate::engine::webgpu::gemm::Linear;
use crate::engine::webgpu::gpu::Gpu;
use crate::engine::webgpu::norm::RowSource;
use crate::engine::webgpu::recorder::Recorder;
use crate::engine::webgpu::rope::Turns;
use crate::engine::webgpu::{
    activation, add, attention_slope, gather, gemm, gemm_transposed, mlp_slope, norm, norm_slope,
    rope,
};
use crate::model::shape::AttentionShape;
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::HeadsOff;

/// Numbers of buffers, by the width of their rows.
pub type RowBuffers = HashMap<usize, usize>;

type Made = Result<GpuRows, GpuError>;

/// Rows in a buffer, from its first number on.
pub struct GpuRows {
    buffer: wgpu::Buffer,
    rows: usize,
}

/// `[P, H, T]` attention weights and `[P, H W]` mixtures at P places.
pub struct GpuLooks {
    weights: wgpu::Buffer,
    mixed: wgpu::Buffer,
}

/// A block at a point's places, the probes that go through it, and their products.
pub struct GpuFunction<'a, 'b> {
    gpu: &'a Gpu,
    block: &'a GpuBlock,
    heads_off: HeadsOff,
    recorder: &'b mut Recorder<'a>,
    arena: &'b mut Arena,
    sequence: &'b GpuSequence,
    places: RowIds,
    /// The table of [`GpuPairs`], a row for each probe.
    pairs: wgpu::Buffer,
    /// (angle row of t_in, nothing) of all probes
    turns: wgpu::Buffer,
    /// `[all probes, D]`
    probes: wgpu::Buffer,
    /// `[all probes, D]`
    pub products: wgpu::Buffer,
    /// Buffers of rows that a point keeps.
    kept: RowBuffers,
    /// Buffers of rows that are in use.
    pub used: RowBuffers,
}

/// Returns a buffer of derivatives.
pub fn buffer(gpu: &Gpu, arena: &mut Arena, what: TangentUse, numbers: usize) -> wgpu::Buffer {
    arena.get(&gpu.device, &gpu.bindings, Use::Tangent(what), numbers as u64 * 4)
}

impl<'a, 'b> GpuFunction<'a, 'b> {
    /// Uploads the places and the probes of `asked`.
    pub fn new(
        (gpu, block, heads_off): (&'a Gpu, &'a GpuBlock, HeadsOff),
        recorder: &'b mut Recorder<'a>,
        arena: &'b mut Arena,
        sequence: &'b GpuSequence,
        places: &Places,
        asked: &AskedProducts,
    ) -> Self {
        // Rows of the tables, one for each probe.
        let table = places.pairs(asked).into_iter().map(|PlacedPair { pair, place }| {
            [pair.t_in, place, pair.t_out, usize::from(pair.is_own())].map(|x| x as u32)
        });
        let table: Vec<[u32; 4]> = table.collect();
        let turns: Vec<[u32; 2]> = table.iter().map(|row| [row[0], 0]).collect();
        let places: Vec<u32> = places.0.iter().map(|&t| t as u32).collect();
        let probes = asked.probes();

        let (device, bindings) = (&gpu.device, &gpu.bindings);
        let mut upload = |what: TangentUse, content: &[u8]| {
            arena.upload(device, bindings, Use::Tangent(what), content)
        };
        Self {
            pairs: upload(TangentUse::Pairs, bytemuck::cast_slice(&table)),
            turns: upload(TangentUse::Turns, bytemuck::cast_slice(&turns)),
            probes: upload(TangentUse::Probes, bytemuck::cast_slice(&probes)),
            products: buffer(gpu, arena, TangentUse::Out, probes.len()),
            places: arena.lists.place(device, &places),
            gpu,
            block,
            heads_off,
            recorder,
            arena,
            sequence,
            kept: RowBuffers::new(),
            used: RowBuffers::new(),
        }
    }

    /// Takes these buffers for what a point keeps; no others are in use.
    pub fn keep(&mut self, buffers: &RowBuffers) {
        (self.kept, self.used) = (buffers.clone(), buffers.clone());
    }

    /// A buffer that is not in use, for `[rows, width]`.
    fn rows(&mut self, rows: usize, width: usize) -> GpuRows {
        let used = self.used.entry(width).or_default();
        let what = TangentUse::Rows { width, number: *used };
        *used += 1;
        GpuRows { buffer: buffer(self.gpu, self.arena, what, rows * width), rows }
    }

    fn pairs(&self, at: ProbeRange) -> GpuPairs {
        GpuPairs { table: self.pairs.clone(), first: at.first, rows: at.rows }
    }

    /// `to = a + b`
    fn add(&mut self, a: RowsFrom, b: RowsFrom, to: RowsFrom) -> Result<(), GpuError> {
        add::run(self.recorder, a, b, self.gpu.width, to)
    }

    /// Turns queries and keys in `z` `[N, (H + 2 KV) W]` by the angles at `t_in`, or back.
    fn turn(&mut self, at: ProbeRange, z: &GpuRows) -> Result<(), GpuError> {
        let shape = &self.block.shape.attention;
        let (tokens, angles) = (&self.turns, &self.sequence.tables.angles);
        let by = Turns { tokens, first: at.first, count: at.rows, angles };
        rope::turn(self.recorder, &z.buffer, at.rows, shape, by, at.transposed)
    }

    /// Takes queries and keys in `z` `[N, (H + 2 KV) W]` through the slope of their norm, if they have one.
    fn qk_norm_slope(&mut self, at: ProbeRange, z: &GpuRows) -> Result<(), GpuError> {
        let (gpu, block, pairs) = (self.gpu, self.block, self.pairs(at));
        let gains = [VectorRole::QueryNorm, VectorRole::KeyNorm];
        let gains = gains.map(|role| block.vector(gpu, role));
        let (raw, shape) = (&self.sequence.raw, &block.shape.attention);
        let (eps, recorder, z) = (block.shape.norm.eps, &mut *self.recorder, &z.buffer);
        norm_slope::run_heads(recorder, raw, shape, eps, gains, &pairs, z, at.transposed)
    }
}

impl TangentDevice for GpuFunction<'_, '_> {
    type Rows = GpuRows;
    type Looks = GpuLooks;
    type Error = GpuError;

    fn inputs(&mut self, added: Option<&GpuRows>) -> Made {
        let (count, d) = (self.places.count, self.gpu.width);
        let stream = self.rows(count, d);
        let from = (&self.sequence.tables.streams, d);
        gather::run(self.recorder, from, 0, &self.places, (&stream.buffer, 0))?;
        let Some(added) = added else {
            return Ok(stream);
        };
        let sum = self.rows(count, d);
        let [a, b, to] = [&stream, added, &sum].map(|rows| RowsFrom::first(&rows.buffer, count));
        self.add(a, b, to)?;
        Ok(sum)
    }

    fn look(&mut self) -> Result<(GpuLooks, GpuRows), GpuError> {
        let shape = &self.block.shape.attention;
        let (count, tokens) = (self.places.count, self.sequence.tables.rows);
        let weights = self.rows(count, shape.heads * tokens).buffer;
        let mixed = self.rows(count, shape.attended_width());
        let looks = GpuLooks { weights, mixed: mixed.buffer.clone() };
        let looked = looks.looked(self.sequence, shape, self.heads_off);
        attention_slope::look(self.recorder, looked, &self.places)?;
        Ok((looks, mixed))
    }

    fn norm(&mut self, norm: NormRole, x: &GpuRows) -> Made {
        let normed = self.rows(x.rows, self.gpu.width);
        let norm = self.block.norm(self.gpu, norm);
        let (from, tables) = (RowSource::Rows(&x.buffer), &self.sequence.tables);
        norm::run(self.recorder, from, x.rows, norm, tables, &normed.buffer)?;
        Ok(normed)
    }

    fn linear(&mut self, role: LinearRole, x: &GpuRows) -> Made {
        let y = self.rows(x.rows, self.block.matrix(role.matrix).rows);
        let w = self.block.linear(self.gpu, role);
        gemm::run(self.recorder, &x.buffer, x.rows, w, &y.buffer, 0)?;
        Ok(y)
    }

    fn activate(&mut self, wide: &GpuRows) -> Made {
        let narrow = self.rows(wide.rows, self.block.shape.mlp.width);
        let mlp = &self.block.shape.mlp;
        activation::run(self.recorder, &wide.buffer, wide.rows, mlp, &narrow.buffer)?;
        Ok(narrow)
    }

    fn slopes(&mut self, wide: GpuRows) -> Made {
        mlp_slope::slopes(self.recorder, &wide.buffer, wide.rows, &self.block.shape.mlp)?;
        Ok(wide)
    }

    fn probes(&mut self, at: ProbeRange, count: usize, added: Option<&GpuRows>) -> Made {
        let gpu = self.gpu;
        let rows = self.rows(at.rows, gpu.width);
        let probes = self.probes.clone();
        let probes = RowsFrom { buffer: &probes, first: at.first, rows: count };
        let added = match added {
            Some(added) => RowsFrom::first(&added.buffer, added.rows),
            None => RowsFrom::first(&gpu.zeros, 0),
        };
        self.add(probes, added, RowsFrom::first(&rows.buffer, rows.rows))?;
        Ok(rows)
    }

    fn norm_slope(
        &mut self,
        norm: NormRole,
        x: Option<&GpuRows>,
        at: ProbeRange,
        z: GpuRows,
    ) -> Made {
        let pairs = self.pairs(at);
        let streams = &self.sequence.tables.streams;
        let x = x.map_or(KeptRows::Inputs(streams), |x| KeptRows::Places(&x.buffer));
        let norm = self.block.norm(self.gpu, norm);
        norm_slope::run(self.recorder, x, norm, &pairs, &z.buffer, at.transposed)?;
        Ok(z)
    }

    fn times(&mut self, matrix: MatrixRole, at: ProbeRange, z: &GpuRows) -> Made {
        let matrix = self.block.matrix(matrix);
        let out = self.rows(z.rows, if at.transposed { matrix.columns } else { matrix.rows });
        if at.transposed {
            gemm_transposed::run(self.recorder, &z.buffer, z.rows, matrix, &out.buffer)?;
        } else {
            let linear = Linear { matrix, bias: &self.gpu.zeros };
            gemm::run(self.recorder, &z.buffer, z.rows, linear, &out.buffer, 0)?;
        }
        Ok(out)
    }

    fn attention_slope(&mut self, at: ProbeRange, looks: &GpuLooks, z: GpuRows) -> Made {
        let shape = &self.block.shape.attention;
        let (looked, pairs) = (looks.looked(self.sequence, shape, self.heads_off), self.pairs(at));
        if at.transposed {
            let back = self.rows(at.rows, shape.qkv_width());
            attention_slope::pull(self.recorder, looked, &pairs, &z.buffer, &back.buffer)?;
            self.turn(at, &back)?;
            self.qk_norm_slope(at, &back)?;
            return Ok(back);
        }
        let mixed = self.rows(at.rows, shape.attended_width());
        self.qk_norm_slope(at, &z)?;
        self.turn(at, &z)?;
        attention_slope::push(self.recorder, looked, &pairs, &z.buffer, &mixed.buffer)?;
        Ok(mixed)
    }

    fn activation_slope(&mut self, at: ProbeRange, slopes: &GpuRows, z: GpuRows) -> Made {
        let pairs = self.pairs(at);
        let mlp = &self.block.shape.mlp;
        let out = self.rows(at.rows, if at.transposed { mlp.up_rows() } else { mlp.width });
        let (slopes, z, to) = (&slopes.buffer, &z.buffer, &out.buffer);
        mlp_slope::scale(self.recorder, slopes, mlp, &pairs, z, to, at.transposed)?;
        Ok(out)
    }

    /// After this, the rows of the range are no longer in use.
    fn answer(
        &mut self,
        at: ProbeRange,
        parts: [(Option<&GpuRows>, usize); 2],
    ) -> Result<(), GpuError> {
        let (products, zeros) = (self.products.clone(), &self.gpu.zeros);
        let [a, b] = parts.map(|(rows, count)| match rows {
            Some(rows) => RowsFrom::first(&rows.buffer, count),
            None => RowsFrom::first(zeros, 0),
        });
        self.used.clone_from(&self.kept);
        self.add(a, b, RowsFrom { buffer: &products, first: at.first, rows: at.rows })
    }
}

impl GpuLooks {
    fn looked<'a>(
        &'a self,
        sequence: &'a GpuSequence,
        shape: &'a AttentionShape,
        off: HeadsOff,
    ) -> Looked<'a> {
        Looked {
            shape,
            off,
            tokens: sequence.tables.rows,
            qkv: &sequence.qkv,
            weights: &self.weights,
            mixed: &self.mixed,
        }
    }
}
