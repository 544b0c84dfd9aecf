//! `silu(gate) * up`, in one pass over a fused projection.

use candle_core::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use rayon::prelude::*;

use super::exp::exp;

/// [N, 2 F] (gate columns, then up) to [N, F].
pub fn silu_gate(gate_up: &Tensor) -> Result<Tensor> {
    if gate_up.device().is_cpu() {
        gate_up.apply_op1_no_bwd(&SiluGate)
    } else {
        reference(gate_up)
    }
}

/// The same in tensor operations.
pub fn reference(gate_up: &Tensor) -> Result<Tensor> {
    let (_, width) = gate_up.dims2()?;
    let gate = gate_up.narrow(1, 0, width / 2)?.contiguous()?.silu()?;
    gate * gate_up.narrow(1, width / 2, width / 2)?.contiguous()?
}

struct SiluGate;

impl CustomOp1 for SiluGate {
    fn name(&self) -> &'static str {
        "silu-gate"
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let (rows, width) = layout.shape().dims2()?;
        let (from, to) = layout
            .contiguous_offsets()
            .ok_or_else(|| candle_core::Error::msg("silu-gate needs a contiguous projection"))?;
        let gate_up = &storage.as_slice::<f32>()?[from..to];
        let mut out = vec![0f32; rows * width / 2];
        out.par_chunks_mut(width / 2)
            .zip(gate_up.par_chunks(width))
            .for_each(|(out, row)| {
                let (gate, up) = row.split_at(width / 2);
                gate_row(gate, up, out);
            });
        Ok((CpuStorage::F32(out), Shape::from((rows, width / 2))))
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

    #[test]
    fn the_kernel_equals_its_reference() {
        let gate_up = Tensor::randn(0f32, 4.0, (5, 2 * 37), &Device::Cpu).expect("a projection");
        let fused = super::silu_gate(&gate_up).expect("the kernel");
        let plain = super::reference(&gate_up).expect("the reference");
        let worst = (fused - plain).and_then(|d| d.abs()?.max_all()?.to_scalar::<f32>());
        assert!(worst.expect("a difference") < 1e-5);
    }
}
