//! `silu(gate) * up`, in one pass over a fused projection.

use super::exp::exp;

/// `gate_up` [N, 2 F] (gate columns, then up) to `out` [N, F].
pub fn silu_gate(gate_up: &[f32], f: usize, out: &mut [f32]) {
    for (row, out) in gate_up.chunks_exact(2 * f).zip(out.chunks_exact_mut(f)) {
        let (gate, up) = row.split_at(f);
        gate_row(gate, up, out);
    }
}

#[multiversion::multiversion(targets(
    "x86_64+avx512f+avx512vl",
    "x86_64+avx2+fma",
    "aarch64+neon"
))]
fn gate_row(gate: &[f32], up: &[f32], out: &mut [f32]) {
    for ((out, &g), &u) in out.iter_mut().zip(gate).zip(up) {
        *out = g / (1.0 + exp(-g)) * u;
    }
}

#[cfg(test)]
mod tests {
    use candle_core::{Device, Tensor};

    use super::super::tensors;

    #[test]
    fn the_kernel_equals_its_reference() {
        let gate_up = Tensor::randn(0f32, 4.0, (5, 2 * 37), &Device::Cpu).expect("a projection");
        let plain = tensors::silu_gate(&gate_up).expect("the reference");
        let numbers = |x: &Tensor| x.flatten_all().and_then(|x| x.to_vec1::<f32>());
        let mut fused = vec![f32::NAN; 5 * 37];
        super::silu_gate(&numbers(&gate_up).expect("a projection"), 37, &mut fused);
        for (fused, plain) in fused.iter().zip(numbers(&plain).expect("the reference")) {
            assert!((fused - plain).abs() < 1e-5, "{fused}, {plain}");
        }
    }
}
