//! Activations that derivatives reuse from the forward pass: queries, keys and values of the whole
//! sequence, and for each output position the intermediate numbers of its branches.

use std::collections::HashMap;

use atelier_kernels::activation::{activate, slopes};
use atelier_kernels::attention::tangent::{TokenLook, TurnedRows};
use atelier_kernels::norm::{rms_norm_in_place, rms_pull, rms_push};
use atelier_kernels::rope::turn_heads;
use rayon::prelude::*;

use super::{Function, add, each_row};
use crate::engine::cpu::block::Threads;
use crate::engine::cpu::stretch::Stretch;
use crate::engine::rope::Angles;
use crate::engine::tangent::AskedProducts;
use crate::model::shape::QkNorm;

pub struct KeptPoint {
    /// `[T, D]`
    stream: Vec<f32>,
    /// D
    width: usize,
    angles: Angles,
    /// `[T, (H + 2 KV) W]` queries and keys before their norm; empty where they have none.
    raw: Vec<f32>,
    /// `[T, (H + 2 KV) W]` queries and keys turned.
    qkv: Vec<f32>,
    /// By `t_out`.
    places: HashMap<usize, KeptPlace>,
}

/// Activations at one output position `t_out`.
#[derive(Default)]
pub struct KeptPlace {
    pub look: Option<TokenLook>,
    /// `[D]` attention before the norm that stands after it; empty where none does.
    pub attention: Vec<f32>,
    /// `[D]` what the MLP reads, before the norm that stands before it.
    pub middle: Vec<f32>,
    /// `[2 F]` or `[F]`, see [`slopes`].
    pub slopes: Vec<f32>,
    /// `[D]` the MLP before the norm that stands after it; empty where none does.
    pub mlp: Vec<f32>,
}

impl KeptPoint {
    pub fn new(function: Function, stream: &[f32], angles: Angles) -> Self {
        let block = function.block;
        let mut kept = Self {
            width: block.width,
            angles,
            raw: Vec::new(),
            qkv: Vec::new(),
            places: HashMap::new(),
            stream: stream.to_vec(),
        };
        if !function.half.has_attention() {
            return kept;
        }
        let (tokens, row) = (kept.tokens(), block.heads.qkv_width());
        let mut qkv = vec![0.0; tokens * row];
        let read = Stretch { h: &kept.stream, out: &mut [], is_first: true, scale: 1.0 };
        block.project_raw(&[read], tokens, &mut qkv, Threads::Together);
        if block.qk_norm != QkNorm::None {
            kept.raw = qkv.clone();
        }
        let (queries, keys) = (block.heads.heads, block.heads.kv_heads);
        let (queries, keys) = (queries * block.heads.width, keys * block.heads.width);
        let (width, half) = (block.heads.width, block.heads.rope_half);
        let angles = &kept.angles;
        each_row(&mut qkv, row, |t, row| {
            if block.qk_norm != QkNorm::None {
                let (query, rest) = row.split_at_mut(queries);
                rms_norm_in_place(query, &block.query_norm, block.eps);
                rms_norm_in_place(&mut rest[..keys], &block.key_norm, block.eps);
            }
            turn_heads(&mut row[..queries + keys], width, half, angles, t, false);
        });
        kept.qkv = qkv;
        kept
    }

    pub fn tokens(&self) -> usize {
        self.stream.len() / self.width
    }

    /// The stream at `t`. [D]
    pub fn stream(&self, t: usize) -> &[f32] {
        &self.stream[t * self.width..][..self.width]
    }

    /// A position that [`Self::prepare`] saw.
    pub fn place(&self, t: usize) -> &KeptPlace {
        &self.places[&t]
    }

    pub fn turned(&self, function: Function) -> TurnedRows<'_> {
        TurnedRows { heads: function.block.heads, qkv: &self.qkv }
    }

    /// Turns the derivatives of queries and keys at `t`, `heads` of them in `row`, through their norm and
    /// their turn: the queries where `is_query`, else the keys.
    pub fn push_turned(&self, function: Function, t: usize, is_query: bool, row: &mut [f32]) {
        let block = function.block;
        if block.qk_norm != QkNorm::None {
            let (raw, gain) = self.raw(function, t, is_query);
            rms_push(raw, gain, block.eps, row);
        }
        let (width, half) = (block.heads.width, block.heads.rope_half);
        turn_heads(row, width, half, &self.angles, t, false);
    }

    /// The transposed.
    pub fn pull_turned(&self, function: Function, t: usize, is_query: bool, row: &mut [f32]) {
        let block = function.block;
        let (width, half) = (block.heads.width, block.heads.rope_half);
        turn_heads(row, width, half, &self.angles, t, true);
        if block.qk_norm != QkNorm::None {
            let (raw, gain) = self.raw(function, t, is_query);
            rms_pull(raw, gain, block.eps, row);
        }
    }

    /// Queries or keys at `t` before their norm, and its gain.
    fn raw<'a>(
        &'a self,
        function: Function<'a>,
        t: usize,
        is_query: bool,
    ) -> (&'a [f32], &'a [f32]) {
        let block = function.block;
        let row = &self.raw[t * block.heads.qkv_width()..][..block.heads.qkv_width()];
        let (queries, rest) = row.split_at(block.heads.heads * block.heads.width);
        match is_query {
            true => (queries, &block.query_norm),
            false => {
                let keys = &rest[..block.heads.kv_heads * block.heads.width];
                (keys, &block.key_norm)
            }
        }
    }

    /// Computes what the positions that look, and have not before, keep.
    pub fn prepare(&mut self, function: Function, asked: &AskedProducts) {
        let pairs = asked.forward.pairs.iter().chain(&asked.transposed.pairs);
        let mut new: Vec<usize> = pairs.map(|pair| pair.t_out).collect();
        new.sort_unstable();
        new.dedup();
        new.retain(|t| !self.places.contains_key(t));
        if new.is_empty() {
            return;
        }
        let (block, d, n) = (function.block, self.width, new.len());
        let mut places: Vec<KeptPlace> = new.iter().map(|_| KeptPlace::default()).collect();
        let mut added = vec![0.0; n * d]; // [N, D] attention's member
        if function.half.has_attention() {
            let (rows, wide) = (self.turned(function), block.out.ins());
            let looks: Vec<TokenLook> = new.par_iter().map(|&t| rows.look(t)).collect();
            let mut mixed = Vec::with_capacity(n * wide); // [N, H W]
            for look in &looks {
                mixed.extend_from_slice(&look.mixed);
                let row = mixed.len() - wide;
                function.switch_off(&mut mixed[row..]);
            }
            block.out.multiply_shared(&mixed, &block.out_bias, &mut added);
            for (place, look) in places.iter_mut().zip(looks) {
                place.look = Some(look);
            }
            if function.is_after() {
                for (place, added) in places.iter_mut().zip(added.chunks_exact_mut(d)) {
                    place.attention = added.to_vec();
                    block.attention_norm.run(&place.attention, added);
                }
            }
        }
        if function.half.has_mlp() {
            self.prepare_mlps(function, &new, &added, &mut places);
        }
        self.places.extend(new.into_iter().zip(places));
    }

    fn prepare_mlps(
        &self,
        function: Function,
        new: &[usize],
        added: &[f32],
        places: &mut [KeptPlace],
    ) {
        let (block, d) = (function.block, self.width);
        let (n, f) = (new.len(), block.mlp.width);
        let mut read = Vec::with_capacity(n * d); // [N, D]
        for ((place, &t), added) in places.iter_mut().zip(new).zip(added.chunks_exact(d)) {
            place.middle = self.stream(t).to_vec();
            if function.is_sequential() {
                add(&mut place.middle, added);
            }
            read.extend_from_slice(&place.middle);
        }
        if !function.is_after() {
            let norm = function.mlp_norm();
            each_row(&mut read, d, |n, row| norm.run(&places[n].middle, row));
        }
        let mut wide = vec![0.0; n * block.up.outs()]; // [N, 2 F] or [N, F]
        block.up.multiply_shared(&read, &block.up_bias, &mut wide);
        if function.is_after() {
            let mut narrow = vec![0.0; n * f]; // [N, F]
            let (activation, is_gated) = (block.mlp.activation, block.mlp.is_gated);
            activate(activation, is_gated, &wide, f, &mut narrow);
            let mut mlp = vec![0.0; n * d]; // [N, D]
            block.down.multiply_shared(&narrow, &block.down_bias, &mut mlp);
            for (place, mlp) in places.iter_mut().zip(mlp.chunks_exact(d)) {
                place.mlp = mlp.to_vec();
            }
        }
        slopes(block.mlp.activation, block.mlp.is_gated, &mut wide, f);
        for (place, wide) in places.iter_mut().zip(wide.chunks_exact(block.up.outs())) {
            place.slopes = wide.to_vec();
        }
    }
}
