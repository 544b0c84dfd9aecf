//! Numbers from recorded members: pure functions on slices, summed in f64.

pub mod decomposition;
pub mod interval;
