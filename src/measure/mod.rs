//! Numbers from recorded members: pure functions on slices, summed in f64.

pub mod decomposition;
pub mod divergence;
mod eigen;
pub mod interval;
pub mod principal;
pub mod similarity;
pub mod trajectory;
