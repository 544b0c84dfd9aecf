//! `silu(gate) * up`: see the README beside this file.

use super::device::Device;
use super::error::GpuError;
use super::grid::grid;
use super::kernel::Access::{Read, Write};
use super::kernel::Kernel;
use super::recorder::Recorder;

pub struct Gate {
    kernel: Kernel,
    /// F
    width: usize,
}

impl Gate {
    pub fn new(device: &Device, width: usize) -> Self {
        let source = include_str!("gate.wgsl");
        let kernel = Kernel::new(device, "gate", source, &[Read, Write]);
        Self { kernel, width }
    }

    /// `gate_up` [rows, 2 F] to `out` [rows, F].
    pub fn run(
        &self,
        recorder: &mut Recorder,
        gate_up: &wgpu::Buffer,
        rows: usize,
        out: &wgpu::Buffer,
    ) -> Result<(), GpuError> {
        let params = [rows, self.width / 4].map(|x| x as u32);
        let size = grid(rows * self.width / 4, 64);
        recorder.call(&self.kernel, &[gate_up, out], &params, size, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Gpu, noise, worst};
    use super::*;

    #[test]
    fn the_gate_closes_and_opens_as_on_the_cpu() {
        let mut gpu = Gpu::new();
        let (rows, f) = (5, 44);
        let mut gate_up: Vec<f32> = noise(rows * 2 * f, 1).iter().map(|x| 8.0 * x).collect();
        (gate_up[0], gate_up[1], gate_up[2]) = (-200.0, 200.0, 0.0);
        let plain = |row: &[f32]| -> Vec<f32> {
            let (gate, up) = row.split_at(f);
            let each = gate.iter().zip(up);
            each.map(|(&g, &u)| (f64::from(g) / (1.0 + f64::from(-g).exp())) as f32 * u)
                .collect()
        };
        let expected: Vec<f32> = gate_up.chunks(2 * f).flat_map(plain).collect();
        let gate = Gate::new(&gpu.device, f);
        let (from, out) = (gpu.device.storage("gate_up", &gate_up), gpu.zeros(rows * f));
        let found = gpu.run(&out, rows * f, |recorder| {
            gate.run(recorder, &from, rows, &out)
        });
        assert!(worst(&found, &expected) < 1e-5);
    }
}
