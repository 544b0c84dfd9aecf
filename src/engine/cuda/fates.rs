//! How given tokens fare among the whole vocabulary.

use candle_core::{D, Result, Tensor};

/// Logits `[R, V]` and targets `[R]` to `[R, 4]`; see
/// [`Pass::give_fates`](crate::engine::backend::Pass::give_fates).
pub fn fates(logits: &Tensor, targets: &[u32]) -> Result<Tensor> {
    let device = logits.device();
    let (rows, vocabulary) = logits.dims2()?;
    let targets = Tensor::new(targets, device)?.unsqueeze(1)?; // [R, 1]
    let largest = logits.max_keepdim(1)?; // [R, 1]
    let exp = logits.broadcast_sub(&largest)?.exp()?; // [R, V]
    let sum = exp.sum_keepdim(1)?; // [R, 1]
    let target = logits.gather(&targets, 1)?; // [R, 1]
    // The first of the largest: the least id among them.
    let is_largest = logits.broadcast_eq(&largest)?; // [R, V]
    let ids = Tensor::arange(0, vocabulary as u32, device)?.broadcast_as((rows, vocabulary))?; // [R, V]
    let none = Tensor::full(vocabulary as u32, (rows, vocabulary), device)?; // [R, V]
    let likeliest = is_largest.where_cond(&ids, &none)?.min_keepdim(D::Minus1)?; // [R, 1]
    let is_likeliest = likeliest.eq(&targets)?.to_dtype(logits.dtype())?; // [R, 1]
    Tensor::cat(&[largest, sum, target, is_likeliest], 1)
}
