//! The path of one token's state through the blocks: how straight, and how evenly growing
//! (docs/definitions.md, section 9; *Transformer Block Coupling*, Eqs. 15-18).
//!
//! The project's golden values are those of a prompt's last token.

use super::similarity::norm;

/// One token's states `[S + 1][D]` out of `states` `[S + 1][T * D]`, token after token; `width` is D.
///
/// # Panics
/// If there is no such token.
pub fn path<S: AsRef<[f32]>>(states: &[S], width: usize, token: usize) -> Vec<&[f32]> {
    states.iter().map(|state| &state.as_ref()[token * width..][..width]).collect()
}

/// S / ||the sum of the S steps, each of length 1||: 1 is a straight line, more is a bent one.
/// `states` `[S + 1][D]` of one token.
///
/// A step that does not move has no direction and is not counted. `None` where no step moves, or
/// where the directions cancel: there is no line to be near.
pub fn line_shape_score<S: AsRef<[f32]>>(states: &[S]) -> Option<f64> {
    let width = states.first()?.as_ref().len();
    let mut end = vec![0.0; width];
    let mut moved = 0;
    for pair in states.windows(2) {
        let step: Vec<f64> = pair[0]
            .as_ref()
            .iter()
            .zip(pair[1].as_ref())
            .map(|(&from, &to)| f64::from(to) - f64::from(from))
            .collect();
        let length = step.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > 0.0 {
            moved += 1;
            for (end, x) in end.iter_mut().zip(&step) {
                *end += x / length;
            }
        }
    }
    let distance = end.iter().map(|x| x * x).sum::<f64>().sqrt();
    let moved = f64::from(moved);
    // Directions that cancel leave what rounding leaves of them.
    (distance > 1e-12 * moved).then(|| (moved / distance).max(1.0))
}

/// Standard deviation (of the population) over mean of `alpha_l = ln(||x_l|| / ||x_{l-1}||)`, the
/// growth of the state's length at each step: 0 for exponential growth. Negative where the stream
/// shrinks on the whole. `states` `[S + 1][D]` of one token.
///
/// `None` where it has no value: without steps, when a state is all zeros, or when the length ends
/// as it began after changing in between. A length that never changes has no spread: 0.
pub fn expodistance<S: AsRef<[f32]>>(states: &[S]) -> Option<f64> {
    let logs: Vec<f64> = states.iter().map(|s| norm(s.as_ref()).ln()).collect();
    let growth: Vec<f64> = logs.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if growth.is_empty() || logs.iter().any(|log| !log.is_finite()) {
        return None;
    }
    let steps = growth.len() as f64;
    let mean = growth.iter().sum::<f64>() / steps;
    let variance = growth.iter().map(|a| (a - mean) * (a - mean)).sum::<f64>() / steps;
    let deviation = variance.sqrt();
    // Beside the logarithms' own rounding, a spread or a mean is none.
    let rounding = logs.iter().fold(1.0, |max, log| f64::max(max, log.abs())) * 1e-14;
    if deviation <= rounding {
        return Some(0.0);
    }
    (mean.abs() > rounding).then(|| deviation / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: Option<f64>, expected: f64) {
        let found = found.expect("a value");
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn a_straight_line_scores_1_and_a_right_angle_root_2() {
        near(line_shape_score(&[[0.0, 0.0], [1.0, 2.0], [2.0, 4.0], [10.0, 20.0]]), 1.0);
        // Steps of length 3 and 4 count alike.
        near(line_shape_score(&[[0.0, 0.0], [3.0, 0.0], [3.0, 4.0]]), 2.0_f64.sqrt());
        // Three steps, two of which cancel.
        near(line_shape_score(&[[0.0], [1.0], [0.0], [1.0]]), 3.0);
    }

    #[test]
    fn what_has_no_line() {
        assert_eq!(line_shape_score::<[f32; 2]>(&[]), None);
        assert_eq!(line_shape_score(&[[1.0, 2.0]]), None);
        assert_eq!(line_shape_score(&[[1.0, 2.0], [1.0, 2.0]]), None);
        assert_eq!(line_shape_score(&[[0.0], [1.0], [0.0]]), None);
        // A step that stays is passed over.
        near(line_shape_score(&[[1.0], [1.0], [3.0]]), 1.0);
    }

    #[test]
    fn even_growth_has_no_expodistance() {
        near(expodistance(&[[1.0, 0.0], [0.0, 2.0], [4.0, 0.0]]), 0.0);
        // Growth ln 2 and ln 8: mean 2 ln 2, deviation ln 2.
        near(expodistance(&[[1.0], [2.0], [16.0]]), 0.5);
        near(expodistance(&[[16.0], [2.0], [1.0]]), -0.5);
        near(expodistance(&[[3.0, 4.0], [5.0, 0.0], [0.0, -5.0]]), 0.0);
    }

    #[test]
    fn what_has_no_growth() {
        assert_eq!(expodistance::<[f32; 1]>(&[]), None);
        assert_eq!(expodistance(&[[1.0]]), None);
        assert_eq!(expodistance(&[[0.0], [1.0]]), None);
        assert_eq!(expodistance(&[[1.0], [2.0], [1.0]]), None);
    }
}
