//! Linear algebra of the size that atelier's measures need, in f64.

mod eigen;
pub mod principal;
pub mod rows;
pub mod svd;
