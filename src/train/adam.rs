//! AdamW (Loshchilov & Hutter 2019) on flat parameters.

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
        Self {
            mean: vec![0.0; parameters],
            square: vec![0.0; parameters],
            steps: 0,
        }
    }

    /// One step at `rate`; returns the gradient's norm before it was cut.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32) -> f64 {
        self.steps += 1;
        let norm = gradient
            .iter()
            .map(|&g| f64::from(g) * f64::from(g))
            .sum::<f64>()
            .sqrt();
        let cut = (LARGEST_NORM / norm.max(LARGEST_NORM)) as f32;
        let steps = self.steps.min(i32::MAX as u64) as i32;
        let mean_bias = 1.0 - MEAN_DECAY.powi(steps);
        let square_bias = 1.0 - SQUARE_DECAY.powi(steps);
        update(
            parameters,
            gradient,
            &mut self.mean,
            &mut self.square,
            Factors {
                rate,
                cut,
                mean_bias,
                square_bias,
            },
        );
        norm
    }
}

#[derive(Clone, Copy)]
pub(super) struct Factors {
    rate: f32,
    cut: f32,
    mean_bias: f32,
    square_bias: f32,
}

/// The element-wise part of a step.
#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
pub(super) fn update(
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
