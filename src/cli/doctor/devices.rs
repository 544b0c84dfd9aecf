//! Every device's kernels and rates.

use super::super::output::Progress;
use super::Clinic;
use crate::engine::trial::AdapterFacts;
use crate::study::doctor::DoctorReport;
use crate::study::doctor::choice::AdapterTrial;
use crate::study::doctor::look::{DoctorStep, look};

/// The GPUs that the drivers here show.
pub fn adapters() -> Vec<AdapterFacts> {
    #[cfg(feature = "webgpu")]
    return pollster::block_on(crate::engine::webgpu::adapters());
    #[cfg(not(feature = "webgpu"))]
    Vec::new()
}

/// Tries and measures the processor, then every adapter: what became of each of these.
pub fn take_a_look(desk: &Clinic, report: &mut DoctorReport) -> Vec<AdapterTrial> {
    let progress = Progress::new("looking at this machine", "measurements");
    let trials = desk.measure(|watch| {
        let tell = |_: &DoctorReport, step: &DoctorStep<'_>| {
            progress.doing(step.to_string());
            progress.at(step.done, step.of);
        };
        let (effort, is_thorough) = (desk.effort(), !desk.is_quick);
        pollster::block_on(look(report, watch, &effort, is_thorough, tell))
    });
    if report.cuda.is_some() {
        let said = "CUDA's kernels and products: they are candle's; --goldens and --model run them";
        report.unmeasured.push(said.into());
    }
    trials
}
