//! Finds an adapter and opens it: limits as large as it gives, errors kept instead of panicking.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::error::{GpuError, brief};
use super::kernel::Kernels;
use super::self_test;
use crate::guarded::guarded;

/// A lost device may never answer.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// Whether this thread may wait for the GPU. In a browser it may not: the GPU answers between tasks.
pub const CAN_BLOCK: bool = cfg!(not(target_arch = "wasm32"));

/// Invocations of a workgroup that the kernels need. This and the next two limits are within WebGPU's
/// guaranteed defaults.
const INVOCATIONS: u32 = 256;
const STORAGE_BUFFERS: u32 = 8;
const WORKGROUP_BYTES: u32 = 16 << 10;

/// Which adapter to open.
#[derive(Clone, Debug, Default)]
pub struct AdapterChoice {
    /// A part of its name, in any case; `None`: the system's choice.
    pub name: Option<String>,
    /// Its place among `adapters`, where a name may be another's too.
    pub place: Option<usize>,
    /// Only what every browser has too: tests run with it.
    pub strict: bool,
    /// Refuse a software GPU.
    pub no_software: bool,
    /// Compare every kernel with the CPU before anything else, if this program has not yet.
    pub self_test: bool,
    /// WebGPU's default limits instead of the adapter's: tests of cutting tensors into pieces.
    pub default_limits: bool,
    /// Bytes that a model's weights may take, where the adapter may give more: tests of a model whose
    /// output head has no room.
    pub room: Option<u64>,
}

/// An opened adapter.
pub struct Device {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub limits: wgpu::Limits,
    /// For people: `"llvmpipe (LLVM 15.0.6, 256 bits)"`.
    pub name: String,
    pub backend: wgpu::Backend,
    pub kernels: Kernels,
    /// The first error of this run; wgpu reports it later than the call that caused it.
    failed: Failure,
}

/// The device's errors, shared by all callbacks that report them.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Failures>>);

#[derive(Default)]
struct Failures {
    /// The first error in the runs that are under way.
    first: Option<GpuError>,
    /// Memory that ran out in a run that has ended. A browser may tell only now what its missing
    /// buffers brought on: that is the same failure, and not the driver's.
    forgiven: Option<GpuError>,
    /// `first` is what `forgiven` brought on.
    is_echo: bool,
}

impl Failure {
    fn lock(&self) -> MutexGuard<'_, Failures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn report(&self, error: GpuError) {
        let mut failures = self.lock();
        // A device that is gone explains whatever else is reported.
        if failures.first.is_some() && !matches!(error, GpuError::Lost(_)) {
            return;
        }
        let earlier = match error {
            GpuError::Driver(_) => failures.forgiven.take(),
            _ => None,
        };
        failures.is_echo = earlier.is_some();
        failures.first = Some(earlier.unwrap_or(error));
    }
}

impl Device {
    pub async fn open(choice: &AdapterChoice) -> Result<Self, GpuError> {
        let adapter = adapter(choice).await?;
        let info = adapter.get_info();
        let limits = if choice.default_limits { wgpu::Limits::default() } else { adapter.limits() };
        let name = name(&info).await;
        if choice.no_software && is_software(&info, &name) {
            return Err(GpuError::Software { adapter: name });
        }
        check(&name, &limits)?;
        let (device, queue) = adapter
            .request_device(&wgpu::DeviceDescriptor {
                label: Some("atelier"),
                required_limits: limits.clone(),
                ..wgpu::DeviceDescriptor::default()
            })
            .await
            .map_err(|reason| GpuError::Refused {
                adapter: name.clone(),
                reason: brief(&reason.to_string()),
            })?;
        let failed = Failure::default();
        let on_error = failed.clone();
        device.on_uncaptured_error(Arc::new(move |error| {
            on_error.report(match error {
                wgpu::Error::OutOfMemory { source } => GpuError::Memory(brief(&source.to_string())),
                wgpu::Error::Validation { description, .. }
                | wgpu::Error::Internal { description, .. } => {
                    GpuError::Driver(brief(&description))
                }
            });
        }));
        let on_loss = failed.clone();
        device.set_device_lost_callback(move |reason, message| {
            // One that this program gives back is no loss.
            if reason != wgpu::DeviceLostReason::Destroyed {
                self_test::forget();
            }
            on_loss.report(GpuError::Lost(brief(&format!("{reason:?}: {message}"))));
        });
        let (backend, kernels) = (info.backend, Kernels::default());
        Ok(Self { device, queue, limits, name, backend, kernels, failed })
    }

    /// A run begins: what went wrong in the last one is its own affair, as memory that ran out for a
    /// long prompt; but a lost device stays lost. Returns whether anything had gone wrong.
    pub fn forgive(&self) -> bool {
        let mut failures = self.failed.lock();
        let ended = failures.first.take_if(|error| !matches!(error, GpuError::Lost(_)));
        let has_failed = ended.is_some();
        if let Some(error @ GpuError::Memory(_)) = ended
            && !failures.is_echo
        {
            failures.forgiven = Some(error);
        }
        has_failed
    }

    /// A run was answered: whatever earlier ones brought on has been told by now.
    pub fn settle(&self) {
        self.failed.lock().forgiven = None;
    }

    /// The first failure of this run.
    pub fn check(&self) -> Result<(), GpuError> {
        self.failed.lock().first.clone().map_or(Ok(()), Err)
    }

    /// As if the driver had reported it.
    #[cfg(test)]
    pub fn report(&self, error: GpuError) {
        self.failed.report(error);
    }

    /// Reports failures as the driver does, wherever the device is.
    #[cfg(test)]
    pub fn driver(&self) -> impl Fn(GpuError) + use<> {
        let failed = self.failed.clone();
        move |error| failed.report(error)
    }

    /// Takes the device for lost from now on.
    pub fn lose(&self, reason: &str) -> GpuError {
        self_test::forget();
        let lost = GpuError::Lost(reason.to_owned());
        self.failed.report(lost.clone());
        lost
    }

    /// Waits until a submission is done; `None`: every one so far.
    ///
    /// # Errors
    /// No answer in time, a lost device, or a failure in the runs under way.
    pub fn wait(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<(), GpuError> {
        self.poll(wgpu::PollType::Wait { submission_index: submission, timeout: Some(PATIENCE) })
    }

    /// Asks natively what the device has done: wgpu then frees memory and calls back. A browser does
    /// both by itself.
    ///
    /// # Errors
    /// As of [`Self::wait`].
    pub fn poll(&self, until: wgpu::PollType) -> Result<(), GpuError> {
        // wgpu 30 panics where the driver says that the device is lost.
        let polled = guarded(|| self.device.poll(until));
        self.check()?;
        match polled {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(wgpu::PollError::Timeout)) => {
                Err(GpuError::Silent { seconds: PATIENCE.as_secs() })
            }
            Ok(Err(other)) => Err(GpuError::Driver(other.to_string())),
            Err(panic) => Err(self.lose(panic.lines().next_back().unwrap_or_default().trim())),
        }
    }

    /// Bytes that one storage binding may have: buffers are bound whole, so no buffer is larger.
    pub fn largest_buffer(&self) -> u64 {
        let binding = self.limits.max_storage_buffer_binding_size;
        binding.min(self.limits.max_buffer_size) & !255
    }

    /// A buffer of at least `bytes`.
    pub fn buffer(&self, label: &str, bytes: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: bytes.max(16).next_multiple_of(16),
            usage,
            mapped_at_creation: false,
        })
    }

    /// A storage buffer that holds `content`.
    pub fn storage<T: bytemuck::NoUninit>(&self, label: &str, content: &[T]) -> wgpu::Buffer {
        let bytes: &[u8] = bytemuck::cast_slice(content);
        let buffer = self.buffer(label, bytes.len() as u64, STORAGE);
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
}

impl Drop for Device {
    /// Gives all of its memory back now: a browser frees what is only dropped when it likes.
    fn drop(&mut self) {
        self.device.destroy();
    }
}

/// The usages of every buffer of numbers.
pub const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_DST)
    .union(wgpu::BufferUsages::COPY_SRC);

fn instance(choice: &AdapterChoice) -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::empty();
    if choice.strict {
        descriptor.flags |= wgpu::InstanceFlags::STRICT_WEBGPU_COMPLIANCE;
    }
    wgpu::Instance::new(descriptor)
}

/// Lists all adapters, in the driver's order. A browser offers only one: the adapter that models use.
pub async fn every(choice: &AdapterChoice) -> Vec<wgpu::Adapter> {
    let instance = instance(choice);
    if cfg!(target_arch = "wasm32") {
        return best(&instance).await.into_iter().collect();
    }
    instance.enumerate_adapters(wgpu::Backends::all()).await
}

/// The system's choice.
async fn best(instance: &wgpu::Instance) -> Result<wgpu::Adapter, GpuError> {
    let options = wgpu::RequestAdapterOptions {
        power_preference: wgpu::PowerPreference::HighPerformance,
        ..wgpu::RequestAdapterOptions::default()
    };
    let found = instance.request_adapter(&options).await;
    found.map_err(|_| GpuError::NoAdapter)
}

async fn adapter(choice: &AdapterChoice) -> Result<wgpu::Adapter, GpuError> {
    if let Some(place) = choice.place {
        let mut adapters = every(choice).await;
        refuse_if!(place >= adapters.len(), GpuError::NoAdapter);
        return Ok(adapters.swap_remove(place));
    }
    let instance = instance(choice);
    let Some(wanted) = &choice.name else {
        return best(&instance).await;
    };
    let adapters = instance.enumerate_adapters(wgpu::Backends::all()).await;
    refuse_if!(adapters.is_empty(), GpuError::NoAdapter);
    let names: Vec<String> = adapters.iter().map(|adapter| adapter.get_info().name).collect();
    let fits = |name: &String| name.to_lowercase().contains(&wanted.to_lowercase());
    let found = adapters.into_iter().zip(&names).find(|(_, name)| fits(name));
    found
        .map(|(adapter, _)| adapter)
        .ok_or_else(|| GpuError::NoSuchAdapter { wanted: wanted.clone(), found: names.join(", ") })
}

/// Returns the adapter's name for people.
#[cfg(not(target_arch = "wasm32"))]
pub async fn name(info: &wgpu::AdapterInfo) -> String {
    info.name.clone()
}

/// Browsers tell a page little: often only who made the adapter, and which family it is of.
#[cfg(target_arch = "wasm32")]
pub async fn name(info: &wgpu::AdapterInfo) -> String {
    if info.name.is_empty() { super::browser::adapter_name().await } else { info.name.clone() }
}

pub fn is_software(info: &wgpu::AdapterInfo, name: &str) -> bool {
    let name = name.to_lowercase();
    let known = ["swiftshader", "llvmpipe", "basic render"];
    info.device_type == wgpu::DeviceType::Cpu || known.iter().any(|known| name.contains(known))
}

fn check(adapter: &str, limits: &wgpu::Limits) -> Result<(), GpuError> {
    let needs = [
        ("invocations a workgroup", limits.max_compute_invocations_per_workgroup, INVOCATIONS),
        ("storage buffers a shader", limits.max_storage_buffers_per_shader_stage, STORAGE_BUFFERS),
        ("bytes of workgroup memory", limits.max_compute_workgroup_storage_size, WORKGROUP_BYTES),
    ];
    match needs.into_iter().find(|(_, found, needed)| found < needed) {
        None => Ok(()),
        Some((limit, found, needed)) => Err(GpuError::Limit {
            adapter: adapter.to_string(),
            limit,
            found: found.into(),
            needed: needed.into(),
        }),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Lavapipe if there, else any adapter; none is a failed test.
    pub fn device() -> Device {
        let choice = AdapterChoice { strict: true, ..AdapterChoice::default() };
        pollster::block_on(Device::open(&choice))
            .expect("tests need an adapter: install Mesa's lavapipe")
    }

    #[test]
    fn an_adapter_that_is_not_there_is_named_with_those_that_are() {
        let choice =
            AdapterChoice { name: Some("no such thing".into()), ..AdapterChoice::default() };
        let error = pollster::block_on(Device::open(&choice)).err().expect("an error");
        let sentence = error.to_string();
        assert!(
            sentence.contains("no such thing") && sentence.contains(&device().name),
            "{sentence}"
        );
    }

    #[test]
    fn a_lost_device_is_an_error_and_not_a_panic() {
        let device = device();
        device.check().expect("nothing has failed yet");
        device.device.destroy();
        let buffer = device.buffer("late", 64, wgpu::BufferUsages::STORAGE);
        device.queue.submit([]);
        let _ = device.device.poll(wgpu::PollType::Poll);
        drop(buffer);
        assert!(device.check().is_err());
    }

    /// wgpu-core's words, which wgpu 30 panics with where Vulkan says that the device is lost.
    pub const PANIC: &str =
        "Error in Device::poll: Validation Error\n\nCaused by:\n  Parent device is lost\n";

    /// Makes the next wait for `device` panic.
    pub fn panic_at_next_wait(device: &Device) {
        device.queue.on_submitted_work_done(|| panic!("{PANIC}"));
    }

    #[test]
    fn a_device_that_is_lost_while_waiting_is_an_error_and_not_a_panic() {
        let device = device();
        device.queue.submit([]);
        panic_at_next_wait(&device);
        let error = device.wait(None).expect_err("a lost device").to_string();
        assert_eq!(error, "the GPU was lost in mid-run (Parent device is lost)");
        assert!(matches!(device.check(), Err(GpuError::Lost(_))), "it stays lost");
    }

    #[test]
    fn a_device_that_is_dropped_gives_its_memory_back_at_once() {
        let device = device();
        let (behind, _queue) = (device.device.clone(), device.queue.clone());
        drop(device);
        let (told, reason) = std::sync::mpsc::channel();
        behind.set_device_lost_callback(move |reason, _| told.send(reason).expect("a test"));
        behind.poll(wgpu::PollType::Poll).expect("no wait");
        assert_eq!(reason.try_recv(), Ok(wgpu::DeviceLostReason::Destroyed));
    }

    #[test]
    fn memory_that_ran_out_is_one_runs_affair_and_a_loss_is_final() {
        let device = device();
        device.report(GpuError::Memory("too much".into()));
        device.report(GpuError::Driver("an invalid buffer".into()));
        assert!(matches!(device.check(), Err(GpuError::Memory(_))));
        device.forgive();
        device.check().expect("the next run may begin");
        device.report(GpuError::Driver("an invalid buffer".into()));
        device.report(GpuError::Lost("unplugged".into()));
        device.forgive();
        assert!(matches!(device.check(), Err(GpuError::Lost(_))));
    }

    /// A browser tells late what the buffers that had no memory bring on, once; but a driver that fails
    /// on and on is not excused by them.
    #[test]
    fn what_missing_memory_brings_on_in_the_next_run_is_told_as_such() {
        let device = device();
        let invalid = || GpuError::Driver("an invalid buffer".into());
        device.report(GpuError::Memory("too much".into()));
        device.forgive();
        device.report(invalid());
        assert!(matches!(device.check(), Err(GpuError::Memory(_))));
        device.forgive();
        device.check().expect("the next run may begin");
        device.report(invalid());
        assert!(matches!(device.check(), Err(GpuError::Driver(_))));

        device.forgive();
        device.report(GpuError::Memory("too much".into()));
        device.forgive();
        device.settle();
        device.report(invalid());
        assert!(matches!(device.check(), Err(GpuError::Driver(_))));
    }
}
