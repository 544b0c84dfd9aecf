//! Numbers from recorded members: pure functions on slices, summed in f64.

pub mod correlation;
pub mod decomposition;
pub mod divergence;
mod eigen;
pub mod information;
pub mod interval;
pub mod principal;
pub mod similarity;
pub mod tradeoff;
pub mod trajectory;
