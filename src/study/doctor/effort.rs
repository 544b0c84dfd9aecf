//! How much is measured, and how long that may take.

use super::rates::DTYPES;

/// How large, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Rows of the matrix `[outs, ins]`.
    pub outs: usize,
    pub ins: usize,
    /// Bytes that are copied.
    pub bytes: u64,
    /// For one device, about.
    pub seconds: f64,
}

impl Effort {
    /// A matrix as an MLP of a model of one billion numbers has it.
    pub const WHOLE: Self = Self { outs: 4096, ins: 2048, bytes: 128 << 20, seconds: 20.0 };

    /// About two seconds a device.
    pub const QUICK: Self = Self { outs: 1024, ins: 512, bytes: 16 << 20, seconds: 2.0 };

    /// As much as a browser on a telephone has room and patience for: what WebAssembly's memory has grown
    /// by stays with the page.
    pub const IN_PAGE: Self = Self { outs: 2048, ins: 1024, bytes: 32 << 20, seconds: 8.0 };

    /// For one dtype: copying takes the share of one.
    pub fn share(&self) -> f64 {
        self.seconds / (DTYPES.len() + 1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory that copying took is free when products begin, and is enough for them.
    #[test]
    fn products_take_no_more_memory_than_copying() {
        for Effort { outs, ins, bytes, .. } in [Effort::WHOLE, Effort::IN_PAGE, Effort::QUICK] {
            let rows = super::super::rates::ROWS.into_iter().max().unwrap_or(0);
            // Numbers drawn, rounded, as bytes, and laid out; a product's rows on both sides.
            let product = 4 * (4 * outs * ins + rows * (outs + ins)) as u64;
            assert!(product <= 2 * bytes, "{product} of {}", 2 * bytes);
        }
    }
}
