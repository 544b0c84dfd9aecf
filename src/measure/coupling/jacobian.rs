//! A Jacobian that is there as a whole.

use nalgebra::DMatrix;

use super::lanczos::{Lanczos, NotFinite, PROBES};
use super::leading::Leading;
use super::spectrum::Spectrum;
use atelier_kernels::linear::svd::{singular_values, singular_vectors};

/// A whole Jacobian `[D, D]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Jacobian {
    matrix: DMatrix<f32>,
}

/// Widths up to which all singular vectors are computed: beyond, the leading ones are searched for, as
/// without the matrix, but more closely, since its products are cheap. Near the whole width a search
/// would take nearly the whole matrix apart, again and again.
const FULL: usize = 256;
const CLOSELY: f64 = 1e-3;

impl Jacobian {
    /// From its products with the unit vectors, in order: J's columns, `[D, D]`.
    ///
    /// # Errors
    /// One of them is not finite.
    ///
    /// # Panics
    /// If they are not D of D numbers.
    pub fn of_columns(width: usize, columns: Vec<f32>) -> Result<Self, NotFinite> {
        assert_eq!(columns.len(), width * width, "all columns");
        refuse_if!(!columns.iter().all(|x| x.is_finite()), NotFinite);
        Ok(Self {
            // nalgebra's matrices lie column after column.
            matrix: DMatrix::from_vec(width, width, columns),
        })
    }

    /// D
    pub fn width(&self) -> usize {
        self.matrix.nrows()
    }

    /// `J z` for rows `[n, D]`.
    pub fn times(&self, rows: &[f32]) -> Vec<f32> {
        let probes = self.columns(rows);
        (&self.matrix * probes).as_slice().to_vec()
    }

    /// `J^T w` for rows `[n, D]`.
    pub fn transposed_times(&self, rows: &[f32]) -> Vec<f32> {
        self.matrix.tr_mul(&self.columns(rows)).as_slice().to_vec()
    }

    fn columns(&self, rows: &[f32]) -> DMatrix<f32> {
        let width = self.width();
        DMatrix::from_column_slice(width, rows.len() / width.max(1), rows)
    }

    /// The first `top` singular vectors, and the value after them.
    ///
    /// # Errors
    /// Numbers past what a decomposition holds.
    pub fn leading(&self, top: usize, seed: u32) -> Result<Leading, NotFinite> {
        let width = self.width();
        if width <= FULL || 4 * top > width {
            // Row after row.
            let rows: Vec<f64> = self.matrix.transpose().iter().map(|&x| f64::from(x)).collect();
            let mut found = singular_vectors(width, width, &rows).ok_or(NotFinite)?;
            found.left.truncate(top * width);
            found.right.truncate(top * width);
            // The memory kept for every Jacobian holds no more than the vectors that are read.
            found.left.shrink_to_fit();
            found.right.shrink_to_fit();
            return Ok(Leading::new(found, width, true));
        }
        self.searched(Lanczos::new(width, top, PROBES, CLOSELY, seed))
    }

    /// Runs a search to its end on this matrix, and returns the singular vectors that it finds.
    ///
    /// # Errors
    /// As [`Self::leading`].
    pub fn searched(&self, mut search: Lanczos) -> Result<Leading, NotFinite> {
        while let Some(wanted) = search.wanted() {
            let found = if wanted.transposed {
                self.transposed_times(&wanted.rows)
            } else {
                self.times(&wanted.rows)
            };
            search.answer(&found)?;
        }
        search.into_leading().ok_or(NotFinite)
    }

    /// Returns the spectrum of all singular values, which `leading` may know already, with a `gap` for each
    /// K of `top`.
    ///
    /// # Errors
    /// As [`Self::leading`].
    pub fn spectrum(&self, leading: &Leading, top: &[usize]) -> Result<Spectrum, NotFinite> {
        let width = self.width();
        let known = leading.values(width);
        if known.len() == width {
            return Ok(Spectrum::of_all(&known, top));
        }
        let columns: Vec<f64> = self.matrix.iter().map(|&x| f64::from(x)).collect();
        let values = singular_values(width, width, &columns).ok_or(NotFinite)?;
        Ok(Spectrum::of_all(&values, top))
    }
}
