//! Rotary position embedding: the angles, with Llama 3's and Phi-3's ways to stretch them.

use crate::model::ModelConfig;
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

/// cos and sin of every angle, `[T, rope width / 2]` each.
#[derive(Clone, Debug, Default)]
pub struct Angles {
    pub cos: Vec<f32>,
    pub sin: Vec<f32>,
}

impl Rope {
    pub fn new(config: &ModelConfig) -> Self {
        Self::of(&RopeShape {
            width: config.head_width,
            theta: config.rope_theta,
            scaling: config.rope_scaling.clone(),
        })
    }

    pub fn of(shape: &RopeShape) -> Self {
        let half = shape.width / 2;
        let base = |i: usize| shape.theta.powf(-(i as f64) / half as f64);
        let plain: Vec<f64> = (0..half).map(base).collect();
        let stretched = |divisors: &[f64]| plain.iter().zip(divisors).map(|(f, d)| f / d).collect();
        match &shape.scaling {
            None => Self {
                short: plain,
                long: None,
                scale: 1.0,
            },
            Some(RopeScaling::Linear { factor }) => Self {
                short: plain
                    .into_iter()
                    .map(|frequency| frequency / factor)
                    .collect(),
                long: None,
                scale: 1.0,
            },
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
                Self {
                    short: plain.into_iter().map(blend).collect(),
                    long: None,
                    scale: 1.0,
                }
            }
            Some(RopeScaling::LongRope {
                short,
                long,
                original_context,
                attention_factor,
            }) => Self {
                short: stretched(short),
                long: Some((stretched(long), *original_context)),
                scale: *attention_factor,
            },
        }
    }

    /// Do sequences of `length` use the long divisors? The whole sequence does, or none of it.
    pub fn is_long(&self, length: usize) -> bool {
        self.long
            .as_ref()
            .is_some_and(|(_, original)| length > *original)
    }

    /// The angles of positions `0..length`.
    pub fn angles(&self, length: usize, long: bool) -> Angles {
        let frequencies = match &self.long {
            Some((frequencies, _)) if long => frequencies,
            _ => &self.short,
        };
        let each = |f: fn(f64) -> f64| {
            let at = |position: usize| {
                frequencies
                    .iter()
                    .map(move |w| (f(position as f64 * w) * self.scale) as f32)
            };
            (0..length).flat_map(at).collect()
        };
        Angles {
            cos: each(f64::cos),
            sin: each(f64::sin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rope(scaling: &str, context: usize) -> Rope {
        let config = ModelConfig::from_json(&format!(
            r#"{{"model_type":"phi3","vocab_size":8,"hidden_size":8,"intermediate_size":8,
            "num_hidden_layers":1,"num_attention_heads":2,"max_position_embeddings":{context},
            "original_max_position_embeddings":16,"rms_norm_eps":1e-5,"rope_scaling":{scaling}}}"#
        ));
        Rope::new(&config.expect("a config"))
    }

    #[test]
    fn longrope_takes_the_long_divisors_past_the_original_context_and_scales_both() {
        let longrope = r#"{"type":"longrope","short_factor":[1.0,2.0],"long_factor":[4.0,8.0]}"#;
        let rope = rope(longrope, 128);
        assert!(!rope.is_long(16) && rope.is_long(17));
        // sqrt(1 + ln(128 / 16) / ln 16), as Hugging Face computes it.
        let scale = (1.0 + 8f64.ln() / 16f64.ln()).sqrt();
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
        let angles = rope("null", 64).angles(64, false);
        let circle = angles
            .cos
            .iter()
            .zip(&angles.sin)
            .map(|(c, s)| c * c + s * s);
        assert!(circle.into_iter().all(|one| (one - 1.0).abs() < 1e-6));
    }
}
