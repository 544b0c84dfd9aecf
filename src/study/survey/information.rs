//! What a task's rows say of the theorems 4 to 8, in both estimators.

use serde::{Deserialize, Serialize};

use super::MeasuredRow;
use crate::engine::{Kind, Member};
use crate::measure::decomposition::{Decomposition, argmax};
use crate::measure::information::{Bounds, Curve, Terms, copula, votes};

/// Rows looked at together at most: the first ones. What the estimators need grows with the rows;
/// this bounds it.
pub const INFORMATION_ROWS: usize = 20_000;

/// Bits, about the right answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Information {
    /// Rows the estimates are made of.
    pub rows: usize,
    /// K
    pub options: usize,
    /// `H(Y)`
    pub entropy: f64,
    /// Every member's likeliest option, counted (Miller-Madow).
    pub votes: Estimate,
    /// Members' logits as Gaussian copulas.
    pub copula: Estimate,
}

/// One estimator's view.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The kinds, each the sum of its members: embedding, attention, MLP, and the read-out's bias
    /// where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Point>,
    /// Why there is no such estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds_refused: Option<String>,
    /// The first 1, 2, … members along the stream; empty where even one is refused.
    pub curve: Vec<Point>,
    /// Why the curve ends before the last member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The terms of a group of members, beside the error of their sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub members: usize,
    /// `sum_i I(u_i; Y)`
    pub relevancy: f64,
    /// `TC(U)`
    pub redundancy: f64,
    /// `TC(U|Y)`
    pub conditional_redundancy: f64,
    /// `I(U;Y)`
    pub joint: f64,
    /// Of the error rate (Eq. 12), from the estimate.
    pub bounds: Bounds,
    /// How often these members' sum is wrong on the same rows.
    pub error: f64,
    /// Which bound the error breaks: `lower` (then the estimate is too low), or `upper` (then it is
    /// too high, or the members' sum makes less of what they know than could be made).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
}

/// Votes and logits of the first rows.
pub(super) struct Gathering<'a> {
    members: &'a [Member],
    rivals: bool,
    answers: Vec<usize>,
    /// `[N][M][K]`
    logits: Vec<Vec<Vec<f32>>>,
    /// `[M]` how often the first n members are wrong.
    wrong: Vec<usize>,
    /// K, while all rows agree on it.
    options: Option<usize>,
    mixed: bool,
}

impl<'a> Gathering<'a> {
    pub fn new(members: &'a [Member], rivals: bool) -> Self {
        Self {
            members,
            rivals,
            answers: Vec::new(),
            logits: Vec::new(),
            wrong: vec![0; members.len()],
            options: None,
            mixed: false,
        }
    }

    pub fn add(&mut self, row: &MeasuredRow, found: &Decomposition) {
        if self.rivals || self.mixed || self.answers.len() == INFORMATION_ROWS {
            return;
        }
        if *self.options.get_or_insert(row.options()) != row.options() {
            self.mixed = true;
            self.logits.clear();
            return;
        }
        self.answers.push(row.answer);
        self.logits.push(row.votes());
        for (wrong, depth) in self.wrong.iter_mut().zip(&found.by_depth) {
            *wrong += usize::from(!depth.correct);
        }
    }

    /// Or why there is nothing to say.
    pub fn finish(self) -> Result<Information, String> {
        if self.rivals {
            return Err(
                "members vote among the right token and its rivals, the right one always \
                        first, so there are no classes to tell apart"
                    .into(),
            );
        }
        if self.mixed {
            return Err("rows have different numbers of options, and so no common classes".into());
        }
        let options = self.options.unwrap_or(0);
        let entropy = votes::entropy_of(&self.answers, options);
        let entropy = entropy.map_err(|refusal| refusal.to_string())?;
        Ok(Information {
            rows: self.answers.len(),
            options,
            entropy,
            votes: self.votes(options, entropy),
            copula: self.copula(options, entropy),
        })
    }

    fn votes(&self, options: usize, entropy: f64) -> Estimate {
        let vote = |u: &[f32]| argmax(&wide(u));
        // Beyond this no rows would support more.
        let members = self.members.len().min(24);
        let along: Vec<Vec<usize>> = (0..members)
            .map(|m| self.logits.iter().map(|row| vote(&row[m])).collect())
            .collect();
        let sums = self.kinds(options);
        let kinds: Vec<Vec<usize>> = (0..self.kinds_there().len())
            .map(|kind| sums.iter().map(|row| vote(&row[kind])).collect())
            .collect();
        let kinds = votes::terms(&kinds, &self.answers, options);
        let curve = votes::curve(&along, &self.answers, options);
        self.estimate(
            options,
            entropy,
            kinds.map_err(|refusal| refusal.to_string()),
            curve.map_err(|refusal| refusal.to_string()),
        )
    }

    fn copula(&self, options: usize, entropy: f64) -> Estimate {
        let sums = self.kinds(options);
        let of_kind = |kind: usize, row: usize| &sums[row][kind][..];
        let of_member = |member: usize, row: usize| &self.logits[row][member][..];
        let kinds = copula::terms(self.kinds_there().len(), &of_kind, &self.answers, options);
        let curve = copula::curve(self.members.len(), &of_member, &self.answers, options);
        let curve = curve.map_err(|refusal| refusal.to_string());
        self.estimate(options, entropy, kinds, curve)
    }

    /// The kinds of the model's members.
    fn kinds_there(&self) -> &'static [Kind] {
        let all = &[Kind::Embedding, Kind::Attention, Kind::Mlp, Kind::Bias];
        let has_bias = self.members.iter().any(|m| m.kind == Kind::Bias);
        if has_bias { all } else { &all[..3] }
    }

    /// `[N][3 or 4][K]` every row's embedding, attention and MLP, and the bias where there is one.
    fn kinds(&self, options: usize) -> Vec<Vec<Vec<f32>>> {
        let sum = |row: &Vec<Vec<f32>>| {
            let kinds = self.kinds_there().iter();
            kinds
                .map(|&kind| {
                    let mut sum = vec![0.0_f32; options];
                    let of_kind = self.members.iter().zip(row);
                    for (_, u) in of_kind.filter(|(member, _)| member.kind == kind) {
                        sum.iter_mut().zip(u).for_each(|(sum, x)| *sum += x);
                    }
                    sum
                })
                .collect()
        };
        self.logits.iter().map(sum).collect()
    }

    fn estimate(
        &self,
        options: usize,
        entropy: f64,
        kinds: Result<Terms, String>,
        curve: Result<Curve, String>,
    ) -> Estimate {
        let error = |members: usize| self.wrong[members - 1] as f64 / self.answers.len() as f64;
        let point = |terms: &Terms, error: f64| {
            let bounds = Bounds::of(entropy, terms.joint, options);
            Point {
                members: terms.members,
                relevancy: terms.relevancy,
                redundancy: terms.redundancy,
                conditional_redundancy: terms.conditional_redundancy,
                joint: terms.joint,
                bounds,
                error,
                breaks: bounds.broken_by(error).map(str::to_string),
            }
        };
        let (kinds, kinds_refused) = match kinds {
            Ok(terms) => (Some(point(&terms, error(self.members.len()))), None),
            Err(why) => (None, Some(why)),
        };
        let (curve, stopped) = match curve {
            Ok(curve) => {
                let points = curve.points.iter();
                let points = points.map(|terms| point(terms, error(terms.members)));
                (points.collect(), curve.stopped)
            }
            Err(why) => (Vec::new(), Some(why)),
        };
        Estimate {
            kinds,
            kinds_refused,
            curve,
            stopped,
        }
    }
}

fn wide(u: &[f32]) -> Vec<f64> {
    u.iter().map(|&x| f64::from(x)).collect()
}
