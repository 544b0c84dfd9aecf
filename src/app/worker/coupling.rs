//! How alike the linearised steps are: of one prompt, and over rows of a built-in task.

use super::job::Job;
use super::wanted::unreadable;
use super::{Stop, failed, stop};
use crate::app::link::SLIDER;
use crate::app::opened;
use crate::app::protocol::{Stage, TokenAsk};
use crate::study::coupling::{
    CouplingPrompt, CouplingWish, Linearising, RowsLinearising, TokenWish, orders_of_costs,
};
use crate::study::orders::Sweeping;
use crate::study::report::Report;
use crate::study::{LoadedModel, SEED};
use crate::task::built_in::BuiltInTask;

/// Positions of a map between tokens: the last ones of a long prompt.
const POSITIONS: usize = 16;
/// In a wider model, maps between tokens are not made unasked: each of their Jacobians is hundreds of
/// products.
const NARROW: usize = 256;

/// One prompt's.
pub async fn one(
    job: Job<'_>,
    prompt: &str,
    plan: Option<&str>,
    tokens: TokenAsk,
) -> Result<Report, Stop> {
    let model = job.model;
    let prompt = read(model, prompt)?;
    let count = prompt.token_ids.len();
    let plan = job.plan(plan)?;
    let tokens = if tokens.is_wanted || model.shape().width <= NARROW {
        token_wish(tokens, count, plan.steps().len())
    } else {
        TokenWish::default()
    };
    let wish = CouplingWish { tokens, ..CouplingWish::of(plan, tops(model, &SLIDER)?) };
    let mut run = Linearising::start(model, &prompt.token_ids, wish).map_err(stop)?;
    job.drive(Stage::Products, &mut run).await?;
    Ok(Report {
        coupling: Some(Box::new(run.coupling(prompt.text).map_err(stop)?)),
        ..Report::of(model)
    })
}

/// Text; for a model without a tokenizer token ids, `1, 5, 9`.
fn read(model: &LoadedModel, prompt: &str) -> Result<CouplingPrompt, Stop> {
    if model.tokenizer.is_none()
        && let Some((ids, _)) = opened::token_ids(prompt, &[])
    {
        return CouplingPrompt::of_ids(model, ids).map_err(failed);
    }
    CouplingPrompt::of_text(model, prompt).map_err(failed)
}

/// Those of these that the width has; the paper's where it has none of them.
fn tops(model: &LoadedModel, wanted: &[usize]) -> Result<Vec<usize>, Stop> {
    let width = model.shape().width;
    let fitting: Vec<usize> = wanted.iter().copied().filter(|&k| k <= width).collect();
    CouplingWish::tops(&fitting, width).map_err(failed)
}

/// Limits a request to a prompt of so many tokens and a plan of so many steps: a link may be another prompt's.
fn token_wish(ask: TokenAsk, tokens: usize, steps: usize) -> TokenWish {
    let last = tokens.saturating_sub(1);
    let step = ask.step.filter(|&step| step < steps);
    let pairs = step.map(|step| {
        let next = (step + 1 < steps).then_some([step, step + 1]);
        [Some([step, step]), next].into_iter().flatten().collect()
    });
    let first = tokens.saturating_sub(POSITIONS);
    let t_in = ask.t_in.filter(|&t| t <= last).unwrap_or(first);
    let t_out = ask.t_out.filter(|&t| t <= last).unwrap_or(last);
    TokenWish {
        steps: pairs.unwrap_or_default(),
        same: (first..tokens).collect(),
        input: Some((t_in, (t_in..tokens.min(t_in + POSITIONS)).collect())),
        output: Some((t_out, ((t_out + 1).saturating_sub(POSITIONS)..=t_out).collect())),
    }
}

/// Over rows.
pub async fn rows(
    job: Job<'_>,
    task: BuiltInTask,
    rows: usize,
    plan: Option<&str>,
) -> Result<Report, Stop> {
    let model = job.model;
    let items = task.items(rows);
    let refused = |error| unreadable("coupling", model, task, error);
    let plan = job.plan(plan)?;
    let wish = CouplingWish::of(plan.clone(), tops(model, &[])?);
    let mut run =
        RowsLinearising::start(model, task.name(), &items, wish, SEED).map_err(refused)?;
    let orders = orders_of_costs(&plan, &model.shape().order).map_err(failed)?;
    let mut sweeping =
        Sweeping::start(model, task.name(), &items, orders, SEED).map_err(refused)?;
    job.drive(Stage::Run, &mut sweeping).await?;
    run.costs = sweeping.orders();
    job.drive(Stage::Linearised, &mut run).await?;
    Ok(run.report())
}
