//! Counts submissions on the device, so that numbers that it did not compute are not taken as an answer.
//!
//! A driver may drop a submission without a word: wgpu-hal 30 takes a Metal command buffer that failed for
//! one that is done. The numbers read back are then zeros or those of an earlier run, finite and plausible.

use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

use super::device::Device;

/// Bytes of a count.
pub const COUNT_BYTES: u64 = 8;

/// Counts submissions here and on the device.
pub struct Counter {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    buffer: wgpu::Buffer,
    offset: u64,
    /// Never used before in this program: what is left of an earlier count never matches.
    nonce: Cell<u32>,
    submitted: Cell<u32>,
    /// Whether the next submission is dropped without a word.
    #[cfg(test)]
    pub drops_next: Cell<bool>,
}

impl Counter {
    /// Counts in `buffer` at `offset`. Every kernel has to read this buffer: the device then runs the
    /// dispatch that writes it behind all others.
    pub fn new(device: &Device, buffer: wgpu::Buffer, offset: u64) -> Self {
        let module = device.device.create_shader_module(wgpu::include_wgsl!("counter.wgsl"));
        let pipeline = device.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("counter"),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let resource = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
            buffer: &buffer,
            offset,
            size: wgpu::BufferSize::new(COUNT_BYTES),
        });
        let group = device.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("counter"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource }],
        });

        let counter = Self {
            pipeline,
            group,
            buffer,
            offset,
            nonce: Cell::default(),
            submitted: Cell::default(),
            #[cfg(test)]
            drops_next: Cell::default(),
        };
        counter.restart(device);
        counter
    }

    /// Counts anew: submissions of a run that failed may not have been made.
    pub fn restart(&self, device: &Device) {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        self.nonce.set(NEXT.fetch_add(1, Ordering::Relaxed));
        self.submitted.set(0);
        let count = self.expected();
        device.queue.write_buffer(&self.buffer, self.offset, bytemuck::cast_slice(&count));
    }

    /// Submits what `encoder` holds, the dispatch that counts it, and the copies that `after` adds behind
    /// that.
    pub fn submit(
        &self,
        device: &Device,
        mut encoder: wgpu::CommandEncoder,
        after: &mut dyn FnMut(&mut wgpu::CommandEncoder),
    ) -> wgpu::SubmissionIndex {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups(1, 1, 1);
        drop(pass);
        after(&mut encoder);

        self.submitted.set(self.submitted.get().wrapping_add(1));
        #[cfg(test)]
        if self.drops_next.take() {
            return device.queue.submit([]);
        }
        device.queue.submit([encoder.finish()])
    }

    /// Copies the device's count to `to` at `offset`.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        encoder.copy_buffer_to_buffer(&self.buffer, self.offset, to, offset, COUNT_BYTES);
    }

    /// Returns the device's count after every submission so far; no two of them are equal.
    pub fn expected(&self) -> [u32; 2] {
        [self.nonce.get(), self.submitted.get()]
    }
}
