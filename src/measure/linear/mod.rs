//! Linear algebra of the size that measures need: what is small is computed in f64.

mod eigen;
pub mod principal;
pub mod rows;
pub mod svd;
