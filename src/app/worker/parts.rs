//! Measures the losses of the answer to one prompt without each part of the plan.

use super::prompt::{AskedText, answer_waiting, question};
use super::{Job, Stop, failed, stop};
use crate::app::protocol::Stage;
use crate::study::parts::LeavingOut;
use crate::study::report::Report;

pub async fn run(job: Job<'_>, asked: AskedText<'_>, plan: Option<&str>) -> Result<Report, Stop> {
    let question = question(job.model, asked)?;
    let plan = job.model.plan(plan).map_err(failed)?;
    let mut run = LeavingOut::start(job.model, &question, plan).map_err(stop)?;
    while let Some(done) = run.advance().map_err(stop)? {
        job.step(Stage::Parts, done, run.is_waiting()).await?;
        answer_waiting(job.model, job.desk).await?;
    }
    run.report().map_err(stop)
}
