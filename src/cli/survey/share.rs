//! `atelier survey share`: one report to publish, of one survey or several.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::asked::Asked;
use super::folder::Folder;
use crate::chart::number::counted;
use crate::cli::out_file::write_whole;
use crate::cli::output;
use crate::cli::rows_source::bytes;
use crate::study::report::Opened;
use crate::study::survey::{Survey, SurveyReport, SurveyTask};
use crate::task::catalogue::Task;

/// Write one small report to publish, without the text of rows that were read from files
///
/// Several surveys of the same models are joined, if they asked different tasks. The prompts of atelier's own
/// tasks stay. For each model the report names its files' SHA-256.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier survey share small --out small.atelier.json")]
pub struct ShareArgs {
    /// Folders of finished surveys
    #[arg(value_name = "DIR", required = true)]
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
    let surveys = args.from.iter().map(|folder| read(folder));
    let survey = Survey::joined(&surveys.collect::<anyhow::Result<Vec<Survey>>>()?)?;
    let survey = survey.without_row_text(is_own);

    let (models, tasks) = (survey.models.len(), survey.tasks.len());
    let report = SurveyReport::new(survey);
    let json = report.short_json().context("the report could not be written as JSON")?;
    write_whole(&args.out, json.as_bytes())?;
    output::show(&format!(
        "{}: {}, {}, {} kB\n",
        args.out.display(),
        counted(models, "model"),
        counted(tasks, "task"),
        json.len().div_ceil(1000)
    ))
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
