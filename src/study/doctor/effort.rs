//! How much is measured, and how long that may take.

use super::rates::DTYPES;

/// How large, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Of the matrix.
    pub outs: usize,
    pub ins: usize,
    /// That are copied.
    pub bytes: u64,
    /// For one device, about.
    pub seconds: f64,
}

impl Effort {
    /// A matrix as an MLP of a model of one billion numbers has it.
    pub const WHOLE: Self = Self {
        outs: 4096,
        ins: 2048,
        bytes: 128 << 20,
        seconds: 20.0,
    };

    pub const QUICK: Self = Self {
        outs: 1024,
        ins: 512,
        bytes: 16 << 20,
        seconds: 2.0,
    };

    /// For one dtype: copying takes the share of one.
    pub fn share(&self) -> f64 {
        self.seconds / (DTYPES.len() + 1) as f64
    }
}
