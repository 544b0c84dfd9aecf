//! The two directions along which the last states of a prompt's tokens differ most, and where every
//! earlier state stands on them (docs/definitions.md, section 9).

use nalgebra::{DMatrix, SymmetricEigen};
use rand_mt::Mt;

use super::rows::add;

/// A plane through the last states' mean.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    /// Share of the last states' variance along each component; 0 for one that there is not.
    pub explained: [f64; 2],
    /// `[D]`
    mean: Vec<f64>,
    /// `[D]` each of length 1 and at a right angle; zeros where there is none.
    components: [Vec<f64>; 2],
}

/// Tokens, or numbers of a state, up to which all variances are computed.
const DIRECT: usize = 256;
/// Steps that the library may take for each.
const STEPS: usize = 100;
/// Directions followed at once, beyond: the two wanted and six more, so that the iteration below converges
/// as (the ninth variance / the second) and not as (the third / the second).
const BLOCK: usize = 8;
const ROUNDS: usize = 500;
/// Largest residual ||C v - l v|| of a component, relative to the largest variance; the error of l is
/// smaller, and far below a pixel.
const RESIDUE: f64 = 1e-10;

impl Plane {
    /// The first two principal components of `states` `[T][D]`, one state a token.
    ///
    /// Up to 256 tokens or numbers of a state they are eigenvectors of the states' inner products or of
    /// their covariance C, whichever is smaller. Of more, C is never formed: a block of eight directions
    /// is multiplied by the centred states and back until the first two are eigenvectors to a relative
    /// 1e-10 (or 500 rounds have passed), the best combinations within the block found exactly each
    /// round (subspace iteration with Rayleigh-Ritz). A component's largest coordinate is positive.
    ///
    /// Fewer than three tokens, or equal ones, have fewer than two components: the missing ones
    /// carry a share of 0, and every state stands at 0 on them. `None` where the eigenvectors are not found, as those
    /// of states that are not finite.
    ///
    /// # Panics
    /// If the states differ in length.
    pub fn of<S: AsRef<[f32]>>(states: &[S]) -> Option<Plane> {
        let width = states.first().map_or(0, |state| state.as_ref().len());
        let tokens = states.len() as f64;
        let mut mean = vec![0.0; width];
        for state in states {
            assert_eq!(state.as_ref().len(), width, "states of one model");
            for (mean, &x) in mean.iter_mut().zip(state.as_ref()) {
                *mean += f64::from(x) / tokens;
            }
        }

        // The states less their mean, and the whole variance (times T).
        let centred: Vec<Vec<f64>> = states
            .iter()
            .map(|state| {
                let pairs = state.as_ref().iter().zip(&mean);
                pairs.map(|(&x, mean)| f64::from(x) - mean).collect()
            })
            .collect();
        let total: f64 = centred.iter().map(|x| product(x, x)).sum();
        let squares = states.iter().flat_map(|state| state.as_ref()).map(|&x| f64::from(x).powi(2));
        let size: f64 = squares.sum();
        let mut plane =
            Plane { explained: [0.0; 2], mean, components: [vec![0.0; width], vec![0.0; width]] };
        // Equal states: only the rounding of their mean is left.
        if total <= size * 1e-24 {
            return Some(plane);
        }

        // The iteration is there where the library does not end; both refuse what is not finite.
        let is_small = centred.len().min(width) <= DIRECT;
        let direct = if is_small { decomposed(&centred, width) } else { None };
        let found = direct.or_else(|| leading(&centred, width))?;
        for (at, (variance, direction)) in found.into_iter().enumerate().take(2) {
            if variance > total * 1e-14 {
                plane.explained[at] = (variance / total).clamp(0.0, 1.0);
                plane.components[at] = with_sign(direction);
            }
        }
        Some(plane)
    }

    /// Where a state `[D]` stands on the two components.
    pub fn project(&self, state: &[f32]) -> [f64; 2] {
        [0, 1].map(|at| {
            state
                .iter()
                .zip(&self.mean)
                .zip(&self.components[at])
                .map(|((&x, mean), c)| (f64::from(x) - mean) * c)
                .sum()
        })
    }
}

/// Where every token stands after every step on the plane of its last states, `[T][S + 1]`, and that
/// plane. `states` `[S + 1][T * D]`, token after token; `width` is D. `None` as in [`Plane::of`].
///
/// # Panics
/// If a state is not a whole number of tokens: the engine records them so.
pub fn paths<S: AsRef<[f32]>>(states: &[S], width: usize) -> Option<(Plane, Vec<Vec<[f64; 2]>>)> {
    let last: Vec<&[f32]> = match states.last() {
        Some(last) if width > 0 => last.as_ref().chunks(width).collect(),
        _ => Vec::new(),
    };
    let plane = Plane::of(&last)?;
    let paths = (0..last.len())
        .map(|token| {
            let path = states.iter().map(|state| &state.as_ref()[token * width..][..width]);
            path.map(|state| plane.project(state)).collect()
        })
        .collect();
    Some((plane, paths))
}

/// The two largest variances (times T) and their directions, of few states or short ones.
fn decomposed(centred: &[Vec<f64>], width: usize) -> Option<Vec<(f64, Vec<f64>)>> {
    let tokens = centred.len();
    let states = DMatrix::from_fn(width, tokens, |i, t| centred[t][i]); // a state a column
    let products =
        if tokens <= width { states.tr_mul(&states) } else { &states * states.transpose() };
    let (variances, vectors) = eigen(products)?;
    let of = |(at, variance): (usize, f64)| {
        let vector = vectors.column(at);
        let direction = if tokens <= width {
            let sum = &states * vector;
            let length = sum.norm();
            if length > 0.0 { sum / length } else { sum }
        } else {
            vector.into_owned()
        };
        (variance, direction.as_slice().to_vec())
    };
    Some(variances.into_iter().enumerate().take(2).map(of).collect())
}

/// Eigenvalues of a symmetric matrix, largest first, and their vectors as columns; `None` where a number is not finite
/// or the library takes too many steps.
fn eigen(matrix: DMatrix<f64>) -> Option<(Vec<f64>, DMatrix<f64>)> {
    let count = matrix.nrows();
    if count == 0 || !matrix.iter().all(|x| x.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS * count)?;
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&i, &j| eigen.eigenvalues[j].total_cmp(&eigen.eigenvalues[i]));
    let values = order.iter().map(|&at| eigen.eigenvalues[at]).collect();
    Some((values, eigen.eigenvectors.select_columns(&order)))
}

/// The leading variances (times T) and directions of centred states, largest first.
fn leading(centred: &[Vec<f64>], width: usize) -> Option<Vec<(f64, Vec<f64>)>> {
    // Any start not at a right angle to the components will do; a fixed one gives one answer.
    let mut random = Mt::new(1);
    let start = (0..BLOCK.min(width))
        .map(|_| (0..width).map(|_| centre(random.next_u32())).collect())
        .collect();
    let mut block = orthonormal(covariance_times(centred, start));
    let mut round = 0;

    loop {
        // 1. The block's own small eigenproblem (Rayleigh-Ritz).
        let images = covariance_times(centred, block.clone());
        let count = block.len();
        let small = DMatrix::from_fn(count, count, |i, j| product(&block[i], &images[j]));
        let (values, vectors) = eigen(small)?;
        let best = rotated(&block, &vectors);
        let best_images = rotated(&images, &vectors);

        // 2. Done where both residues are small; otherwise the images are the next block.
        let largest = values.first().copied().unwrap_or(0.0);
        let converged = (0..values.len().min(2)).all(|i| {
            let residue: f64 = best_images[i]
                .iter()
                .zip(&best[i])
                .map(|(image, v)| (image - values[i] * v).powi(2))
                .sum();
            residue.sqrt() <= RESIDUE * largest
        });
        if converged || round == ROUNDS {
            return Some(values.into_iter().zip(best).collect());
        }
        block = orthonormal(best_images);
        round += 1;
    }
}

fn centre(draw: u32) -> f64 {
    f64::from(draw) / f64::from(u32::MAX) - 0.5
}

/// `X^T (X v)` for every v: `[B][D]`.
fn covariance_times(centred: &[Vec<f64>], block: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    block
        .into_iter()
        .map(|v| {
            let mut image = vec![0.0; v.len()];
            for state in centred {
                add(&mut image, product(state, &v), state);
            }
            image
        })
        .collect()
}

/// Modified Gram-Schmidt, twice over; what depends on the vectors before it is dropped, so that
/// states that span little leave a small block.
fn orthonormal(block: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let largest = block.iter().map(|v| product(v, v)).fold(0.0, f64::max);
    let mut kept: Vec<Vec<f64>> = Vec::with_capacity(block.len());
    for mut v in block {
        for _ in 0..2 {
            for u in &kept {
                let along = product(u, &v);
                add(&mut v, -along, u);
            }
        }
        let square = product(&v, &v);
        if square > largest * 1e-26 {
            let length = square.sqrt();
            kept.push(v.iter().map(|x| x / length).collect());
        }
    }
    kept
}

/// Combinations of a block's vectors, one for each column of weights.
fn rotated(block: &[Vec<f64>], weights: &DMatrix<f64>) -> Vec<Vec<f64>> {
    let columns = weights.column_iter().map(|weights| {
        let mut sum = vec![0.0; block.first().map_or(0, Vec::len)];
        for (&weight, v) in weights.iter().zip(block) {
            add(&mut sum, weight, v);
        }
        sum
    });
    columns.collect()
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// An eigenvector or its opposite: the one whose coordinate farthest from 0 (the first of equals) is
/// positive.
fn with_sign(direction: Vec<f64>) -> Vec<f64> {
    let far = direction.iter().fold(0.0_f64, |far, &x| if x.abs() > far.abs() { x } else { far });
    if far < 0.0 { direction.iter().map(|x| -x).collect() } else { direction }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane_of<S: AsRef<[f32]>>(states: &[S]) -> Plane {
        Plane::of(states).expect("eigenvectors")
    }

    fn near(found: [f64; 2], expected: [f64; 2]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn by_hand() {
        // Around (1, 1, 7): spread 4 along the first axis, 1 along the second, none along the third.
        let states = [[3.0, 1.0, 7.0], [-1.0, 1.0, 7.0], [1.0, 2.0, 7.0], [1.0, 0.0, 7.0]];
        let plane = plane_of(&states);
        near(plane.explained, [0.8, 0.2]);
        near(plane.project(&states[0]), [2.0, 0.0]);
        near(plane.project(&states[3]), [0.0, -1.0]);
        near(plane.project(&[1.0, 1.0, 100.0]), [0.0, 0.0]);
    }

    #[test]
    fn as_the_whole_covariances_eigenvectors() {
        for (tokens, width) in [(30, 40), (40, 30), (300, 270)] {
            agree(tokens, width);
        }
    }

    fn agree(tokens: usize, width: usize) {
        let mut random = Mt::new(5);
        let states: Vec<Vec<f32>> = (0..tokens)
            .map(|_| {
                let numbers = (0..width).map(|_| centre(random.next_u32()) as f32);
                numbers.collect()
            })
            .collect();
        let plane = plane_of(&states);
        let centred: Vec<Vec<f64>> = states
            .iter()
            .map(|state| {
                let pairs = state.iter().zip(&plane.mean);
                pairs.map(|(&x, mean)| f64::from(x) - mean).collect()
            })
            .collect();
        let covariance =
            DMatrix::from_fn(width, width, |i, j| centred.iter().map(|x| x[i] * x[j]).sum());
        let (values, vectors) = eigen(covariance).expect("eigenvalues");
        let total: f64 = values.iter().sum();
        near(plane.explained, [values[0] / total, values[1] / total]);
        for (found, expected) in plane.components.iter().zip(vectors.column_iter()) {
            assert!((product(found, expected.as_slice()).abs() - 1.0).abs() < 1e-12);
            assert!((product(found, found) - 1.0).abs() < 1e-12);
        }
        assert!(product(&plane.components[0], &plane.components[1]).abs() < 1e-12);
        assert_eq!(plane, plane_of(&states));
    }

    #[test]
    fn what_has_fewer_components() {
        let none: [[f32; 3]; 0] = [];
        assert_eq!(plane_of(&none).explained, [0.0; 2]);
        // One token, and equal ones whose mean rounds.
        let one = plane_of(&[[0.1_f32, 0.2, 0.3]]);
        assert_eq!(one.explained, [0.0; 2]);
        near(one.project(&[9.0, 9.0, 9.0]), [0.0; 2]);
        assert_eq!(plane_of(&[[0.1_f32, 1e5]; 7]).explained, [0.0; 2]);
        // Two tokens span a line.
        let line = plane_of(&[[0.0_f32, 3.0], [0.0, -3.0]]);
        near(line.explained, [1.0, 0.0]);
        near(line.project(&[5.0, 2.0]), [2.0, 0.0]);
        // A model of width 1 has one direction.
        near(plane_of(&[[1.0_f32], [4.0], [9.0]]).explained, [1.0, 0.0]);
    }

    #[test]
    fn states_that_are_not_finite_have_no_plane() {
        // Both ways: all variances at once, and the largest of many.
        for tokens in [3, DIRECT + 44] {
            let mut states = vec![vec![1.0_f32; tokens]; tokens];
            states[1][0] = f32::INFINITY;
            assert_eq!(Plane::of(&states), None);
            assert!(paths(&[states.concat()], tokens).is_none());
        }
    }

    #[test]
    fn equal_variances_are_shared() {
        let cross = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
        near(plane_of(&cross).explained, [0.5, 0.5]);
    }

    #[test]
    fn every_tokens_path() {
        // Two tokens of width 2, three states.
        let states =
            [vec![0.0, 0.0, 0.0, 0.0], vec![1.0, 1.0, 0.0, 1.0], vec![2.0, 0.0, -2.0, 0.0]];
        let (plane, paths) = paths(&states, 2).expect("eigenvectors");
        near(plane.explained, [1.0, 0.0]);
        let along: Vec<Vec<f64>> =
            paths.iter().map(|path| path.iter().map(|at| at[0]).collect()).collect();
        assert_eq!(along, [[0.0, 1.0, 2.0], [0.0, 0.0, -2.0]]);
    }
}
