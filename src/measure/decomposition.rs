//! Bias, diversity and MSE of members (Krogh & Vedelsby 1994; *Diversity of Transformer Layers*,
//! Theorem 1, Eqs. 7-10 and 14), in three columns that are never mixed.

use serde::{Deserialize, Serialize};

use crate::engine::{Member, MemberKind};

/// `mse = mean_k (t - p̄)²`, `bias = mean_i mean_k (t - p_i)²`, `diversity = mean_i mean_k (p̄ - p_i)²`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Triple {
    pub mse: f64,
    pub bias: f64,
    pub diversity: f64,
}

/// A kind's share: summed over its `count` members, divided by M. The shares add to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub count: usize,
    pub bias: f64,
    pub diversity: f64,
}

/// Shares of the kinds (Eqs. 9 and 10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ByKind {
    pub embedding: Share,
    pub attention: Share,
    pub mlp: Share,
    /// Of the constants that no branch wrote; left out where a model has none.
    #[serde(default, skip_serializing_if = "Share::is_none")]
    pub bias: Share,
}

impl Share {
    fn is_none(&self) -> bool {
        self.count == 0
    }
}

impl ByKind {
    /// The shares of the kinds that there are, in order.
    pub fn shares(&self) -> impl Iterator<Item = (MemberKind, Share)> {
        let all = [
            (MemberKind::Embedding, self.embedding),
            (MemberKind::Attention, self.attention),
            (MemberKind::Mlp, self.mlp),
            (MemberKind::Bias, self.bias),
        ];
        let is_there =
            |(kind, share): &(MemberKind, Share)| *kind != MemberKind::Bias || !share.is_none();
        all.into_iter().filter(is_there)
    }

    /// The share of a kind, to add to.
    pub fn of_mut(&mut self, kind: MemberKind) -> &mut Share {
        match kind {
            MemberKind::Embedding => &mut self.embedding,
            MemberKind::Attention => &mut self.attention,
            MemberKind::Mlp => &mut self.mlp,
            MemberKind::Bias => &mut self.bias,
        }
    }
}

/// One column in which the identity `mse = bias - diversity` holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ColumnNumbers {
    #[serde(flatten)]
    pub total: Triple,
    pub by_kind: ByKind,
    /// `[M]` `mean_k (t - p_i)²`
    pub member_bias: Vec<f64>,
    /// `[M]` `mean_k (p̄ - p_i)²`
    pub member_diversity: Vec<f64>,
}

/// The same numbers over the first `members` members (a "junction point").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    pub members: usize,
    /// `[K]` sum of the first members' logits
    pub logits: Vec<f64>,
    pub paper: Triple,
    pub probability: Triple,
    pub logit: Triple,
    /// Is the argmax of the partial sum the right answer?
    pub correct: bool,
}

/// Everything of docs/definitions.md, section 3 for one trace and one right answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Decomposition {
    /// `max_k |sum_i u_ik - logits_k|`: the residue of the identity the whole picture rests on.
    pub sum_error: f64,
    /// Points are `softmax(u_i)`.
    pub probability: ColumnNumbers,
    /// Points are `u_i`; the target is still one-hot.
    pub logit: ColumnNumbers,
    /// What the paper prints: mse and bias by its Eq. 14 (softmax of the mean logits), diversity by
    /// Eq. 8 on raw logits. Not one identity.
    pub paper: Triple,
    pub by_depth: Vec<Depth>,
}

/// The points of one column: `[M][K]`.
type Points = Vec<Vec<f64>>;

/// Decomposes `member_logits` `[M][K]` against a one-hot target on option `answer`.
///
/// # Panics
/// If `member_logits` is empty, its rows differ in length from `logits`, or `answer >= K`: the
/// engine and the prompt's own checks make these impossible.
pub fn decompose(
    members: &[Member],
    member_logits: &[Vec<f32>],
    logits: &[f32],
    answer: usize,
) -> Decomposition {
    assert_eq!(members.len(), member_logits.len(), "one row of logits a member");
    assert!(answer < logits.len(), "answer {answer} of {} options", logits.len());
    let u: Points =
        member_logits.iter().map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
    let p: Points = u.iter().map(|row| softmax(row)).collect();
    let target = one_hot(logits.len(), answer);

    let mut by_depth = Vec::with_capacity(u.len());
    for n in 1..=u.len() {
        let sum = scaled_sum(&u[..n], 1.0);
        by_depth.push(Depth {
            members: n,
            correct: argmax(&sum) == answer,
            logits: sum,
            paper: paper(&u[..n], &p[..n], &target),
            probability: triple(&p[..n], &target),
            logit: triple(&u[..n], &target),
        });
    }
    let sum = scaled_sum(&u, 1.0);
    let sum_error =
        sum.iter().zip(logits).map(|(a, &b)| (a - f64::from(b)).abs()).fold(0.0, f64::max);
    Decomposition {
        sum_error,
        probability: column(members, &p, &target),
        logit: column(members, &u, &target),
        paper: paper(&u, &p, &target),
        by_depth,
    }
}

/// Softmax in f64, shifted by the maximum.
pub fn softmax(x: &[f64]) -> Vec<f64> {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exp: Vec<f64> = x.iter().map(|v| (v - max).exp()).collect();
    let sum: f64 = exp.iter().sum();
    exp.iter().map(|e| e / sum).collect()
}

/// Index of the largest value; the first of equals.
pub fn argmax(x: &[f64]) -> usize {
    (1..x.len()).fold(0, |best, i| if x[i] > x[best] { i } else { best })
}

/// The lead of option `answer`: its value less the mean of the others'.
pub fn lead<T: Copy + Into<f64>>(x: &[T], answer: usize) -> f64 {
    let others = x.len().saturating_sub(1).max(1) as f64;
    let sum: f64 = x.iter().map(|&x| x.into()).sum();
    let right = x[answer].into();
    right - (sum - right) / others
}

/// MSE of the uniform distribution over K options, `(K-1)/K²`: the constant that the paper's column
/// sits next to, because Eq. 14 divides the logits by M.
pub fn uniform_mse(options: usize) -> f64 {
    let k = options as f64;
    (k - 1.0) / (k * k)
}

fn column(members: &[Member], points: &Points, target: &[f64]) -> ColumnNumbers {
    let mean = mean(points);
    let member_bias: Vec<f64> = points.iter().map(|p| mean_square(p, target)).collect();
    let member_diversity: Vec<f64> = points.iter().map(|p| mean_square(p, &mean)).collect();
    let m = points.len() as f64;
    let mut by_kind = ByKind::default();
    for (i, member) in members.iter().enumerate() {
        let share = by_kind.of_mut(member.kind);
        share.count += 1;
        share.bias += member_bias[i] / m;
        share.diversity += member_diversity[i] / m;
    }
    ColumnNumbers { total: triple(points, target), by_kind, member_bias, member_diversity }
}

fn triple(points: &[Vec<f64>], target: &[f64]) -> Triple {
    let m = points.len() as f64;
    let mean = mean(points);
    Triple {
        mse: mean_square(&mean, target),
        bias: points.iter().map(|p| mean_square(p, target)).sum::<f64>() / m,
        diversity: points.iter().map(|p| mean_square(p, &mean)).sum::<f64>() / m,
    }
}

/// Eq. 14 (mse and bias in probabilities, the ensemble being `softmax(ū)`) beside Eq. 8's
/// diversity in raw logits, as the paper's Table 1 prints them.
fn paper(u: &[Vec<f64>], p: &[Vec<f64>], target: &[f64]) -> Triple {
    Triple {
        mse: mean_square(&softmax(&mean(u)), target),
        bias: triple(p, target).bias,
        diversity: triple(u, target).diversity,
    }
}

fn mean(points: &[Vec<f64>]) -> Vec<f64> {
    scaled_sum(points, 1.0 / points.len() as f64)
}

fn scaled_sum(points: &[Vec<f64>], scale: f64) -> Vec<f64> {
    (0..points[0].len()).map(|k| points.iter().map(|p| p[k]).sum::<f64>() * scale).collect()
}

fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64
}

fn one_hot(k: usize, answer: usize) -> Vec<f64> {
    (0..k).map(|i| if i == answer { 1.0 } else { 0.0 }).collect()
}
