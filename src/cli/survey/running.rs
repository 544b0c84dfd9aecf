//! Runs what was asked, model after model, task after task.

use std::sync::atomic::Ordering;

use anyhow::{Context, bail, ensure};

use super::asked::{Asked, Questions, distinct};
use super::finish::{Facts, finish, why_not};
use super::folder::{Folder, remove_if_there};
use super::rows_file::RowsFile;
use super::shard::Shard;
use super::{SurveyOptions, table};
use crate::cli::out_file::write_whole;
use crate::cli::output::{self, Progress};
use crate::cli::{fingerprint, interrupt, known, version};
use crate::engine::EngineChoice;
use crate::model::ModelFiles;
use crate::study::report::VERSION;
use crate::study::{LoadedModel, StudyError};
use crate::task::catalogue::Task;

pub(super) fn run(ask: &SurveyOptions) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    ensure!(ask.rows != Some(0), "--rows 0 leaves nothing to run: give at least 1");
    let out = ask.out.as_deref().context("--out says where to write")?;
    Folder::check(out)?;
    // A part of a job array is begun and gone on with by one command.
    ensure!(
        !ask.resume || ask.shard.is_some() || Folder::read(out).asked().exists(),
        "{} holds no survey to resume: check --out, or leave out --resume to begin one there",
        out.display()
    );
    let engine = ask.engine.choice()?;
    let files = ask
        .models
        .iter()
        .map(|model| known::files(model))
        .collect::<Result<Vec<ModelFiles>, _>>()?;
    distinct("models", files.iter().map(|files| files.name.as_str()))?;
    let tasks = Task::find_all(&ask.tasks)?;
    let questions =
        tasks.iter().map(|task| Questions::read(task, ask)).collect::<anyhow::Result<Vec<_>>>()?;
    distinct("tasks", questions.iter().map(|q| q.task.name.as_str()))?;
    for questions in &questions {
        for note in &questions.task.notes {
            output::say(&format!("atelier: {}: {note}", questions.task.name));
        }
    }

    let folder = match ask.shard {
        Some(shard) => Folder::locked(&out.join(shard.folder()))?,
        None => Folder::locked(out)?,
    };
    let asked = Asked {
        atelier: VERSION,
        program: version::program(),
        engine: ask.engine.asked(),
        rows: ask.rows,
        shots: ask.shots,
        seed: ask.seed,
        continuations: ask.continuations,
        models: files.iter().map(|files| files.name.clone()).collect(),
        files: files.iter().map(fingerprint::files).collect(),
        tasks: questions.iter().map(|q| q.task.clone()).collect(),
        shard: ask.shard,
    };
    asked.agree(&folder, ask.resume)?;

    let running = SurveyRunning {
        folder: &folder,
        engine: &engine,
        asked: &asked.fingerprint()?,
        questions: &questions,
        continuations: ask.continuations,
        shard: ask.shard.unwrap_or(Shard::WHOLE),
    };
    if !running.all(&files)? {
        output::say(&format!(
            "atelier: stopped before the end: {} holds what is done, and --resume continues",
            out.display()
        ));
        std::process::exit(interrupt::code());
    }
    if let Some(shard) = ask.shard {
        failures(&failed_in(&folder, &asked), asked.models.len() * asked.tasks.len())
            .with_context(|| format!("part {} of {} is not done", shard.index + 1, shard.of))?;
        output::say(&format!(
            "atelier: part {} of {} is done; when all are, run `atelier survey merge {}`",
            shard.index + 1,
            shard.of,
            out.display()
        ));
        return Ok(());
    }
    report(&folder, &asked, ask.json)
}

/// Prints the report of all rows; says which models failed.
pub(super) fn report(folder: &Folder, asked: &Asked, json: bool) -> anyhow::Result<()> {
    let report = finish(folder, asked)?;
    if json {
        output::print(&report.json()?)?;
    } else {
        output::show(&table::text(&report.survey))?;
    }
    let failed = report.survey.failed();
    let failed = failed.map(|(model, task, why)| format!("{} on {}: {why}", model.name, task.name));
    failures(&failed.collect::<Vec<_>>(), report.survey.cells.len())
}

/// Models on tasks without rows, and why, of a part, which has no report.
fn failed_in(folder: &Folder, asked: &Asked) -> Vec<String> {
    let mut failed = Vec::new();
    for model in &asked.models {
        for task in asked.tasks.iter().map(|task| &task.name) {
            if !folder.rows(model, task).exists() {
                failed.push(format!("{model} on {task}: {}", why_not(folder, model, task)));
            }
        }
    }
    failed
}

/// A survey in which models failed is written, and still says so to a script.
fn failures(failed: &[String], cells: usize) -> anyhow::Result<()> {
    let [first, others @ ..] = failed else {
        return Ok(());
    };
    let others = match others.len() {
        0 => String::new(),
        n => format!(" (and {n} more)"),
    };
    bail!("{} of {cells} were not answered: {first}{others}", failed.len())
}

pub(super) struct SurveyRunning<'a> {
    pub folder: &'a Folder,
    engine: &'a EngineChoice,
    /// Fingerprint of the survey's request.
    pub asked: &'a str,
    questions: &'a [Questions],
    pub continuations: bool,
    pub shard: Shard,
}

impl SurveyRunning<'_> {
    /// Returns whether all is done: false where the reader asked to stop.
    fn all(&self, files: &[ModelFiles]) -> anyhow::Result<bool> {
        let stop = interrupt::listen()?;
        let go_on = || !stop.load(Ordering::Relaxed);
        let bar = Progress::with_rate("running", "rows");
        let share = |questions: &Questions| self.shard.share(questions.rows.len());
        let task_rows: Vec<usize> = self.questions.iter().map(share).collect();
        let total = files.len() * task_rows.iter().sum::<usize>();
        let mut through = 0;
        for files in files {
            // Rows of a model whose facts are lost are read with those that it has now.
            let is_known = self.folder.facts(&files.name).exists();
            let mut loaded = if is_known { None } else { Some(self.load(files)?) };
            for (questions, rows) in self.questions.iter().zip(&task_rows) {
                let task = &questions.task.name;
                if !go_on() {
                    return Ok(false);
                }
                let before = through;
                through += rows;
                let is_done = self.is_done(&files.name, task)?;
                if is_done && !matches!(loaded, Some(Err(_))) {
                    self.tidy(&files.name, task)?;
                } else {
                    if loaded.is_none() {
                        loaded = Some(self.load(files)?);
                    }
                    let went = match &loaded {
                        Some(Ok(model)) => {
                            bar.doing(format!("{}, {task}", files.name));
                            let tell = |rows: usize| bar.at(before + rows, total);
                            self.cell(model, questions, &go_on, &tell)
                        }
                        Some(Err(why)) => {
                            self.note(&files.name, task, Some(why))?;
                            continue;
                        }
                        None => continue,
                    };
                    match went {
                        Ok(true) => {
                            self.note(&files.name, task, None)?;
                            bar.part_is_done(&format!(
                                "atelier: {} on {task} is done: {through} of {total} rows in all",
                                files.name
                            ));
                        }
                        Ok(false) => return Ok(false),
                        Err(error) => {
                            let error = error.downcast::<StudyError>()?;
                            self.note(&files.name, task, Some(&error.to_string()))?;
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    /// Checks whether a task has its rows.
    ///
    /// # Errors
    /// They are damaged, or of another survey: the journal, from which they can be made again, stays.
    fn is_done(&self, model: &str, task: &str) -> anyhow::Result<bool> {
        let path = self.folder.rows(model, task);
        if !path.exists() {
            return Ok(false);
        }
        ensure!(
            RowsFile::open(&path)?.about.is_of(model, task, self.asked, self.shard),
            "{} is not of this survey: remove it and run the survey with --resume",
            path.display()
        );
        Ok(true)
    }

    /// The model, or why there is none: others go on.
    fn load(&self, files: &ModelFiles) -> anyhow::Result<Result<LoadedModel, String>> {
        let model = match known::load(files, self.engine) {
            Ok(model) => model,
            Err(error) => return Ok(Err(error.to_string())),
        };
        let facts = match facts(&model) {
            Ok(facts) => facts,
            Err(error) => return Ok(Err(error.to_string())),
        };
        match Facts::read(self.folder, &model.name)? {
            Some(before) if before != facts => bail!(
                "{} was begun with another model called {}, or on another engine: give --out another folder",
                self.folder.path().display(),
                model.name
            ),
            Some(_) => {}
            None => facts.write(self.folder, &model.name)?,
        }
        Ok(Ok(model))
    }

    /// Keeps why a task has no rows, and forgets it once it has.
    fn note(&self, model: &str, task: &str, why: Option<&str>) -> anyhow::Result<()> {
        let Some(why) = why else {
            return self.tidy(model, task);
        };
        output::say(&format!("atelier: {model} on {task}: {why}"));
        write_whole(&self.folder.failed(model, task), why.as_bytes())
    }

    /// A task that has its rows needs neither its journal nor why it had none: a run that was killed
    /// once the rows were written leaves them.
    fn tidy(&self, model: &str, task: &str) -> anyhow::Result<()> {
        remove_if_there(&self.folder.part(model, task))?;
        remove_if_there(&self.folder.failed(model, task))
    }
}

fn facts(model: &LoadedModel) -> Result<Facts, StudyError> {
    Ok(Facts {
        facts: model.facts(),
        engine: model.engine.describe(),
        members: model.engine.members(&model.plan(None)?),
    })
}
