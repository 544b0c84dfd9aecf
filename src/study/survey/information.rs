//! Terms of the theorems 4 to 8 over a task's rows, by both estimators.

use atelier_kernels::linear::rows::wide;
use rand_mt::Mt;
use serde::{Deserialize, Serialize};

use super::MeasuredRow;
use super::columns::read_curve;
use crate::engine::{Member, MemberKind};
use crate::measure::decomposition::{Decomposition, argmax};
use crate::measure::information::{Bounds, Curve, Terms, copula, votes};

/// Rows looked at together at most: all, or so many of them drawn with a fixed seed. What the
/// estimators need grows with the rows; this bounds it.
pub const INFORMATION_ROWS: usize = 5_000;

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
    /// The three kinds, each the sum of its members: embedding, attention, MLP.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<InformationPoint>,
    /// Why there is no such estimate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds_refused: Option<String>,
    /// The first 1, 2, … members along the stream; empty where even one is refused.
    #[serde(deserialize_with = "read_curve")]
    pub curve: Vec<InformationPoint>,
    /// Why the curve ends before the last member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
}

/// The terms of a group of members, beside the error of their sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InformationPoint {
    pub members: usize,
    /// `sum_i I(u_i; Y)`
    pub relevancy: f64,
    /// `TC(U)`
    pub redundancy: f64,
    /// `TC(U|Y)`
    pub conditional_redundancy: f64,
    /// `I(U;Y)`
    pub joint: f64,
    /// Bounds of the error rate (Eq. 12), from the estimate.
    pub bounds: Bounds,
    /// How often these members' sum is wrong on the same rows.
    pub error: f64,
    /// Which bound the error breaks: `lower` (then the estimate is too low), or `upper` (then it is
    /// too high, or the members' sum makes less of what they know than could be made).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaks: Option<String>,
}

/// Votes and logits of the rows looked at.
pub(super) struct Gathering<'a> {
    members: &'a [Member],
    rivals: bool,
    draw: Draw,
    answers: Vec<usize>,
    /// `[N][M][K]`
    logits: Vec<f32>,
    /// `[M]` how often the first n members are wrong.
    wrong: Vec<usize>,
    /// K, while all rows agree on it.
    options: Option<usize>,
    mixed: bool,
}

/// Which of rows that come one by one are taken, each with the same chance: exactly as many as are
/// wanted (selection sampling, Knuth's Algorithm S).
struct Draw {
    wanted: usize,
    left: usize,
    random: Mt,
}

impl Draw {
    fn new(wanted: usize, rows: usize) -> Self {
        Self { wanted, left: rows, random: Mt::new(0) }
    }

    fn takes_next(&mut self) -> bool {
        let taken = self.wanted >= self.left || {
            let draw = (u64::from(self.random.next_u32()) * self.left as u64) >> 32;
            draw < self.wanted as u64
        };
        let taken = taken && self.wanted > 0;
        self.wanted -= usize::from(taken);
        self.left = self.left.saturating_sub(1);
        taken
    }
}

impl<'a> Gathering<'a> {
    /// Gathers a task's `expected` rows.
    pub fn new(members: &'a [Member], rivals: bool, expected: usize) -> Self {
        Self {
            members,
            rivals,
            draw: Draw::new(INFORMATION_ROWS, expected),
            answers: Vec::new(),
            logits: Vec::new(),
            wrong: vec![0; members.len()],
            options: None,
            mixed: false,
        }
    }

    pub fn add(&mut self, row: &MeasuredRow, found: &Decomposition) {
        if self.rivals || self.mixed {
            return;
        }
        if *self.options.get_or_insert(row.options()) != row.options() {
            self.mixed = true;
            self.logits = Vec::new();
            return;
        }
        if !self.draw.takes_next() {
            return;
        }
        self.answers.push(row.answer);
        self.logits.extend_from_slice(&row.member_logits);
        for (wrong, depth) in self.wrong.iter_mut().zip(&found.by_depth) {
            *wrong += usize::from(!depth.correct);
        }
    }

    /// `[K]` a member's logits of a row.
    fn of(&self, member: usize, row: usize) -> &[f32] {
        let options = self.options.unwrap_or(0);
        &self.logits[(row * self.members.len() + member) * options..][..options]
    }

    /// Or why there is nothing to say.
    pub fn finish(self) -> Result<Information, String> {
        if self.rivals {
            return Err("members vote among the right token and its rivals, the right one always \
                        first, so there are no classes to tell apart"
                .into());
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
            .map(|m| {
                let rows = 0..self.answers.len();
                rows.map(|row| vote(self.of(m, row))).collect()
            })
            .collect();
        let sums = self.kinds(options);
        let kinds: Vec<Vec<usize>> = (0..3)
            .map(|kind| {
                let rows = sums.chunks(3 * options);
                rows.map(|row| vote(&row[kind * options..][..options])).collect()
            })
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
        let of_kind = |kind: usize, row: usize| &sums[(3 * row + kind) * options..][..options];
        let of_member = |member: usize, row: usize| self.of(member, row);
        let kinds = copula::terms(3, &of_kind, &self.answers, options);
        let curve = copula::curve(self.members.len(), &of_member, &self.answers, options);
        let curve = curve.map_err(|refusal| refusal.to_string());
        self.estimate(options, entropy, kinds, curve)
    }

    /// `[N][3][K]` every row's embedding, attention and MLP.
    fn kinds(&self, options: usize) -> Vec<f32> {
        let mut sums = vec![0.0_f32; self.answers.len() * 3 * options];
        for (row, sums) in sums.chunks_mut(3 * options).enumerate() {
            for (m, member) in self.members.iter().enumerate() {
                let kind = match member.kind {
                    MemberKind::Embedding => 0,
                    MemberKind::Attention => 1,
                    MemberKind::Mlp => 2,
                    // The same in every row with the same options: it tells nothing.
                    MemberKind::Bias => continue,
                };
                let sum = sums[kind * options..][..options].iter_mut();
                sum.zip(self.of(m, row)).for_each(|(sum, x)| *sum += x);
            }
        }
        sums
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
            InformationPoint {
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
        Estimate { kinds, kinds_refused, curve, stopped }
    }
}

#[cfg(test)]
mod tests {
    use super::Draw;

    #[test]
    fn a_draw_takes_as_many_as_are_wanted_from_everywhere() {
        let taken = |wanted, rows| -> Vec<usize> {
            let mut draw = Draw::new(wanted, rows);
            (0..rows).filter(|_| draw.takes_next()).collect()
        };
        assert_eq!(taken(10, 7), (0..7).collect::<Vec<_>>());
        assert_eq!(taken(7, 7), (0..7).collect::<Vec<_>>());
        let some = taken(500, 10_000);
        assert_eq!(some.len(), 500);
        assert_eq!(some, taken(500, 10_000));
        let first = some.iter().filter(|&&row| row < 5000).count();
        assert!((200..300).contains(&first), "{first} of the first half");
    }
}
