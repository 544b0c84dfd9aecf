//! Fields of what every part votes and what it costs to lose it.

use super::{FieldFound, lacks, number, word};
use crate::measure::decomposition::argmax;
use crate::measure::interval::Mean;
use crate::study::lessons::found::TaskLooks;
use crate::study::lessons::members::{part_name, spoken};
use crate::study::lessons::{FieldValue, LessonError};
use crate::study::need::{Need, NeedPart};

pub const FIELDS: &str = "accuracy, rows, parts, rank, vote.PART, cost.PART, loss.PART, largest_vote, largest_vote_size, largest_vote_cost, dearest, \
                          dearest_vote, dearest_cost, and where looks were read looking_head, looking_weight, looking_cost, \
                          needed_head, needed_head_cost, needed_head_weight (PART: 3a, 3m, 3h1)";

pub fn field(need: &Need, looks: Option<&TaskLooks>, costs: &[Mean], parts: &[&str]) -> FieldFound {
    let mean = |mean: Mean, scale: f64| {
        Ok(Some(FieldValue::Number {
            value: scale * mean.mean,
            low: scale * mean.low,
            high: scale * mean.high,
        }))
    };
    let strokes: Vec<&NeedPart> = need.parts.iter().filter(|part| part.head.is_none()).collect();
    let heads: Vec<&NeedPart> = need.parts.iter().filter(|part| part.head.is_some()).collect();
    let most = |of: &[&NeedPart], value: &dyn Fn(&NeedPart) -> f64| {
        let values: Vec<f64> = of.iter().map(|part| value(part)).collect();
        if values.is_empty() { None } else { Some(of[argmax(&values)].clone()) }
    };
    let none = || lacks("it has no such part".to_owned());
    let largest = || most(&strokes, &|part| part.vote.mean).ok_or_else(none);
    let dearest = || most(&strokes, &|part| cost(need, part)).ok_or_else(none);
    let needed = || most(&heads, &|part| cost(need, part)).ok_or_else(none);
    let weight = |part: &NeedPart| -> Result<f64, LessonError> {
        let looks = looks.ok_or_else(|| lacks("nobody saw where its heads look".to_owned()))?;
        let key = (part.run, part.head.unwrap_or_default());
        Ok(looks.weights.get(&key).copied().unwrap_or_default())
    };
    let looking = || -> Result<NeedPart, LessonError> {
        let mut weights = Vec::with_capacity(heads.len());
        for part in &heads {
            weights.push(weight(part)?);
        }
        if weights.is_empty() {
            return Err(none());
        }
        Ok(heads[argmax(&weights)].clone())
    };
    match *parts {
        ["accuracy"] => mean(need.accuracy, 100.0),
        ["rows"] => number(need.rows as f64),
        ["parts"] => number(strokes.len() as f64),
        ["rank"] => match need.rank_correlation {
            Some(rank) => number(rank),
            None => Err(lacks("all its parts vote or cost the same".to_owned())),
        },
        ["vote", name] => mean(part(need, name)?.vote, 1.0),
        ["loss", name] => mean(part(need, name)?.loss, 1.0),
        ["cost", name] => cost_field(need, costs, part(need, name)?),
        ["largest_vote"] => word(said(&largest()?)),
        ["largest_vote_cost"] => cost_field(need, costs, &largest()?),
        ["largest_vote_size"] => mean(largest()?.vote, 1.0),
        ["dearest"] => word(said(&dearest()?)),
        ["dearest_vote"] => mean(dearest()?.vote, 1.0),
        ["dearest_cost"] => cost_field(need, costs, &dearest()?),
        ["looking_head"] => word(said(&looking()?)),
        ["looking_weight"] => number(weight(&looking()?)?),
        ["looking_cost"] => cost_field(need, costs, &looking()?),
        ["needed_head"] => word(said(&needed()?)),
        ["needed_head_weight"] => number(weight(&needed()?)?),
        ["needed_head_cost"] => cost_field(need, costs, &needed()?),
        _ => Ok(None),
    }
}

fn said(part: &NeedPart) -> String {
    spoken(&part_name(part))
}

/// Points of a hundred.
fn cost(need: &Need, part: &NeedPart) -> f64 {
    100.0 * (need.accuracy.mean - part.accuracy.mean)
}

/// The same rows with and without the part, row by row.
fn cost_field(need: &Need, costs: &[Mean], part: &NeedPart) -> FieldFound {
    let at = need.parts.iter().position(|of| of == part);
    let cost = at.and_then(|at| costs.get(at));
    let cost = cost.ok_or_else(|| lacks("its rows are not known one by one".to_owned()))?;
    Ok(Some(FieldValue::Number {
        value: 100.0 * cost.mean,
        low: 100.0 * cost.low,
        high: 100.0 * cost.high,
    }))
}

fn part<'a>(need: &'a Need, name: &str) -> Result<&'a NeedPart, LessonError> {
    let mut all = need.parts.iter();
    all.find(|part| part_name(part) == name).ok_or_else(|| lacks(format!("it has no part {name}")))
}
