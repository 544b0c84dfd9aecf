//! Fields of rows of tasks, run or read from the survey.

use super::lens::share_of;
use super::{FieldFound, lacks, number, word};
use crate::measure::interval::{Mean, Resamples};
use crate::study::lessons::found::FoundCell;
use crate::study::lessons::members::spoken;
use crate::study::lessons::{FieldValue, LessonError};
use crate::study::orders::VoteMeans;

pub const FIELDS: &str = "accuracy.TASK[.PLAN], above_chance.TASK, lost.TASK.PLAN, ahead.TASK.PLAN.PLAN, differ.TASK.PLAN.PLAN, chance.TASK, majority.TASK, uniform.TASK, rows.TASK, \
                          mse|bias|diversity.COLUMN.TASK[.PLAN], residue.COLUMN.TASK, share.KIND.COLUMN.TASK, reached.TASK, \
                          reached_at.TASK, dearest.TASK, dearest_place.TASK, free.TASK, dropped.TASK (mean for TASK: over all tasks), \
                          each with @MODEL where several models are run";

/// Points of a hundred below which a block left out costs nothing to speak of.
const FREE: f64 = 5.0;

/// Of the bootstrap.
const RESAMPLES: usize = 1000;
/// The name of the model's own order.
const OWN: &str = "own";
/// The name that stands for the mean over all tasks.
const ALL: &str = "mean";

pub fn field(cells: &[FoundCell], parts: &[&str]) -> FieldFound {
    let hundred = |mean: Mean, sign: f64| {
        let [a, b] = [mean.low, mean.high].map(|x| 100.0 * sign * x);
        Ok(Some(FieldValue::Number {
            value: 100.0 * sign * mean.mean,
            low: a.min(b),
            high: a.max(b),
        }))
    };
    let plain = |mean: Mean| {
        Ok(Some(FieldValue::Number { value: mean.mean, low: mean.low, high: mean.high }))
    };
    match *parts {
        ["accuracy", task] => hundred(over(cells, task, None, |cell| cell.accuracy)?, 1.0),
        ["accuracy", task, plan] => {
            hundred(over(cells, task, Some(plan), |cell| cell.accuracy)?, 1.0)
        }
        ["above_chance", task] => {
            let above = |cell: &FoundCell| {
                let chance = cell.chance;
                Mean {
                    mean: cell.accuracy.mean - chance,
                    low: cell.accuracy.low - chance,
                    high: cell.accuracy.high - chance,
                }
            };
            hundred(over(cells, task, None, above)?, 1.0)
        }
        ["lost", task, plan] => hundred(over(cells, task, Some(plan), |cell| cell.change)?, -1.0),
        ["ahead", task, a, b] => {
            hundred(paired(cells, task, [a, b], |a, b| f64::from(a) - f64::from(b))?, 1.0)
        }
        ["differ", task, a, b] => {
            hundred(paired(cells, task, [a, b], |a, b| f64::from(a != b))?, 1.0)
        }
        ["chance", task] => number(100.0 * over(cells, task, None, |c| certain(c.chance))?.mean),
        ["majority", task] => {
            number(100.0 * over(cells, task, None, |c| certain(c.majority))?.mean)
        }
        ["uniform", task] => {
            let uniform = |cell: &FoundCell| certain(cell.uniform.unwrap_or(f64::NAN));
            number(over(cells, task, None, uniform)?.mean)
        }
        ["rows", task] => number(over(cells, task, None, |c| certain(c.rows as f64))?.mean),
        [what @ ("mse" | "bias" | "diversity"), column, task, ref plan @ ..] if plan.len() < 2 => {
            if !["probability", "logit", "paper"].contains(&column) {
                return Ok(None);
            }
            let of = |cell: &FoundCell| {
                let means = column_of(cell, column);
                match what {
                    "mse" => means.mse,
                    "bias" => means.bias,
                    _ => means.diversity,
                }
            };
            plain(over(cells, task, plan.first().copied(), of)?)
        }
        ["residue", column, task] => {
            let of = |cell: &FoundCell| {
                let means = column_of(cell, column);
                certain(means.mse.mean - (means.bias.mean - means.diversity.mean))
            };
            number(over(cells, task, None, of)?.mean)
        }
        ["share", kind, column, task] => {
            let at = match column {
                "probability" => 0,
                "logit" => 1,
                _ => return Ok(None),
            };
            let of = |cell: &FoundCell| {
                let by_kind = cell.by_kind.as_ref();
                certain(by_kind.and_then(|by| share_of(&by[at], kind)).unwrap_or(f64::NAN))
            };
            number(over(cells, task, None, of)?.mean)
        }
        ["reached", task] => {
            let of = |cell: &FoundCell| {
                let reached = cell.reached.as_ref();
                certain(reached.map_or(f64::NAN, |(members, _)| *members as f64))
            };
            number(over(cells, task, None, of)?.mean)
        }
        ["reached_at", task] => {
            let cell = cells.iter().find(|cell| cell.task == task);
            let reached = cell.and_then(|cell| cell.reached.clone());
            word(spoken(&reached.ok_or_else(|| no_cell(task, None))?.1))
        }
        ["dearest", task] => word(dearest(cells, task)?.0.to_string()),
        ["dearest_place", task] => {
            let (place, of) = dearest(cells, task)?;
            number(100.0 * place as f64 / of.saturating_sub(1).max(1) as f64)
        }
        // How many blocks were left out, one at a time.
        ["dropped", task] => number(losses(cells, task)?.len() as f64),
        ["free", task] => {
            let losses = losses(cells, task)?;
            number(losses.iter().filter(|loss| **loss < FREE).count() as f64)
        }
        _ => Ok(None),
    }
}

fn certain(mean: f64) -> Mean {
    Mean { mean, low: mean, high: mean }
}

fn column_of<'a>(cell: &'a FoundCell, column: &str) -> &'a VoteMeans {
    match column {
        "logit" => &cell.logit,
        "paper" => &cell.paper,
        _ => &cell.probability,
    }
}

fn no_cell(task: &str, plan: Option<&str>) -> LessonError {
    let plan = plan.map_or_else(String::new, |plan| format!(" under {plan}"));
    lacks(format!("nothing was run on {task}{plan}"))
}

/// Of one task, or the mean over all; rows of tasks are independent, so errors add as squares.
fn over(
    cells: &[FoundCell],
    task: &str,
    plan: Option<&str>,
    of: impl Fn(&FoundCell) -> Mean,
) -> Result<Mean, LessonError> {
    let is_it =
        |cell: &&FoundCell| (task == ALL || cell.task == task) && cell.plan.as_deref() == plan;
    let each: Vec<Mean> = cells.iter().filter(is_it).map(of).collect();
    if each.is_empty() {
        return Err(no_cell(task, plan));
    }
    let n = each.len() as f64;
    let mean = each.iter().map(|one| one.mean).sum::<f64>() / n;
    let error = |side: &dyn Fn(&Mean) -> f64| {
        let squares = each.iter().map(|one| side(one).powi(2));
        squares.sum::<f64>().sqrt() / n
    };
    if mean.is_nan() {
        return Err(lacks(format!("{task} has no such number here")));
    }
    Ok(Mean {
        mean,
        low: mean - error(&|one| one.mean - one.low),
        high: mean + error(&|one| one.high - one.mean),
    })
}

/// Under two orders on the same rows, row by row.
fn paired(
    cells: &[FoundCell],
    task: &str,
    plans: [&str; 2],
    of: impl Fn(u8, u8) -> f64,
) -> Result<Mean, LessonError> {
    let rows = |plan: &str| {
        let plan = Some(plan).filter(|plan| *plan != OWN);
        let mut all = cells.iter();
        let cell = all.find(|cell| cell.task == task && cell.plan.as_deref() == plan);
        cell.map(|cell| &cell.correct).ok_or_else(|| no_cell(task, plan))
    };
    let (a, b) = (rows(plans[0])?, rows(plans[1])?);
    if a.is_empty() || a.len() != b.len() {
        return Err(lacks(format!("the rows of {task} are not known one by one")));
    }
    let pairs = a.iter().zip(b).map(|(&a, &b)| of(u8::from(a), u8::from(b)));
    let values: Vec<f64> = pairs.collect();
    Ok(Resamples::new(values.len(), RESAMPLES, 0).mean(&values))
}

/// What each block left out costs, in points of a hundred.
fn losses(cells: &[FoundCell], task: &str) -> Result<Vec<f64>, LessonError> {
    let mut losses = Vec::new();
    while let Ok(loss) =
        over(cells, task, Some(&format!("drop:{}", losses.len())), |cell| cell.change)
    {
        losses.push(-100.0 * loss.mean);
    }
    if losses.is_empty() {
        return Err(no_cell(task, Some("any order with a block left out")));
    }
    Ok(losses)
}

/// The place whose loss is dearest, and of how many.
fn dearest(cells: &[FoundCell], task: &str) -> Result<(usize, usize), LessonError> {
    let losses = losses(cells, task)?;
    Ok((crate::measure::decomposition::argmax(&losses), losses.len()))
}
