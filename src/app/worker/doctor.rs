//! Tests this machine in this worker: that needs no model, leaves the one that is held alone, and gives way to other
//! requests.

use std::cell::{Cell, RefCell};

use super::session::Session;
use super::{Desk, work_off};
use crate::app::protocol::{EngineWish, Tell};
use crate::engine::webgpu;
use crate::study::doctor::effort::Effort;
use crate::study::doctor::look::{DoctorStep, look};
use crate::study::doctor::watch::{Breath, Watch};
use crate::study::doctor::{DoctorReport, choice};

/// Milliseconds between two reports of what was found so far.
const TOLD_EVERY: f64 = 100.0;

/// Measurements that only the command line makes.
const ELSEWHERE: &str = "golden runs, and prompts of a model: `atelier doctor` measures them, with --goldens and --model";

/// Why no GPU is measured where the processor is chosen.
const NOT_ASKED: &str = "GPUs: “Runs on” asks for the CPU, so no GPU adapter was asked for";

/// Measures, and ends as soon as the page wishes: what was measured until then is the answer.
pub async fn look_at_machine(
    session: &mut Session,
    desk: &Desk,
    id: u32,
    is_quick: bool,
    engine: EngineWish,
) -> Tell {
    let is_gpu_wanted = engine != EngineWish::Cpu;
    let adapters = if is_gpu_wanted { webgpu::adapters().await } else { Vec::new() };
    let mut report = DoctorReport::begin(is_quick, adapters);
    if !is_gpu_wanted {
        report.unmeasured.push(NOT_ASKED.into());
    }
    let navigator = desk.scope.navigator();
    report.browser = navigator.user_agent().ok();
    report.processor.processors = Some(navigator.hardware_concurrency() as usize);
    // Until it has come to its end: whatever the page hears last is right in itself.
    report.was_interrupted = true;
    let effort = if is_quick { Effort::QUICK } else { Effort::IN_PAGE };

    // Taken along while it waits, as everybody does who uses it.
    let held = RefCell::new(std::mem::take(session));
    let paused = Cell::new(0.0);
    let breathe = || -> Breath<'_> {
        Box::pin(async {
            let since = milliseconds(desk);
            // Cancelled, it ends first, and the queue is worked off behind it.
            let heard = desk.turn(id, false).await;
            if heard.is_ok() && !desk.is_cancelled(id) {
                work_off(desk, &held, true).await;
            }
            paused.set(paused.get() + milliseconds(desk) - since);
        })
    };
    let watch = Watch {
        now: &|| (milliseconds(desk) - paused.get()) / 1000.0,
        is_ended: &|| desk.is_cancelled(id),
        breathe: &breathe,
    };
    let mut told = 0.0;
    let tell = |report: &DoctorReport, step: &DoctorStep<'_>| {
        let now = milliseconds(desk);
        if now - told < TOLD_EVERY {
            return;
        }
        told = now;
        let DoctorStep { done, of, .. } = *step;
        let (report, next) = (Box::new(report.clone()), step.to_string());
        desk.tell(id, Tell::Measuring { report, next, done, of });
    };
    let trials = look(&mut report, &watch, &effort, false, tell).await;
    report.choice = if is_gpu_wanted {
        choice::in_page(&report.adapters, &trials)
    } else {
        "No GPU adapter was asked for.".into()
    };
    report.unmeasured.push(ELSEWHERE.into());
    let was_ended = desk.is_cancelled(id);
    report.was_interrupted = was_ended;
    *session = held.take();
    Tell::Measured { report: Box::new(report), was_ended }
}

/// Since the worker began: where a browser has no such clock, the one that everybody has.
fn milliseconds(desk: &Desk) -> f64 {
    let clock = desk.scope.performance();
    clock.map_or_else(js_sys::Date::now, |clock| clock.now())
}
