//! Where some tokens of a sequence look, and how much each head carries from there: computed again
//! from the stream that the block read, so that a run which nobody asks keeps no weights.

use atelier_kernels::attention::softmax;
use atelier_kernels::rope::rotate;
use atelier_kernels::sums::product;
use rayon::prelude::*;

use crate::engine::backend::AttentionRows;
use crate::engine::cpu::block::{Block, Threads};
use crate::engine::cpu::stretch::Stretch;
use crate::engine::rope::Angles;
use crate::model::weights::MatrixRole;
use crate::plan::HeadsOff;

/// Computes attention weights [H', Q, T] on the stream `h` [T, D], then as many lengths. See
/// [`Output::Attention`](crate::engine::backend::Output::Attention).
pub fn looks(
    block: &Block,
    h: &[f32],
    angles: &Angles,
    rows: &AttentionRows,
    off: HeadsOff,
) -> Vec<f32> {
    let tokens = h.len() / block.width;
    let row = block.heads.qkv_width();
    let mut qkv = vec![0f32; tokens * row]; // [T, (H + 2 KV) W]
    let stream = Stretch { h, out: &mut [], is_first: true, scale: 1.0 };
    block.project(&[stream], tokens, &mut qkv, Threads::Together);
    let (all, queries) = (rows.heads.len() * rows.queries.len() * tokens, &rows.queries);
    let mut out = vec![0f32; 2 * all];
    let (weights, carried) = out.split_at_mut(all);
    let a_head = (queries.len() * tokens).max(1);
    let heads = rows.heads.par_iter();
    let parts = weights.par_chunks_mut(a_head).zip(carried.par_chunks_mut(a_head));
    heads.zip(parts).for_each(|(&head, (weights, carried))| {
        weigh(block, &qkv, head, queries, angles, weights);
        if off.contains(head) {
            return;
        }
        let lengths = lengths(block, &qkv, head); // [T]
        let pairs = carried.chunks_exact_mut(tokens);
        for (carried, weights) in pairs.zip(weights.chunks_exact(tokens)) {
            for ((carried, weight), length) in carried.iter_mut().zip(weights).zip(&lengths) {
                *carried = weight * length;
            }
        }
    });
    out
}

/// A head's softmax weights. [Q, T]
fn weigh(
    block: &Block,
    qkv: &[f32],
    head: usize,
    queries: &[usize],
    angles: &Angles,
    weights: &mut [f32],
) {
    let heads = block.heads;
    let (w, row) = (heads.width, heads.qkv_width());
    let tokens = qkv.len() / row;
    let turned = |t: usize, head: usize, scale: f32| {
        let mut turned = vec![0f32; w];
        let from = &qkv[t * row + head * w..][..w];
        rotate(from, angles, heads.rope_half, t, scale, &mut turned);
        turned
    };
    let key = heads.heads + head / (heads.heads / heads.kv_heads);
    let last = queries.iter().max().map_or(0, |&last| last + 1);
    let keys: Vec<Vec<f32>> = (0..last).map(|t| turned(t, key, 1.0)).collect(); // [T][W]
    for (&t, weights) in queries.iter().zip(weights.chunks_exact_mut(tokens)) {
        let query = turned(t, head, 1.0 / (w as f32).sqrt());
        let seen = (t + 1).saturating_sub(heads.window)..t + 1;
        let weights = &mut weights[seen.clone()];
        for (weight, key) in weights.iter_mut().zip(&keys[seen]) {
            *weight = product(&query, key);
        }
        softmax(weights);
    }
}

/// The length of every token's value through a head's columns of the output matrix. [T]
fn lengths(block: &Block, qkv: &[f32], head: usize) -> Vec<f32> {
    let heads = block.heads;
    let (w, row, wide) = (heads.width, heads.qkv_width(), block.shape.attention.attended_width());
    let tokens = qkv.len() / row;
    let value = heads.heads + heads.kv_heads + head / (heads.heads / heads.kv_heads);
    let mut alone = vec![0f32; tokens * wide]; // [T, H W], zero in the other heads' columns
    for (alone, qkv) in alone.chunks_exact_mut(wide).zip(qkv.chunks_exact(row)) {
        alone[head * w..][..w].copy_from_slice(&qkv[value * w..][..w]);
    }
    let mut through = vec![0f32; tokens * block.width]; // [T, D]
    block.matrix(MatrixRole::Out).multiply(&alone, &[], &mut through);
    let rows = through.chunks_exact(block.width);
    rows.map(|row| product(row, row).sqrt()).collect()
}
