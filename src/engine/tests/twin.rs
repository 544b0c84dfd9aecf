//! A block's slow reference implementation in f64, with which every engine's tests compare theirs. It reads the
//! shape by itself, and not through [`Branches`](crate::engine::branch::Branches).

use std::collections::HashMap;

use crate::engine::rope::Angles;
use crate::model::shape::*;
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::{Half, HeadsOff};

/// A block's numbers, as the twin reads them.
pub struct TwinBlock {
    pub shape: BlockShape,
    /// D
    pub width: usize,
    pub heads_off: HeadsOff,
    /// By [`MatrixRole::ALL`].
    pub matrices: [Vec<f32>; 4],
    /// The vectors that the shape has.
    pub vectors: HashMap<VectorRole, Vec<f32>>,
}

impl TwinBlock {
    /// Takes so many numbers for each matrix, and then for each vector.
    pub fn new(
        shape: BlockShape,
        width: usize,
        mut matrix: impl FnMut(MatrixRole, usize) -> Vec<f32>,
        mut vector: impl FnMut(VectorRole, usize) -> Vec<f32>,
    ) -> Self {
        let matrices = MatrixRole::ALL.map(|role| {
            let [rows, columns] = shape.matrix(role, width);
            matrix(role, rows * columns)
        });
        let vectors = shape.vectors(width).into_iter();
        let vectors = vectors.map(|(role, length)| (role, vector(role, length))).collect();
        Self { matrices, vectors, heads_off: HeadsOff::NONE, width, shape }
    }

    /// Attention's and the MLP's member of one sequence `h` [T, D], `[T, D]` each.
    pub fn members(&self, h: &[f32], half: Half, angles: &Angles) -> [Option<Vec<f64>>; 2] {
        let row = |row: &[f32]| row.iter().map(|&x| f64::from(x)).collect();
        let h: Vec<Vec<f64>> = h.chunks(self.width).map(row).collect();
        let members = self.run(&h, half, angles).into_iter().map(|[a, m]| (a, m));
        let (attention, mlp): (Vec<_>, Vec<_>) = members.unzip();
        let attention = half.has_attention().then(|| attention.concat());
        [attention, half.has_mlp().then(|| mlp.concat())]
    }

    fn vector(&self, role: VectorRole) -> &[f32] {
        self.vectors.get(&role).map_or(&[], Vec::as_slice)
    }

    /// `W x (+ bias)`
    fn times(&self, role: MatrixRole, bias: VectorRole, x: &[f64]) -> Vec<f64> {
        let rows = self.matrices[role as usize].chunks_exact(x.len());
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
        x.iter().zip(gain).map(|(x, &g)| x * r * f64::from(g)).collect()
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
    pub fn run(&self, h: &[Vec<f64>], half: Half, angles: &Angles) -> Vec<[Vec<f64>; 2]> {
        let is_before = self.shape.placement == NormPlacement::Before;
        let zeros = || vec![vec![0.0; self.width]; h.len()];
        let attention: Vec<Vec<f64>> = if half == Half::Mlp {
            zeros()
        } else {
            let read = h.iter().map(|h| if is_before { self.attention_norm(h) } else { h.clone() });
            let read: Vec<Vec<f64>> = read.collect();
            let out = self.attend(&read, angles).into_iter().map(|attended| {
                let out = self.times(MatrixRole::Out, VectorRole::OutBias, &attended);
                if is_before { out } else { self.attention_norm(&out) }
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
                    if self.shape.mlp.is_gated { x * up[f + i] } else { x }
                })
                .collect();
            let down = self.times(MatrixRole::Down, VectorRole::DownBias, &inner);
            if is_before { down } else { self.mlp_norm(&down) }
        };
        let mlps = match half {
            Half::Attention => zeros(),
            _ => h.iter().zip(&attention).map(mlp).collect(),
        };
        attention.into_iter().zip(mlps).map(|(a, m)| [a, m]).collect()
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
                if self.heads_off.contains(head) {
                    return vec![0.0; w];
                }
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
                    seen.clone().zip(&scores).map(|(s, p)| p / sum * value(s)).sum()
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
