//! One prompt on the loaded model: the lens and the lab.

use super::{Desk, Stop, done, failed};
use crate::app::protocol::{Ask, Stage, Tell};
use crate::engine::Capture;
use crate::study::lab::Rearranging;
use crate::study::report::Report;
use crate::study::{self, LoadedModel};

/// Every pair of a stream's states is compared, and the worker hears nothing meanwhile.
const MOST_RUNS: usize = 256;

/// What needs one prompt and no other model, and so may be answered in the middle of a sweep.
pub async fn answer(model: &LoadedModel, desk: &Desk, id: u32, ask: Ask) -> Result<Tell, Stop> {
    desk.listen(id).await?;
    match ask {
        Ask::Lens {
            prompt,
            options,
            answer,
            plan,
        } => {
            let question = (prompt.as_str(), options.as_slice(), answer);
            let report = lens(model, desk, id, question, plan.as_deref()).await;
            report.map(done)
        }
        Ask::Lab {
            prompt,
            options,
            answer,
            plan,
        } => {
            let question = (prompt.as_str(), options.as_slice(), answer);
            lab(model, desk, id, question, &plan).await.map(done)
        }
        _ => Err(Stop::Cancelled),
    }
}

async fn lens(
    model: &LoadedModel,
    desk: &Desk,
    id: u32,
    question: (&str, &[String], usize),
    plan: Option<&str>,
) -> Result<Report, Stop> {
    let (prompt, options, answer) = question;
    let question = model.question(prompt, options, answer).map_err(failed)?;
    let plan = model.plan(plan).map_err(failed)?;
    let (prompts, plans) = ([question.prompt.clone()], [plan]);
    let engine = &model.engine;
    let run = engine.start(prompts.into(), plans.clone().into(), Capture::Members);
    let mut run = run.map_err(failed)?;
    while let Some((done, of)) = run.advance().map_err(failed)? {
        desk.progress(id, Stage::Run, done as f64, of as f64);
        desk.listen_now_and_then(id).await?;
    }
    let traces = run.finish().map_err(failed)?;
    let trace = traces.into_iter().flatten().next();
    let trace =
        trace.ok_or_else(|| Stop::Failed("the engine gave no trace for this prompt".to_owned()))?;
    let lens = study::lens::lens(&question, &plans[0], trace);
    Ok(study::lens::report(model, lens))
}

async fn lab(
    model: &LoadedModel,
    desk: &Desk,
    id: u32,
    question: (&str, &[String], usize),
    plan: &str,
) -> Result<Report, Stop> {
    let (prompt, options, answer) = question;
    let question = model.question(prompt, options, answer).map_err(failed)?;
    let line = Some(plan.trim()).filter(|line| !line.is_empty());
    let plan = model.plan(line).map_err(failed)?;
    let runs = plan.block_runs().count();
    if runs > MOST_RUNS {
        return Err(Stop::Failed(format!(
            "this order runs {runs} blocks and the lab draws up to {MOST_RUNS}: the lens, or `atelier lens --plan`, takes more"
        )));
    }
    let mut run = Rearranging::start(model, &question, plan).map_err(failed)?;
    while let Some((done, of)) = run.advance().map_err(failed)? {
        desk.progress(id, Stage::Run, done as f64, of as f64);
        desk.listen_now_and_then(id).await?;
    }
    run.report().map_err(failed)
}
