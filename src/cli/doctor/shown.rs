//! The report as people read it.

use std::fmt::Write;

use super::super::table::{columns, number, thousands};
use crate::chart::number::rate;
use crate::engine::trial::{AdapterFacts, KernelTrial};
use crate::study::doctor::DoctorReport;
use crate::study::doctor::golden::GoldenResult;
use crate::study::doctor::prefill::Prefill;
use crate::study::doctor::rates::{DTYPES, ROWS, Rates};

/// All of it, a part after the other.
pub fn text_of(report: &DoctorReport) -> String {
    let mut page = format!("atelier {}\n\nCPU\n", report.version);
    let facts = &report.processor;
    let sets = facts.instruction_sets.join(", ");
    let _ = writeln!(
        page,
        "  {} ({}), {} threads; the kernels take {} of {sets}",
        facts.name.as_deref().unwrap_or("of a name it does not say"),
        facts.architecture,
        facts.threads,
        facts.instruction_set,
    );
    for facts in &report.adapters {
        adapter(&mut page, facts);
    }
    if let Some(said) = &report.cuda {
        let _ = writeln!(page, "\nCUDA\n  {said}");
    }
    for device in &report.kernels {
        let _ = writeln!(
            page,
            "\nKernels of {}, against their reference implementations",
            device.device
        );
        kernels(&mut page, &device.kernels);
    }
    for of in &report.rates {
        rates(&mut page, of);
    }
    if !report.is_optimised {
        page +=
            "\nThis atelier was built without optimisation: its rates are not this machine's.\n";
    }
    let _ = writeln!(page, "\n{}", report.choice);
    goldens(&mut page, &report.goldens);
    for of in &report.prefill {
        prefill(&mut page, of);
    }
    if !report.unmeasured.is_empty() {
        page += "\nNot looked at\n";
        for said in &report.unmeasured {
            let _ = writeln!(page, "  {said}");
        }
    }
    if report.was_interrupted {
        page += "\nEnded early: what is not above was not measured.\n";
    }
    page
}

fn adapter(page: &mut String, facts: &AdapterFacts) {
    let limits = &facts.limits;
    let mib = |bytes: u64| thousands(bytes >> 20);
    let [x, y, z] = limits.workgroup_size;
    let software = if facts.is_software { ", a software adapter" } else { "" };
    let f16 = if facts.has_f16 { "f16" } else { "no f16" };
    let _ = write!(
        page,
        "\nAdapter\n  {}: {}, {}{software}; driver {}; {f16}\n  buffers to {} MiB, bindings to {} MiB, {} a shader; workgroups to {} threads ({x} x {y} x {z}), {} KiB\n",
        facts.name,
        facts.backend,
        facts.kind,
        if facts.driver.is_empty() { "of no name" } else { &facts.driver },
        mib(limits.buffer),
        mib(limits.binding),
        limits.storage_buffers,
        limits.workgroup_threads,
        limits.workgroup_bytes >> 10,
    );
}

fn kernels(page: &mut String, kernels: &[KernelTrial]) {
    let verdict = |trial: &KernelTrial| if trial.is_right { "right" } else { "WRONG" };
    let table = columns(kernels)
        .words("kernel", |trial| trial.kernel.clone())
        .words("", |trial| trial.said.as_deref().unwrap_or(verdict(trial)).to_owned())
        .numbers("off by", |trial| trial.off.map_or("-".into(), |off| format!("{off:.1e}")))
        .numbers("at most", |trial| format!("{:.0e}", trial.most))
        .numbers("outputs", |trial| trial.trials);
    *page += &table.text();
}

fn rates(page: &mut String, rates: &Rates) {
    let _ = writeln!(
        page,
        "\nProducts on {}: Gflop/s of [rows, {}] x [{}, {}]",
        rates.device, rates.ins, rates.ins, rates.outs
    );
    let mut table = columns(ROWS).numbers("rows", |rows| *rows);
    for name in DTYPES.map(|dtype| dtype.name()) {
        table = table.numbers(name, |rows| {
            let mut products = rates.products.iter();
            let found = products.find(|of| of.rows == *rows && of.dtype == name);
            found.map_or("-".to_string(), |of| rate(of.gflops))
        });
    }
    *page += &table.text();
    let best = match rates.best_gflops {
        Some(best) => format!("best {} Gflop/s", rate(best)),
        None => "no product was measured".into(),
    };
    let copy = match &rates.copy {
        Some(copy) => format!(
            "copies {} GB/s, reading and writing counted ({} MiB)",
            rate(copy.gb),
            copy.bytes >> 20
        ),
        None => "copying was not measured".into(),
    };
    // One row's product reads its weights and little else.
    let mut products = rates.products.iter();
    let read = match products.find(|of| of.rows == 1) {
        Some(of) => {
            format!("; a single row reads {} weights at {} GB/s", of.dtype, rate(of.weights_gb))
        }
        None => String::new(),
    };
    let _ = writeln!(page, "  {best}; {copy}{read}");
    for said in &rates.unmeasured {
        let _ = writeln!(page, "  not measured: {said}");
    }
}

fn goldens(page: &mut String, goldens: &[GoldenResult]) {
    if goldens.is_empty() {
        return;
    }
    *page += "\nGoldens\n";
    let largest = |result: &GoldenResult| result.largest_difference;
    let table = columns(goldens)
        .words("golden", |result| result.golden.clone())
        .words("engine", |result| result.engine.clone())
        .words("", |result| if result.passes { "passes" } else { "FAILS" })
        .numbers("runs", |result| result.runs)
        .numbers("largest difference", |result| {
            largest(result).map_or("-".into(), |off| format!("{off:.1e}"))
        })
        .numbers("at most", |result| format!("{:.0e}", result.tolerance));
    *page += &table.text();
    for of in goldens.iter().filter(|of| !of.passes) {
        let at = of.at.as_deref().unwrap_or("it did not run");
        let said = of.said.as_deref().unwrap_or(at);
        let _ = writeln!(page, "  {} on {} fails: {said}", of.golden, of.engine);
    }
}

fn prefill(page: &mut String, of: &Prefill) {
    let parameters = thousands(of.parameters);
    let _ = writeln!(page, "\n{} ({parameters} numbers) on {}", of.model, of.engine);
    for prompt in &of.prompts {
        let _ = writeln!(
            page,
            "  {} tokens: {} tokens/s, {} members recorded, {} s",
            prompt.tokens,
            number(prompt.tokens_a_second, 1),
            prompt.members,
            number(prompt.seconds, 4),
        );
    }
    if let Some(sweep) = &of.drop_sweep {
        let _ = writeln!(
            page,
            "  drop sweep of {} plans, {} tokens: {} s together, {} s one by one, {}",
            sweep.plans,
            sweep.tokens,
            number(sweep.together_seconds, 4),
            number(sweep.one_by_one_seconds, 4),
            number(sweep.ratio, 2),
        );
    }
    for said in &of.unmeasured {
        let _ = writeln!(page, "  not measured: {said}");
    }
}
