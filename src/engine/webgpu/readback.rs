//! Numbers back from the GPU: asked for with the last submission, there some time later.

use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use super::counter::COUNT_BYTES;
use super::device::{CAN_BLOCK, Device};
use super::error::GpuError;
use super::recorder::Recorder;

/// The buffer that the CPU can read; kept between runs.
#[derive(Default)]
pub struct Staging(Option<wgpu::Buffer>);

/// Numbers on their way.
pub struct PendingRead {
    buffer: wgpu::Buffer,
    /// Bytes of the numbers; the device's count of submissions is behind them.
    bytes: u64,
    parts: Vec<(usize, &'static str)>,
    expected_count: [u32; 2],
    answer: Arc<Mutex<Mapping>>,
}

#[derive(Default)]
struct Mapping {
    mapped: Option<Result<(), wgpu::BufferAsyncError>>,
    waker: Option<Waker>,
}

impl Staging {
    /// Submits what is recorded and asks for the beginning of `from`, which holds `parts` one behind
    /// the other: numbers, and what they are, for people.
    pub fn begin(
        &mut self,
        recorder: &mut Recorder,
        from: &wgpu::Buffer,
        parts: Vec<(usize, &'static str)>,
    ) -> Result<PendingRead, GpuError> {
        let bytes: u64 = parts.iter().map(|(numbers, _)| *numbers as u64 * 4).sum();
        let device = recorder.device;
        let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let size = bytes + COUNT_BYTES;
        let buffer = match self.0.take().filter(|buffer| buffer.size() >= size) {
            Some(buffer) => buffer,
            None => device.buffer("read back", size, usage),
        };
        let counter = &recorder.bindings.counter;
        recorder.submit_and(&mut |encoder| {
            encoder.copy_buffer_to_buffer(from, 0, &buffer, 0, bytes);
            counter.copy(encoder, &buffer, bytes);
        })?;
        recorder.tally.read_back_bytes += bytes;
        let answer = Arc::new(Mutex::new(Mapping::default()));
        let tell = answer.clone();
        buffer.slice(..size).map_async(wgpu::MapMode::Read, move |mapped| {
            let mut answer = tell.lock().unwrap_or_else(PoisonError::into_inner);
            answer.mapped = Some(mapped);
            if let Some(waker) = answer.waker.take() {
                waker.wake();
            }
        });
        let expected_count = counter.expected();
        Ok(PendingRead { buffer, bytes, parts, expected_count, answer })
    }

    /// The numbers, part by part, once [`PendingRead::is_here`].
    pub fn finish(
        &mut self,
        device: &Device,
        pending: PendingRead,
    ) -> Result<Vec<Vec<f32>>, GpuError> {
        device.check()?;
        let driver = |reason: String| GpuError::Driver(reason);
        match pending.lock().mapped.take() {
            Some(Ok(())) => {}
            // Only a device that is gone refuses: a browser says so some time later.
            Some(Err(error)) => return Err(GpuError::Lost(error.to_string())),
            None => return Err(driver("a read was never answered".into())),
        }
        let slice = pending.buffer.slice(..pending.bytes + COUNT_BYTES);
        let view = slice.get_mapped_range().map_err(|error| driver(error.to_string()))?;
        let (numbers, count) = view.split_at(pending.bytes as usize);
        let numbers: Vec<f32> = bytemuck::pod_collect_to_vec(numbers);
        let count: Vec<u32> = bytemuck::pod_collect_to_vec(count);
        drop(view);
        pending.buffer.unmap();
        if count != pending.expected_count {
            return Err(device.lose("it did not do all the work that it was given"));
        }
        self.0 = Some(pending.buffer);
        let mut rest = numbers.as_slice();
        let mut parts = Vec::with_capacity(pending.parts.len());
        for (words, what) in pending.parts {
            let (part, later) = rest.split_at(words);
            if let Some(&value) = part.iter().find(|x| !x.is_finite()) {
                return Err(GpuError::NotFinite { what, value });
            }
            parts.push(part.to_vec());
            rest = later;
        }
        Ok(parts)
    }
}

impl PendingRead {
    /// Whether the GPU has answered. Waits for the answer where the thread may block.
    pub fn is_here(&self, device: &Device) -> Result<bool, GpuError> {
        if CAN_BLOCK {
            device.wait(None)?;
        }
        device.check()?;
        Ok(self.lock().mapped.is_some())
    }

    /// Waits for the answer; for those who have no run to advance meanwhile.
    pub async fn arrival(&self, device: &Device) -> Result<(), GpuError> {
        poll_fn(|context| {
            // Registered before it is asked: an answer in between is not missed.
            self.lock().waker = Some(context.waker().clone());
            match self.is_here(device) {
                Ok(false) => Poll::Pending,
                Ok(true) => Poll::Ready(Ok(())),
                Err(error) => Poll::Ready(Err(error)),
            }
        })
        .await
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Mapping> {
        self.answer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
