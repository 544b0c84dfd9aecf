//! The dialog's content: what will be measured, the way to begin and to end it, and what was found.

use leptos::prelude::*;

use super::super::dialog;
use crate::app::protocol::EngineWish;
use crate::app::state::{Studio, sentence};
use crate::app::widgets::{Tick, plain_table};
use crate::app::{browser, machine};
use crate::chart::Table;
use crate::study::doctor::DoctorReport;
use crate::study::doctor::effort::Effort;

const MEASURE: &str = "doctor-measure";

/// All of it.
#[component]
pub fn Panel() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let report = Memo::new(move |_| studio.findings.with(|findings| findings.report.clone()));
    let is_thorough = RwSignal::new(false);
    let is_under_way = Memo::new(move |_| studio.doctor.with(Option::is_some));
    let label = move || match (is_under_way.get(), report.with(Option::is_some)) {
        (true, _) => "Stop",
        (false, true) => "Again",
        (false, false) => "Measure",
    };
    // "Runs on" may be changed while a measurement is under way.
    let measured_wish = RwSignal::new(studio.wish.get_untracked());
    let press = move |_| {
        if is_under_way.get_untracked() {
            studio.end_look();
        } else {
            measured_wish.set(studio.wish.get_untracked());
            studio.look(!is_thorough.get_untracked());
        }
    };
    // It opens where one begins; the next time by its attribute.
    Effect::new(|_| browser::focus(MEASURE));
    let close = move |_| {
        if let Some(dialog) = dialog(super::DIALOG) {
            dialog.close();
        }
    };
    let (quick, thorough) = (machine::memory(&Effort::QUICK), machine::memory(&Effort::IN_PAGE));
    view! {
        <div class="panel-head">
            <h2>"What can this machine do?"</h2>
            <button type="button" on:click=close>"Close"</button>
        </div>
        <p>
            {move || format!(
                "Every kernel is checked against its reference implementation, and copying and matrix products are timed, on the \
                 CPU {gpu}. This takes about ten seconds and {quick} MiB of memory on each. Nothing of it leaves this machine.",
                gpu = measured_gpu(if is_under_way.get() { measured_wish.get() } else { studio.wish.get() }),
            )}
        </p>
        <Tick
            words=format!("Larger matrices, as in larger models: about half a minute, {thorough} MiB")
            id="doctor-thorough"
            is_on=is_thorough
            is_disabled=is_under_way
            on_turn=move |is_on| is_thorough.set(is_on)
        />
        <div class="buttons">
            <button type="button" id=MEASURE autofocus disabled=move || !studio.can_look() on:click=press>{label}</button>
            <Show when=move || report.with(Option::is_some) && !is_under_way.get()>
                <SaveFindings />
            </Show>
        </div>
        <div class="looking"><Show when=move || is_under_way.get()><FindingsBar /></Show></div>
        <p id="doctor-choice" role="status">{move || if is_under_way.get() { String::new() } else { chosen(studio, report) }}</p>
        <Show when=move || report.with(Option::is_some)>
            <AllFindings report />
        </Show>
    }
}

/// Says which GPU is measured beside the CPU.
fn measured_gpu(wish: EngineWish) -> &'static str {
    match wish {
        EngineWish::Auto | EngineWish::Gpu => "and on the GPU that this browser offers",
        EngineWish::Cpu => "only (chosen under “Runs on”)",
    }
}

/// Which engine is taken and why; whether this is all.
fn chosen(studio: Studio, report: Memo<Option<DoctorReport>>) -> String {
    let wish = match studio.wish.get() {
        EngineWish::Auto => "",
        EngineWish::Gpu => "“Runs on” asks for any WebGPU adapter: a software one is taken, too.",
        EngineWish::Cpu => "“Runs on” asks for the CPU, so models run there for now.",
    };
    report.with(|report| {
        let Some(report) = report else {
            return String::new();
        };
        let early = if report.was_interrupted {
            "Ended early: what is not here was not measured."
        } else {
            ""
        };
        let sentences = [early, report.choice.as_str(), wish].into_iter();
        let sentences: Vec<&str> = sentences.filter(|said| !said.is_empty()).collect();
        sentences.join(" ")
    })
}

/// How far it is.
#[component]
fn FindingsBar() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let words = move || {
        let behind = studio.sweep.with(Option::is_some);
        studio.findings.with(|findings| match &findings.next {
            Some((next, done, of)) => format!("{} {} of {of}.", sentence(next), done + 1),
            None if behind => "This waits until the sweep is done.".to_owned(),
            None => "This waits for what the engine does now.".to_owned(),
        })
    };
    let share = move || {
        studio.findings.with(|findings| match &findings.next {
            Some((_, done, of)) => *done as f64 / (*of).max(1) as f64,
            None => 0.0,
        })
    };
    view! {
        <label class="work">
            <span id="doctor-step">{words}</span>
            <progress max="1" prop:value=share></progress>
        </label>
    }
}

/// Saves the findings, in the form that `atelier doctor --json` writes.
#[component]
fn SaveFindings() -> impl IntoView {
    let studio = expect_context::<Studio>();
    let failed = RwSignal::new(false);
    let save = move |_| {
        let text = studio.findings.with_untracked(|findings| {
            findings.report.as_ref().and_then(|report| serde_json::to_string(report).ok())
        });
        let saved =
            text.map(|text| browser::save("atelier-doctor.json", "application/json", &text));
        failed.set(!matches!(saved, Some(Ok(_))));
    };
    view! {
        <button type="button" id="doctor-save" on:click=save>"Save as JSON"</button>
        <span class="problem" class:empty=move || !failed.get()>"The browser refused to make the file."</span>
    }
}

/// Devices, rates, kernels, and what was not measured.
#[component]
fn AllFindings(report: Memo<Option<DoctorReport>>) -> impl IntoView {
    let lines = move |of: fn(&DoctorReport) -> Vec<String>| {
        Memo::new(move |_| report.with(|report| report.as_ref().map_or_else(Vec::new, of)))
    };
    let list = |lines: Memo<Vec<String>>| {
        move || lines.get().into_iter().map(|line| view! { <li>{line}</li> }).collect_view()
    };
    let table = move |title: &'static str, of: fn(&DoctorReport) -> Option<Table>| {
        move || {
            let table = report.with(|report| report.as_ref().and_then(of));
            table.map(|table| plain_table(title.to_owned(), table))
        }
    };
    let (devices, verdicts) = (lines(machine::devices), lines(machine::verdicts));
    let unmeasured = lines(machine::unmeasured);
    let is_wrong = Memo::new(move |_| {
        report.with(|report| {
            let mut all = report.iter().flat_map(|of| &of.kernels).flat_map(|of| &of.kernels);
            all.any(|trial| !trial.is_right)
        })
    });
    view! {
        <h3>"Devices"</h3>
        <ul class="hint said">{list(devices)}</ul>
        <div class="rates">{table("Products, Gflop/s, by the type of the weights", machine::products)}</div>
        <Show when=move || verdicts.with(|lines| !lines.is_empty())>
            <details class="numbers" open=move || is_wrong.get()>
                <summary>{move || verdicts.get().join("; ")}</summary>
                <div class="kernels">{table("Kernels", machine::kernels)}</div>
            </details>
        </Show>
        <Show when=move || unmeasured.with(|lines| !lines.is_empty())>
            <h3>"Not measured"</h3>
            <ul class="unmeasured">{list(unmeasured)}</ul>
        </Show>
    }
}
