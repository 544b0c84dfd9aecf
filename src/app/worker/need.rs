//! Measures the vote of every part of the model, and the losses without it, on built-in tasks.

use super::prompt::answer_waiting;
use super::wanted::{items, unreadable};
use super::{Job, Stop, stop};
use crate::app::protocol::Stage;
use crate::study::need::Needing;
use crate::study::report::Report;
use crate::task::built_in::BuiltInTask;

/// Seed of the bootstrap, as the command line's default.
const SEED: u64 = 0;

pub async fn run(job: Job<'_>, tasks: &[BuiltInTask], rows: usize) -> Result<Report, Stop> {
    let model = job.model;
    let mut report = Report::of(model);
    for (at, &task) in tasks.iter().enumerate() {
        let mut needing = Needing::start(model, task.name(), &items(task, rows), SEED)
            .map_err(|error| Stop::Failed(unreadable("need", &model.name, task, error)))?;
        while let Some((done, of)) = needing.advance().map_err(stop)? {
            // The tasks still to come are as much work each.
            let done = (at * of + done, of * tasks.len());
            job.step(Stage::Rows, done, needing.is_waiting()).await?;
            answer_waiting(model, job.desk).await?;
        }
        report.need.push(needing.need());
    }
    Ok(report)
}
