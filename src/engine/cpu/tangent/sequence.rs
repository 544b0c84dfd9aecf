//! One sequence's stream at a point, with its queries, keys and values.

use atelier_kernels::attention::tangent::TurnedRows;
use atelier_kernels::norm::{rms_pull, rms_push};
use atelier_kernels::rope::turn_heads;

use super::each_row;
use crate::engine::branch::Branch;
use crate::engine::cpu::block::{Block, Threads};
use crate::engine::rope::Angles;
use crate::model::shape::QkNorm;
use crate::model::weights::VectorRole;
use crate::plan::HeadsOff;

pub struct PointSequence<'a> {
    pub block: &'a Block,
    pub heads_off: HeadsOff,
    /// `[T, D]`
    stream: Vec<f32>,
    angles: Angles,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm; empty where they have none.
    raw: Vec<f32>,
    /// `[T, (H + 2 KV) W]` queries and keys turned; empty where attention does not run.
    qkv: Vec<f32>,
}

impl<'a> PointSequence<'a> {
    pub fn new(block: &'a Block, heads_off: HeadsOff, stream: &[f32], angles: Angles) -> Self {
        let (raw, qkv) = (Vec::new(), Vec::new());
        Self { block, heads_off, stream: stream.to_vec(), angles, raw, qkv }
    }

    /// Computes queries, keys and values.
    pub fn attend(&mut self, branch: Branch) {
        let (block, width) = (self.block, self.block.heads.qkv_width());
        let mut read = self.stream.clone(); // [T, D]
        if let Some(norm) = branch.norm_before {
            block.norm(norm).run(&self.stream, &mut read);
        }
        let mut qkv = vec![0.0; self.tokens() * width];
        block.times(branch.widen, &read, &mut qkv, Threads::Together);
        let has_norm = block.shape.attention.qk_norm != QkNorm::None;
        if has_norm {
            self.raw = qkv.clone();
        }
        let turned = self.queries() + self.keys();
        each_row(&mut qkv, width, |t, row| {
            if has_norm {
                block.qk_norm(row);
            }
            self.turn(t, &mut row[..turned], false);
        });
        self.qkv = qkv;
    }

    pub fn tokens(&self) -> usize {
        self.stream.len() / self.block.width
    }

    /// The stream at `t`. [D]
    pub fn stream(&self, t: usize) -> &[f32] {
        &self.stream[t * self.block.width..][..self.block.width]
    }

    pub fn turned(&self) -> TurnedRows<'_> {
        TurnedRows { heads: self.block.heads, qkv: &self.qkv }
    }

    /// Numbers of a row's queries: `H W`.
    pub fn queries(&self) -> usize {
        self.block.shape.attention.attended_width()
    }

    /// Numbers of a row's keys: `KV W`.
    fn keys(&self) -> usize {
        self.block.heads.kv_heads * self.block.heads.width
    }

    /// Takes derivatives of keys at `t`, and of queries where `with_query`, in `row` `[(H + 2 KV) W]` through
    /// their norm and their turn, or back.
    pub fn turn_slopes(&self, t: usize, with_query: bool, row: &mut [f32], transposed: bool) {
        let (queries, rest) = row.split_at_mut(self.queries());
        let keys = &mut rest[..self.keys()];
        if with_query {
            self.turn_slope(t, VectorRole::QueryNorm, 0, queries, transposed);
        }
        self.turn_slope(t, VectorRole::KeyNorm, self.queries(), keys, transposed);
    }

    /// Takes derivatives `z` of the heads that begin at number `first` of row `t`.
    fn turn_slope(
        &self,
        t: usize,
        gain: VectorRole,
        first: usize,
        z: &mut [f32],
        transposed: bool,
    ) {
        let (block, eps) = (self.block, self.block.shape.norm.eps as f32);
        let gain = block.vector(gain);
        let raw = self.raw.chunks_exact(block.heads.qkv_width()).nth(t);
        let raw = raw.map(|row| &row[first..][..z.len()]);
        if transposed {
            self.turn(t, z, true);
            raw.into_iter().for_each(|raw| rms_pull(raw, gain, eps, z));
        } else {
            raw.into_iter().for_each(|raw| rms_push(raw, gain, eps, z));
            self.turn(t, z, false);
        }
    }

    fn turn(&self, t: usize, heads: &mut [f32], transposed: bool) {
        let (width, half) = (self.block.heads.width, self.block.heads.rope_half);
        turn_heads(heads, width, half, &self.angles, t, transposed);
    }
}
