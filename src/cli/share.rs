//! `atelier share`: one small report to publish, of surveys or of sweeps.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::out_file::write_whole;
use super::output;
use super::rows_source::bytes;
use super::survey::{Asked, Folder};
use crate::chart::number::counted;
use crate::study::report::{Opened, Report};
use crate::study::survey::{Survey, SurveyReport, SurveyTask};
use crate::task::catalogue::Task;

/// Write one small report to publish, without the text of rows that were read from files
///
/// Takes surveys' folders, or reports of `atelier orders` or `atelier coupling`. Reports of the same models are
/// joined. The prompts of atelier's own tasks stay. For each model the report names its files' SHA-256. A shared
/// sweep keeps of each row only whether it is right: it cannot be resumed.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier share small --out small.atelier.json
  atelier share drops.atelier.json family.atelier.json --out orders.atelier.json")]
pub struct ShareArgs {
    /// Folders of finished surveys, or reports
    #[arg(value_name = "DIR|FILE", required = true)]
    from: Vec<PathBuf>,

    /// The file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,

    /// Replace a file of that name
    #[arg(long)]
    force: bool,
}

pub fn run(args: &ShareArgs) -> anyhow::Result<()> {
    ensure!(
        args.force || !args.out.exists(),
        "{} is there already: give --out another name, or --force",
        args.out.display()
    );
    let (what, json) = if args.from.iter().all(|from| from.is_file()) {
        of_reports(args)?
    } else {
        of_surveys(args)?
    };
    write_whole(&args.out, json.as_bytes())?;
    let size = json.len().div_ceil(1000);
    output::show(&format!("{}: {what}, {size} kB\n", args.out.display()))
}

/// The surveys' means as one report, and what it holds.
fn of_surveys(args: &ShareArgs) -> anyhow::Result<(String, String)> {
    let surveys = args.from.iter().map(|folder| read(folder));
    let survey = Survey::joined(&surveys.collect::<anyhow::Result<Vec<Survey>>>()?)?;
    let survey = survey.without_row_text(is_own);
    let what = format!(
        "{}, {}",
        counted(survey.models.len(), "model"),
        counted(survey.tasks.len(), "task")
    );
    let json = SurveyReport::new(survey).short_json();
    Ok((what, json.context("the report could not be written as JSON")?))
}

/// The sweeps and couplings of one model as one report, and what it holds.
fn of_reports(args: &ShareArgs) -> anyhow::Result<(String, String)> {
    let reports = args.from.iter().map(|path| {
        let opened = Opened::read(&bytes(path)?).and_then(Opened::report);
        opened.with_context(|| path.display().to_string())
    });
    let report = Report::shared(reports.collect::<anyhow::Result<Vec<Report>>>()?)?;
    let what = format!(
        "{}, {}",
        counted(report.orders.len(), "sweep"),
        counted(report.task_coupling.len(), "coupling")
    );
    Ok((what, report.short_json().context("the report could not be written as JSON")?))
}

/// Reads a finished survey, with the hashes of its models' files.
fn read(path: &Path) -> anyhow::Result<Survey> {
    let folder = Folder::read(path);
    let report = folder.report();
    let survey = Opened::read(&bytes(&report)?).and_then(Opened::survey);
    let mut survey = survey.with_context(|| report.display().to_string())?;
    let asked = Asked::read(&folder)?;
    for model in &mut survey.models {
        let index = asked.models.iter().position(|name| *name == model.name);
        let files = index.and_then(|index| asked.files.get(index));
        model.files = files.cloned().with_context(|| {
            format!("{} does not say which files {} is", folder.asked().display(), model.name)
        })?;
    }
    Ok(survey)
}

/// Whether a task's rows are atelier's own.
fn is_own(task: &SurveyTask) -> bool {
    let mut own = Task::all().into_iter().filter(|own| !own.needs_data());
    own.any(|own| own.name() == task.name && own.source() == task.source)
}
