//! Linear algebra of the size that atelier's measures need, in f64.

pub mod principal;
pub mod rows;
pub mod svd;
