//! Fields of what every part votes and what it costs to lose it.

use super::{FieldFound, known, largest, mean_of, no_field, number};
use crate::measure::interval::{Mean, Resamples, paired_rows};
use crate::measure::largest::{LargestMean, largest_mean, largest_share};
use crate::study::lessons::LessonError;
use crate::study::lessons::found::FoundHeads;
use crate::study::lessons::members::{part_name, part_words};
use crate::study::need::NeedPart;

pub fn field(heads: &FoundHeads, parts: &[&str]) -> FieldFound {
    let need = &heads.need;
    match *parts {
        ["accuracy"] => mean_of(need.accuracy, 100.0),
        ["rows"] => number(need.rows as f64),
        ["parts"] => number(heads.strokes().len() as f64),
        ["heads"] => number(heads.parts(|part| part.head.is_some()).len() as f64),
        ["rank"] => {
            let rank = need.components.rank_correlation;
            number(known(rank, "all its parts vote or cost the same")?)
        }
        ["vote", name] => mean_of(need.parts[heads.part(name)?].vote, 1.0),
        ["loss", name] => mean_of(need.parts[heads.part(name)?].loss, 1.0),
        ["cost", name] => mean_of(heads.cost(heads.part(name)?)?, 100.0),
        ["largest_vote"] => heads.named(&heads.largest_vote()?),
        ["largest_vote_cost"] => mean_of(heads.cost_of(&heads.largest_vote()?)?, 100.0),
        ["largest_vote_size"] => mean_of(need.parts[heads.largest_vote()?.part].vote, 1.0),
        ["dearest"] => heads.named(&heads.dearest()?),
        ["dearest_vote"] => mean_of(need.parts[heads.dearest()?.part].vote, 1.0),
        ["dearest_cost"] => mean_of(heads.cost_of(&heads.dearest()?)?, 100.0),
        ["looking_head"] => heads.named(&heads.looking()?),
        ["looking_weight"] => mean_of(heads.weight(heads.looking()?.part)?, 1.0),
        ["looking_cost"] => mean_of(heads.cost_of(&heads.looking()?)?, 100.0),
        ["needed_head"] => heads.named(&heads.needed()?),
        ["needed_head_weight"] => mean_of(heads.weight(heads.needed()?.part)?, 1.0),
        ["needed_head_cost"] => mean_of(heads.cost_of(&heads.needed()?)?, 100.0),
        _ => Err(no_field(parts)),
    }
}

/// The part that has most of something, and those that the rows cannot tell it from.
struct Foremost {
    part: usize,
    beside: Vec<usize>,
}

impl FoundHeads {
    /// The part of this name: `3a`, `3m`, `3h1`.
    fn part(&self, name: &str) -> Result<usize, LessonError> {
        let part = self.need.parts.iter().position(|part| part_name(part) == name);
        part.ok_or_else(|| LessonError::lacking(format!("it has no part {name}")))
    }

    fn strokes(&self) -> Vec<usize> {
        self.parts(|part| part.head.is_none())
    }

    fn parts(&self, is_wanted: impl Fn(&NeedPart) -> bool) -> Vec<usize> {
        let parts = self.need.parts.iter().enumerate();
        parts.filter(|(_, part)| is_wanted(part)).map(|(at, _)| at).collect()
    }

    /// The attention or MLP that votes most.
    fn largest_vote(&self) -> Result<Foremost, LessonError> {
        let compared = self.strokes();
        let votes: Vec<Vec<f64>> =
            compared.iter().filter_map(|&part| self.rows.votes.get(part).cloned()).collect();
        most(&compared, largest_mean(&votes, &self.resamples(self.need.rows)))
    }

    /// The attention or MLP without which most right answers are lost.
    fn dearest(&self) -> Result<Foremost, LessonError> {
        self.most_needed(&self.strokes())
    }

    /// The head without which most right answers are lost.
    fn needed(&self) -> Result<Foremost, LessonError> {
        self.most_needed(&self.parts(|part| part.head.is_some()))
    }

    fn most_needed(&self, compared: &[usize]) -> Result<Foremost, LessonError> {
        let costs: Vec<Vec<f64>> =
            compared.iter().filter_map(|&part| self.rows.costs.get(part).cloned()).collect();
        most(compared, largest_share(&costs))
    }

    /// The head that looks most at the right option.
    fn looking(&self) -> Result<Foremost, LessonError> {
        let compared = self.parts(|part| part.head.is_some());
        let mut weights = Vec::with_capacity(compared.len());
        for &part in &compared {
            weights.push(self.weights(part)?.to_vec());
        }
        let rows = weights.first().map_or(0, Vec::len);
        most(&compared, largest_mean(&weights, &self.resamples(rows)))
    }

    /// The head's weight on the right option. `[rows]`
    fn weights(&self, part: usize) -> Result<&[f64], LessonError> {
        let looks = known(self.looks.as_ref(), "nobody saw where its heads look")?;
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
        known(cost, "its rows are not known one by one")
    }

    /// The cost of losing the largest part, from the least to the most of all parts that it may be.
    fn cost_of(&self, largest: &Foremost) -> Result<Mean, LessonError> {
        let mut cost = self.cost(largest.part)?;
        for &part in &largest.beside {
            let other = self.cost(part)?;
            cost.low = cost.low.min(other.low);
            cost.high = cost.high.max(other.high);
        }
        Ok(cost)
    }

    /// The largest part in words.
    fn named(&self, part: &Foremost) -> FieldFound {
        largest(part.part, &part.beside, |part| part_words(&self.need.parts[part]))
    }

    fn resamples(&self, rows: usize) -> Resamples {
        Resamples::new(rows, self.need.resamples, self.need.seed)
    }
}

/// Returns the largest of the parts that were compared, numbered as all parts are.
fn most(compared: &[usize], largest: Option<LargestMean>) -> Result<Foremost, LessonError> {
    let largest = known(largest, "it has too few parts or rows to compare")?;
    let beside = largest.beside.into_iter().map(|part| compared[part]).collect();
    Ok(Foremost { part: compared[largest.part], beside })
}
