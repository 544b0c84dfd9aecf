//! RMSNorm of rows.

/// `out = x / sqrt(mean(x^2) + eps) * weight`, for each row of `x` [N, D].
pub fn rms_norm(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    let rows = x.chunks_exact(weight.len());
    for (x, out) in rows.zip(out.chunks_exact_mut(weight.len())) {
        row(x, weight, eps, out);
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn row(x: &[f32], weight: &[f32], eps: f32, out: &mut [f32]) {
    // Sixteen sums side by side: one after the other, each addition would wait for the last.
    let mut sums = [0f32; 16];
    let (chunks, rest) = x.as_chunks::<16>();
    for chunk in chunks {
        for (sum, x) in sums.iter_mut().zip(chunk) {
            *sum += x * x;
        }
    }
    for (sum, x) in sums.iter_mut().zip(rest) {
        *sum += x * x;
    }
    let mean = sums.iter().sum::<f32>() / x.len() as f32;
    let scale = 1.0 / (mean + eps).sqrt();
    for ((out, x), weight) in out.iter_mut().zip(x).zip(weight) {
        *out = x * scale * weight;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    #[test]
    fn equals_candles() {
        for width in [1, 15, 64, 100] {
            let random =
                |shape: &[usize]| Tensor::randn(0f32, 2.0, shape, &Device::Cpu).expect("numbers");
            let (x, weight) = (random(&[5, width]), random(&[width]));
            let theirs = candle_nn::ops::rms_norm(&x, &weight, 1e-5).expect("candle's");
            let numbers = |x: &Tensor| x.flatten_all().and_then(|x| x.to_vec1::<f32>());
            let mut ours = vec![0f32; 5 * width];
            let (x, weight) = (numbers(&x).expect("x"), numbers(&weight).expect("a weight"));
            super::rms_norm(&x, &weight, 1e-5, &mut ours);
            for (ours, theirs) in ours.iter().zip(numbers(&theirs).expect("candle's")) {
                assert!((ours - theirs).abs() < 1e-5 * (1.0 + theirs.abs()));
            }
        }
    }
}
