//! Every combination of a block's choices against a twin in f64, written plainly.

use std::borrow::Cow;
use std::collections::HashMap;

use half::bf16;

use crate::engine::cpu::block::{Block, Inside, Rows};
use crate::engine::cpu::incoming::Incoming;
use crate::engine::cpu::stretch::Stretch;
use crate::engine::cpu::testing::{close, random};
use crate::engine::rope::{Angles, Rope};
use crate::engine::schedule::pack::Pack;
use crate::model::shape::*;
use crate::model::weights::{MatrixRole, VectorRole};
use crate::model::{DType, Tensor};
use crate::plan::Half;

const D: usize = 24;

/// A block's numbers, as the twin reads them.
struct Plain {
    shape: BlockShape,
    matrices: HashMap<MatrixRole, Vec<f32>>,
    vectors: HashMap<VectorRole, Vec<f32>>,
}

impl Plain {
    /// Random numbers, of which every matrix's are bf16 where `is_bf16`.
    fn new(shape: BlockShape, is_bf16: bool) -> Self {
        let matrix = |(seed, role): (usize, MatrixRole)| {
            let [rows, columns] = shape.matrix(role, D);
            let mut numbers = random(rows * columns, 0.4, seed as u32);
            if is_bf16 {
                for number in &mut numbers {
                    *number = bf16::from_f32(*number).to_f32();
                }
            }
            (role, numbers)
        };
        let vectors = shape.vectors(D).into_iter().enumerate();
        let vector = |(seed, (role, length)): (usize, (VectorRole, usize))| {
            (role, random(length, 1.0, 10 + seed as u32))
        };
        Self {
            matrices: MatrixRole::ALL
                .into_iter()
                .enumerate()
                .map(matrix)
                .collect(),
            vectors: vectors.map(vector).collect(),
            shape,
        }
    }

    fn block(&self, dtype: DType) -> Block {
        let mut incoming = Incoming::default();
        for (&role, numbers) in &self.matrices {
            let [rows, columns] = self.shape.matrix(role, D);
            let bytes: Vec<u8> = match dtype {
                DType::Bf16 => numbers
                    .iter()
                    .flat_map(|&x| bf16::from_f32(x).to_le_bytes())
                    .collect(),
                _ => numbers.iter().flat_map(|x| x.to_le_bytes()).collect(),
            };
            let tensor = Tensor {
                dtype,
                rows,
                columns,
                bytes: Cow::Owned(bytes),
            };
            incoming.matrix(role, [rows, columns], 0, &tensor);
        }
        for (&role, numbers) in &self.vectors {
            incoming.vector(role, numbers.clone());
        }
        incoming.block(&self.shape, D).expect("all of it")
    }

    fn vector(&self, role: VectorRole) -> &[f32] {
        self.vectors.get(&role).map_or(&[], Vec::as_slice)
    }

    /// `W x (+ bias)`
    fn times(&self, role: MatrixRole, bias: VectorRole, x: &[f64]) -> Vec<f64> {
        let rows = self.matrices[&role].chunks_exact(x.len());
        let bias = self.vector(bias);
        let dot = |(i, row): (usize, &[f32])| {
            let products = row.iter().zip(x).map(|(&w, x)| f64::from(w) * x);
            products.sum::<f64>() + bias.get(i).map_or(0.0, |&bias| f64::from(bias))
        };
        rows.enumerate().map(dot).collect()
    }

    fn norm(&self, gain: VectorRole, bias: VectorRole, x: &[f64]) -> Vec<f64> {
        let is_layer = self.shape.norm.kind == NormKind::Layer;
        let mean = if is_layer { mean(x) } else { 0.0 };
        let centred: Vec<f64> = x.iter().map(|x| x - mean).collect();
        let normed = self.rms(self.vector(gain), &centred);
        let bias = self.vector(bias);
        let with_bias = |(i, x): (usize, f64)| x + bias.get(i).map_or(0.0, |&b| f64::from(b));
        normed.into_iter().enumerate().map(with_bias).collect()
    }

    fn rms(&self, gain: &[f32], x: &[f64]) -> Vec<f64> {
        let squares: Vec<f64> = x.iter().map(|x| x * x).collect();
        let r = 1.0 / (mean(&squares) + self.shape.norm.eps).sqrt();
        x.iter()
            .zip(gain)
            .map(|(x, &g)| x * r * f64::from(g))
            .collect()
    }

    fn attention_norm(&self, x: &[f64]) -> Vec<f64> {
        self.norm(VectorRole::AttentionNorm, VectorRole::AttentionNormBias, x)
    }

    fn mlp_norm(&self, x: &[f64]) -> Vec<f64> {
        if self.shape.has_mlp_norm() {
            self.norm(VectorRole::MlpNorm, VectorRole::MlpNormBias, x)
        } else {
            self.attention_norm(x)
        }
    }

    /// Attention's and the MLP's member of one sequence `h` [T][D]; zeros for a half that is off.
    fn run(&self, h: &[Vec<f64>], half: Half, angles: &Angles) -> Vec<[Vec<f64>; 2]> {
        let is_before = self.shape.placement == NormPlacement::Before;
        let zeros = || vec![vec![0.0; D]; h.len()];
        let attention: Vec<Vec<f64>> = if half == Half::Mlp {
            zeros()
        } else {
            let read = h.iter().map(|h| {
                if is_before {
                    self.attention_norm(h)
                } else {
                    h.clone()
                }
            });
            let read: Vec<Vec<f64>> = read.collect();
            let out = self.attend(&read, angles).into_iter().map(|attended| {
                let out = self.times(MatrixRole::Out, VectorRole::OutBias, &attended);
                if is_before {
                    out
                } else {
                    self.attention_norm(&out)
                }
            });
            out.collect()
        };
        let mlp = |(h, a): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
            let is_sequential = self.shape.residual == Residual::Sequential;
            let h: Vec<f64> = match is_sequential {
                true => h.iter().zip(a).map(|(h, a)| h + a).collect(),
                false => h.clone(),
            };
            let read = if is_before { self.mlp_norm(&h) } else { h };
            let up = self.times(MatrixRole::Up, VectorRole::UpBias, &read);
            let f = self.shape.mlp.width;
            let inner: Vec<f64> = (0..f)
                .map(|i| {
                    let x = act(self.shape.mlp.activation, up[i]);
                    if self.shape.mlp.is_gated {
                        x * up[f + i]
                    } else {
                        x
                    }
                })
                .collect();
            let down = self.times(MatrixRole::Down, VectorRole::DownBias, &inner);
            if is_before {
                down
            } else {
                self.mlp_norm(&down)
            }
        };
        let mlps = match half {
            Half::Attention => zeros(),
            _ => h.iter().zip(&attention).map(mlp).collect(),
        };
        attention
            .into_iter()
            .zip(mlps)
            .map(|(a, m)| [a, m])
            .collect()
    }

    fn attend(&self, read: &[Vec<f64>], angles: &Angles) -> Vec<Vec<f64>> {
        let shape = &self.shape.attention;
        let (w, heads, kv_heads) = (shape.head_width, shape.heads, shape.kv_heads);
        let half = shape.rope.as_ref().map_or(0, |rope| rope.width / 2);
        let qkv: Vec<Vec<f64>> = read
            .iter()
            .enumerate()
            .map(|(t, x)| {
                let mut qkv = self.times(MatrixRole::Qkv, VectorRole::QkvBias, x);
                let gains =
                    [VectorRole::QueryNorm, VectorRole::KeyNorm].map(|role| self.vector(role));
                let (q, k) = (0..heads * w, heads * w..(heads + kv_heads) * w);
                for (part, gain) in [q, k].into_iter().zip(gains) {
                    if !gain.is_empty() {
                        for head in qkv[part].chunks_exact_mut(gain.len()) {
                            let normed = self.rms(gain, head);
                            head.copy_from_slice(&normed);
                        }
                    }
                }
                for head in qkv[..(heads + kv_heads) * w].chunks_exact_mut(w) {
                    for i in 0..half {
                        let cos = f64::from(angles.cos[t * half + i]);
                        let sin = f64::from(angles.sin[t * half + i]);
                        let (a, b) = (head[i], head[i + half]);
                        head[i] = a * cos - b * sin;
                        head[i + half] = b * cos + a * sin;
                    }
                }
                qkv
            })
            .collect();
        let window = shape.window.unwrap_or(usize::MAX);
        let token = |t: usize| -> Vec<f64> {
            let seen = (t + 1).saturating_sub(window)..t + 1;
            let of = |head: usize| -> Vec<f64> {
                let kv = head / (heads / kv_heads);
                let score = |s: usize| {
                    let query = &qkv[t][head * w..][..w];
                    let key = &qkv[s][(heads + kv) * w..][..w];
                    let dot: f64 = query.iter().zip(key).map(|(q, k)| q * k).sum();
                    (dot / (w as f64).sqrt()).exp()
                };
                let scores: Vec<f64> = seen.clone().map(score).collect();
                let sum: f64 = scores.iter().sum();
                let mixed = |i: usize| -> f64 {
                    let value = |s: usize| qkv[s][(heads + kv_heads + kv) * w + i];
                    seen.clone()
                        .zip(&scores)
                        .map(|(s, p)| p / sum * value(s))
                        .sum()
                };
                (0..w).map(mixed).collect()
            };
            (0..heads).flat_map(of).collect()
        };
        (0..read.len()).map(token).collect()
    }
}

fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn act(activation: Activation, x: f64) -> f64 {
    match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            let u = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            0.5 * x * (1.0 + u.tanh())
        }
        Activation::GeluErf => 0.5 * x * statrs::function::erf::erfc(-x / std::f64::consts::SQRT_2),
    }
}

/// Norms x places x residuals x MLPs x norms of queries and keys x turns, with biases and without.
fn shapes() -> Vec<BlockShape> {
    let residuals = [
        Residual::Sequential,
        Residual::Parallel { shared_norm: false },
        Residual::Parallel { shared_norm: true },
    ];
    let mlps = [
        (true, Activation::Silu),
        (false, Activation::GeluErf),
        (true, Activation::GeluTanh),
    ];
    let mut shapes = Vec::new();
    for kind in [NormKind::Rms, NormKind::Layer] {
        for placement in [NormPlacement::Before, NormPlacement::After] {
            for residual in residuals {
                for (is_gated, activation) in mlps {
                    for qk_norm in [QkNorm::None, QkNorm::Head, QkNorm::Full] {
                        for rope_width in [0, 4, 10] {
                            for has_bias in [false, true] {
                                let rope = RopeShape {
                                    width: rope_width,
                                    theta: 1e4,
                                    scaling: None,
                                };
                                shapes.push(BlockShape {
                                    norm: NormShape { kind, eps: 1e-5 },
                                    placement,
                                    residual,
                                    attention: AttentionShape {
                                        heads: 4,
                                        kv_heads: if rope_width == 0 { 4 } else { 2 },
                                        head_width: 10,
                                        window: has_bias.then_some(5),
                                        qkv_bias: has_bias,
                                        out_bias: has_bias,
                                        qk_norm,
                                        rope: (rope_width > 0).then_some(rope),
                                    },
                                    mlp: MlpShape {
                                        width: 33,
                                        is_gated,
                                        activation,
                                        has_bias: has_bias && !is_gated,
                                    },
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    shapes
}

fn pack(shape: &BlockShape, lengths: &[usize]) -> Pack {
    Pack::of(
        lengths,
        shape.attention.rope.as_ref().map(Rope::of).as_ref(),
    )
}

/// Runs `block` on whole packs, one a step, and gives the streams after and the last members.
fn run(
    block: &Block,
    half: Half,
    pack: &Pack,
    h: &[f32],
    out: &mut [f32],
    is_first: bool,
    scale: f32,
) -> [Vec<f32>; 2] {
    let size = pack.rows * D;
    let stretches = h.chunks(size).zip(out.chunks_mut(size));
    let stretches: Vec<Stretch> = stretches
        .map(|(h, out)| Stretch {
            h,
            out,
            is_first,
            scale,
        })
        .collect();
    let copies = stretches.len();
    let sequences: Vec<usize> = (0..copies).flat_map(|_| 0..pack.spans.len()).collect();
    let rows = Rows {
        stretches,
        pack,
        sequences: &sequences,
    };
    let mut inside = Inside::default();
    let last = block.run(half, rows, &mut inside);
    [last.attention.to_vec(), last.mlp.to_vec()]
}

#[test]
fn a_block_of_any_shape_equals_its_twin() {
    for (n, shape) in shapes().into_iter().enumerate() {
        let is_bf16 = n % 5 == 0;
        let plain = Plain::new(shape.clone(), is_bf16);
        let block = plain.block(if is_bf16 { DType::Bf16 } else { DType::F32 });
        let pack = pack(&shape, &[1, 9, 4]);
        let h = random(2 * pack.rows * D, 1.0, 30);
        let before = random(h.len(), 1.0, 31);
        for half in [Half::Both, Half::Attention, Half::Mlp] {
            for (is_first, scale) in [(true, 1.0), (false, 0.25)] {
                let mut out = before.clone();
                let last = run(&block, half, &pack, &h, &mut out, is_first, scale);
                let mut expected = Vec::new();
                let mut expected_last = [Vec::new(), Vec::new()];
                for copy in 0..2 {
                    for (s, &(start, length)) in pack.spans.iter().enumerate() {
                        let first = copy * pack.rows + start;
                        let row = |t: usize| -> Vec<f64> {
                            let row = &h[(first + t) * D..][..D];
                            row.iter().map(|&x| f64::from(x)).collect()
                        };
                        let rows: Vec<Vec<f64>> = (0..length).map(row).collect();
                        let members = plain.run(&rows, half, pack.angles(s));
                        for (t, [a, m]) in members.iter().enumerate() {
                            let base = if is_first { &h } else { &before };
                            let base = &base[(first + t) * D..][..D];
                            let sums = base.iter().zip(a.iter().zip(m));
                            let scale = f64::from(scale);
                            expected
                                .extend(sums.map(|(&b, (a, m))| f64::from(b) + scale * (a + m)));
                        }
                        let last = members.last().expect("a token");
                        for (to, member) in expected_last.iter_mut().zip(last) {
                            to.extend(member);
                        }
                    }
                }
                close(&out, &expected, 5e-5);
                for (ours, (expected, off)) in last
                    .iter()
                    .zip(expected_last.iter().zip([Half::Mlp, Half::Attention]))
                {
                    if half == off {
                        assert!(ours.is_empty());
                    } else {
                        close(ours, expected, 5e-5);
                    }
                }
            }
        }
    }
}

#[test]
fn a_sequence_has_the_same_bits_alone_and_among_others() {
    let mut all = shapes();
    // One of each kind is enough here; what matters is how rows are shared out.
    let shapes = [all.remove(0), all.remove(40), all.remove(100)];
    for (shape, dtype) in shapes
        .into_iter()
        .zip([DType::F32, DType::Bf16, DType::F32])
    {
        let block = Plain::new(shape.clone(), true).block(dtype);
        let lengths = [40, 3, 150, 77];
        let together = pack(&shape, &lengths);
        let h = random(together.rows * D, 1.0, 32);
        let mut all = vec![0.0; h.len()];
        let members = run(&block, Half::Both, &together, &h, &mut all, true, 1.0);
        for (n, &(start, length)) in together.spans.iter().enumerate() {
            let span = start * D..(start + length) * D;
            let alone = pack(&shape, &[length]);
            let mut one = vec![0.0; length * D];
            let last = run(
                &block,
                Half::Both,
                &alone,
                &h[span.clone()],
                &mut one,
                true,
                1.0,
            );
            assert_eq!(one, all[span]);
            for (last, members) in last.iter().zip(&members) {
                assert_eq!(*last, members[n * D..(n + 1) * D]);
            }
        }
    }
}
