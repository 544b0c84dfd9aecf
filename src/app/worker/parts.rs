//! Measures the losses of the answer to one prompt without each part of the plan.

use super::prompt::{answer_waiting, question};
use super::{Desk, Stop, failed, stop};
use crate::app::protocol::Stage;
use crate::study::LoadedModel;
use crate::study::parts::LeavingOut;
use crate::study::report::Report;

pub async fn run(
    model: &LoadedModel,
    desk: &Desk,
    id: u32,
    asked: (&str, &[String], usize),
    plan: Option<&str>,
) -> Result<Report, Stop> {
    let question = question(model, asked)?;
    let plan = model.plan(plan).map_err(failed)?;
    let mut run = LeavingOut::start(model, &question, plan).map_err(stop)?;
    while let Some((done, of)) = run.advance().map_err(stop)? {
        desk.progress(id, Stage::Parts, done as f64, of as f64);
        desk.turn(id, run.is_waiting()).await?;
        answer_waiting(model, desk).await?;
    }
    run.report().map_err(stop)
}
