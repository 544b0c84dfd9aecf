//! Heads that a plan switches off: see the README beside this file.

pub mod check;

use super::kernel::prelude::*;
use crate::plan::HeadsOff;

pub struct HeadsOffKernel(Kernel);

impl HeadsOffKernel {
    pub fn new(device: &Device) -> Self {
        let source = include_str!("heads_off.wgsl");
        Self(Kernel::new(device, "heads off", source, &[Write]))
    }

    /// Heads of `attended` `[rows, H W]`, each `head_width` numbers.
    pub fn run(
        &self,
        recorder: &mut Recorder,
        attended: &wgpu::Buffer,
        rows: usize,
        [stride, head_width]: [usize; 2],
        off: HeadsOff,
    ) -> Result<(), GpuError> {
        let count = off.iter().count();
        if count == 0 || rows == 0 {
            return Ok(());
        }
        let mut params = [rows, stride, head_width, count].map(|x| x as u32).to_vec();
        params.extend(off.words());
        let size = grid(rows * count * head_width, 64);
        recorder.call(&self.0, &[attended], &params, size, 0)
    }
}
