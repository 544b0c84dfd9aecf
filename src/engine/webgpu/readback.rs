//! Numbers back from the GPU.

use std::sync::mpsc;

use super::device::PATIENCE;
use super::error::GpuError;
use super::recorder::Recorder;

/// The buffer that the CPU can read; kept between runs.
#[derive(Default)]
pub struct Staging(Option<wgpu::Buffer>);

impl Staging {
    /// Submits what is recorded and waits for `words` numbers of `source` from word `first` on.
    pub fn read(
        &mut self,
        recorder: &mut Recorder,
        source: &wgpu::Buffer,
        first: u64,
        words: usize,
        what: &'static str,
    ) -> Result<Vec<f32>, GpuError> {
        let bytes = words as u64 * 4;
        let device = recorder.device;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let buffer = match self.0.take().filter(|buffer| buffer.size() >= bytes) {
            Some(buffer) => buffer,
            None => device.buffer("read back", bytes, usage),
        };
        recorder.submit_and(&mut |encoder| {
            encoder.copy_buffer_to_buffer(source, first * 4, &buffer, 0, bytes);
        })?;
        recorder.tally.read_back_bytes += bytes;
        let (send, receive) = mpsc::channel();
        let slice = buffer.slice(..bytes);
        slice.map_async(wgpu::MapMode::Read, move |mapped| {
            // The receiver is gone only where waiting for it has failed already.
            let _ = send.send(mapped);
        });
        let waited = device.device.poll(wgpu::PollType::Wait {
            submission_index: None,
            timeout: Some(PATIENCE),
        });
        device.check()?;
        waited.map_err(|error| device.silent(&error))?;
        match receive.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(GpuError::Driver(error.to_string())),
            Err(_) => return Err(GpuError::Driver("a read was never answered".into())),
        }
        let view = slice
            .get_mapped_range()
            .map_err(|error| GpuError::Driver(error.to_string()))?;
        let numbers: Vec<f32> = bytemuck::pod_collect_to_vec(&view[..bytes as usize]);
        drop(view);
        buffer.unmap();
        self.0 = Some(buffer);
        match numbers.iter().find(|x| !x.is_finite()) {
            None => Ok(numbers),
            Some(&value) => Err(GpuError::NotFinite { what, value }),
        }
    }
}
