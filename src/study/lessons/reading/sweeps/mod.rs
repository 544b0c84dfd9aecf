//! Fields of whole sweeps: what is kept of what the model's own order has above chance, in per cent, all tasks on
//! which it is above chance together.

mod harm;

use super::{FieldFound, known, mean_of, no_field, number, word};
use crate::measure::interval::Mean;
use crate::study::lessons::middle::MiddleRuns;
use crate::study::lessons::pool::{PickedOrder, Pool};
use crate::study::lessons::{LessonError, StepAsk};
use crate::study::orders::{Orders, Sweep};
use harm::Harm;

/// Names of orders in fields.
const ORDERS: &str = "own, inside, outside, few, skip, repeat, reverse, shuffle, parallel, loop-ROUNDS; the last six also few-ORDER";

/// The name of a sweep's loops, before their rounds.
const LOOP: &str = "loop-";

/// Before the name of an order: that of the short middle.
const FEW: &str = "few-";

/// `runs` is how many blocks the model's own order runs.
pub fn field(found: &[Orders], ask: &StepAsk, runs: usize, parts: &[&str]) -> FieldFound {
    let pool = Pool::of(found);
    refuse_if!(pool.tasks.is_empty(), at_chance_on("every task of it"));
    let middle = known(MiddleRuns::of(runs), "it has one block")?;
    match *parts {
        ["runs"] => number(runs as f64),
        ["from"] => number(middle.inside.start as f64),
        ["to"] => number(middle.inside.end.saturating_sub(1) as f64),
        ["gone"] => number((runs - 2 * middle.few - 1) as f64),
        ["kept", order] => percent(kept(&pool, &middle.picked(order)?, order)?),
        ["kept", order, group] => {
            let names = ask.named_group(group).ok_or_else(|| LessonError::NoField {
                field: format!("kept.{order}.{group}"),
                instead: "name a group of the sweep".to_owned(),
            })?;
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let only = pool.only(&names);
            refuse_if!(only.tasks.is_empty(), at_chance_on(&names.join(" and ")));
            percent(kept(&only, &middle.picked(order)?, order)?)
        }
        ["first_word", order] => {
            let share = pool.first_word(&middle.picked(order)?);
            percent(share.ok_or_else(|| not_swept(&format!("{order} over all tokens")))?)
        }
        ["more", a, b] => {
            let more = pool.more(&middle.picked(a)?, &middle.picked(b)?);
            percent(more.ok_or_else(|| not_swept(&format!("{a} or {b}")))?)
        }
        ["hardest", order] => word(hardest(&pool, &middle, order)?.0),
        ["hardest_kept", order] => percent(hardest(&pool, &middle, order)?.1),
        ["at_chance"] => word(at_chance(found, &pool)),
        ["best_rounds"] => word(best_rounds(&pool)?),
        ["harm"] => word(Harm::of(&pool, &middle)?.listed()),
        ["best"] => word(Harm::of(&pool, &middle)?.best()),
        ["worst"] => word(Harm::of(&pool, &middle)?.worst()),
        ["best_by"] => percent(Harm::of(&pool, &middle)?.best_by(&pool)?),
        ["best_by_rest"] => percent(Harm::of(&pool, &middle)?.best_by_rest(&pool)?),
        ["worst_by"] => percent(Harm::of(&pool, &middle)?.worst_by(&pool)?),
        _ => Err(no_field(parts)),
    }
}

impl MiddleRuns {
    /// The order that fields call so.
    fn picked(&self, name: &str) -> Result<PickedOrder, LessonError> {
        let (name, s) = match name.strip_prefix(FEW) {
            Some(rest) => (rest, self.few),
            None => (name, self.s),
        };
        let rounds = name.strip_prefix(LOOP).and_then(|n| n.parse().ok());
        Ok(match (name, rounds) {
            ("own", _) => PickedOrder::Own,
            ("inside", _) => self.drops(true)?,
            ("outside", _) => self.drops(false)?,
            ("few", _) => PickedOrder::At(Sweep::Skip, self.few),
            (_, Some(rounds)) => PickedOrder::Loop(s, rounds),
            (name, None) => {
                let mut kinds = Sweep::FAMILY.into_iter().filter(|kind| *kind != Sweep::Loop);
                let kind = kinds.find(|kind| kind.name() == name);
                let kind = kind.ok_or_else(|| LessonError::NoField {
                    field: name.to_owned(),
                    instead: format!("name one of the orders {ORDERS}"),
                })?;
                PickedOrder::At(kind, s)
            }
        })
    }

    fn drops(&self, is_inside: bool) -> Result<PickedOrder, LessonError> {
        let fits = |place: &usize| self.inside.contains(place) == is_inside;
        let places: Vec<usize> = (0..self.runs).filter(fits).collect();
        if places.is_empty() {
            let reason = format!("a model of {} blocks has no middle between two ends", self.runs);
            return Err(LessonError::lacking(reason));
        }
        Ok(PickedOrder::Drops(places))
    }
}

fn percent(mean: Mean) -> FieldFound {
    mean_of(mean, 100.0)
}

fn not_swept(order: &str) -> LessonError {
    LessonError::lacking(format!("it was not run under {order}"))
}

fn kept(pool: &Pool<'_>, order: &PickedOrder, name: &str) -> Result<Mean, LessonError> {
    pool.kept(order).ok_or_else(|| not_swept(name))
}

/// The task that keeps least.
fn hardest(
    pool: &Pool<'_>,
    middle: &MiddleRuns,
    order: &str,
) -> Result<(String, Mean), LessonError> {
    let picked = middle.picked(order)?;
    let each = pool.tasks.iter().filter_map(|task| {
        let kept = pool.only(&[task.task.as_str()]).kept(&picked)?;
        Some((task.task.clone(), kept))
    });
    each.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).ok_or_else(|| not_swept(order))
}

fn at_chance_on(tasks: &str) -> LessonError {
    LessonError::lacking(format!("it is at chance on {tasks}"))
}

/// The tasks that are left out, in words.
fn at_chance(orders: &[Orders], pool: &Pool<'_>) -> String {
    let is_left_out = |orders: &&Orders| !pool.tasks.iter().any(|task| task.task == orders.task);
    let names: Vec<&str> =
        orders.iter().filter(is_left_out).map(|orders| orders.task.as_str()).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// For each size of the middle the rounds that keep most, in words.
fn best_rounds(pool: &Pool<'_>) -> Result<String, LessonError> {
    let first = pool.tasks.first();
    let points = first.map(|task| task.points.as_slice()).unwrap_or_default();
    // Size of the middle, rounds, and what they keep.
    let mut best: Vec<(usize, usize, f64)> = Vec::new();
    for point in points {
        let (Sweep::Loop, Some(rounds), Some(middle)) = (point.sweep, point.rounds, point.middle)
        else {
            continue;
        };
        let Some(kept) = pool.kept(&PickedOrder::Loop(point.at, rounds)) else {
            continue;
        };
        match best.iter_mut().find(|(size, ..)| *size == middle) {
            Some(row) if kept.mean > row.2 => *row = (middle, rounds, kept.mean),
            Some(_) => {}
            None => best.push((middle, rounds, kept.mean)),
        }
    }
    refuse_if!(best.is_empty(), not_swept("any number of rounds"));
    best.sort_unstable_by_key(|row| row.0);
    let listed: Vec<String> =
        best.iter().map(|(middle, rounds, _)| format!("{rounds} for {middle}")).collect();
    Ok(listed.join(", "))
}

#[cfg(all(test, feature = "cli"))]
mod tests;
