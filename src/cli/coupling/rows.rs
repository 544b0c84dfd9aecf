//! Rows of tasks, kept as they are done and gone on with by the same command.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use anyhow::{Context, bail, ensure};

use super::CouplingArgs;
use crate::cli::begun::{asked_rows, begun_alike, holds_rows_alone, put, seal};
use crate::cli::fingerprint::Files;
use crate::cli::orders::{Saving, sweep};
use crate::cli::out_file::OutFile;
use crate::cli::output::Progress;
use crate::cli::rows_source::NamedRows;
use crate::study::LoadedModel;
use crate::study::coupling::{CouplingWish, RowsLinearising, TaskCoupling, orders_of_costs};
use crate::study::orders::Fingerprint;
use crate::study::report::{Opened, Report};

/// The file of an earlier run: one report per model, and none where nothing is resumed.
#[derive(Default)]
pub struct Stopped {
    path: PathBuf,
    reports: Vec<Report>,
}

impl Stopped {
    /// # Errors
    /// A file that is no coupling, or one of a prompt.
    pub fn read(out: &mut OutFile) -> anyhow::Result<Self> {
        let text = out.text()?;
        let path = out.path();
        let shown = path.display();
        let opened =
            Opened::read(text.as_bytes()).with_context(|| format!("{shown} cannot be resumed"))?;
        let reports = match opened {
            Opened::CouplingModels(models) => {
                models.models.into_iter().map(|model| model.report).collect()
            }
            // A run that was stopped before its first coupling has the other orders' rows alone.
            Opened::Coupling(report) | Opened::Orders(report) => vec![*report],
            other => bail!("{shown} cannot be resumed: it is {}", other.what()),
        };
        if reports.iter().any(|report| report.coupling.is_some()) {
            bail!("{shown} cannot be resumed: it is a report of one prompt");
        }
        for report in &reports {
            holds_rows_alone(report, path)?;
        }
        Ok(Self { path: path.to_owned(), reports })
    }

    /// Returns the report of this model; `None` where its run had not begun.
    ///
    /// # Errors
    /// When the report is of another model of this name.
    pub fn of(&self, model: &LoadedModel) -> anyhow::Result<Option<&Report>> {
        let mut all = self.reports.iter();
        let found = all.find(|report| report.model.name == model.name);
        if let Some(report) = found {
            ensure!(
                report.model == model.facts(),
                "{} was written for another {}: give --out another file",
                self.path.display(),
                model.name
            );
        }
        Ok(found)
    }

    /// Reports of this run, and behind them those of models that have not had their turn yet.
    pub fn beside(&self, mut done: Vec<Report>) -> Vec<Report> {
        for report in &self.reports {
            if done.iter().all(|done| done.model.name != report.model.name) {
                done.push(report.clone());
            }
        }
        done
    }

    /// The models' names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reports.iter().map(|report| report.model.name.as_str())
    }
}

/// One model's rows.
pub struct AskedRows<'a> {
    pub model: &'a LoadedModel,
    pub args: &'a CouplingArgs,
    pub hashes: &'a Files,
    pub before: Option<&'a Report>,
    pub path: Option<&'a Path>,
}

impl AskedRows<'_> {
    /// Every task; `None` where the reader asked to stop before anything was found.
    pub fn run(
        &self,
        tasks: Vec<NamedRows>,
        stop: &AtomicBool,
        save: &mut dyn FnMut(&Report) -> anyhow::Result<()>,
    ) -> anyhow::Result<Option<Report>> {
        let model = self.model;
        let mut report = Report {
            engine: model.engine.describe(),
            ..self.before.cloned().unwrap_or_else(|| Report::of(model))
        };
        let asked = asked_rows(model, self.hashes, tasks, self.args.skip_long);
        let path = self.path.unwrap_or(Path::new("the file"));
        begun_alike(&report.orders, &asked, "coupling", path)?;
        begun_alike(&report.task_coupling, &asked, "coupling", path)?;
        let wish = self.args.wish(model)?;
        let mut save = |report: &mut Report| {
            seal(report)?;
            save(report)
        };
        let mut saving = Saving { stop, save: &mut save, saved: Instant::now() };
        // Every block left out and every two neighbours exchanged, on the same rows, where the plan is the model's
        // own; how often the answer is right in any case.
        let orders = orders_of_costs(&wish.plan, &model.shape().order)?;
        for (fingerprint, rows) in asked {
            let (print, orders) = (self.path.map(|_| fingerprint), orders.clone());
            let seed = self.args.seed;
            let swept = sweep(model, &rows, orders, seed, print.clone(), &mut report, &mut saving);
            let is_whole = match swept {
                Ok(true) => self.linearise(&mut report, &rows, print, &wish, &mut saving),
                other => other,
            };
            match is_whole {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => {
                    saving.save(&mut report)?;
                    return Err(error);
                }
            }
        }
        seal(&mut report)?;
        let is_empty = report.task_coupling.is_empty() && report.orders.is_empty();
        Ok((!is_empty).then_some(report))
    }

    fn linearise(
        &self,
        report: &mut Report,
        rows: &NamedRows,
        fingerprint: Option<Fingerprint>,
        wish: &CouplingWish,
        saving: &mut Saving<'_>,
    ) -> anyhow::Result<bool> {
        let (model, seed) = (self.model, self.args.seed);
        let mut run = RowsLinearising::start(model, &rows.task, &rows.items, wish.clone(), seed)?;
        let mut found = report.task_coupling.iter();
        if let Some(before) = found.find(|found| found.task == rows.task) {
            run.resume(before)?;
        }
        run.costs = report.orders.iter().find(|of| of.task == rows.task).cloned();
        let bar = Progress::new("multiplying", "rows");
        let show = |done, total| bar.at(done / 1000, total / 1000);
        let is_done = saving.advance(&mut run, report, &show, &|run, report| {
            put_rows(run, report, fingerprint.as_ref());
        });
        put_rows(&run, report, fingerprint.as_ref());
        is_done
    }
}

/// Puts the rows that are done into the report.
fn put_rows(run: &RowsLinearising<'_>, report: &mut Report, fingerprint: Option<&Fingerprint>) {
    let found = run.found();
    let found = found.map(|found| TaskCoupling { fingerprint: fingerprint.cloned(), ..found });
    put(&mut report.task_coupling, found);
}
