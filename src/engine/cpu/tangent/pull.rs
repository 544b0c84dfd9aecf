//! The transposed: rows w at `t_out` to J^T w at `t_in`.

use rayon::prelude::*;

use super::{Function, KeptPoint, add, each_row};
use crate::engine::tangent::TokenPair;

impl Function<'_> {
    /// `w` [N, D] to `z` [N, D], which is zeros before.
    pub fn pull(&self, kept: &KeptPoint, pairs: &[TokenPair], w: &[f32], z: &mut [f32]) {
        // The gradient at attention's member: w, and w pulled back through the MLP.
        let mut reached = w.to_vec(); // [N, D]
        if self.half.has_mlp() {
            self.pull_mlp(kept, pairs, w, &mut reached, z);
        }
        if self.half.has_attention() {
            self.pull_attention(kept, pairs, reached, z);
        }
    }

    /// Adds to `z` where the MLP reads the stream of the same token, and to `reached` where it reads
    /// what attention added.
    fn pull_mlp(
        &self,
        kept: &KeptPoint,
        pairs: &[TokenPair],
        w: &[f32],
        reached: &mut [f32],
        z: &mut [f32],
    ) {
        let n = self.mlp_rows(pairs);
        if n == 0 {
            return;
        }
        let block = self.block;
        let (d, f, up) = (block.width, block.mlp.width, block.up.outs());
        let place = |n: usize| kept.place(pairs[n].t_out);
        let mut back = w[..n * d].to_vec(); // [N, D]
        if self.is_after() {
            each_row(&mut back, d, |n, row| self.mlp_norm().pull(&place(n).mlp, row));
        }
        let mut narrow = vec![0.0; n * f]; // [N, F]
        block.down.multiply_transposed(&back, &mut narrow);
        let mut wide = vec![0.0; n * up]; // [N, 2 F] or [N, F]
        let rows = wide.par_chunks_exact_mut(up);
        let rows = rows.zip(narrow.par_chunks_exact(f)).enumerate();
        rows.for_each(|(n, (wide, narrow))| {
            let parts = wide.chunks_exact_mut(f);
            for (wide, slopes) in parts.zip(place(n).slopes.chunks_exact(f)) {
                for ((wide, narrow), slope) in wide.iter_mut().zip(narrow).zip(slopes) {
                    *wide = narrow * slope;
                }
            }
        });
        block.up.multiply_transposed(&wide, &mut back);
        if !self.is_after() {
            each_row(&mut back, d, |n, row| self.mlp_norm().pull(&place(n).middle, row));
        }
        if self.is_sequential() {
            add(reached, &back);
        }
        let own = pairs.iter().take_while(|pair| pair.is_own()).count();
        add(z, &back[..own * d]);
    }

    fn pull_attention(
        &self,
        kept: &KeptPoint,
        pairs: &[TokenPair],
        mut reached: Vec<f32>,
        z: &mut [f32],
    ) {
        let (block, n) = (self.block, pairs.len());
        let (d, row, wide) = (block.width, block.qkv.outs(), block.out.ins());
        if self.is_after() {
            each_row(&mut reached, d, |n, row| {
                let place = kept.place(pairs[n].t_out);
                block.attention_norm.pull(&place.attention, row);
            });
        }
        let mut mixed = vec![0.0; n * wide]; // [N, H W]
        block.out.multiply_transposed(&reached, &mut mixed);
        let mut back = vec![0.0; n * row]; // [N, (H + 2 KV) W]
        let rows = back.par_chunks_exact_mut(row).zip(pairs);
        let rows = rows.zip(mixed.par_chunks_exact_mut(wide));
        rows.for_each(|((back, pair), mixed)| {
            self.switch_off(mixed);
            if let Some(look) = &kept.place(pair.t_out).look {
                kept.turned(*self).pull(look, pair.t_in, mixed, back);
            }
            let keys = wide + block.heads.kv_heads * block.heads.width;
            if pair.is_own() {
                kept.pull_turned(*self, pair.t_in, true, &mut back[..wide]);
            }
            kept.pull_turned(*self, pair.t_in, false, &mut back[wide..keys]);
        });
        let mut read = reached;
        block.qkv.multiply_transposed(&back, &mut read);
        for ((read, z), pair) in read.chunks_exact_mut(d).zip(z.chunks_exact_mut(d)).zip(pairs) {
            if !self.is_after() {
                block.attention_norm.pull(kept.stream(pair.t_in), read);
            }
            add(z, read);
        }
    }
}
