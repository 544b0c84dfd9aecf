//! Collects dispatches and submits them: one compute pass and one upload of numbers a submission.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::counter::{COUNT_BYTES, Counter};
use super::device::{CAN_BLOCK, Device, STORAGE};
use super::error::GpuError;
use super::kernel::{Access, Kernel, PARAMS_BYTES};
use super::watchdog::MOST_WORK;

/// Dispatches a submission holds at most.
const MOST_CALLS: usize = 256;

/// Submissions that may wait for the GPU while the next is recorded.
const MOST_IN_FLIGHT: usize = 2;

/// A kernel and the buffers it is bound to.
type BoundKernel = (wgpu::ComputePipeline, Vec<wgpu::Buffer>);

/// The resources that recorders share from run to run: the uniform buffer, and bind groups by kernel and
/// buffers.
pub struct Bindings {
    /// Operations of a dispatch and of a submission.
    pub most_work: u64,
    /// The numbers of a submission's dispatches, and behind them the device's count of submissions.
    params: wgpu::Buffer,
    stride: u64,
    pub counter: Counter,
    /// Whether a run was dropped unanswered since the count began.
    is_abandoned: Cell<bool>,
    groups: RefCell<HashMap<BoundKernel, wgpu::BindGroup>>,
}

impl Bindings {
    pub fn new(device: &Device) -> Self {
        let stride =
            PARAMS_BYTES.next_multiple_of(device.limits.min_uniform_buffer_offset_alignment.into());
        let numbers = stride * MOST_CALLS as u64;
        let usage = wgpu::BufferUsages::UNIFORM | STORAGE;
        let params = device.buffer("params", numbers + COUNT_BYTES, usage);
        Self {
            most_work: MOST_WORK,
            counter: Counter::new(device, params.clone(), numbers),
            params,
            stride,
            is_abandoned: Cell::default(),
            groups: RefCell::default(),
        }
    }

    /// Begins a run: see [`Device::forgive`]. Counts anew where submissions of earlier runs may not have
    /// been made.
    pub fn forgive(&self, device: &Device) {
        let was_abandoned = self.is_abandoned.take();
        if device.forgive() || was_abandoned {
            self.counter.restart(device);
        }
    }

    /// Notes that a run was dropped unanswered: a browser may say only later that it refused one of its
    /// submissions.
    pub fn abandon(&self) {
        self.is_abandoned.set(true);
    }

    /// Forgets what is bound, so that buffers that were replaced can be freed.
    pub fn forget(&self) {
        self.groups.borrow_mut().clear();
    }

    fn group(
        &self,
        device: &Device,
        kernel: &Kernel,
        buffers: &[&wgpu::Buffer],
    ) -> wgpu::BindGroup {
        let key = (kernel.pipeline.clone(), buffers.iter().map(|&buffer| buffer.clone()).collect());
        let make = || {
            let params = wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer: &self.params,
                offset: 0,
                size: wgpu::BufferSize::new(PARAMS_BYTES),
            });
            let buffers = buffers.iter().map(|buffer| buffer.as_entire_binding());
            let entries: Vec<_> = std::iter::once(params)
                .chain(buffers)
                .enumerate()
                .map(|(binding, resource)| wgpu::BindGroupEntry {
                    binding: binding as u32,
                    resource,
                })
                .collect();
            device.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(kernel.label),
                layout: &kernel.layout,
                entries: &entries,
            })
        };
        self.groups.borrow_mut().entry(key).or_insert_with(make).clone()
    }
}

/// How much was asked of the GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub dispatches: usize,
    pub submissions: usize,
    /// Floating-point operations that the matrix products and attention are made of; their tiles make
    /// some more.
    pub work: u64,
    pub read_back_bytes: u64,
}

impl std::ops::Add for Tally {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            dispatches: self.dispatches + other.dispatches,
            submissions: self.submissions + other.submissions,
            work: self.work + other.work,
            read_back_bytes: self.read_back_bytes + other.read_back_bytes,
        }
    }
}

pub struct Recorder<'a> {
    pub device: &'a Device,
    pub bindings: &'a Bindings,
    calls: Vec<Call>,
    params: Vec<u8>,
    waiting_cost: u64,
    in_flight: InFlight,
    /// The kernels count their work.
    pub tally: Tally,
}

/// Submissions sent and perhaps not done.
#[derive(Default)]
struct InFlight {
    sent: usize,
    /// Counted by the device.
    done: Arc<AtomicUsize>,
    /// Submissions to wait for, the oldest first.
    indices: VecDeque<wgpu::SubmissionIndex>,
}

struct Call {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    size: [u32; 3],
}

impl<'a> Recorder<'a> {
    pub fn new(device: &'a Device, bindings: &'a Bindings) -> Self {
        Self {
            device,
            bindings,
            calls: Vec::new(),
            params: Vec::new(),
            waiting_cost: 0,
            in_flight: InFlight::default(),
            tally: Tally::default(),
        }
    }

    /// Operations that a dispatch may cost.
    pub fn most_work(&self) -> u64 {
        self.bindings.most_work
    }

    /// Returns the device's kernel of a label.
    pub fn kernel(
        &self,
        label: &'static str,
        accesses: &[Access],
        source: &'static str,
    ) -> Rc<Kernel> {
        self.variant(label, &[], accesses, || source.to_owned())
    }

    /// Returns the device's kernel of a label and of the numbers that are written into its source.
    pub fn variant(
        &self,
        label: &'static str,
        numbers: &[usize],
        accesses: &[Access],
        source: impl FnOnce() -> String,
    ) -> Rc<Kernel> {
        self.device.kernels.get(&self.device.device, (label, numbers), accesses, source)
    }

    /// Adds a dispatch of `size` workgroups that make `cost` operations.
    pub fn call(
        &mut self,
        kernel: &Kernel,
        buffers: &[&wgpu::Buffer],
        params: &[u32],
        size: [u32; 3],
        cost: u64,
    ) -> Result<(), GpuError> {
        debug_assert!(params.len() * 4 <= PARAMS_BYTES as usize);
        if self.calls.len() == MOST_CALLS || self.waiting_cost + cost > self.most_work() {
            self.submit()?;
        }
        if size.contains(&0) {
            return Ok(());
        }
        let start = self.calls.len() * self.bindings.stride as usize;
        self.params.resize(start, 0);
        self.params.extend_from_slice(bytemuck::cast_slice(params));
        self.params.resize(start + self.bindings.stride as usize, 0);
        self.calls.push(Call {
            pipeline: kernel.pipeline.clone(),
            group: self.bindings.group(self.device, kernel, buffers),
            size,
        });
        self.waiting_cost += cost;
        Ok(())
    }

    /// Sends what was collected.
    pub fn submit(&mut self) -> Result<(), GpuError> {
        self.submit_and(&mut |_| ())
    }

    /// Sends what was collected, and the copies that `after` adds behind it.
    pub fn submit_and(
        &mut self,
        after: &mut dyn FnMut(&mut wgpu::CommandEncoder),
    ) -> Result<(), GpuError> {
        let Device { device, queue, .. } = self.device;
        queue.write_buffer(&self.bindings.params, 0, &self.params);
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        if !self.calls.is_empty() {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            for (i, call) in self.calls.iter().enumerate() {
                pass.set_pipeline(&call.pipeline);
                pass.set_bind_group(0, &call.group, &[i as u32 * self.bindings.stride as u32]);
                let [x, y, z] = call.size;
                pass.dispatch_workgroups(x, y, z);
            }
        }
        let index = self.bindings.counter.submit(self.device, encoder, after);
        self.in_flight.sent += 1;
        let done = self.in_flight.done.clone();
        queue.on_submitted_work_done(move || {
            done.fetch_add(1, Ordering::Relaxed);
        });
        self.in_flight.indices.push_back(index);
        if CAN_BLOCK {
            self.wait_for_room()?;
        }
        self.tally.dispatches += self.calls.len();
        self.tally.submissions += 1;
        self.calls.clear();
        self.params.clear();
        self.waiting_cost = 0;
        self.device.check()
    }

    /// Whether more than `MOST_IN_FLIGHT` submissions wait for the GPU. Then nothing is recorded until
    /// some are done, so that progress stays true and "cancel" is heard. False for a device that has
    /// failed, which may never finish them.
    pub fn is_crowded(&self) -> bool {
        let waiting = self.in_flight.sent - self.in_flight.done.load(Ordering::Relaxed);
        waiting > MOST_IN_FLIGHT && self.device.check().is_ok()
    }

    fn wait_for_room(&mut self) -> Result<(), GpuError> {
        while self.is_crowded()
            && let Some(oldest) = self.in_flight.indices.pop_front()
        {
            self.device.wait(Some(oldest))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::device::tests::device;
    use super::*;

    #[test]
    fn a_device_that_has_failed_is_not_waited_for() {
        let device = device();
        let bindings = Bindings::new(&device);
        let mut recorder = Recorder::new(&device, &bindings);
        recorder.in_flight.sent = MOST_IN_FLIGHT + 1;
        assert!(recorder.is_crowded());
        device.report(GpuError::Lost("unplugged".into()));
        assert!(!recorder.is_crowded());
        assert!(recorder.submit().is_err());
    }
}
