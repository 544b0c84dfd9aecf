//! Initial weights with which looking something up is found soon.
//!
//! A model that looks up what a word stood before needs two heads in two blocks: one that brings a
//! word to the next place, one that matches. Found by chance, both take long. Here the first
//! block begins with heads that look back, and later blocks with queries that are like the keys
//! (as in *Mimetic Initialization of Self-Attention Layers*, Trockman & Kolter 2023). And blocks begin
//! by writing little, so that after many of them a token can still be told by its embedding.

use super::shape::{ROPE_THETA, Shape};

/// Changes fresh parameters so.
pub fn prepare(shape: &Shape, parameters: &mut [f32]) {
    look_back(shape, parameters);
    liken(shape, parameters);
    write_little(shape, parameters);
}

/// Scales what writes into the residual stream so that all blocks' runs together write about as much as
/// one of the matrices would (as GPT-2 does).
fn write_little(shape: &Shape, parameters: &mut [f32]) {
    let share = 1.0 / (2.0 * shape.runs() as f32).sqrt();
    for block in shape.layout().blocks {
        for range in [block.attention_out, block.down] {
            parameters[range].iter_mut().for_each(|weight| *weight *= share);
        }
    }
}

/// Lets the first heads of the first block, up to three, look one, two and three tokens back,
/// whatever stands there. A score that depends on the distance alone needs a number that every
/// token has in common, which the embedding's first column becomes.
fn look_back(shape: &Shape, parameters: &mut [f32]) {
    let layout = shape.layout();
    let (d, e) = (shape.width, shape.head_width());
    let Some(block) = layout.blocks.first() else {
        return;
    };
    for row in parameters[layout.embedding.clone()].chunks_exact_mut(d) {
        row[0] = COMMON;
    }
    let looking = shape.heads.min(3);
    let keys = shape.heads..shape.heads + shape.kv_heads;
    let qkv = &mut parameters[block.qkv.clone()];
    for head in (0..looking).chain(keys) {
        let rows = &mut qkv[head * e * d..(head + 1) * e * d];
        rows.iter_mut().for_each(|weight| *weight *= CONTENT);
        // Rotary positions turn dimension i against i + E/2; the fastest pairs are sharp enough.
        let back = if head < looking { head as f32 + 1.0 } else { 0.0 };
        for pair in 0..(e / 2).min(3) {
            let angle = back * ROPE_THETA.powf(-(pair as f32) / (e / 2) as f32);
            rows[pair * d] = SHARPNESS * angle.cos();
            rows[(pair + e / 2) * d] = -SHARPNESS * angle.sin();
        }
    }
}

/// Makes every later block's queries partly the keys that they meet, and both larger.
fn liken(shape: &Shape, parameters: &mut [f32]) {
    let len = shape.head_width() * shape.width;
    let group = shape.heads / shape.kv_heads;
    for block in shape.layout().blocks.iter().skip(1) {
        let (queries, keys) = parameters[block.qkv.clone()].split_at_mut(shape.heads * len);
        let keys = &mut keys[..shape.kv_heads * len];
        for (head, queries) in queries.chunks_exact_mut(len).enumerate() {
            let keys = &keys[head / group * len..][..len];
            for (query, key) in queries.iter_mut().zip(keys) {
                *query = SCALE * (ALIKE * key + (1.0 - ALIKE * ALIKE).sqrt() * *query);
            }
        }
        keys.iter_mut().for_each(|key| *key *= SCALE);
    }
}

/// The number that every token has in common, three times as large as others usually are.
const COMMON: f32 = 0.24;
/// Weight of that number in queries and keys.
const SHARPNESS: f32 = 2.2;
/// Factor that shrinks the other weights of queries and keys that look back.
const CONTENT: f32 = 0.3;
/// How much of a query is the key.
const ALIKE: f32 = 0.7;
/// Queries and keys that are alike are this much larger.
const SCALE: f32 = 1.5;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::family;

    #[test]
    fn the_first_heads_look_one_two_and_three_tokens_back() {
        let shape = family::shape(2, 1, 64);
        let mut parameters = shape.initialise(0.08, 1);
        prepare(&shape, &mut parameters);
        let (d, e) = (shape.width, shape.head_width());
        let qkv = &parameters[shape.layout().blocks[0].qkv.clone()];
        // The weight of the common number alone.
        let common = |head: usize, row: usize| qkv[(head * e + row) * d];
        for head in 0..3 {
            let key = shape.heads + head * shape.kv_heads / shape.heads;
            let score = |distance: usize| -> f32 {
                let pairs = (0..3).map(|pair| {
                    let angle = distance as f32 * ROPE_THETA.powf(-(pair as f32) / (e / 2) as f32);
                    let (a, b) = (common(head, pair), common(head, pair + e / 2));
                    let turned =
                        [a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()];
                    turned[0] * common(key, pair) + turned[1] * common(key, pair + e / 2)
                });
                pairs.sum()
            };
            let best = (0..40).max_by(|&a, &b| score(a).total_cmp(&score(b)));
            assert_eq!(best, Some(head + 1));
        }
    }
}
