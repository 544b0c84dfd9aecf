//! AdamW (Loshchilov & Hutter 2019) on flat parameters, for those that [`super::muon`] leaves to it.

use std::ops::Range;

use multiversion::multiversion;
use rayon::prelude::*;

/// Moving averages of the gradient and of its square, and the number of steps taken.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Adam {
    pub mean: Vec<f32>,
    pub square: Vec<f32>,
    pub steps: u64,
}

const MEAN_DECAY: f32 = 0.9;
const SQUARE_DECAY: f32 = 0.98;
const EPS: f32 = 1e-8;
const WEIGHT_DECAY: f32 = 0.01;
/// The gradient's norm is cut to this.
const LARGEST_NORM: f64 = 1.0;

impl Adam {
    pub fn new(parameters: usize) -> Self {
        Self { mean: vec![0.0; parameters], square: vec![0.0; parameters], steps: 0 }
    }

    /// Adds `gradients` to the first, and counts a step; its factors, and the sum's norm before it is cut.
    pub(super) fn begin(&mut self, gradients: &mut [&mut [f32]], rate: f32) -> (Factors, f64) {
        self.steps = self.steps.saturating_add(1);
        let mut norm = 0.0;
        if let Some((gradient, others)) = gradients.split_first_mut() {
            let chunks = gradient.par_chunks_mut(CHUNK).enumerate();
            let squares: Vec<f64> = chunks
                .map(|(chunk, sums)| {
                    let (from, end) = (chunk * CHUNK, chunk * CHUNK + sums.len());
                    others.iter().for_each(|other| add(sums, &other[from..end]));
                    squares(sums)
                })
                .collect();
            norm = squares.iter().sum::<f64>().sqrt();
        }
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let by = Factors {
            rate,
            cut: (LARGEST_NORM / norm.max(LARGEST_NORM)) as f32,
            mean_bias: 1.0 - MEAN_DECAY.powi(steps),
            square_bias: 1.0 - SQUARE_DECAY.powi(steps),
        };
        (by, norm)
    }

    /// Moves the parameters of a range.
    pub(super) fn update(
        &mut self,
        parameters: &mut [f32],
        gradient: &[f32],
        range: Range<usize>,
        by: Factors,
    ) {
        parameters[range.clone()]
            .par_chunks_mut(CHUNK)
            .zip(gradient[range.clone()].par_chunks(CHUNK))
            .zip(self.mean[range.clone()].par_chunks_mut(CHUNK))
            .zip(self.square[range].par_chunks_mut(CHUNK))
            .for_each(|(((parameters, gradient), mean), square)| {
                update(parameters, gradient, mean, square, by);
            });
    }
}

/// Parameters that one thread takes at a time: always as many, so that the norm's sums are the same
/// whatever the number of threads.
const CHUNK: usize = 16_384;

#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn add(sums: &mut [f32], values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
}

/// Their sum in f64, eight sums side by side.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn squares(values: &[f32]) -> f64 {
    let mut sums = [0f64; 8];
    let (chunks, rest) = values.as_chunks::<8>();
    for chunk in chunks {
        for (sum, &value) in sums.iter_mut().zip(chunk) {
            *sum += f64::from(value) * f64::from(value);
        }
    }
    let rest = rest.iter().map(|&value| f64::from(value).powi(2));
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

#[derive(Clone, Copy)]
pub(super) struct Factors {
    pub(super) rate: f32,
    pub(super) cut: f32,
    mean_bias: f32,
    square_bias: f32,
}

/// The element-wise part of a step.
#[multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2+fma", "aarch64+neon"))]
fn update(
    parameters: &mut [f32],
    gradient: &[f32],
    mean: &mut [f32],
    square: &mut [f32],
    by: Factors,
) {
    for (((parameter, &g), mean), square) in
        parameters.iter_mut().zip(gradient).zip(mean).zip(square)
    {
        let g = g * by.cut;
        *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * g;
        *square = SQUARE_DECAY * *square + (1.0 - SQUARE_DECAY) * g * g;
        let step = (*mean / by.mean_bias) / ((*square / by.square_bias).sqrt() + EPS);
        *parameter -= by.rate * (step + WEIGHT_DECAY * *parameter);
    }
}
