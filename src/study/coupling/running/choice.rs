//! Whole Jacobians, or searches by products: what takes fewer products and has room.

use super::super::jacobians::Jacobians;
use super::super::{CouplingMethod, MethodReason};

/// Bytes that whole Jacobians may take.
const WHOLE_BYTES: usize = if cfg!(target_arch = "wasm32") { 256 << 20 } else { 2 << 30 };

/// Widths at which a whole Jacobian is a matter of milliseconds, and its whole spectrum worth them.
const NARROW: usize = 128;

/// Products of either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProductCounts {
    /// Jacobians that are not known to be zero.
    count: usize,
    /// D
    width: usize,
    /// Products of all searches, with those that show each Jacobian in the bases of others.
    searched: usize,
    /// Singular vectors kept on either side, of all Jacobians.
    vectors: usize,
}

impl ProductCounts {
    pub fn of(jacobians: &Jacobians, width: usize) -> Self {
        let seen = jacobians.all.iter().filter(|known| known.is_seen);
        let each = seen.clone().map(|known| {
            let images: usize = known.bases.iter().map(|(_, k)| k).sum();
            search(known.top) + images.saturating_sub(known.top)
        });
        Self {
            count: seen.clone().count(),
            width,
            searched: each.sum(),
            vectors: seen.map(|known| known.top).sum(),
        }
    }

    /// Where `asked` does not say, or asks for what has no room.
    pub fn method(self, asked: Option<CouplingMethod>) -> (CouplingMethod, MethodReason) {
        let bytes = |numbers: &[usize]| numbers.iter().copied().fold(1, usize::saturating_mul);
        let matrices = bytes(&[self.count, self.width, self.width, size_of::<f32>()]);
        let vectors = bytes(&[self.vectors, 2, self.width, size_of::<f64>()]);
        let has_room = matrices.saturating_add(vectors) <= WHOLE_BYTES;
        let is_fewer = self.width <= NARROW || self.count * self.width <= self.searched;
        match asked {
            Some(CouplingMethod::Lanczos) => (CouplingMethod::Lanczos, MethodReason::Asked),
            Some(CouplingMethod::Whole) if has_room => (CouplingMethod::Whole, MethodReason::Asked),
            None if is_fewer && has_room => (CouplingMethod::Whole, MethodReason::FewerProducts),
            None if !is_fewer => (CouplingMethod::Lanczos, MethodReason::FewerProducts),
            _ => (CouplingMethod::Lanczos, MethodReason::Memory),
        }
    }

    /// Products that this method is thought to need.
    pub fn expected(self, method: CouplingMethod) -> u64 {
        let products = match method {
            CouplingMethod::Whole => self.count * self.width,
            CouplingMethod::Lanczos => self.searched,
        };
        products as u64
    }
}

/// About what a search takes (docs/definitions.md, "Coupling").
fn search(top: usize) -> usize {
    60 + 12 * top
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_products_within_the_memory() {
        // All pairs of so many blocks at K.
        let of = |count: usize, width: usize, k: usize| ProductCounts {
            count,
            width,
            searched: count * (search(k) + (count - 1) * k),
            vectors: count * k,
        };
        use CouplingMethod::{Lanczos, Whole};
        let fewer = MethodReason::FewerProducts;
        assert_eq!(of(12, 64, 8).method(None), (Whole, fewer));
        assert_eq!(of(30, 576, 8).method(None), (Lanczos, fewer));
        assert_eq!(of(60, 576, 8).method(None), (Whole, fewer));
        assert_eq!(of(16, 2048, 8).method(None), (Lanczos, fewer));
        // More than the memory, whatever was asked.
        let memory = MethodReason::Memory;
        assert_eq!(of(128, 2100, 16).method(None), (Lanczos, memory));
        assert_eq!(of(128, 4096, 4).method(Some(Whole)), (Lanczos, memory));
        // Vectors as many as columns are four times their matrix.
        assert_eq!(of(32, 2048, 2048).method(None), (Lanczos, memory));
        // Four pairs of four vectors would be fewer.
        assert_eq!(of(4, 128, 4).method(None), (Whole, fewer));
        let asked = MethodReason::Asked;
        assert_eq!(of(12, 64, 8).method(Some(Lanczos)), (Lanczos, asked));
        assert_eq!(of(30, 576, 8).method(Some(Whole)), (Whole, asked));
        assert_eq!(of(12, 64, 8).expected(Whole), 768);
    }
}
