//! One member of the loaded model's run, by itself.

use super::job::Job;
use super::prompt::beside_original;
use super::{Stop, stop};
use crate::app::protocol::Stage;
use crate::engine::member_names;
use crate::plan::Plan;
use crate::study::Question;
use crate::study::member::Accounting;
use crate::study::report::Report;

/// The account of the member of this name, or of the first after the embedding.
pub async fn account(
    job: Job<'_>,
    question: &Question,
    plan: Plan,
    name: Option<&str>,
) -> Result<Report, Stop> {
    let name = match name {
        Some(name) => name.to_owned(),
        None => {
            let names = member_names(&job.model.engine.members(&plan));
            names.into_iter().nth(1).unwrap_or_default()
        }
    };
    let mut run = Accounting::start(job.model, question, plan, &name).map_err(stop)?;
    job.drive(Stage::Run, &mut run).await?;
    let after = run.original_after().map_err(stop)?;
    let report = run.report().map_err(stop)?;
    beside_original(job, report, after).await
}
