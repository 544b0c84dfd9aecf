//! The doctor's findings of this machine, in the page's words and numbers.

use crate::chart::TableCell::{self, Count, Number, Text};
use crate::chart::{Table, number};
use crate::engine::trial::{AdapterFacts, KernelTrial};
use crate::study::doctor::effort::Effort;
use crate::study::doctor::processor::ProcessorFacts;
use crate::study::doctor::rates::{DTYPES, ROWS, Rates};
use crate::study::doctor::{DeviceKernels, DoctorReport, device_name};

/// Stands where there is no number.
const NONE: &str = "–";

/// Measurements that a line names at most; where more share a reason, it gives their number and the first.
const MOST_NAMED: usize = 3;

/// MiB that measuring takes of each device at most.
pub fn memory(effort: &Effort) -> u64 {
    (2 * effort.bytes) >> 20
}

/// A line per device: its name, what is known of it, its rates.
pub fn devices(report: &DoctorReport) -> Vec<String> {
    let adapters = report.adapters.iter().map(|facts| (device_name(facts), adapter(facts)));
    let all = std::iter::once(("CPU".to_owned(), processor(&report.processor))).chain(adapters);
    let line = |(name, facts): (String, String)| {
        let rates = report.rates.iter().find(|of| of.device == name).map(rates);
        format!("{name}: {facts} {}", rates.unwrap_or_default()).trim_end().to_owned()
    };
    all.map(line).collect()
}

fn processor(facts: &ProcessorFacts) -> String {
    let shown = match facts.processors {
        Some(1) => "1 logical CPU".to_owned(),
        Some(n) => format!("{n} logical CPUs"),
        None => "no number of CPUs".to_owned(),
    };
    let threads = match facts.threads {
        1 => "one thread".to_owned(),
        n => format!("{n} threads"),
    };
    format!(
        "This browser shows {shown}; the page’s engine runs on {threads} and takes the instruction set {}. A browser \
         does not tell a page the CPU's name.",
        facts.instruction_set
    )
}

fn adapter(facts: &AdapterFacts) -> String {
    let limits = &facts.limits;
    let [x, y, z] = limits.workgroup_size;
    let software = if facts.is_software { "A software GPU: it runs on the CPU. " } else { "" };
    let f16 = if facts.has_f16 { "has f16" } else { "no f16" };
    format!(
        "{software}Buffers to {} MiB, bindings to {} MiB, {} a shader; workgroups to {} threads ({x} × {y} × {z}) that share \
         {} KiB; {f16}.",
        limits.buffer >> 20,
        limits.binding >> 20,
        limits.storage_buffers,
        limits.workgroup_threads,
        limits.workgroup_bytes >> 10,
    )
}

/// A phrase per device: `"CPU: 12 of 12 kernels right, the largest difference is 3.1e−6 of the largest number, in rope"`.
pub fn verdicts(report: &DoctorReport) -> Vec<String> {
    report.kernels.iter().map(verdict).collect()
}

fn verdict(of: &DeviceKernels) -> String {
    let right = of.kernels.iter().filter(|trial| trial.is_right).count();
    let (device, all) = (&of.device, of.kernels.len());
    let counted = if of.is_whole {
        format!("{device}: {right} of {all} kernels right")
    } else {
        format!("{device}: {right} of the {all} kernels right that were tried")
    };
    let offs = of.kernels.iter().filter_map(|trial| Some((trial.off?, trial)));
    match offs.max_by(|a, b| a.0.total_cmp(&b.0)) {
        None => counted,
        Some((off, trial)) => format!(
            "{counted}, the largest difference is {} of the largest number, in {}",
            number::short(f64::from(off)),
            trial.kernel
        ),
    }
}

/// Every kernel of every device, with its verdict; `None` where none was tried.
pub fn kernels(report: &DoctorReport) -> Option<Table> {
    let trials =
        report.kernels.iter().flat_map(|of| of.kernels.iter().map(|trial| (&of.device, trial)));
    let verdict = |trial: &KernelTrial| match (&trial.said, trial.is_right) {
        (Some(said), _) => said.clone(),
        (None, is_right) => if is_right { "right" } else { "WRONG" }.to_owned(),
    };
    filled(Table::of(
        trials,
        &[
            ("device", &|(device, _)| Text((*device).clone())),
            ("kernel", &|(_, trial)| Text(trial.kernel.clone())),
            ("verdict", &|(_, trial)| Text(verdict(trial))),
            ("off by", &|(_, trial)| trial.off.map_or_else(none, |off| Number(off.into()))),
            ("at most", &|(_, trial)| Number(trial.most.into())),
            ("outputs", &|(_, trial)| Count(trial.trials)),
        ],
    ))
}

/// Gflop/s of every product; `None` where none was timed.
pub fn products(report: &DoctorReport) -> Option<Table> {
    let names = DTYPES.map(|dtype| dtype.name());
    let row = |of: &Rates, rows: usize| {
        let (ins, outs) = (of.ins, of.outs);
        let rate = |dtype: &str| {
            let mut products = of.products.iter();
            let found = products.find(|product| product.rows == rows && product.dtype == dtype);
            found.map_or_else(none, |found| Text(number::rate(found.gflops)))
        };
        let shape = Text(format!("[{rows}, {ins}] × [{ins}, {outs}]"));
        [Text(of.device.clone()), shape].into_iter().chain(names.map(rate)).collect()
    };
    let rows = report.rates.iter().flat_map(|of| ROWS.map(|rows| row(of, rows)));
    filled(Table::new(["device", "product"].into_iter().chain(names), rows))
}

fn none() -> TableCell {
    Text(NONE.to_owned())
}

fn filled(table: Table) -> Option<Table> {
    (!table.rows.is_empty()).then_some(table)
}

/// Best product, copying, and a single row, in sentences.
fn rates(of: &Rates) -> String {
    let mut said = Vec::new();
    if let Some(best) = of.best_gflops {
        said.push(format!("Best product: {} Gflop/s.", number::rate(best)));
    }
    if let Some(copy) = &of.copy {
        said.push(format!(
            "Copies {} GB/s, reading and writing counted, {} MiB at a time.",
            number::rate(copy.gb),
            copy.bytes >> 20
        ));
    }
    // It reads its weights and little else.
    if let Some(of) = of.products.iter().find(|of| of.rows == 1) {
        let gb = number::rate(of.weights_gb);
        said.push(format!("A single row reads {} weights at {gb} GB/s.", of.dtype));
    }
    said.join(" ")
}

/// Lists what was not measured, and why: measurements with one reason share a line.
pub fn unmeasured(report: &DoctorReport) -> Vec<String> {
    let mut lines = Vec::new();
    for of in &report.rates {
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for said in &of.unmeasured {
            let (what, why) = said.split_once(": ").unwrap_or((said, "not said why"));
            match reasons.iter_mut().find(|(reason, _)| *reason == why) {
                Some((_, all)) => all.push(what),
                None => reasons.push((why, vec![what])),
            }
        }
        lines.extend(reasons.into_iter().map(|(why, all)| {
            let device = &of.device;
            match all.len() {
                0..=MOST_NAMED => format!("{} on {device}: {why}", all.join(", ")),
                n => format!("{n} measurements on {device}, the first {}: {why}", all[0]),
            }
        }));
    }
    lines.extend(report.unmeasured.iter().cloned());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::trial::AdapterLimits;
    use crate::study::doctor::rates::{CopyRate, ProductRate};

    fn rates_of(unmeasured: &[&str]) -> Rates {
        Rates {
            device: "CPU".into(),
            outs: 64,
            ins: 64,
            products: vec![ProductRate {
                rows: 1,
                dtype: "f32".into(),
                gflops: 1.26,
                weights_gb: 2.44,
                seconds: 0.1,
                repeats: 3,
            }],
            best_gflops: Some(1.26),
            copy: Some(CopyRate { bytes: 16 << 20, gb: 9.96, repeats: 2 }),
            unmeasured: unmeasured.iter().map(|said| (*said).to_owned()).collect(),
        }
    }

    #[test]
    fn rates_are_said_with_their_units() {
        let of = rates_of(&[]);
        let mut report = DoctorReport::begin(true, Vec::new());
        assert_eq!(products(&report), None);
        report.rates.push(of.clone());
        let table = products(&report).expect("a table");
        assert_eq!(table.headers[..3], ["device", "product", "f32"]);
        let shown = |row: usize| table.rows[row].iter().take(3).map(TableCell::shown);
        assert_eq!(shown(0).collect::<Vec<_>>(), ["CPU", "[1, 64] × [64, 64]", "1.3"]);
        assert_eq!(shown(1).collect::<Vec<_>>(), ["CPU", "[8, 64] × [64, 64]", NONE]);
        assert_eq!(
            rates(&of),
            "Best product: 1.3 Gflop/s. Copies 10.0 GB/s, reading and writing counted, 16 MiB at a time. A single row reads f32 \
             weights at 2.4 GB/s."
        );
    }

    #[test]
    fn what_has_one_reason_is_one_line() {
        let mut report = DoctorReport::begin(true, Vec::new());
        let all = [
            "copying: no room",
            "f32 at 1 rows: it was ended",
            "f32 at 8 rows: it was ended",
            "f32 at 32 rows: it was ended",
            "f32 at 128 rows: it was ended",
        ];
        report.rates.push(rates_of(&all));
        report.unmeasured.push("GPUs: none".into());
        assert_eq!(
            unmeasured(&report),
            [
                "copying on CPU: no room",
                "4 measurements on CPU, the first f32 at 1 rows: it was ended",
                "GPUs: none"
            ]
        );
    }

    #[test]
    fn kernels_are_counted_and_the_farthest_named() {
        let mut of = DeviceKernels {
            device: "CPU".into(),
            kernels: ["rope", "norm"].map(KernelTrial::new).to_vec(),
            is_whole: true,
        };
        of.kernels[0].add(1e-7, 1e-5);
        of.kernels[1].add(2e-3, 1e-5);
        let said = verdict(&of);
        assert!(said.starts_with("CPU: 1 of 2 kernels right, "), "{said}");
        assert!(said.ends_with("0.00200 of the largest number, in norm"), "{said}");
        let shown = |of: &DeviceKernels| {
            let mut report = DoctorReport::begin(true, Vec::new());
            report.kernels.push(of.clone());
            let rows = kernels(&report).expect("a table").rows;
            rows.iter().map(|row| [row[2].shown(), row[3].shown()]).collect::<Vec<_>>()
        };
        assert_eq!([&shown(&of)[0][0], &shown(&of)[1][0]], ["right", "WRONG"]);
        of.kernels[1].fail("the GPU was lost".into());
        of.is_whole = false;
        assert_eq!(shown(&of)[1], ["the GPU was lost", NONE]);
        assert!(verdict(&of).starts_with("CPU: 1 of the 2 kernels right that were tried, "));
    }

    #[test]
    fn a_device_is_told_by_what_the_browser_says_of_it() {
        let facts_of = |is_software| AdapterFacts {
            name: "maker family".into(),
            backend: "WebGPU".into(),
            kind: "other".into(),
            is_software,
            driver: String::new(),
            has_f16: true,
            limits: AdapterLimits {
                buffer: 256 << 20,
                binding: 128 << 20,
                storage_buffers: 8,
                workgroup_threads: 256,
                workgroup_size: [256, 256, 64],
                workgroup_bytes: 16 << 10,
            },
        };
        let mut report = DoctorReport::begin(true, vec![facts_of(true)]);
        report.processor.processors = Some(8);
        report.processor.threads = 1;
        let [cpu, gpu] = &devices(&report)[..] else { panic!("two devices") };
        assert!(
            cpu.starts_with("CPU: This browser shows 8 logical CPUs; the page’s engine runs"),
            "{cpu}"
        );
        assert!(gpu.starts_with("WebGPU on maker family: A software GPU"), "{gpu}");
        assert!(gpu.contains("bindings to 128 MiB, 8 a shader"), "{gpu}");
        report.adapters = vec![facts_of(false)];
        let gpu = devices(&report).remove(1);
        assert!(gpu.starts_with("WebGPU on maker family: Buffers to 256 MiB"), "{gpu}");
    }
}
