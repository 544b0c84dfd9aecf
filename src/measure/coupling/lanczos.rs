//! The leading singular vectors of a Jacobian that is known by its products alone: block
//! Golub-Kahan-Lanczos (docs/definitions.md, "Coupling").
//!
//! The machine knows no engine: it says which products it wants next and is given the answers, whenever
//! they come. Several of one block can so go on side by side, their probes together in one product.

use rand_mt::Mt;

use super::leading::Leading;
use atelier_kernels::linear::rows::{
    combined, length, narrow, orthonormal, products, wide, without,
};
use atelier_kernels::linear::svd::{SingularVectors, singular_vectors};

/// Probes of one Jacobian alone. With one or two the search now and then stops beside one of two nearly
/// equal singular values.
pub const PROBES: usize = 8;
/// Probes of each search where several go on together: the product is wide anyway.
pub const PROBES_TOGETHER: usize = 4;
/// Searches of one block that go on together, from which on each asks for [`PROBES_TOGETHER`].
pub const LOCKSTEP: usize = 4;
/// How small a vector's residual must be beside the gap around its singular value. At 0.1 a search takes one
/// product in fifteen less, and a coupling in some thousands is off by more than 1e-3.
pub const TOLERANCE: f64 = 0.02;
/// Ritz values among which the nearest other is looked for, beyond K.
const BEYOND: usize = 3;
/// The smallest gap that is counted, as a share of the first singular value.
const LEAST_GAP: f64 = 1e-3;
/// Vectors shorter than this share of the largest image count as zero: f32 rounding leaves that much.
const LEAST: f64 = 2e-7;

/// Probes that the search wants multiplied next.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbesWanted {
    /// `J^T w` of rows at the output; else `J z` of rows at the input.
    pub transposed: bool,
    /// `[n, D]`
    pub rows: Vec<f32>,
}

/// An answer held a number that is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a product was not finite")]
pub struct NotFinite;

/// One Jacobian's search. Ask [`Lanczos::wanted`], answer, until nothing is wanted.
pub struct Lanczos {
    /// D
    width: usize,
    /// K
    top: usize,
    probes: usize,
    tolerance: f64,
    random: Mt,
    /// Orthonormal directions at the input. `[v, D]`
    right: Vec<f64>,
    /// Their images. `[v, D]`
    images: Vec<f64>,
    /// Orthonormal directions at the output, which span the images. `[u, D]`
    left: Vec<f64>,
    /// Rows of `right` that have no image yet.
    fresh: usize,
    /// Rows of `left` whose transposed image is wanted.
    last: usize,
    /// The largest length of an image: about the first singular value.
    largest: f64,
    /// These probes are new random ones, to see whether anything is left.
    is_retrying: bool,
    stage: LanczosStage,
}

enum LanczosStage {
    Images,
    Transposed,
    Done(Leading),
}

impl Lanczos {
    /// The search for the first `top` singular vectors, and the value after them.
    ///
    /// # Panics
    /// If `top` or `probes` is 0, or `top` is past the width.
    pub fn new(width: usize, top: usize, probes: usize, tolerance: f64, seed: u32) -> Self {
        assert!((1..=width).contains(&top), "1 <= K <= D");
        assert!(probes > 0, "probes");
        let mut machine = Self {
            width,
            top,
            probes: probes.min(width),
            tolerance,
            random: Mt::new(seed),
            right: Vec::new(),
            images: Vec::new(),
            left: Vec::new(),
            fresh: 0,
            last: 0,
            largest: 0.0,
            is_retrying: false,
            stage: LanczosStage::Images,
        };
        machine.draw();
        machine
    }

    /// The products that it wants; `None` once it has found what it looked for.
    pub fn wanted(&self) -> Option<ProbesWanted> {
        let rows = |all: &[f64], count: usize| narrow(&all[all.len() - count * self.width..]);
        match self.stage {
            LanczosStage::Images => {
                Some(ProbesWanted { transposed: false, rows: rows(&self.right, self.fresh) })
            }
            LanczosStage::Transposed => {
                Some(ProbesWanted { transposed: true, rows: rows(&self.left, self.last) })
            }
            LanczosStage::Done(_) => None,
        }
    }

    /// The products that it wanted, `[n, D]`.
    ///
    /// # Errors
    /// They are not finite.
    ///
    /// # Panics
    /// If there are more or fewer of them, or none were wanted.
    pub fn answer(&mut self, found: &[f32]) -> Result<(), NotFinite> {
        refuse_if!(!found.iter().all(|x| x.is_finite()), NotFinite);
        let found = wide(found);
        let longest = found.chunks_exact(self.width).map(length);
        self.largest = longest.fold(self.largest, f64::max);
        match self.stage {
            LanczosStage::Images => self.take_images(found),
            LanczosStage::Transposed => self.take_transposed(found),
            LanczosStage::Done(_) => panic!("nothing was wanted"),
        }
    }

    /// Returns the vectors that were found; `None` while the search still wants products.
    pub fn into_leading(self) -> Option<Leading> {
        match self.stage {
            LanczosStage::Done(leading) => Some(leading),
            _ => None,
        }
    }

    fn rows(&self) -> usize {
        self.right.len() / self.width
    }

    fn take_images(&mut self, found: Vec<f64>) -> Result<(), NotFinite> {
        assert_eq!(found.len(), self.fresh * self.width, "an image a probe");
        self.images.extend_from_slice(&found);
        let new = orthonormal(found, &self.left, self.width, LEAST * self.largest);
        self.last = new.len() / self.width;
        self.left.extend(new);
        // Nothing new at the output: what is left at the input is asked for once more, by chance.
        if self.last == 0 {
            return self.exhausted();
        }
        self.is_retrying = false;
        self.stage = LanczosStage::Transposed;
        Ok(())
    }

    fn take_transposed(&mut self, mut found: Vec<f64>) -> Result<(), NotFinite> {
        assert_eq!(found.len(), self.last * self.width, "an image a probe");
        without(&mut found, &self.right, self.width);
        let rows = self.rows();
        if rows == self.width {
            return self.finish(true);
        }
        if rows > self.top {
            let small = self.small()?;
            if self.has_converged(&small, &found) {
                return self.finish(false);
            }
        }
        let mut new = orthonormal(found, &self.right, self.width, LEAST * self.largest);
        new.truncate(self.probes.min(self.width - rows) * self.width);
        if new.is_empty() {
            return self.exhausted();
        }
        self.fresh = new.len() / self.width;
        self.right.extend(new);
        self.stage = LanczosStage::Images;
        Ok(())
    }

    /// Handles an exhausted search: the probes lead to no new direction. A random start misses directions
    /// where more of them than probes share one singular value. So new random probes are tried until some
    /// lead nowhere.
    fn exhausted(&mut self) -> Result<(), NotFinite> {
        if self.is_retrying || self.rows() == self.width {
            return self.finish(true);
        }
        self.is_retrying = true;
        self.draw();
        self.stage = LanczosStage::Images;
        Ok(())
    }

    /// Random probes at a right angle to those before.
    fn draw(&mut self) {
        let count = self.probes.min(self.width - self.rows());
        let number = |random: &mut Mt| f64::from(random.next_u32()) / f64::from(u32::MAX) - 0.5;
        let block = (0..count * self.width).map(|_| number(&mut self.random)).collect();
        let new = orthonormal(block, &self.right, self.width, 1e-12);
        self.fresh = new.len() / self.width;
        self.right.extend(new);
    }

    /// Singular vectors of the Jacobian between the two bases, `[u, v]`.
    fn small(&self) -> Result<SingularVectors, NotFinite> {
        let between = products(&self.left, &self.images, self.width);
        singular_vectors(self.left.len() / self.width, self.rows(), &between).ok_or(NotFinite)
    }

    /// Whether each of the first K vectors is as good as its neighbours allow. `rest` `[last, D]` is the part
    /// of the transposed images outside the basis.
    fn has_converged(&self, small: &SingularVectors, rest: &[f64]) -> bool {
        let all = self.left.len() / self.width; // u
        let values = &small.values;
        let looked_at = values.len().min(self.top + BEYOND);
        let first = values.first().copied().unwrap_or(0.0);
        (0..self.top.min(values.len())).all(|k| {
            let others = (0..looked_at).filter(|&other| other != k);
            let gaps = others.map(|other| (values[k] - values[other]).abs());
            let gap = gaps.fold(f64::INFINITY, f64::min);
            let weights = &small.left[k * all..(k + 1) * all][all - self.last..];
            let residual = length(&combined(weights, rest, self.width));
            residual <= self.tolerance * gap.max(LEAST_GAP * first)
        })
    }

    fn finish(&mut self, is_complete: bool) -> Result<(), NotFinite> {
        let small = self.small()?;
        let (u, v) = (self.left.len() / self.width, self.rows());
        let found = small.values.len().min(self.top);
        let mut values = small.values;
        // Values after the first K were not searched for, so they are less exact.
        let is_complete = is_complete && values.len() <= self.top + 1;
        values.truncate(self.top + 1);
        let vectors = SingularVectors {
            values,
            left: combined(&small.left[..found * u], &self.left, self.width),
            right: combined(&small.right[..found * v], &self.right, self.width),
        };
        self.stage = LanczosStage::Done(Leading::new(vectors, self.width, is_complete));
        Ok(())
    }
}
