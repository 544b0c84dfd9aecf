//! The look at a machine: every device's kernels, then its rates, told step by step.

use super::choice::AdapterTrial;
use super::effort::Effort;
use super::rates::{self, Rates};
use super::watch::Watch;
use super::{DeviceKernels, DoctorReport, processor};
use crate::engine::trial::KernelTrial;

/// The next step of a look at this machine.
#[derive(Clone, Copy, Debug)]
pub struct DoctorStep<'a> {
    pub device: &'a str,
    pub kind: StepKind,
    /// `"rope"`, `"copying"`, `"q4_0 at 8 rows"`.
    pub what: &'a str,
    /// Steps that are over, and all.
    pub done: usize,
    pub of: usize,
}

/// The kind of work that a step does on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    Kernel,
    Rate,
}

impl std::fmt::Display for DoctorStep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { device, what, .. } = self;
        match self.kind {
            StepKind::Kernel => write!(f, "trying {what} on {device}"),
            StepKind::Rate => write!(f, "timing {what} on {device}"),
        }
    }
}

/// Tries and measures the processor, then every adapter of the report, which grows meanwhile: `tell` hears,
/// before each step, what it holds. What became of each adapter comes back.
pub async fn look(
    report: &mut DoctorReport,
    watch: &Watch<'_>,
    effort: &Effort,
    is_thorough: bool,
    tell: impl FnMut(&DoctorReport, &DoctorStep<'_>),
) -> Vec<AdapterTrial> {
    let mut look = Look {
        of: PROCESSOR + report.adapters.len() * ADAPTER,
        before: 0,
        report,
        watch,
        effort,
        tell,
    };
    look.processor().await;
    look.before = PROCESSOR;
    look.adapters(is_thorough).await
}

/// Steps of the processor.
const PROCESSOR: usize = processor::ROUNDS + rates::MEASUREMENTS;

/// Steps of an adapter.
#[cfg(feature = "webgpu")]
const ADAPTER: usize = crate::engine::webgpu::Workbench::ROUNDS + rates::MEASUREMENTS;
#[cfg(not(feature = "webgpu"))]
const ADAPTER: usize = 0;

struct Look<'a, 'w, T> {
    report: &'a mut DoctorReport,
    watch: &'a Watch<'w>,
    effort: &'a Effort,
    tell: T,
    /// Steps of the devices before this one, and of all.
    before: usize,
    of: usize,
}

impl<T: FnMut(&DoctorReport, &DoctorStep<'_>)> Look<'_, '_, T> {
    fn tell(&mut self, device: &str, kind: StepKind, what: &str, done: usize) {
        let step = DoctorStep { device, kind, what, done: self.before + done, of: self.of };
        (self.tell)(self.report, &step);
    }

    /// Whether the reader wants no more; `what` is then listed as not measured.
    fn is_ended(&mut self, what: &str) -> bool {
        let is_ended = (self.watch.is_ended)();
        if is_ended {
            let said = format!("{what}: it was ended");
            self.report.unmeasured.push(said);
        }
        is_ended
    }

    /// The kernels of a device are about to be tried.
    fn begin_kernels(&mut self, device: &str) {
        self.report.kernels.push(DeviceKernels {
            device: device.to_string(),
            kernels: Vec::new(),
            is_whole: false,
        });
    }

    /// One more is about to be tried: goes on unless the reader wants no more.
    async fn next_kernel(
        &mut self,
        found: &[KernelTrial],
        device: &str,
        next: &str,
        done: usize,
    ) -> bool {
        self.keep_kernels(found.to_vec(), false);
        self.tell(device, StepKind::Kernel, next, done);
        (self.watch.breathe)().await;
        !(self.watch.is_ended)()
    }

    fn keep_kernels(&mut self, kernels: Vec<KernelTrial>, is_whole: bool) {
        if let Some(own) = self.report.kernels.last_mut() {
            (own.kernels, own.is_whole) = (kernels, is_whole);
        }
    }

    /// All kernels of a device that were to be tried.
    fn end_kernels(&mut self, device: &str, kernels: Vec<KernelTrial>, is_whole: bool) {
        if !is_whole {
            let said = format!("other kernels of {device}: it was ended");
            self.report.unmeasured.push(said);
        }
        if kernels.is_empty() {
            self.report.kernels.pop();
        } else {
            self.keep_kernels(kernels, is_whole);
        }
    }

    fn next_rate(&mut self, rates: &Rates, rounds: usize, next: &str) {
        self.keep_rates(rates.clone());
        let done = rounds + rates.settled();
        self.tell(&rates.device, StepKind::Rate, next, done);
    }

    /// Those of one device, as they grow.
    fn keep_rates(&mut self, rates: Rates) {
        match self.report.rates.last_mut() {
            Some(own) if own.device == rates.device => *own = rates,
            _ => self.report.rates.push(rates),
        }
    }

    async fn processor(&mut self) {
        let device = "CPU";
        self.begin_kernels(device);
        let (mut done, mut goes_on) = (0, true);
        let kernels = processor::kernels(async |found: &[KernelTrial], next: &str| {
            goes_on = self.next_kernel(found, device, next, done).await;
            done += 1;
            goes_on
        });
        let kernels = kernels.await;
        self.end_kernels(device, kernels, goes_on);
        if self.is_ended("copying and products on CPU") {
            return;
        }
        let (watch, effort) = (self.watch, self.effort);
        let progress = |rates: &Rates, next: &str| self.next_rate(rates, processor::ROUNDS, next);
        let rates = rates::of_processor(watch, effort, progress).await;
        self.keep_rates(rates);
    }

    #[cfg(not(feature = "webgpu"))]
    async fn adapters(&mut self, _is_thorough: bool) -> Vec<AdapterTrial> {
        self.report.unmeasured.push(
            "GPUs: this atelier was built without the webgpu engine; build it with --features webgpu"
                .into(),
        );
        Vec::new()
    }

    #[cfg(feature = "webgpu")]
    async fn adapters(&mut self, is_thorough: bool) -> Vec<AdapterTrial> {
        // The page may have said already why no GPU is measured.
        let is_said = self.report.unmeasured.iter().any(|said| said.starts_with("GPUs: "));
        if self.report.adapters.is_empty() && !is_said {
            let error = crate::engine::webgpu::GpuError::NoAdapter;
            self.report.unmeasured.push(format!("GPUs: {error}"));
        }
        let adapters = self.report.adapters.clone();
        let mut trials = Vec::new();
        for (place, facts) in adapters.iter().enumerate() {
            let device = super::device_name(facts);
            trials.push(self.adapter(place, &device, is_thorough).await);
            self.before += ADAPTER;
        }
        trials
    }

    #[cfg(feature = "webgpu")]
    async fn adapter(&mut self, place: usize, device: &str, is_thorough: bool) -> AdapterTrial {
        use crate::engine::webgpu::{AdapterChoice, Workbench};

        if self.is_ended(device) {
            return AdapterTrial::NotAll;
        }
        let choice = AdapterChoice { place: Some(place), ..AdapterChoice::default() };
        let bench = match Workbench::open(&choice).await {
            Ok(bench) => bench,
            Err(error) => {
                self.report.unmeasured.push(format!("{device}: {error}"));
                return AdapterTrial::Unopened(error.to_string());
            }
        };
        self.begin_kernels(device);
        let (mut done, mut goes_on) = (0, true);
        let kernels = bench.kernels(is_thorough, async |found: &[KernelTrial], next: &str| {
            goes_on = self.next_kernel(found, device, next, done).await;
            done += 1;
            goes_on
        });
        let kernels = kernels.await;
        let trial = AdapterTrial::of(&kernels, goes_on);
        self.end_kernels(device, kernels, goes_on);
        if !self.is_ended(&format!("copying and products on {device}")) {
            let (watch, effort) = (self.watch, self.effort);
            let progress =
                |rates: &Rates, next: &str| self.next_rate(rates, Workbench::ROUNDS, next);
            let rates = rates::of_adapter(device, &bench, watch, effort, progress).await;
            self.keep_rates(rates);
        }
        bench.close();
        trial
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::super::watch::nobody_waits;
    use super::*;

    const SMALL: Effort = Effort { outs: 64, ins: 64, bytes: 1 << 12, seconds: 0.06 };

    /// Looks at this processor alone, until so many steps were told.
    fn looked(most: usize) -> (DoctorReport, Vec<(String, usize, usize)>) {
        let mut report = DoctorReport::begin(true, Vec::new());
        let (began, told) = (std::time::Instant::now(), Cell::new(0));
        let watch = Watch {
            now: &|| began.elapsed().as_secs_f64(),
            is_ended: &|| told.get() >= most,
            breathe: &nobody_waits,
        };
        let mut steps = Vec::new();
        let tell = |report: &DoctorReport, step: &DoctorStep| {
            told.set(told.get() + 1);
            let tried: usize = report.kernels.iter().map(|of| of.kernels.len()).sum();
            let settled: usize = report.rates.iter().map(Rates::settled).sum();
            assert_eq!(tried + settled, step.done, "{step}");
            steps.push((step.to_string(), step.done, step.of));
        };
        let trials = pollster::block_on(look(&mut report, &watch, &SMALL, false, tell));
        assert!(trials.is_empty());
        (report, steps)
    }

    #[test]
    fn every_step_is_told_before_it_is_done() {
        let (report, steps) = looked(usize::MAX);
        assert_eq!(steps[0], ("trying matmul of f32 on CPU".into(), 0, PROCESSOR));
        let (name, done, _) = &steps[processor::ROUNDS];
        assert_eq!((name.as_str(), *done), ("timing copying on CPU", processor::ROUNDS));
        assert!(steps.is_sorted_by(|a, b| a.1 < b.1), "{steps:?}");
        assert!(steps.iter().all(|(_, done, of)| done < of));
        let kernels = &report.kernels[0];
        assert!(kernels.is_whole && kernels.are_right());
        assert_eq!(kernels.kernels.len(), processor::ROUNDS);
        assert_eq!(report.rates[0].settled(), rates::MEASUREMENTS);
        // Only that there is no GPU to look at.
        assert_eq!(report.unmeasured.len(), 1, "{:?}", report.unmeasured);
    }

    #[test]
    fn what_was_ended_is_kept_and_the_rest_named() {
        let (report, steps) = looked(3);
        assert_eq!(steps.len(), 3);
        assert_eq!(report.kernels[0].kernels.len(), 2);
        assert!(!report.kernels[0].is_whole && report.rates.is_empty());
        let said = report.unmeasured.join("; ");
        assert!(said.contains("other kernels of CPU: it was ended"), "{said}");
        assert!(said.contains("copying and products on CPU: it was ended"), "{said}");

        let (report, _) = looked(processor::ROUNDS + 3);
        assert!(report.kernels[0].is_whole);
        let rates = &report.rates[0];
        assert!(!rates.products.is_empty());
        assert!(rates.unmeasured.iter().any(|said| said.ends_with("it was ended")));

        let (report, _) = looked(1);
        assert!(report.kernels.is_empty(), "none was tried");
    }
}
