//! A device on which a model's kernels run.

use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::recorder::Bindings;

pub struct Gpu {
    pub device: Device,
    pub bindings: Bindings,
    /// D
    pub width: usize,
    /// Zeros, as many as the model's longest bias has numbers: added where a block has no bias.
    pub zeros: wgpu::Buffer,
}

impl Gpu {
    /// For streams of `width`, and biases of up to `longest`.
    pub fn new(device: Device, width: usize, longest: usize) -> Self {
        Self {
            bindings: Bindings::new(&device),
            // WebGPU's buffers begin as zeros.
            zeros: device.buffer("zeros", longest.max(width) as u64 * 4, STORAGE),
            width,
            device,
        }
    }

    /// Sends the uploads on their way, so that they do not pile up in the program's memory.
    ///
    /// # Errors
    /// The device failed.
    pub fn flush(&self) -> Result<(), GpuError> {
        let encoder = self.device.device.create_command_encoder(&Default::default());
        self.bindings.counter.submit(&self.device, encoder, &mut |_| ());
        self.device.poll(wgpu::PollType::Poll)
    }
}
