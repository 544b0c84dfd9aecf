//! Rotary position embedding: the angles, with Llama 3's and Phi-3's ways to stretch them.

use std::ops::Range;

pub use atelier_kernels::rope::Angles;

use crate::model::shape::{RopeScaling, RopeShape};

/// Inverse frequencies `[rope width / 2]`, in f64 as the angles are products of large positions.
#[derive(Clone, Debug)]
pub struct Rope {
    short: Vec<f64>,
    /// LongRoPE only: the divisors for sequences past the original context, and that context.
    long: Option<(Vec<f64>, usize)>,
    /// cos and sin are multiplied by this (LongRoPE's attention factor; 1 otherwise).
    scale: f64,
}

impl Rope {
    pub fn of(shape: &RopeShape) -> Self {
        let half = shape.width / 2;
        let base = |i: usize| shape.theta.powf(-(i as f64) / half as f64);
        let plain: Vec<f64> = (0..half).map(base).collect();
        let stretched = |divisors: &[f64]| plain.iter().zip(divisors).map(|(f, d)| f / d).collect();
        let of_one = |short: Vec<f64>| Self { short, long: None, scale: 1.0 };
        match &shape.scaling {
            None => of_one(plain),
            Some(RopeScaling::Linear { factor }) => {
                of_one(plain.iter().map(|frequency| frequency / factor).collect())
            }
            Some(RopeScaling::Llama3 {
                factor,
                low_freq_factor,
                high_freq_factor,
                original_context,
            }) => {
                let blend = |frequency: f64| {
                    let wavelength = 2.0 * std::f64::consts::PI / frequency;
                    let turns = *original_context as f64 / wavelength;
                    if turns < *low_freq_factor {
                        frequency / factor
                    } else if turns > *high_freq_factor {
                        frequency
                    } else {
                        let smooth =
                            (turns - low_freq_factor) / (high_freq_factor - low_freq_factor);
                        (1.0 - smooth) * frequency / factor + smooth * frequency
                    }
                };
                of_one(plain.into_iter().map(blend).collect())
            }
            Some(RopeScaling::LongRope { short, long, original_context, attention_factor }) => {
                Self {
                    short: stretched(short),
                    long: Some((stretched(long), *original_context)),
                    scale: *attention_factor,
                }
            }
        }
    }

    /// Whether a sequence of `length` tokens uses the long divisors; it does so as a whole.
    pub fn is_long(&self, length: usize) -> bool {
        self.long.as_ref().is_some_and(|(_, original)| length > *original)
    }

    /// The angles of positions `0..length`.
    pub fn angles(&self, length: usize, long: bool) -> Angles {
        self.angles_at(0..length, long)
    }

    /// The angles of some positions.
    pub fn angles_at(&self, positions: Range<usize>, long: bool) -> Angles {
        let frequencies = match &self.long {
            Some((frequencies, _)) if long => frequencies,
            _ => &self.short,
        };
        let each = |f: fn(f64) -> f64| {
            let at = |position: usize| {
                frequencies.iter().map(move |w| (f(position as f64 * w) * self.scale) as f32)
            };
            positions.clone().flat_map(at).collect()
        };
        Angles { first: positions.start, cos: each(f64::cos), sin: each(f64::sin) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(scaling: Option<RopeScaling>) -> Rope {
        Rope::of(&RopeShape { width: 4, theta: 10_000.0, scaling })
    }

    #[test]
    fn longrope_takes_the_long_divisors_past_the_original_context_and_scales_both() {
        let scale = 1.25;
        let rope = rope(Some(RopeScaling::LongRope {
            short: vec![1.0, 2.0],
            long: vec![4.0, 8.0],
            original_context: 16,
            attention_factor: scale,
        }));
        assert!(!rope.is_long(16) && rope.is_long(17));
        for (long, divisors) in [(false, [1.0, 2.0]), (true, [4.0, 8.0])] {
            let angles = rope.angles(20, long);
            for (i, divisor) in divisors.into_iter().enumerate() {
                // theta 10000, two frequencies: 1 and 1/100.
                let angle = 19.0 * 0.01f64.powi(i as i32) / divisor;
                assert!((f64::from(angles.cos[19 * 2 + i]) - scale * angle.cos()).abs() < 1e-6);
                assert!((f64::from(angles.sin[19 * 2 + i]) - scale * angle.sin()).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn no_scaling_leaves_cos_and_sin_of_one_circle() {
        let angles = rope(None).angles(64, false);
        let circle = angles.cos.iter().zip(&angles.sin).map(|(c, s)| c * c + s * s);
        assert!(circle.into_iter().all(|one| (one - 1.0).abs() < 1e-6));
    }
}
