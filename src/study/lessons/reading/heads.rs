//! Fields of what every part votes and what it costs to lose it.

use super::{FieldFound, lacks, largest, mean_of, number};
use crate::measure::interval::{Mean, Resamples, paired_rows};
use crate::measure::largest::{LargestMean, largest_mean, largest_share};
use crate::study::lessons::LessonError;
use crate::study::lessons::found::FoundHeads;
use crate::study::lessons::members::{part_name, part_words};
use crate::study::need::NeedPart;

pub const FIELDS: &str = "accuracy, rows, parts, heads, rank, vote.PART, cost.PART, loss.PART, largest_vote, largest_vote_size, largest_vote_cost, dearest, \
                          dearest_vote, dearest_cost, and where looks were read looking_head, looking_weight, looking_cost, \
                          needed_head, needed_head_cost, needed_head_weight (PART: 3a, 3m, 3h1)";

pub fn field(found: &FoundHeads, parts: &[&str]) -> FieldFound {
    let need = &found.need;
    let part = |name: &str| {
        let at = need.parts.iter().position(|part| part_name(part) == name);
        at.ok_or_else(|| lacks(format!("it has no part {name}")))
    };
    match *parts {
        ["accuracy"] => mean_of(need.accuracy, 100.0),
        ["rows"] => number(need.rows as f64),
        ["parts"] => number(found.strokes().len() as f64),
        ["heads"] => number(found.parts(|part| part.head.is_some()).len() as f64),
        ["rank"] => match need.components.rank_correlation {
            Some(rank) => number(rank),
            None => Err(lacks("all its parts vote or cost the same".to_owned())),
        },
        ["vote", name] => mean_of(need.parts[part(name)?].vote, 1.0),
        ["loss", name] => mean_of(need.parts[part(name)?].loss, 1.0),
        ["cost", name] => mean_of(found.cost(part(name)?)?, 100.0),
        ["largest_vote"] => found.largest_vote()?.field(need_parts(found)),
        ["largest_vote_cost"] => mean_of(found.largest_vote()?.cost(found)?, 100.0),
        ["largest_vote_size"] => mean_of(need.parts[found.largest_vote()?.part()].vote, 1.0),
        ["dearest"] => found.dearest()?.field(need_parts(found)),
        ["dearest_vote"] => mean_of(need.parts[found.dearest()?.part()].vote, 1.0),
        ["dearest_cost"] => mean_of(found.dearest()?.cost(found)?, 100.0),
        ["looking_head"] => found.looking()?.field(need_parts(found)),
        ["looking_weight"] => mean_of(found.weight(found.looking()?.part())?, 1.0),
        ["looking_cost"] => mean_of(found.looking()?.cost(found)?, 100.0),
        ["needed_head"] => found.needed()?.field(need_parts(found)),
        ["needed_head_weight"] => mean_of(found.weight(found.needed()?.part())?, 1.0),
        ["needed_head_cost"] => mean_of(found.needed()?.cost(found)?, 100.0),
        _ => Ok(None),
    }
}

fn need_parts(found: &FoundHeads) -> &[NeedPart] {
    &found.need.parts
}

/// The largest of some of a model's parts.
struct LargestPart {
    /// The parts that were compared.
    compared: Vec<usize>,
    found: LargestMean,
}

impl LargestPart {
    fn part(&self) -> usize {
        self.compared[self.found.part]
    }

    /// The cost of its loss, from the least to the most of all parts that it may be.
    fn cost(&self, found: &FoundHeads) -> Result<Mean, LessonError> {
        let mut cost = found.cost(self.part())?;
        for &part in &self.found.beside {
            let other = found.cost(self.compared[part])?;
            cost.low = cost.low.min(other.low);
            cost.high = cost.high.max(other.high);
        }
        Ok(cost)
    }

    fn field(&self, parts: &[NeedPart]) -> FieldFound {
        largest(&self.found, |at| part_words(&parts[self.compared[at]]))
    }
}

impl FoundHeads {
    fn strokes(&self) -> Vec<usize> {
        self.parts(|part| part.head.is_none())
    }

    fn parts(&self, is_wanted: impl Fn(&NeedPart) -> bool) -> Vec<usize> {
        let parts = self.need.parts.iter().enumerate();
        parts.filter(|(_, part)| is_wanted(part)).map(|(at, _)| at).collect()
    }

    /// The attention or MLP that votes most.
    fn largest_vote(&self) -> Result<LargestPart, LessonError> {
        let compared = self.strokes();
        let votes: Vec<Vec<f64>> =
            compared.iter().filter_map(|&part| self.rows.votes.get(part).cloned()).collect();
        most(compared, largest_mean(&votes, &self.resamples(self.need.rows)))
    }

    /// The attention or MLP without which most right answers are lost.
    fn dearest(&self) -> Result<LargestPart, LessonError> {
        self.most_needed(self.strokes())
    }

    /// The head without which most right answers are lost.
    fn needed(&self) -> Result<LargestPart, LessonError> {
        self.most_needed(self.parts(|part| part.head.is_some()))
    }

    fn most_needed(&self, compared: Vec<usize>) -> Result<LargestPart, LessonError> {
        let costs: Vec<Vec<f64>> =
            compared.iter().filter_map(|&part| self.rows.costs.get(part).cloned()).collect();
        most(compared, largest_share(&costs))
    }

    /// The head that looks most at the right option.
    fn looking(&self) -> Result<LargestPart, LessonError> {
        let compared = self.parts(|part| part.head.is_some());
        let mut weights = Vec::with_capacity(compared.len());
        for &part in &compared {
            weights.push(self.weights(part)?.to_vec());
        }
        let rows = weights.first().map_or(0, Vec::len);
        most(compared, largest_mean(&weights, &self.resamples(rows)))
    }

    /// The head's weight on the right option. `[rows]`
    fn weights(&self, part: usize) -> Result<&[f64], LessonError> {
        let looks = self
            .looks
            .as_ref()
            .ok_or_else(|| lacks("nobody saw where its heads look".to_owned()))?;
        let part = &self.need.parts[part];
        let weights = looks.weights.get(&(part.run, part.head.unwrap_or_default()));
        Ok(weights.map(Vec::as_slice).unwrap_or_default())
    }

    fn weight(&self, part: usize) -> Result<Mean, LessonError> {
        let weights = self.weights(part)?;
        Ok(self.resamples(weights.len()).mean(weights))
    }

    /// The share of right answers that goes with the part.
    fn cost(&self, part: usize) -> Result<Mean, LessonError> {
        let cost = self.rows.costs.get(part).map(|rows| paired_rows(rows));
        cost.ok_or_else(|| lacks("its rows are not known one by one".to_owned()))
    }

    fn resamples(&self, rows: usize) -> Resamples {
        Resamples::new(rows, self.need.resamples, self.need.seed)
    }
}

fn most(compared: Vec<usize>, found: Option<LargestMean>) -> Result<LargestPart, LessonError> {
    let found = found.ok_or_else(|| lacks("it has too few parts or rows to compare".to_owned()))?;
    Ok(LargestPart { compared, found })
}
