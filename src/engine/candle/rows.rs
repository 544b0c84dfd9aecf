//! A block on this processor.
//!
//! A piece of rows goes through everything that concerns one row alone (norm, projection, MLP,
//! sums) while it is in a thread's cache; only attention looks across rows. So between the
//! threads there are three meetings a block, and what is as wide as an MLP exists a piece at a time.

use std::cell::Cell;

use rayon::prelude::*;

use super::attention::{Heads, attention};
use super::gate::silu_gate;
use super::norm::rms_norm;
use crate::engine::product::Packed;
use crate::engine::schedule::pack::Pack;
use crate::model::{BlockWeights, ModelConfig};
use crate::plan::Half;

/// Rows of a piece at most: as many as one way of the weights from memory should serve.
const MOST_ROWS: usize = 256;

/// With fewer rows a thread, each would wait for weights from memory that another has too: the
/// threads then share each product.
const LEAST_ROWS: usize = 64;

pub struct Block {
    heads: Heads,
    eps: f32,
    /// D
    width: usize,
    attention_norm: Vec<f32>, // [D]
    qkv: Packed,              // [(H + 2 KV) W, D]
    o: Packed,                // [D, H W]
    mlp_norm: Vec<f32>,       // [D]
    gate_up: Packed,          // [2 F, D]
    down: Packed,             // [D, F]
}

/// What a block added to the stream, and the stream after it: [N, D] each.
pub struct Added {
    pub attention: Option<Vec<f32>>,
    pub mlp: Option<Vec<f32>>,
    pub stream: Vec<f32>,
}

/// R rows on their way to the stream after the block; what is not asked for is empty.
struct Piece<'a> {
    h: &'a [f32],          // [R, D]
    attended: &'a [f32],   // [R, H W]
    a: &'a mut [f32],      // [R, D]
    m: &'a mut [f32],      // [R, D]
    stream: &'a mut [f32], // [R, D]
}

impl Block {
    /// Lays the weights out anew, and frees them as they came.
    pub fn new(config: &ModelConfig, weights: BlockWeights) -> Self {
        let (d, f) = (config.width, config.mlp_width);
        let packed = |weights: Vec<f32>, ins: usize| Packed::new(&weights, ins);
        Self {
            heads: Heads::new(config),
            eps: config.rms_norm_eps as f32,
            width: d,
            attention_norm: weights.attention_norm,
            qkv: packed(weights.qkv, d),
            o: packed(weights.o, config.heads * config.head_width),
            mlp_norm: weights.mlp_norm,
            gate_up: packed(weights.gate_up, d),
            down: packed(weights.down, f),
        }
    }

    /// Runs on `h` [copies N, D], `copies` packs one after the other.
    pub fn run(&self, h: &[f32], half: Half, pack: &Pack) -> Added {
        let d = self.width;
        let rows = h.len() / d;
        let (each, shared) = pieces(rows);
        let of = |wanted: bool, width: usize| vec![0f32; if wanted { rows * width } else { 0 }];
        let (has_attention, has_mlp) = (half != Half::Mlp, half != Half::Attention);

        let wide = self.heads.heads * self.heads.width;
        let mut attended = of(has_attention, wide); // [N, H W]
        if has_attention {
            let mut qkv = of(true, self.qkv.outs()); // [N, (H + 2 KV) W]
            let pieces = h
                .par_chunks(each * d)
                .zip(qkv.par_chunks_mut(each * self.qkv.outs()));
            pieces.for_each(|(h, qkv)| {
                with_scratch([h.len(), 0, 0], |[normed, ..]| {
                    rms_norm(h, &self.attention_norm, self.eps, normed);
                    times(&self.qkv, normed, qkv, shared);
                });
            });
            attention(&qkv, self.heads, pack, &mut attended);
        }

        let (mut a, mut m, mut stream) = (of(has_attention, d), of(has_mlp, d), of(true, d));
        let (mut a_left, mut m_left, mut stream_left) = (&mut a[..], &mut m[..], &mut stream[..]);
        let mut pieces = Vec::with_capacity(rows.div_ceil(each));
        for (n, h) in h.chunks(each * d).enumerate() {
            let rows = h.len() / d;
            let attended = match has_attention {
                true => &attended[n * each * wide..][..rows * wide],
                false => &[],
            };
            pieces.push(Piece {
                h,
                attended,
                a: take(&mut a_left, rows * d),
                m: take(&mut m_left, rows * d),
                stream: take(&mut stream_left, rows * d),
            });
        }
        pieces
            .into_par_iter()
            .for_each(|piece| self.piece(piece, shared));
        Added {
            attention: has_attention.then_some(a),
            mlp: has_mlp.then_some(m),
            stream,
        }
    }

    fn piece(&self, piece: Piece, shared: bool) {
        let Piece {
            h,
            attended,
            a,
            m,
            stream,
        } = piece;
        if a.is_empty() {
            stream.copy_from_slice(h);
        } else {
            times(&self.o, attended, a, shared);
            sum(h, a, stream);
        }
        if m.is_empty() {
            return;
        }
        let rows = h.len() / self.width;
        let (two_f, f) = (self.gate_up.outs(), self.down.ins());
        with_scratch(
            [h.len(), rows * two_f, rows * f],
            |[normed, gate_up, gated]| {
                rms_norm(stream, &self.mlp_norm, self.eps, normed);
                times(&self.gate_up, normed, gate_up, shared);
                silu_gate(gate_up, f, gated);
                times(&self.down, gated, m, shared);
            },
        );
        for (stream, m) in stream.iter_mut().zip(m) {
            *stream += *m;
        }
    }
}

/// Rows of a piece, and whether the threads share each product instead of the pieces.
fn pieces(rows: usize) -> (usize, bool) {
    let threads = rayon::current_num_threads();
    if rows < threads * LEAST_ROWS {
        return (rows.max(1), threads > 1);
    }
    let count = threads * rows.div_ceil(threads * MOST_ROWS);
    (rows.div_ceil(count), false)
}

fn times(weights: &Packed, x: &[f32], y: &mut [f32], shared: bool) {
    if shared {
        weights.multiply_shared(x, y);
    } else {
        weights.multiply(x, y);
    }
}

fn sum(a: &[f32], b: &[f32], to: &mut [f32]) {
    for ((to, a), b) in to.iter_mut().zip(a).zip(b) {
        *to = a + b;
    }
}

/// The first `count` numbers of what is left, or none where nothing is.
fn take<'a>(left: &mut &'a mut [f32], count: usize) -> &'a mut [f32] {
    let (first, rest) = std::mem::take(left)
        .split_at_mut_checked(count)
        .unwrap_or_default();
    *left = rest;
    first
}

thread_local! {
    static SCRATCH: Cell<Vec<f32>> = const { Cell::new(Vec::new()) };
}

/// Room for intermediates that this thread used before: what it holds is left over from then.
fn with_scratch<const N: usize>(sizes: [usize; N], work: impl FnOnce([&mut [f32]; N])) {
    // Taken out while in use: a thread that waits for others may begin another piece.
    let mut scratch = SCRATCH.take();
    let size = sizes.iter().sum();
    if scratch.len() < size {
        scratch.resize(size, 0.0);
    }
    let mut left = &mut scratch[..];
    work(sizes.map(|size| take(&mut left, size)));
    SCRATCH.set(scratch);
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::super::{slices, tensors};
    use super::*;
    use crate::engine::rope::Rope;

    const CONFIG: &str = r#"{"model_type":"llama","vocab_size":8,"hidden_size":48,
        "intermediate_size":70,"num_hidden_layers":1,"num_attention_heads":6,
        "num_key_value_heads":2,"max_position_embeddings":300,"rms_norm_eps":1e-5}"#;

    fn random(count: usize, scale: f64) -> Vec<f32> {
        let numbers = Tensor::randn(0.0, scale, count, &Device::Cpu)
            .and_then(|x| x.to_dtype(candle_core::DType::F32)?.to_vec1());
        numbers.expect("numbers")
    }

    fn weights() -> BlockWeights {
        let (d, f, kv) = (48, 70, 16);
        BlockWeights {
            attention_norm: random(d, 1.0),
            qkv: random((d + 2 * kv) * d, 0.2),
            o: random(d * d, 0.2),
            mlp_norm: random(d, 1.0),
            gate_up: random(2 * f * d, 0.2),
            down: random(d * f, 0.2),
        }
    }

    fn copy(weights: &BlockWeights) -> BlockWeights {
        BlockWeights {
            attention_norm: weights.attention_norm.clone(),
            qkv: weights.qkv.clone(),
            o: weights.o.clone(),
            mlp_norm: weights.mlp_norm.clone(),
            gate_up: weights.gate_up.clone(),
            down: weights.down.clone(),
        }
    }

    #[test]
    fn a_block_on_rows_equals_its_twin_in_tensors() {
        let config = ModelConfig::from_json(CONFIG).expect("a config");
        let weights = weights();
        let twin = tensors::Block::new(&config, copy(&weights), &Device::Cpu).expect("a twin");
        let block = Block::new(&config, weights);
        // Few rows share the products; many go in pieces.
        for lengths in [&[1usize, 13, 7][..], &[30, 300, 1, 200]] {
            let sequences: Vec<Vec<u32>> = lengths.iter().map(|&n| vec![0; n]).collect();
            let pack = Pack::new(&sequences, &Rope::new(&config));
            let rows = 2 * pack.rows; // two packs one after the other
            let h = random(rows * 48, 1.0);
            let tensor = Tensor::from_slice(&h, (rows, 48), &Device::Cpu).expect("rows");
            for half in [Half::Both, Half::Attention, Half::Mlp] {
                let ours = block.run(&h, half, &pack);
                let theirs = twin.run(&tensor, half, &pack).expect("a run");
                let same = |ours: &[f32], theirs: &Tensor| {
                    let theirs = slices::of(theirs, <[f32]>::to_vec).expect("rows");
                    assert_eq!(ours.len(), theirs.len());
                    for (ours, theirs) in ours.iter().zip(theirs) {
                        assert!(
                            (ours - theirs).abs() < 1e-4 * (1.0 + theirs.abs()),
                            "{half:?}"
                        );
                    }
                };
                assert_eq!(ours.attention.is_some(), theirs.attention.is_some());
                assert_eq!(ours.mlp.is_some(), theirs.mlp.is_some());
                for (ours, theirs) in ours.attention.iter().zip(&theirs.attention) {
                    same(ours, theirs);
                }
                for (ours, theirs) in ours.mlp.iter().zip(&theirs.mlp) {
                    same(ours, theirs);
                }
                same(&ours.stream, &theirs.stream);
            }
        }
    }

    #[test]
    fn a_sequence_has_the_same_bits_alone_and_among_others() {
        let config = ModelConfig::from_json(CONFIG).expect("a config");
        let block = Block::new(&config, weights());
        let sequences = [40, 3, 150, 77].map(|length| vec![0u32; length]);
        let together = Pack::new(&sequences, &Rope::new(&config));
        let h = random(together.rows * 48, 1.0);
        let all = block.run(&h, Half::Both, &together).stream;
        for (sequence, &(start, length)) in sequences.iter().zip(&together.spans) {
            let span = start * 48..(start + length) * 48;
            let alone = Pack::new(std::slice::from_ref(sequence), &Rope::new(&config));
            let one = block.run(&h[span.clone()], Half::Both, &alone).stream;
            assert_eq!(one, all[span]);
        }
    }
}
