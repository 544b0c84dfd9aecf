//! Muon (Jordan 2024): a matrix moves by its momentum with all singular values made about one, so
//! that rare directions move as far as common ones. The embedding and the norms' gains move by
//! [`Adam`].
//!
//! The momentum lies where Adam would keep its mean, so a state on disk looks the same.

use std::ops::Range;

use atelier_kernels::matmul::training as matmul;

use super::adam::Adam;
use super::shape::Shape;

const MOMENTUM: f32 = 0.95;
const WEIGHT_DECAY: f32 = 0.01;
/// The rate of the parameters that Adam updates, as a share of the matrices' rate.
const ADAMS_SHARE: f32 = 0.1;
/// A polynomial that brings singular values from 0..1 to about one in five rounds.
const QUINTIC: [f32; 3] = [3.4445, -4.775, 2.0315];
const ROUNDS: usize = 5;

/// One step at `rate` on the sum of `gradients`, which are added to the first; returns the sum's norm
/// before it was cut.
pub fn step(
    shape: &Shape,
    optimiser: &mut Adam,
    parameters: &mut [f32],
    gradients: &mut [&mut [f32]],
    rate: f32,
) -> f64 {
    let (by, norm) = optimiser.begin(gradients, ADAMS_SHARE * rate);
    let Some(gradient) = gradients.first() else {
        return norm;
    };
    let mut end = 0;
    for (range, columns) in matrices(shape) {
        optimiser.update(parameters, gradient, end..range.start, by);
        end = range.end;
        let momentum = optimiser.mean[range.clone()].iter_mut();
        let direction = momentum
            .zip(&gradient[range.clone()])
            .map(|(mean, &g)| {
                let g = g * by.cut;
                *mean = MOMENTUM * *mean + g;
                g + MOMENTUM * *mean
            })
            .collect();
        let rows = range.len() / columns;
        let rate = rate * (rows as f32 / columns as f32).max(1.0).sqrt();
        for (parameter, by) in parameters[range].iter_mut().zip(even(direction, columns)) {
            *parameter -= rate * (by + WEIGHT_DECAY * *parameter);
        }
    }
    optimiser.update(parameters, gradient, end..gradient.len(), by);
    norm
}

/// Every matrix of the blocks in the order of the parameters, and its columns.
fn matrices(shape: &Shape) -> Vec<(Range<usize>, usize)> {
    let (d, f, e) = (shape.width, shape.mlp_width, shape.head_width());
    let mut all = Vec::new();
    for block in shape.layout().blocks {
        let [queries, keys] = [shape.heads * e * d, shape.kv_heads * e * d];
        let q = block.qkv.start;
        all.extend([
            (q..q + queries, d),
            (q + queries..q + queries + keys, d),
            (q + queries + keys..block.qkv.end, d),
            (block.attention_out, d),
        ]);
        let middle = block.gate_up.start + f * d;
        all.extend([
            (block.gate_up.start..middle, d),
            (middle..block.gate_up.end, d),
            (block.down, f),
        ]);
    }
    all
}

/// The matrix `[rows, columns]` with its singular values brought to about one.
fn even(matrix: Vec<f32>, columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    if rows > columns {
        return transposed(&even(transposed(&matrix, columns), rows), rows);
    }
    let norm = matrix.iter().map(|x| x * x).sum::<f32>().sqrt() + 1e-7;
    let mut x: Vec<f32> = matrix.into_iter().map(|value| value / norm).collect();
    let [a, b, c] = QUINTIC;
    let mut square = vec![0f32; rows * rows];
    let mut fourth = vec![0f32; rows * rows];
    let mut next = vec![0f32; rows * columns];
    for _ in 0..ROUNDS {
        matmul::input_gradient(&mut square, &x, &transposed(&x, columns), rows, rows);
        matmul::input_gradient(&mut fourth, &square, &square, rows, rows);
        for (fourth, square) in fourth.iter_mut().zip(&square) {
            *fourth = b * square + c * *fourth;
        }
        matmul::input_gradient(&mut next, &fourth, &x, rows, columns);
        for (x, next) in x.iter_mut().zip(&next) {
            *x = a * *x + next;
        }
    }
    x
}

fn transposed(matrix: &[f32], columns: usize) -> Vec<f32> {
    let rows = matrix.len() / columns;
    (0..matrix.len()).map(|at| matrix[at % rows * columns + at / rows]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::primer::Dice;

    #[test]
    fn a_direction_has_singular_values_near_one() {
        for (rows, columns) in [(8, 24), (24, 8), (16, 16)] {
            let mut dice = Dice::new(1, 2);
            let matrix: Vec<f32> = (0..rows * columns).map(|_| dice.normal()).collect();
            let even = even(matrix, columns);
            let matrix = nalgebra::DMatrix::from_row_slice(rows, columns, &even);
            for value in matrix.singular_values().iter() {
                assert!((0.3..1.5).contains(value), "{rows} x {columns}: {value}");
            }
        }
    }
}
