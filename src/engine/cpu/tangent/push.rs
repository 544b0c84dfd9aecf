//! How a block's output moves with its input: rows dx at `t_in` to J dx at `t_out`.

use rayon::prelude::*;

use super::{Function, KeptPoint, add, each_row};
use crate::engine::tangent::TokenPair;

impl Function<'_> {
    /// `dx` [N, D] to `dy` [N, D], which is zeros before.
    pub fn push(&self, kept: &KeptPoint, pairs: &[TokenPair], dx: &[f32], dy: &mut [f32]) {
        if self.half.has_attention() {
            self.push_attention(kept, pairs, dx, dy);
        }
        if self.half.has_mlp() {
            self.push_mlp(kept, pairs, dx, dy);
        }
    }

    fn push_attention(&self, kept: &KeptPoint, pairs: &[TokenPair], dx: &[f32], da: &mut [f32]) {
        let (block, n) = (self.block, pairs.len());
        let (d, row, wide) = (block.width, block.qkv.outs(), block.out.ins());
        let mut read = dx.to_vec(); // [N, D]
        if !self.is_after() {
            each_row(&mut read, d, |n, row| {
                block.attention_norm.push(kept.stream(pairs[n].t_in), row);
            });
        }
        let mut dqkv = vec![0.0; n * row]; // [N, (H + 2 KV) W]
        block.qkv.multiply_shared(&read, &[], &mut dqkv);
        let mut mixed = vec![0.0; n * wide]; // [N, H W]
        let rows = mixed.par_chunks_exact_mut(wide).zip(pairs);
        let rows = rows.zip(dqkv.par_chunks_exact_mut(row));
        rows.for_each(|((mixed, pair), dqkv)| {
            let keys = wide + block.heads.kv_heads * block.heads.width;
            if pair.is_own() {
                kept.push_turned(*self, pair.t_in, true, &mut dqkv[..wide]);
            }
            kept.push_turned(*self, pair.t_in, false, &mut dqkv[wide..keys]);
            if let Some(look) = &kept.place(pair.t_out).look {
                kept.turned(*self).push(look, pair.t_in, dqkv, mixed);
            }
            self.switch_off(mixed);
        });
        block.out.multiply_shared(&mixed, &[], da);
        if self.is_after() {
            each_row(da, d, |n, row| {
                let place = kept.place(pairs[n].t_out);
                block.attention_norm.push(&place.attention, row);
            });
        }
    }

    /// Adds the MLP's to attention's.
    fn push_mlp(&self, kept: &KeptPoint, pairs: &[TokenPair], dx: &[f32], dy: &mut [f32]) {
        let n = self.mlp_rows(pairs);
        if n == 0 {
            return;
        }
        let block = self.block;
        let (d, f, up) = (block.width, block.mlp.width, block.up.outs());
        let place = |n: usize| kept.place(pairs[n].t_out);
        let mut read = match self.is_sequential() {
            true => dy.to_vec(),
            false => vec![0.0; n * d],
        }; // [N, D]
        each_row(&mut read, d, |n, row| {
            if pairs[n].is_own() {
                add(row, &dx[n * d..][..d]);
            }
            if !self.is_after() {
                self.mlp_norm().push(&place(n).middle, row);
            }
        });
        let mut wide = vec![0.0; n * up]; // [N, 2 F] or [N, F]
        block.up.multiply_shared(&read, &[], &mut wide);
        let mut narrow = vec![0.0; n * f]; // [N, F]
        let rows = narrow.par_chunks_exact_mut(f);
        let rows = rows.zip(wide.par_chunks_exact(up)).enumerate();
        rows.for_each(|(n, (narrow, wide))| {
            // By the gate, and where there is one by up.
            let parts = wide.chunks_exact(f).zip(place(n).slopes.chunks_exact(f));
            for (wide, slopes) in parts {
                for ((narrow, wide), slope) in narrow.iter_mut().zip(wide).zip(slopes) {
                    *narrow += wide * slope;
                }
            }
        });
        let mut dm = read; // [N, D]
        block.down.multiply_shared(&narrow, &[], &mut dm);
        if self.is_after() {
            each_row(&mut dm, d, |n, row| self.mlp_norm().push(&place(n).mlp, row));
        }
        add(dy, &dm);
    }

    /// Zeros the heads that are off in a row [H W].
    pub(super) fn switch_off(&self, mixed: &mut [f32]) {
        let width = self.block.heads.width;
        for head in self.heads_off.iter() {
            mixed[head * width..][..width].fill(0.0);
        }
    }
}
