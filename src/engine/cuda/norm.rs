//! RMSNorm and LayerNorm, over the last dimension.

use candle_core::{D, Result, Tensor};

/// `x / sqrt(mean(x^2) + eps) * gain`: `[.., W]`, gain `[W]`.
pub fn rms(x: &Tensor, gain: &Tensor, eps: f64) -> Result<Tensor> {
    let scale = (mean_square(x)? + eps)?.sqrt()?; // [.., 1]
    x.broadcast_div(&scale)?.broadcast_mul(gain) // [.., W]
}

/// `(x - mean(x)) / sqrt(var(x) + eps) * gain + bias`: `[.., W]`, gain and bias `[W]`.
pub fn layer(x: &Tensor, gain: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    rms(&centred(x)?, gain, eps)?.broadcast_add(bias) // [.., W]
}

/// `x - mean(x)`: `[.., W]`.
pub fn centred(x: &Tensor) -> Result<Tensor> {
    x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)
}

/// `mean(x^2)`: `[.., 1]`.
pub fn mean_square(x: &Tensor) -> Result<Tensor> {
    x.sqr()?.mean_keepdim(D::Minus1)
}
