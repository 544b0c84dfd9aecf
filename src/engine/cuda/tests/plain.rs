//! One block on one sequence, in loops over f64.

use std::collections::HashMap;

use crate::engine::rope::Angles;
use crate::model::shape::{Activation, BlockShape, NormKind, NormPlacement, QkNorm, Residual};
use crate::model::weights::{MatrixRole, VectorRole};
use crate::plan::Half;

/// The function inside a branch, between its norms: `[T, D]` to `[T, D]`.
type BranchInside<'a> = dyn Fn(&[Vec<f64>]) -> Vec<Vec<f64>> + 'a;

pub struct Numbers {
    /// By [`MatrixRole::ALL`]: `[out, in]`.
    pub matrices: [Vec<f64>; 4],
    pub vectors: HashMap<VectorRole, Vec<f64>>,
}

/// Returns the members that the block adds to `h` `[T, D]`: its attention's and its MLP's, `[T, D]` each.
pub fn block(
    shape: &BlockShape,
    numbers: &Numbers,
    h: &[f32],
    half: Half,
    angles: &Angles,
    width: usize,
) -> [Option<Vec<f64>>; 2] {
    let h: Vec<Vec<f64>> =
        h.chunks(width).map(|row| row.iter().map(|x| f64::from(*x)).collect()).collect();
    let is_before = shape.placement == NormPlacement::Before;
    let branch = |h: &[Vec<f64>], own_norm: bool, inside: &BranchInside| {
        let (gain, bias) = match own_norm {
            true => (VectorRole::MlpNorm, VectorRole::MlpNormBias),
            false => (VectorRole::AttentionNorm, VectorRole::AttentionNormBias),
        };
        let norm = |row: &Vec<f64>| {
            let gain = &numbers.vectors[&gain];
            let bias = numbers.vectors.get(&bias);
            normed(row, gain, bias, shape.norm.kind, shape.norm.eps)
        };
        if is_before {
            inside(&h.iter().map(norm).collect::<Vec<_>>())
        } else {
            inside(h).iter().map(norm).collect()
        }
    };
    let linear = |x: &[f64], role: MatrixRole, bias: VectorRole| -> Vec<f64> {
        let rows = numbers.matrices[role as usize].chunks(x.len());
        let dot = |row: &[f64]| -> f64 { row.iter().zip(x).map(|(w, x)| w * x).sum() };
        let mut y: Vec<f64> = rows.map(dot).collect();
        if let Some(bias) = numbers.vectors.get(&bias) {
            y.iter_mut().zip(bias).for_each(|(y, b)| *y += b);
        }
        y
    };

    let attention = (half != Half::Mlp).then(|| {
        branch(&h, false, &|x| {
            let qkv = |x: &Vec<f64>| linear(x, MatrixRole::Qkv, VectorRole::QkvBias);
            let qkv: Vec<Vec<f64>> = x.iter().map(qkv).collect();
            let attended = attended(shape, numbers, &qkv, angles);
            let out = |x: &Vec<f64>| linear(x, MatrixRole::Out, VectorRole::OutBias);
            attended.iter().map(out).collect()
        })
    });
    let mut read = h;
    if let (Residual::Sequential, Some(attention)) = (shape.residual, &attention) {
        let rows = read.iter_mut().zip(attention);
        rows.for_each(|(row, a)| row.iter_mut().zip(a).for_each(|(x, a)| *x += a));
    }
    let mlp = (half != Half::Attention).then(|| {
        let own_norm = shape.residual != Residual::Parallel { shared_norm: true };
        branch(&read, own_norm, &|x| {
            let mlp = |x: &Vec<f64>| {
                let up = linear(x, MatrixRole::Up, VectorRole::UpBias);
                let act = |x: &f64| activated(*x, shape.mlp.activation);
                let inside: Vec<f64> = if shape.mlp.is_gated {
                    let (gate, up) = up.split_at(shape.mlp.width);
                    gate.iter().map(act).zip(up).map(|(g, u)| g * u).collect()
                } else {
                    up.iter().map(act).collect()
                };
                linear(&inside, MatrixRole::Down, VectorRole::DownBias)
            };
            x.iter().map(mlp).collect()
        })
    });
    [attention, mlp].map(|x| x.map(|x| x.concat()))
}

/// `[T, (H + 2 KV) W]` to `[T, H W]`.
fn attended(
    shape: &BlockShape,
    numbers: &Numbers,
    qkv: &[Vec<f64>],
    angles: &Angles,
) -> Vec<Vec<f64>> {
    let attention = &shape.attention;
    let (w, heads, kv) = (attention.head_width, attention.heads, attention.kv_heads);
    // Queries and keys of a token, normed and turned: [n, W].
    let ready = |t: usize, first: usize, count: usize, gain: VectorRole| -> Vec<Vec<f64>> {
        let eps = shape.norm.eps;
        let mut row = qkv[t][first * w..(first + count) * w].to_vec();
        let norm = |row: &[f64]| normed(row, &numbers.vectors[&gain], None, NormKind::Rms, eps);
        if attention.qk_norm == QkNorm::Full {
            row = norm(&row);
        }
        row.chunks(w)
            .map(|head| {
                let mut head = head.to_vec();
                if attention.qk_norm == QkNorm::Head {
                    head = norm(&head);
                }
                let half = attention.rope.as_ref().map_or(0, |rope| rope.width / 2);
                for i in 0..half {
                    let cos = f64::from(angles.cos[t * half + i]);
                    let sin = f64::from(angles.sin[t * half + i]);
                    let (x, y) = (head[i], head[i + half]);
                    (head[i], head[i + half]) = (x * cos - y * sin, y * cos + x * sin);
                }
                head
            })
            .collect()
    };
    let length = qkv.len();
    let keys: Vec<Vec<Vec<f64>>> =
        (0..length).map(|t| ready(t, heads, kv, VectorRole::KeyNorm)).collect();
    let attend = |t: usize| -> Vec<f64> {
        let queries = ready(t, 0, heads, VectorRole::QueryNorm);
        let of_head = |(head, query): (usize, &Vec<f64>)| -> Vec<f64> {
            let kv_head = head / (heads / kv);
            let first = attention.window.map_or(0, |window| (t + 1).saturating_sub(window));
            let weight = |key: &Vec<Vec<f64>>| -> f64 {
                let products = query.iter().zip(&key[kv_head]).map(|(q, k)| q * k);
                (products.sum::<f64>() / (w as f64).sqrt()).exp()
            };
            let weights: Vec<f64> = keys[first..=t].iter().map(weight).collect();
            let sum: f64 = weights.iter().sum();
            let value = |t: usize, i: usize| qkv[t][(heads + kv + kv_head) * w + i];
            let mix = |i: usize| -> f64 {
                let seen = weights.iter().zip(first..);
                seen.map(|(weight, t)| weight / sum * value(t, i)).sum()
            };
            (0..w).map(mix).collect()
        };
        queries.iter().enumerate().flat_map(of_head).collect()
    };
    (0..length).map(attend).collect()
}

fn normed(
    row: &[f64],
    gain: &[f64],
    bias: Option<&Vec<f64>>,
    kind: NormKind,
    eps: f64,
) -> Vec<f64> {
    let n = row.len() as f64;
    let mean = match kind {
        NormKind::Rms => 0.0,
        NormKind::Layer => row.iter().sum::<f64>() / n,
    };
    let spread = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
    let of = |(i, (x, g)): (usize, (&f64, &f64))| {
        (x - mean) / (spread + eps).sqrt() * g + bias.map_or(0.0, |bias| bias[i])
    };
    row.iter().zip(gain).enumerate().map(of).collect()
}

fn activated(x: f64, activation: Activation) -> f64 {
    match activation {
        Activation::Silu => x / (1.0 + (-x).exp()),
        Activation::GeluTanh => {
            let inside = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
            0.5 * x * (1.0 + inside.tanh())
        }
        Activation::GeluErf => {
            let erf = statrs::function::erf::erf(x / std::f64::consts::SQRT_2);
            0.5 * x * (1.0 + erf)
        }
    }
}
