//! RMSNorm and LayerNorm, over the last dimension.

use candle_core::{D, Result, Tensor};

/// `x / sqrt(mean(x^2) + eps) * gain`: `[.., W]`, gain `[W]`. Where the squares leave f32, NaN: a row
/// of zeros, which x / infinity is, nobody would see.
pub fn rms(x: &Tensor, gain: &Tensor, eps: f64) -> Result<Tensor> {
    let square = mean_square(x)?; // [.., 1]
    let none = (&square * 0.0)?; // 0, or infinity * 0; [.., 1]
    let scale = ((square + eps)?.sqrt()? + none)?; // [.., 1]
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

#[cfg(test)]
mod tests {
    use candle_core::Device;

    use super::*;

    /// Zeros in their place would look like a number.
    #[test]
    fn squares_past_f32_make_no_number() -> Result<()> {
        let tensor = |numbers: [[f32; 3]; 2]| Tensor::new(&numbers, &Device::Cpu);
        let x = tensor([[3e20, -1e20, 1.0], [3.0, 0.0, 4.0]])?;
        let gain = Tensor::new(&[1f32; 3], &Device::Cpu)?;
        for normed in [rms(&x, &gain, 1e-5)?, layer(&x, &gain, &gain, 1e-5)?] {
            let rows = normed.to_vec2::<f32>()?;
            assert!(rows[0].iter().all(|x| x.is_nan()), "{rows:?}");
            assert!(rows[1].iter().all(|x| x.is_finite()), "{rows:?}");
        }
        Ok(())
    }
}
