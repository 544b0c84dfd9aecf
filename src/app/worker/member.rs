//! One member of the loaded model's run, by itself.

use super::prompt::beside_original;
use super::{Desk, Stop, stop};
use crate::app::protocol::Stage;
use crate::engine::member_names;
use crate::plan::Plan;
use crate::study::member::Accounting;
use crate::study::report::Report;
use crate::study::{LoadedModel, Question};

/// The account of the member of this name, or of the first after the embedding.
pub async fn account(
    model: &LoadedModel,
    desk: &Desk,
    id: u32,
    question: &Question,
    plan: Plan,
    name: Option<&str>,
) -> Result<Report, Stop> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let names = member_names(&model.engine.members(&plan));
            names.into_iter().nth(1).unwrap_or_default()
        }
    };
    let run = Accounting::start(model, question, plan, &name);
    let mut run = run.map_err(stop)?;
    while let Some((done, of)) = run.advance().map_err(stop)? {
        desk.progress(id, Stage::Run, done as f64, of as f64);
        desk.turn(id, run.is_waiting()).await?;
    }
    let after = run.original_after().map_err(stop)?;
    let report = run.report().map_err(stop)?;
    beside_original(desk, id, report, after).await
}
