//! Numbers from recorded members: pure functions on slices, summed in f64.

pub mod bits;
pub mod correlation;
pub mod coupling;
pub mod decomposition;
pub mod ensemble;
pub mod information;
pub mod interval;
pub mod largest;
pub mod leads;
pub mod scatter;
pub mod similarity;
pub mod tradeoff;
pub mod trajectory;
