//! Whole Jacobians, or searches by products: what takes fewer products and has room.

use super::super::jacobians::Jacobians;
use super::super::wish::CouplingWish;
use super::super::{CouplingMethod, MethodReason};

/// Bytes that whole Jacobians may take.
const WHOLE_BYTES: usize = if cfg!(target_arch = "wasm32") {
    256 << 20
} else {
    2 << 30
};

/// About what a search takes (docs/definitions.md, "Coupling").
fn search(top: usize) -> usize {
    60 + 12 * top
}

/// Products of the searches, and of all Jacobians with the bases that they are wanted in.
fn searched(jacobians: &Jacobians) -> usize {
    let of = jacobians.all.iter().filter(|known| known.is_seen);
    let each = of.map(|known| {
        let images: usize = known.bases.iter().map(|(_, k)| k).sum();
        search(known.top) + images.saturating_sub(known.top)
    });
    each.sum()
}

pub fn method(
    wish: &CouplingWish,
    jacobians: &Jacobians,
    width: usize,
) -> (CouplingMethod, MethodReason) {
    let count = jacobians.all.iter().filter(|known| known.is_seen).count();
    let bytes = count
        .saturating_mul(width)
        .saturating_mul(width)
        .saturating_mul(size_of::<f32>());
    let has_room = bytes <= WHOLE_BYTES;
    let is_cheaper = count * width <= searched(jacobians);
    match wish.method {
        Some(CouplingMethod::Lanczos) => (CouplingMethod::Lanczos, MethodReason::Asked),
        Some(CouplingMethod::Whole) if has_room => (CouplingMethod::Whole, MethodReason::Asked),
        None if is_cheaper && has_room => (CouplingMethod::Whole, MethodReason::FewerProducts),
        None if !is_cheaper => (CouplingMethod::Lanczos, MethodReason::FewerProducts),
        _ => (CouplingMethod::Lanczos, MethodReason::Memory),
    }
}

pub fn expected(method: CouplingMethod, jacobians: &Jacobians, width: usize) -> u64 {
    let count = jacobians.all.iter().filter(|known| known.is_seen).count();
    match method {
        CouplingMethod::Whole => (count * width) as u64,
        CouplingMethod::Lanczos => searched(jacobians) as u64,
    }
}
