//! Fields of rows of tasks, run or read from the survey.

use super::lens::share_of;
use super::{FieldFound, column, largest, mean_of, no_field, number, word};
use crate::measure::interval::{Mean, mean_of_independent, paired_rows, wilson};
use crate::measure::largest::{LargestMean, largest_share};
use crate::study::lessons::found::{FoundCell, exact};
use crate::study::lessons::members::spoken;
use crate::study::lessons::{FieldValue, LessonError};
use crate::study::orders::VoteMeans;

/// Points of a hundred below which a block left out costs nothing to speak of.
const FREE: f64 = 5.0;

/// The name of the model's own order.
const OWN: &str = "own";
/// The name that stands for the mean over all tasks.
const ALL: &str = "mean";

pub fn field(cells: &[FoundCell], parts: &[&str]) -> FieldFound {
    match *parts {
        ["accuracy", task] => scaled(cells, task, None, 100.0, |cell| cell.accuracy),
        ["accuracy", task, plan] => scaled(cells, task, Some(plan), 100.0, |cell| cell.accuracy),
        ["above_chance", task] => scaled(cells, task, None, 100.0, |cell| {
            cell.accuracy.map(|accuracy| accuracy - cell.chance)
        }),
        ["lost", task, plan] => scaled(cells, task, Some(plan), -100.0, |cell| cell.change),
        ["ahead", task, a, b] => {
            let rows = paired(cells, task, [a, b], |a, b| f64::from(a) - f64::from(b))?;
            mean_of(paired_rows(&rows), 100.0)
        }
        ["differ", task, a, b] => {
            let differs = paired(cells, task, [a, b], |a, b| f64::from(a != b))?;
            let rows = differs.len();
            mean_of(wilson(differs.iter().sum::<f64>() / rows as f64, rows), 100.0)
        }
        ["chance", task] => scaled(cells, task, None, 100.0, |cell| exact(cell.chance)),
        ["majority", task] => scaled(cells, task, None, 100.0, |cell| exact(cell.majority)),
        ["uniform", task] => {
            scaled(cells, task, None, 1.0, |cell| cell.uniform.map_or(UNKNOWN, exact))
        }
        ["rows", task] => scaled(cells, task, None, 1.0, |cell| exact(cell.rows as f64)),
        [what @ ("mse" | "bias" | "diversity"), name, task, ref plan @ ..] if plan.len() < 2 => {
            let column = column(name)?;
            scaled(cells, task, plan.first().copied(), 1.0, |cell| {
                let VoteMeans { mse, bias, diversity } = cell.columns[column];
                match what {
                    "mse" => mse,
                    "bias" => bias,
                    _ => diversity,
                }
            })
        }
        ["residue", name, task] => {
            let column = column(name)?;
            scaled(cells, task, None, 1.0, |cell| {
                let VoteMeans { mse, bias, diversity } = cell.columns[column];
                exact(mse.mean - (bias.mean - diversity.mean))
            })
        }
        ["share", kind, name, task] => {
            let column = column(name)?;
            // The paper's column, the last one, has no kinds.
            refuse_if!(column == 3, no_field(parts));
            scaled(cells, task, None, 1.0, |cell| {
                let by_kind = cell.by_kind.as_ref().and_then(|by_kind| by_kind.get(column));
                by_kind.and_then(|by_kind| share_of(by_kind, kind)).map_or(UNKNOWN, exact)
            })
        }
        ["reached", task] => scaled(cells, task, None, 1.0, |cell| {
            cell.reached.as_ref().map_or(UNKNOWN, |(members, _)| exact(*members as f64))
        }),
        ["reached_at", task] => {
            let cell = cells.iter().find(|cell| cell.task == task);
            let reached = cell.and_then(|cell| cell.reached.clone());
            word(spoken(&reached.ok_or_else(|| no_cell(task, None))?.1))
        }
        // Points that each half of the components adds, and how many more the second adds.
        ["gain", half @ ("first" | "second"), task] => {
            let from = usize::from(half == "second");
            scaled(cells, task, None, 100.0, |cell| {
                halves(cell).map_or(UNKNOWN, |at| at[from + 1].less(at[from]))
            })
        }
        ["gain_more", task] => scaled(cells, task, None, 100.0, |cell| {
            // The middle counts twice, on the same rows.
            halves(cell).map_or(UNKNOWN, |[start, middle, end]| {
                end.less(middle.map(|share| 2.0 * share).less(start))
            })
        }),
        ["first_word", task] => scaled(cells, task, None, 100.0, |cell| {
            cell.first_word.map_or(UNKNOWN, |share| wilson(share, cell.rows))
        }),
        ["above_majority"] => {
            let own = cells.iter().filter(|cell| cell.plan.is_none());
            number(own.filter(|cell| cell.accuracy.low > cell.majority).count() as f64)
        }
        ["tasks"] => number(cells.iter().filter(|cell| cell.plan.is_none()).count() as f64),
        ["dearest", task] => {
            let found = dearest(cells, task)?;
            largest(found.part, &found.beside, |block| block.to_string())
        }
        ["dearest_place", task] => {
            let found = dearest(cells, task)?;
            let last = found.lead.len().saturating_sub(1).max(1) as f64;
            let place = |place: usize| 100.0 * place as f64 / last;
            let may_be = found.beside.iter().copied().chain([found.part]).map(place);
            let (low, high) = may_be.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
                (x.min(low), x.max(high))
            });
            Ok(FieldValue::Number { value: place(found.part), low, high })
        }
        // How many blocks were left out, one at a time.
        ["dropped", task] => number(losses(cells, task)?.len() as f64),
        ["free", task] => {
            let losses = losses(cells, task)?;
            let below = |end: fn(&Mean) -> f64| {
                losses.iter().filter(|loss| 100.0 * end(loss) < FREE).count() as f64
            };
            Ok(FieldValue::Number {
                value: below(|loss| loss.mean),
                low: below(|loss| loss.high),
                high: below(|loss| loss.low),
            })
        }
        _ => Err(no_field(parts)),
    }
}

/// A number that a cell lacks.
const UNKNOWN: Mean = Mean { mean: f64::NAN, low: f64::NAN, high: f64::NAN };

/// Shares of rows that are right at the start of the stream, after half of the components, and at its end.
fn halves(cell: &FoundCell) -> Option<[Mean; 3]> {
    let last = cell.depths.len().checked_sub(1)?;
    Some([0, last / 2, last].map(|depth| wilson(cell.depths[depth], cell.rows)))
}

fn no_cell(task: &str, plan: Option<&str>) -> LessonError {
    let plan = plan.map_or_else(String::new, |plan| format!(" under {plan}"));
    LessonError::lacking(format!("nothing was run on {task}{plan}"))
}

/// A number of one task, or its mean over all tasks, times `scale`.
fn scaled(
    cells: &[FoundCell],
    task: &str,
    plan: Option<&str>,
    scale: f64,
    number: impl Fn(&FoundCell) -> Mean,
) -> FieldFound {
    mean_of(over(cells, task, plan, number)?, scale)
}

/// Returns the number of one task, or the mean over all; rows of tasks are independent, so errors add as squares.
fn over(
    cells: &[FoundCell],
    task: &str,
    plan: Option<&str>,
    of: impl Fn(&FoundCell) -> Mean,
) -> Result<Mean, LessonError> {
    let is_it =
        |cell: &&FoundCell| (task == ALL || cell.task == task) && cell.plan.as_deref() == plan;
    let each: Vec<Mean> = cells.iter().filter(is_it).map(of).collect();
    let found = mean_of_independent(&each).ok_or_else(|| no_cell(task, plan))?;
    refuse_if!(
        found.mean.is_nan(),
        LessonError::lacking(format!("{task} has no such number here"))
    );
    Ok(found)
}

/// Under two orders on the same rows, row by row. `[rows]`
fn paired(
    cells: &[FoundCell],
    task: &str,
    plans: [&str; 2],
    of: impl Fn(u8, u8) -> f64,
) -> Result<Vec<f64>, LessonError> {
    let rows = |plan: &str| {
        let plan = Some(plan).filter(|plan| *plan != OWN);
        let mut all = cells.iter();
        let cell = all.find(|cell| cell.task == task && cell.plan.as_deref() == plan);
        cell.map(|cell| &cell.correct).ok_or_else(|| no_cell(task, plan))
    };
    let (a, b) = (rows(plans[0])?, rows(plans[1])?);
    if a.is_empty() || a.len() != b.len() {
        let reason = format!("the rows of {task} are not known one by one");
        return Err(LessonError::lacking(reason));
    }
    Ok(a.iter().zip(b).map(|(&a, &b)| of(u8::from(a), u8::from(b))).collect())
}

/// The plan that leaves out one block.
fn drop_plan(block: usize) -> String {
    format!("drop:{block}")
}

/// The share of right answers that goes with each block left out.
fn losses(cells: &[FoundCell], task: &str) -> Result<Vec<Mean>, LessonError> {
    let mut losses = Vec::new();
    while let Ok(change) = over(cells, task, Some(&drop_plan(losses.len())), |cell| cell.change) {
        let Mean { mean, low, high } = change;
        losses.push(Mean { mean: -mean, low: -high, high: -low });
    }
    refuse_if!(losses.is_empty(), no_cell(task, Some("any order with a block left out")));
    Ok(losses)
}

/// The right answers that an order loses, row by row; all tasks' rows where all are asked for. `[rows]`
fn lost_rows(cells: &[FoundCell], task: &str, plan: &str) -> Result<Vec<f64>, LessonError> {
    let own = cells.iter().filter(|cell| cell.plan.is_none());
    let tasks = own.filter(|cell| task == ALL || cell.task == task);
    let mut lost = Vec::new();
    for cell in tasks {
        lost.extend(paired(cells, &cell.task, [OWN, plan], |own, other| {
            f64::from(own) - f64::from(other)
        })?);
    }
    Ok(lost)
}

/// The block whose loss is dearest.
fn dearest(cells: &[FoundCell], task: &str) -> Result<LargestMean, LessonError> {
    let mut losses = Vec::new();
    while let Ok(rows) = lost_rows(cells, task, &drop_plan(losses.len())) {
        losses.push(rows);
    }
    largest_share(&losses).ok_or_else(|| no_cell(task, Some("any order with a block left out")))
}
