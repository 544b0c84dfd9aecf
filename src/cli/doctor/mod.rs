//! `atelier doctor`: what this machine can do, measured when it is asked.

mod devices;
mod goldens;
mod shown;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::output::{self, Progress};
use super::{interrupt, known};
use crate::model::ModelFiles;
use crate::study::doctor::effort::Effort;
use crate::study::doctor::prefill::{self, Prefill};
use crate::study::doctor::watch::{self, Watch};
use crate::study::doctor::{DoctorReport, EngineThere, choice};

/// Test this machine: every CPU and GPU kernel against its reference implementation, and speed
///
/// All numbers are measured now, on this machine. The exit code is 1 if a kernel computes wrong numbers or
/// golden values do not match.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier doctor
  atelier doctor --quick --json
  atelier doctor --goldens tests/golden --models tests/models
  atelier doctor --model path/to/model")]
pub struct DoctorArgs {
    /// Take a tenth of the time: few shapes, small matrices
    #[arg(long)]
    quick: bool,

    /// A folder of golden values (JSON) to check on every engine
    #[arg(long, value_name = "FOLDER")]
    goldens: Option<PathBuf>,

    /// The folder with the models of the golden values [default: beside them]
    #[arg(long, value_name = "FOLDER", requires = "goldens")]
    models: Option<PathBuf>,

    /// Also time this model on every engine: prompts of 12, 64 and 512 tokens, and a sweep
    #[arg(long, short, value_name = "MODEL")]
    model: Option<String>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// The reader's clock and wish, for everything that is measured.
struct Clinic {
    began: Instant,
    stop: &'static AtomicBool,
    is_quick: bool,
}

impl Clinic {
    fn is_ended(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn effort(&self) -> Effort {
        if self.is_quick { Effort::QUICK } else { Effort::WHOLE }
    }

    fn measure<T>(&self, work: impl FnOnce(&Watch<'_>) -> T) -> T {
        work(&Watch {
            now: &|| self.began.elapsed().as_secs_f64(),
            is_ended: &|| self.is_ended(),
            breathe: &watch::nobody_waits,
        })
    }
}

pub fn run(args: &DoctorArgs) -> anyhow::Result<ExitCode> {
    // What can be refused is refused before anything is measured.
    let goldens = match &args.goldens {
        Some(folder) => goldens::find(folder, args.models.as_deref())?,
        None => goldens::Goldens::default(),
    };
    let model = args.model.as_deref().map(known::files).transpose()?;
    let desk = Clinic { began: Instant::now(), stop: interrupt::listen()?, is_quick: args.quick };
    let cuda = crate::study::doctor::cuda();
    let mut report = DoctorReport {
        cuda: cuda.clone().map(|(_, said)| said),
        unmeasured: goldens.unmeasured.clone(),
        ..DoctorReport::begin(args.quick, devices::adapters())
    };
    let trials = devices::take_a_look(&desk, &mut report);
    report.choice = choice::on_command_line(&report.adapters, &trials);
    let engines = EngineThere::every(&report.adapters, cuda.is_some_and(|(is_there, _)| is_there));
    goldens::check(&desk, &goldens, &engines, &mut report);
    match &model {
        None => say_unasked(&mut report, "prompts and the drop sweep", "--model MODEL"),
        Some(files) => prompts(&desk, files, &engines, &mut report),
    }
    report.was_interrupted = desk.is_ended();
    if args.json {
        output::print(&(serde_json::to_string(&report)? + "\n"))?;
    } else {
        output::show(&shown::text_of(&report))?;
    }
    Ok(match (report.was_interrupted, report.is_well()) {
        (true, _) => ExitCode::from(interrupt::code() as u8),
        (false, true) => ExitCode::SUCCESS,
        (false, false) => ExitCode::from(1),
    })
}

/// Prompts and a drop sweep of a model on every engine.
fn prompts(desk: &Clinic, files: &ModelFiles, engines: &[EngineThere], report: &mut DoctorReport) {
    let seconds = desk.effort().seconds;
    let progress = Progress::new("running prompts", "engines");
    for (at, engine) in engines.iter().enumerate() {
        let failed = |why: &dyn std::fmt::Display| Prefill::failed(&files.name, &engine.name, why);
        if desk.is_ended() {
            report.prefill.push(failed(&"it was ended"));
            continue;
        }
        progress.doing(format!("running prompts on {}", engine.name));
        progress.at(at, engines.len());
        let found = match known::load(files, &engine.choice) {
            Err(error) => failed(&error),
            Ok(model) => desk.measure(|watch| {
                let tick = |_: &Prefill| progress.at(at, engines.len());
                let found = prefill::prefill(&model, &engine.name, watch, seconds, tick);
                pollster::block_on(found)
            }),
        };
        report.prefill.push(found);
    }
}

/// Lists a check that was not asked for, with the option that asks for it.
fn say_unasked(report: &mut DoctorReport, what: &str, option: &str) {
    report.unmeasured.push(format!("{what}: ask with {option}"));
}
