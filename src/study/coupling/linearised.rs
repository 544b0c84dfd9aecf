//! The last token's state under the linearised steps alone.

use super::Linearised;
use atelier_kernels::linear::rows::{length, product, wide};

/// Beyond, a product with the state might be no number of f32.
const FAR: f64 = 1e30;

/// `x~`, step by step.
pub struct LinearPath {
    /// `[D]`
    state: Vec<f64>,
    found: Linearised,
}

impl LinearPath {
    /// From the state that enters the first step. `[D]`
    pub fn new(state: &[f32]) -> Self {
        Self { state: wide(state), found: Linearised::default() }
    }

    /// The state `x~` to multiply the next step's Jacobian with, `[D]`; `None` once it is too large for f32.
    pub fn state(&self) -> Option<Vec<f32>> {
        let is_near = self.state.iter().all(|x| x.abs() < FAR);
        is_near.then(|| self.state.iter().map(|&x| x as f32).collect())
    }

    /// A step that the path does not reach.
    pub fn lost(&mut self) {
        self.found.cosine.push(None);
        self.found.relative_error.push(None);
    }

    /// `J x~`, and where the run's own state stands after the step.
    pub fn step(&mut self, change: &[f32], reached: &[f32]) {
        for (x, &change) in self.state.iter_mut().zip(change) {
            *x += f64::from(change);
        }
        let reached = wide(reached);
        let off: Vec<f64> = reached.iter().zip(&self.state).map(|(a, b)| a - b).collect();
        let (own, linear) = (length(&reached), length(&self.state));
        // One so long that its square is no number has neither.
        let cosine = product(&reached, &self.state) / (own * linear);
        let error = length(&off) / own;
        let finite = |x: f64| x.is_finite().then_some(x);
        self.found.cosine.push(finite(cosine).map(|x| x.clamp(-1.0, 1.0)));
        self.found.relative_error.push(finite(error));
    }

    pub fn finish(self) -> Linearised {
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn by_hand() {
        let mut path = LinearPath::new(&[1.0, 0.0]);
        path.step(&[0.0, 1.0], &[0.0, 2.0]);
        assert_eq!(path.state(), Some(vec![1.0, 1.0]));
        path.step(&[-1.0, -1.0], &[3.0, 0.0]);
        path.step(&[1.0, 0.0], &[0.0, 0.0]);
        for _ in 0..2 {
            path.step(&[3e38, 0.0], &[1.0, 0.0]);
        }
        assert_eq!(path.state(), None);
        path.lost();
        let found = path.finish();
        let cosine = found.cosine[0].expect("two states");
        assert!((cosine - 0.5_f64.sqrt()).abs() < 1e-15);
        let error = found.relative_error[0].expect("a state");
        assert!((error - 0.5_f64.sqrt()).abs() < 1e-15);
        assert_eq!(found.cosine[1..3], [None, None]);
        assert_eq!(found.relative_error[1..3], [Some(1.0), None]);
        assert_eq!((found.cosine.len(), found.cosine[5]), (6, None));
    }
}
