//! Every device's kernels and rates.

use super::super::output::Progress;
use super::Clinic;
use crate::engine::trial::AdapterFacts;
use crate::model::DType;
use crate::study::doctor::rates::{self, Rates};
use crate::study::doctor::{DeviceKernels, DoctorReport, processor};

/// The GPUs that the drivers here show.
pub fn adapters() -> Vec<AdapterFacts> {
    #[cfg(feature = "webgpu")]
    return pollster::block_on(crate::engine::webgpu::adapters());
    #[cfg(not(feature = "webgpu"))]
    Vec::new()
}

/// Tries and measures the processor, then every adapter.
pub fn look(desk: &Clinic, report: &mut DoctorReport) {
    of_processor(desk, report);
    #[cfg(feature = "webgpu")]
    of_adapters(desk, report);
    #[cfg(not(feature = "webgpu"))]
    report.unmeasured.push(
        "GPUs: this atelier was built without the webgpu engine; build it with --features webgpu"
            .into(),
    );
    if report.cuda.is_some() {
        let said = "CUDA's kernels and products: they are candle's; --goldens and --model run them";
        report.unmeasured.push(said.into());
    }
}

fn of_processor(desk: &Clinic, report: &mut DoctorReport) {
    let progress = Progress::new("trying the kernels of the CPU", "dtypes");
    let of = DType::PLAIN.len() + DType::BLOCKS.len();
    let mut done = 0;
    let kernels = processor::kernels(|_| {
        done += 1;
        progress.at(done, of);
        !desk.is_ended()
    });
    drop(progress);
    if kernels.len() < of {
        say_ended(report, "other kernels of the CPU");
    }
    report.kernels.push(DeviceKernels {
        device: "CPU".into(),
        kernels,
    });
    let progress = Progress::new("multiplying on the CPU", "dtypes");
    let found = desk.measure(|watch| {
        let tick = |rates: &Rates| shown(&progress, rates);
        pollster::block_on(rates::of_processor(watch, &desk.effort(), tick))
    });
    report.rates.push(found);
}

#[cfg(feature = "webgpu")]
fn of_adapters(desk: &Clinic, report: &mut DoctorReport) {
    use crate::engine::webgpu::{AdapterChoice, Workbench};
    use crate::study::doctor::device_name;

    if report.adapters.is_empty() {
        let error = crate::engine::webgpu::GpuError::NoAdapter;
        report.unmeasured.push(format!("GPUs: {error}"));
    }
    for (place, facts) in report.adapters.clone().iter().enumerate() {
        let name = device_name(facts);
        if desk.is_ended() {
            say_ended(report, &name);
            continue;
        }
        let choice = AdapterChoice {
            place: Some(place),
            ..AdapterChoice::default()
        };
        let bench = match pollster::block_on(Workbench::open(&choice)) {
            Ok(bench) => bench,
            Err(error) => {
                report.unmeasured.push(format!("{name}: {error}"));
                continue;
            }
        };
        let progress = Progress::new("trying kernels", "devices");
        progress.doing(format!("trying the kernels of {name}"));
        progress.at(place, report.adapters.len());
        let kernels = pollster::block_on(bench.kernels(!desk.is_quick));
        drop(progress);
        report.kernels.push(DeviceKernels {
            device: name.clone(),
            kernels,
        });
        let progress = Progress::new("multiplying", "dtypes");
        progress.doing(format!("multiplying on {name}"));
        let found = desk.measure(|watch| {
            let tick = |rates: &Rates| shown(&progress, rates);
            pollster::block_on(rates::of_adapter(
                &name,
                &bench,
                watch,
                &desk.effort(),
                tick,
            ))
        });
        report.rates.push(found);
    }
}

fn shown(progress: &Progress, rates: &Rates) {
    let done = rates.products.len() + rates.unmeasured.len();
    progress.at(done / rates::ROWS.len(), rates::DTYPES.len());
}

fn say_ended(report: &mut DoctorReport, what: &str) {
    report.unmeasured.push(format!("{what}: it was ended"));
}
