//! A file is gone on with only by what began it.

use std::path::Path;

use anyhow::{bail, ensure};
use serde::Serialize;

use super::fingerprint::{self, Files};
use super::rows_source::NamedRows;
use super::{interrupt, output, version};
use crate::study::LoadedModel;
use crate::study::coupling::TaskCoupling;
use crate::study::orders::{Fingerprint, Orders};
use crate::study::report::Report;

/// The rows of each task, with the fingerprint of their run on a model with these files. `skip_long` leaves out rows
/// that do not fit its context.
pub fn asked_rows(
    model: &LoadedModel,
    files: &Files,
    mut rows: Vec<NamedRows>,
    skip_long: bool,
) -> Vec<(Fingerprint, NamedRows)> {
    if skip_long {
        rows.iter_mut().for_each(|rows| rows.drop_long(model));
    }
    let print = |rows: &NamedRows| Fingerprint {
        program: version::program(),
        engine: model.engine.describe(),
        files: files.clone(),
        questions: fingerprint::questions(rows.items.iter().map(|item| (0, item))),
        found: String::new(),
    };
    rows.into_iter().map(|rows| (print(&rows), rows)).collect()
}

/// Says what a run that was stopped before its end leaves in `out`, and ends the program.
pub fn end_stopped(out: Option<&Path>, is_empty: bool) -> ! {
    let kept = match out {
        Some(_) if is_empty => "nothing was done yet".to_string(),
        Some(path) => format!("{} holds what is done, and --resume continues", path.display()),
        None => "give --out FILE next time to keep it, and continue with --resume".to_string(),
    };
    output::say(&format!("atelier: stopped before the end: {kept}"));
    std::process::exit(interrupt::code());
}

/// One task's run, as a report holds it: a sweep or a coupling.
pub trait TaskRun: Clone + Serialize {
    /// Returns the task's name.
    fn task(&self) -> &str;

    /// Fingerprint of the run that began it; `None` where an older atelier kept none.
    fn fingerprint(&mut self) -> &mut Option<Fingerprint>;

    /// Returns the fingerprint, and the checksum of the numbers beside it.
    ///
    /// # Errors
    /// A number that JSON has no form for.
    fn checked(&self) -> anyhow::Result<(Option<Fingerprint>, String)> {
        let mut numbers = self.clone();
        let fingerprint = numbers.fingerprint().take();
        Ok((fingerprint, fingerprint::bytes(&serde_json::to_vec(&numbers)?)))
    }
}

impl TaskRun for Orders {
    fn task(&self) -> &str {
        &self.task
    }

    fn fingerprint(&mut self) -> &mut Option<Fingerprint> {
        &mut self.fingerprint
    }
}

impl TaskRun for TaskCoupling {
    fn task(&self) -> &str {
        &self.task
    }

    fn fingerprint(&mut self) -> &mut Option<Fingerprint> {
        &mut self.fingerprint
    }
}

/// Puts what was found on a task in the place of what was there.
pub fn put<T: TaskRun>(all: &mut Vec<T>, found: Option<T>) {
    let Some(found) = found else { return };
    match all.iter_mut().find(|before| before.task() == found.task()) {
        Some(before) => *before = found,
        None => all.push(found),
    }
}

/// Gives every part of a report the checksum of what was found.
///
/// # Errors
/// As [`TaskRun::checked`].
pub fn seal(report: &mut Report) -> anyhow::Result<()> {
    report.orders.iter_mut().try_for_each(seal_run)?;
    report.task_coupling.iter_mut().try_for_each(seal_run)
}

fn seal_run<T: TaskRun>(run: &mut T) -> anyhow::Result<()> {
    let (_, found) = run.checked()?;
    if let Some(print) = run.fingerprint() {
        print.found = found;
    }
    Ok(())
}

/// Nothing of another run is mixed into a file; `what` it holds is a sweep or a coupling.
///
/// # Errors
/// The first task that was begun with something else than is asked, or that was changed since.
pub fn begun_alike<T: TaskRun>(
    before: &[T],
    asked: &[(Fingerprint, NamedRows)],
    what: &str,
    path: &Path,
) -> anyhow::Result<()> {
    for run in before {
        let (task, (fingerprint, found)) = (run.task(), run.checked()?);
        let now = asked.iter().find(|(_, rows)| rows.task == task);
        let other = match (now, &fingerprint) {
            (None, _) => Some(format!("{task} too, which is not asked now")),
            (_, None) => Some("an atelier that kept no fingerprints".to_string()),
            (Some((now, _)), Some(before)) => differs(before, now, task),
        };
        let is_as_written = fingerprint.is_some_and(|print| print.found == found);
        let other = other
            .or_else(|| (!is_as_written).then(|| "other numbers than it holds now".to_string()));
        if let Some(other) = other {
            bail!(
                "{} holds a {what} that was begun with {other}: resume with the same settings, give --out another file, or replace it with --force",
                path.display()
            );
        }
    }
    Ok(())
}

/// Lets only runs over rows be gone on with: whatever else a report may hold has no fingerprint, and may be another
/// model's of this name and shape.
///
/// # Errors
/// A report that holds something else too.
pub fn holds_rows_alone(report: &Report, path: &Path) -> anyhow::Result<()> {
    let Report { lens, member, parts, prompts, lab, need, coupling, .. } = report;
    let is_of_prompts = lens.is_some() || prompts.is_some() || lab.is_some() || coupling.is_some();
    let is_alone = !is_of_prompts && member.is_none() && parts.is_none() && need.is_empty();
    ensure!(
        is_alone,
        "{} cannot be resumed: it holds more than sweeps and couplings over rows. Give --out another file, or replace it with --force",
        path.display()
    );
    Ok(())
}

/// Names the first difference between the run that began the file and this one; `None` where they are alike.
fn differs(before: &Fingerprint, now: &Fingerprint, task: &str) -> Option<String> {
    let other_file = || fingerprint::other_file(&before.files, &now.files);
    let is_other = before.questions != now.questions;
    fingerprint::other_program([&before.program, &now.program])
        .or_else(|| fingerprint::other_engine([&before.engine, &now.engine]))
        .or_else(|| other_file().map(|file| format!("another {file}")))
        .or_else(|| is_other.then(|| format!("other questions or right answers of {task}")))
}
