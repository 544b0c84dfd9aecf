//! Couplings between tokens, of one kind: from each to itself, from one, or to one.

use super::names::{formula, metric_word, reason, said, token};
use super::slips;
use super::step_map::less;
use crate::chart::number::{mean, short};
use crate::study::coupling::{Coupling, CouplingMetric, StepPair};

/// The tokens that a map's Jacobians lead from and to, as positions in the prompt.
#[derive(Clone, Copy)]
pub enum Ends {
    /// From every token to itself.
    Same,
    From(usize),
    To(usize),
}

/// One kind of map.
pub struct TokenMapPicture<'a> {
    pub coupling: &'a Coupling,
    pub key: &'static str,
    pub which: Ends,
    pub positions: &'a [usize],
    pub pairs: &'a [StepPair],
    pub k: usize,
    pub metric: CouplingMetric,
    pub steps: Vec<String>,
    /// Coupling of unrelated bases.
    pub chance: f64,
}

impl TokenMapPicture<'_> {
    pub fn token(&self, t: usize) -> String {
        token(self.coupling, t)
    }

    pub fn step(&self, step: usize) -> &str {
        self.steps.get(step).map_or("?", String::as_str)
    }

    pub fn numbers(&self, pair: &StepPair) -> Vec<Vec<Option<f64>>> {
        less(match self.metric {
            CouplingMetric::OffDiagonal => &pair.map.off_diagonal,
            CouplingMetric::Singular => &pair.map.singular,
        })
    }

    pub fn why(&self, pair: &StepPair, row: usize, column: usize) -> String {
        let row = pair.map.why_row.get(row).copied().flatten();
        let column = pair.map.why_column.get(column).copied().flatten();
        reason(row.or(column), self.k)
    }

    /// `“bad” (7)`
    pub fn quoted(&self, t: usize) -> String {
        format!("“{}” ({t})", self.token(t))
    }

    /// Names the Jacobian of a step at a position of the map.
    pub fn jacobian(&self, step: usize, t: usize) -> String {
        let step = self.step(step);
        match self.which {
            Ends::Same => format!("step {step} at {}", self.quoted(t)),
            Ends::From(_) => format!("step {step} to {}", self.quoted(t)),
            Ends::To(_) => format!("step {step} from {}", self.quoted(t)),
        }
    }

    /// Mean coupling of a pair of steps: over equal tokens, where the steps differ, and over others.
    fn means(&self, pair: &StepPair) -> [Option<f64>; 2] {
        let numbers = self.numbers(pair);
        let cells = numbers.iter().enumerate().flat_map(|(row, line)| {
            let cells = line.iter().enumerate();
            cells.filter_map(move |(column, x)| Some((row == column, (*x)?)))
        });
        let cells: Vec<(bool, f64)> = cells.collect();
        [true, false].map(|same| {
            // In its own basis everything is alike.
            let wanted =
                |cell: &&(bool, f64)| cell.0 == same && !(same && pair.steps[0] == pair.steps[1]);
            mean(cells.iter().filter(wanted).map(|(_, x)| *x))
        })
    }

    pub fn title(&self) -> String {
        let chance = short(self.chance);
        let pair =
            self.pairs.iter().find(|pair| pair.steps[0] != pair.steps[1]).or(self.pairs.first());
        let Some(pair) = pair else {
            return "No two steps were compared between tokens".to_owned();
        };
        let (one, other) = (self.step(pair.steps[0]), self.step(pair.steps[1]));
        let [same, others] = self.means(pair);
        let between = if pair.steps[0] == pair.steps[1] {
            format!("step {one} and itself")
        } else {
            format!("steps {one} and {other}")
        };
        match (self.which, same, others) {
            (_, None, None) => format!("Between tokens, {between} have no coupling"),
            (Ends::Same, Some(same), Some(others)) => format!(
                "At one token {between} couple at {}, at different ones at {}; chance is {chance}",
                short(same),
                short(others)
            ),
            (Ends::Same, same, others) => format!(
                "Across tokens, the coupling of {between} is {}; chance is {chance}",
                said(others.or(same))
            ),
            (Ends::From(t), ..) => format!(
                "What “{}” sends to different tokens couples at {} between {between}; chance is {chance}",
                self.token(t),
                said(others.or(same))
            ),
            (Ends::To(t), ..) => format!(
                "What “{}” takes from different tokens couples at {} between {between}; chance is {chance}",
                self.token(t),
                said(others.or(same))
            ),
        }
    }

    pub fn words(&self) -> [String; 2] {
        let what = match self.which {
            Ends::Same => {
                "Every cell holds a step's Jacobian from a token to itself against another's."
                    .to_owned()
            }
            Ends::From(t) => format!(
                "Every cell holds what {} sends to one token against what it sends to another.",
                self.quoted(t)
            ),
            Ends::To(t) => format!(
                "Every cell holds what {} takes from one token against what it takes from another.",
                self.quoted(t)
            ),
        };
        let within = self.pairs.iter().find(|pair| pair.steps[0] == pair.steps[1]);
        let within = within.and_then(|pair| Some((pair.steps[0], self.means(pair)[1]?)));
        let within = within.map_or_else(String::new, |(step, x)| {
            format!(" Within step {} different ones couple at {}.", self.step(step), short(x))
        });
        let undefined = self.pairs.iter().map(|pair| {
            let numbers = self.numbers(pair);
            numbers.iter().flatten().filter(|x| x.is_none()).count()
        });
        let undefined = match undefined.sum::<usize>() {
            0 => String::new(),
            n => format!(" {n} cells are not defined, and crossed out."),
        };
        let (k, word, formula) = (self.k, metric_word(self.metric), formula(self.metric));
        [
            format!("{what} K = {k}, by the metric of {word}, {formula}.{within}{undefined}"),
            slips::IDENTITY.to_owned(),
        ]
    }
}
