//! Rows of tasks, kept as they are done and gone on with by the same command.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::CouplingArgs;
use crate::cli::fingerprint::{self, Files};
use crate::cli::orders::{checksum, differs, put as put_orders, seal as seal_orders};
use crate::cli::output::{self, Progress};
use crate::cli::rows_source::NamedRows;
use crate::plan::Plan;
use crate::study::LoadedModel;
use crate::study::coupling::{CouplingWish, RowsLinearising, TaskCoupling};
use crate::study::orders::{Extent, Fingerprint, Order, Orders, Sweep, Sweeping};
use crate::study::report::{Opened, Report};
use crate::task::file as files;

/// How often what is done is written to --out.
const SAVE_EVERY: Duration = Duration::from_secs(5);

/// What an earlier run left: a report a model.
pub struct Stopped {
    reports: Vec<Report>,
}

impl Stopped {
    /// # Errors
    /// A file that is no coupling.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        let shown = path.display();
        let text =
            files::text(path, files::REPORT).with_context(|| format!("{shown} cannot be read"))?;
        let opened = Opened::read(text.as_bytes())
            .with_context(|| format!("{shown} is nothing to go on from"))?;
        let reports = match opened {
            Opened::CouplingModels(models) => models
                .models
                .into_iter()
                .map(|model| model.report)
                .collect(),
            // A run that was stopped before its first coupling has the other orders' rows alone.
            Opened::Coupling(report) | Opened::Orders(report) => vec![*report],
            other => bail!("{shown} is nothing to go on from: it is {}", other.what()),
        };
        Ok(Self { reports })
    }

    pub fn of(&self, model: &LoadedModel) -> Option<&Report> {
        let mut all = self.reports.iter();
        all.find(|report| report.model == model.facts())
    }

    /// Those of models that have not had their turn yet.
    pub fn beside(&self, done: &[Report]) -> Vec<Report> {
        let is_done = |report: &&Report| !done.iter().any(|done| done.model == report.model);
        self.reports.iter().filter(is_done).cloned().collect()
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
        let asked: Vec<(Fingerprint, NamedRows)> = tasks
            .into_iter()
            .map(|rows| (self.fingerprint(&rows), rows))
            .collect();
        self.begun_alike(&report, &asked)?;
        let wish = self.args.wish(model)?;
        for (fingerprint, rows) in asked {
            let is_whole = self.sweep(&mut report, &rows, &fingerprint, &wish, stop, save)?
                && self.linearise(&mut report, &rows, &fingerprint, &wish, stop, save)?;
            if !is_whole {
                break;
            }
        }
        seal(&mut report)?;
        let is_empty = report.task_coupling.is_empty() && report.orders.is_empty();
        Ok((!is_empty).then_some(report))
    }

    fn fingerprint(&self, rows: &NamedRows) -> Fingerprint {
        Fingerprint {
            program: env!("CARGO_PKG_VERSION").to_string(),
            engine: self.model.engine.describe(),
            files: self.hashes.clone(),
            questions: fingerprint::questions(rows.items.iter().map(|item| (0, item))),
            found: String::new(),
        }
    }

    /// A file is gone on with only by what began it: nothing of another run is mixed into it.
    fn begun_alike(
        &self,
        report: &Report,
        asked: &[(Fingerprint, NamedRows)],
    ) -> anyhow::Result<()> {
        let sweeps = report.orders.iter().map(|before| {
            let found = checksum(before);
            (&before.task, &before.fingerprint, found)
        });
        let couplings = report.task_coupling.iter().map(|before| {
            let found = checksum_of_task(before);
            (&before.task, &before.fingerprint, found)
        });
        for (task, before, found) in sweeps.chain(couplings) {
            let now = asked.iter().find(|(_, rows)| rows.task == *task);
            let other = match (now, before) {
                (None, _) => Some(format!("{task} too, which is not asked now")),
                (_, None) => Some("an atelier that kept no fingerprints".to_string()),
                (Some((now, _)), Some(before)) => differs(before, now, task),
            };
            let found = found?;
            let is_as_written = before.as_ref().is_some_and(|print| print.found == found);
            let other = other
                .or_else(|| (!is_as_written).then(|| "other numbers than it holds now".into()));
            if let Some(what) = other {
                bail!(
                    "{} holds a coupling that was begun with {what}: go on with the same, give --out another file, or replace it with --force",
                    self.path.unwrap_or(Path::new("the file")).display()
                );
            }
        }
        Ok(())
    }

    /// Every block left out and every two neighbours exchanged, on the same rows, where the plan is the
    /// model's own; how often the answer is right in any case. Was it not stopped?
    fn sweep(
        &self,
        report: &mut Report,
        rows: &NamedRows,
        fingerprint: &Fingerprint,
        wish: &CouplingWish,
        stop: &AtomicBool,
        save: &mut dyn FnMut(&Report) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let own = &self.model.shape().order;
        let orders = if wish.plan == Plan::whole(own)? {
            let sweeps: Vec<Sweep> = [Sweep::Drop, Sweep::Swap]
                .into_iter()
                .filter(|sweep| own.len() >= sweep.least_runs())
                .collect();
            Order::all(&sweeps, Extent::default(), own)?
        } else {
            vec![Order::parse(&wish.plan.to_string(), own)?]
        };
        let with = |found: Option<Orders>| {
            found.map(|orders| Orders {
                fingerprint: self.path.map(|_| fingerprint.clone()),
                ..orders
            })
        };
        let mut sweeping =
            Sweeping::start(self.model, &rows.task, &rows.items, orders, self.args.seed)?;
        if let Some(unknown) = &self.model.unknown {
            let count = sweeping.unknown(&rows.items, unknown)?;
            if count > 0 {
                output::say(&format!(
                    "atelier: {}: {count} rows have words that the model does not know and reads all as {}",
                    rows.task, unknown.name
                ));
            }
        }
        if let Some(before) = report.orders.iter().find(|of| of.task == rows.task) {
            sweeping.resume(before)?;
        }
        let mut kept = sweeping.rows_done();
        let mut saved = Instant::now();
        let bar = Progress::new("running other orders", "block runs");
        let is_stopped = || stop.load(Ordering::Relaxed);
        while !is_stopped()
            && let Some((done, of)) = sweeping.advance()?
        {
            bar.at(done, of);
            if saved.elapsed() > SAVE_EVERY && sweeping.rows_done() > kept {
                kept = sweeping.rows_done();
                put_orders(report, with(sweeping.draft()));
                seal(report)?;
                save(report)?;
                saved = Instant::now();
            }
        }
        drop(bar);
        put_orders(report, with(sweeping.orders()));
        Ok(!is_stopped())
    }

    fn linearise(
        &self,
        report: &mut Report,
        rows: &NamedRows,
        fingerprint: &Fingerprint,
        wish: &CouplingWish,
        stop: &AtomicBool,
        save: &mut dyn FnMut(&Report) -> anyhow::Result<()>,
    ) -> anyhow::Result<bool> {
        let (model, seed) = (self.model, self.args.seed);
        let mut run = RowsLinearising::start(model, &rows.task, &rows.items, wish.clone(), seed)?;
        let mut found = report.task_coupling.iter();
        if let Some(before) = found.find(|found| found.task == rows.task) {
            run.resume(before)?;
        }
        let orders = report
            .orders
            .iter()
            .find(|of| of.task == rows.task)
            .cloned();
        let with = |run: &RowsLinearising<'_>| {
            let found = run.found(orders.as_ref());
            found.map(|found| TaskCoupling {
                fingerprint: self.path.map(|_| fingerprint.clone()),
                ..found
            })
        };
        let mut kept = run.rows_done();
        let mut saved = Instant::now();
        let bar = Progress::new("multiplying", "rows");
        let is_stopped = || stop.load(Ordering::Relaxed);
        while !is_stopped()
            && let Some((done, of)) = run.advance()?
        {
            bar.at(done / 1000, of / 1000);
            if saved.elapsed() > SAVE_EVERY && run.rows_done() > kept {
                kept = run.rows_done();
                put(report, with(&run));
                seal(report)?;
                save(report)?;
                saved = Instant::now();
            }
        }
        drop(bar);
        put(report, with(&run));
        Ok(!is_stopped())
    }
}

fn put(report: &mut Report, found: Option<TaskCoupling>) {
    let Some(found) = found else { return };
    let mut all = report.task_coupling.iter_mut();
    match all.find(|before| before.task == found.task) {
        Some(before) => *before = found,
        None => report.task_coupling.push(found),
    }
}

/// Every part carries the checksum of what was found.
fn seal(report: &mut Report) -> anyhow::Result<()> {
    seal_orders(report)?;
    for task in &mut report.task_coupling {
        let found = checksum_of_task(task)?;
        if let Some(print) = &mut task.fingerprint {
            print.found = found;
        }
    }
    Ok(())
}

/// Of all that a task's coupling says but for its fingerprint.
fn checksum_of_task(task: &TaskCoupling) -> anyhow::Result<String> {
    let found = TaskCoupling {
        fingerprint: None,
        ..task.clone()
    };
    Ok(fingerprint::bytes(&serde_json::to_vec(&found)?))
}
