//! Which states of the residual stream point the same way (docs/definitions.md, section 9;
//! *Transformer Layers as Painters*, its cosine map).

/// Cosine of every pair of states, `[S + 1][S + 1]`, from S + 1 states of equal length: before the
/// first step and after each, the final norm not applied, all tokens' numbers in one list.
///
/// The diagonal is exactly 1. A state of zeros has no direction: its cosine with any other is 0.
///
/// # Panics
/// If the states differ in length.
pub fn cosine_map<S: AsRef<[f32]>>(states: &[S]) -> Vec<Vec<f64>> {
    let norms: Vec<f64> = states.iter().map(|state| norm(state.as_ref())).collect();
    let mut map = vec![vec![1.0; states.len()]; states.len()];
    for i in 0..states.len() {
        for j in 0..i {
            let product = dot(states[i].as_ref(), states[j].as_ref());
            let norms = norms[i] * norms[j];
            let cosine = if norms > 0.0 { (product / norms).clamp(-1.0, 1.0) } else { 0.0 };
            map[i][j] = cosine;
            map[j][i] = cosine;
        }
    }
    map
}

/// Summed in f64.
pub(in crate::measure) fn dot(a: &[f32], b: &[f32]) -> f64 {
    assert_eq!(a.len(), b.len(), "states of one model on one prompt");
    a.iter().zip(b).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum()
}

/// Euclidean length, in f64.
pub(in crate::measure) fn norm(state: &[f32]) -> f64 {
    dot(state, state).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let states: [&[f32]; 4] = [
            &[1.0, 0.0, 0.0, 0.0],
            &[1.0, 1.0, 0.0, 0.0],
            &[-3.0, 0.0, 0.0, 0.0],
            &[0.0, 0.0, 0.0, 0.0],
        ];
        let half = 0.5_f64.sqrt();
        let expected = [
            [1.0, half, -1.0, 0.0],
            [half, 1.0, -half, 0.0],
            [-1.0, -half, 1.0, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ];
        for (row, expected) in cosine_map(&states).iter().zip(expected) {
            for (found, expected) in row.iter().zip(expected) {
                assert!((found - expected).abs() < 1e-15, "{found} {expected}");
            }
        }
    }

    #[test]
    fn one_state_and_none() {
        assert_eq!(cosine_map(&[vec![2.0_f32, 1.0]]), [[1.0]]);
        assert!(cosine_map::<Vec<f32>>(&[]).is_empty());
    }

    #[test]
    fn large_states_do_not_overflow() {
        let map = cosine_map(&[vec![f32::MAX; 8], vec![f32::MAX / 2.0; 8]]);
        assert!((map[0][1] - 1.0).abs() < 1e-15);
    }
}
