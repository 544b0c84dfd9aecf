//! Bias, diversity and MSE of members (Krogh & Vedelsby 1994; *Diversity of Transformer Layers*,
//! Theorem 1, Eqs. 7-10 and 14), in three columns that are never mixed. The logits' column falls into
//! two parts, exactly: the centred logits, and the offset that no probability sees.

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
    /// The share of the constant term, which no branch wrote; left out where a model has none.
    #[serde(default, skip_serializing_if = "Share::is_none")]
    pub bias: Share,
}

impl Triple {
    /// Adds another row's numbers.
    pub fn add(&mut self, row: &Self) {
        self.mse += row.mse;
        self.bias += row.bias;
        self.diversity += row.diversity;
    }

    /// Multiplies each number.
    pub fn scale(&mut self, factor: f64) {
        self.mse *= factor;
        self.bias *= factor;
        self.diversity *= factor;
    }

    /// `[mse, bias, diversity]`
    pub fn numbers(&self) -> [f64; 3] {
        [self.mse, self.bias, self.diversity]
    }
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ColumnNumbers {
    #[serde(flatten)]
    pub total: Triple,
    pub by_kind: ByKind,
    /// `[M]` `mean_k (t - p_i)²`
    pub member_bias: Vec<f64>,
    /// `[M]` `mean_k (p̄ - p_i)²`
    pub member_diversity: Vec<f64>,
}

impl ColumnNumbers {
    /// Numbers that are 0, of so many members.
    pub fn empty(members: usize) -> Self {
        Self {
            total: Triple::default(),
            by_kind: ByKind::default(),
            member_bias: vec![0.0; members],
            member_diversity: vec![0.0; members],
        }
    }

    /// Adds another row's numbers of the same members.
    pub fn add(&mut self, row: &Self) {
        self.total.add(&row.total);
        for (kind, share) in row.by_kind.shares() {
            let sum = self.by_kind.of_mut(kind);
            sum.count = share.count;
            sum.bias += share.bias;
            sum.diversity += share.diversity;
        }
        let biases = self.member_bias.iter_mut().zip(&row.member_bias);
        let diversities = self.member_diversity.iter_mut().zip(&row.member_diversity);
        for (sum, x) in biases.chain(diversities) {
            *sum += x;
        }
    }

    /// Multiplies each number.
    pub fn scale(&mut self, factor: f64) {
        self.total.scale(factor);
        let ByKind { embedding, attention, mlp, bias } = &mut self.by_kind;
        for share in [embedding, attention, mlp, bias] {
            share.bias *= factor;
            share.diversity *= factor;
        }
        for x in self.member_bias.iter_mut().chain(&mut self.member_diversity) {
            *x *= factor;
        }
    }
}

/// The column of the members' mean logits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offset {
    #[serde(flatten)]
    pub column: ColumnNumbers,
    /// `[M]` `m_i = mean_k u_ik`
    pub members: Vec<f64>,
}

/// The three numbers in every column. `logit = centred + offset`, number by number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Triples {
    pub paper: Triple,
    pub probability: Triple,
    pub logit: Triple,
    pub centred: Triple,
    pub offset: Triple,
}

impl Triples {
    /// Adds another row's numbers.
    pub fn add(&mut self, row: &Self) {
        self.paper.add(&row.paper);
        self.probability.add(&row.probability);
        self.logit.add(&row.logit);
        self.centred.add(&row.centred);
        self.offset.add(&row.offset);
    }

    /// Multiplies each number.
    pub fn scale(&mut self, factor: f64) {
        let Self { paper, probability, logit, centred, offset } = self;
        for triple in [paper, probability, logit, centred, offset] {
            triple.scale(factor);
        }
    }
}

/// The columns that have numbers of every member and kind. `logit = centred + offset`, number by number.
#[derive(Clone, Copy, Debug)]
pub struct DecomposedColumns<'a> {
    pub probability: &'a ColumnNumbers,
    pub logit: &'a ColumnNumbers,
    pub centred: &'a ColumnNumbers,
    pub offset: &'a ColumnNumbers,
}

/// Numbers over the first `members` members (a "junction point").
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Depth {
    pub members: usize,
    /// `[K]` sum of the first members' logits
    pub logits: Vec<f64>,
    #[serde(flatten)]
    pub triples: Triples,
    /// Whether the argmax of the partial sum is the right answer.
    pub correct: bool,
}

/// Everything of docs/definitions.md, section 3 for one trace and one right answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Decomposition {
    /// `max_k |sum_i u_ik - logits_k|`: the residue of the identity the whole picture rests on.
    pub sum_error: f64,
    /// `mean_k (t - softmax(logits)_k)²`: the error of the model's shares among the options.
    pub share_error: f64,
    /// Points are `softmax(u_i)`.
    pub probability: ColumnNumbers,
    /// Points are `u_i`; the target is still one-hot.
    pub logit: ColumnNumbers,
    /// Points are `u_i - m_i`, the target `t - mean_k t`: the logits without each member's mean over the
    /// options, which moves no probability.
    pub centred: ColumnNumbers,
    /// Points are `m_i`, the target `mean_k t`.
    pub offset: Offset,
    /// The paper's mix: mse and bias by its Eq. 14 (softmax of the mean logits), diversity by Eq. 8 on raw
    /// logits. The three do not form one identity.
    pub paper: Triple,
    pub by_depth: Vec<Depth>,
}

impl Decomposition {
    /// The whole run's numbers.
    pub fn triples(&self) -> Triples {
        Triples {
            paper: self.paper,
            probability: self.probability.total,
            logit: self.logit.total,
            centred: self.centred.total,
            offset: self.offset.column.total,
        }
    }

    /// Members and kinds in every column.
    pub fn columns(&self) -> DecomposedColumns<'_> {
        DecomposedColumns {
            probability: &self.probability,
            logit: &self.logit,
            centred: &self.centred,
            offset: &self.offset.column,
        }
    }
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
    // 1. Points and targets of every column: u_i = c_i + m_i.
    let u: Points =
        member_logits.iter().map(|row| row.iter().map(|&x| f64::from(x)).collect()).collect();
    let p: Points = u.iter().map(|row| softmax(row)).collect();
    let m: Points = u.iter().map(|row| vec![average(row)]).collect();
    let c: Points = u.iter().map(|row| less(row, average(row))).collect();
    let target = one_hot(logits.len(), answer);
    let target_mean = [average(&target)];
    let target_centred = less(&target, target_mean[0]);

    // 2. The same numbers over the first n members.
    let mut by_depth = Vec::with_capacity(u.len());
    for n in 1..=u.len() {
        let sum = scaled_sum(&u[..n], 1.0);
        by_depth.push(Depth {
            members: n,
            correct: argmax(&sum) == answer,
            logits: sum,
            triples: Triples {
                paper: paper(&u[..n], &p[..n], &target),
                probability: triple(&p[..n], &target),
                logit: triple(&u[..n], &target),
                centred: triple(&c[..n], &target_centred),
                offset: triple(&m[..n], &target_mean),
            },
        });
    }

    // 3. The sum of all, beside what the model itself computes.
    let sum = scaled_sum(&u, 1.0);
    let own: Vec<f64> = logits.iter().map(|&x| f64::from(x)).collect();
    let sum_error = sum.iter().zip(&own).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);

    Decomposition {
        sum_error,
        share_error: mean_square(&softmax(&own), &target),
        probability: column(members, &p, &target),
        logit: column(members, &u, &target),
        centred: column(members, &c, &target_centred),
        offset: Offset {
            column: column(members, &m, &target_mean),
            members: m.iter().flatten().copied().collect(),
        },
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

/// The logit difference of option `answer`: its value less the mean of the others'. Net votes add up to it.
pub fn logit_difference<T: Copy + Into<f64>>(x: &[T], answer: usize) -> f64 {
    let others = x.len().saturating_sub(1).max(1) as f64;
    let sum: f64 = x.iter().map(|&x| x.into()).sum();
    let right = x[answer].into();
    right - (sum - right) / others
}

/// The margin of option `answer`: its value less the largest of the others'. Above 0 it is the answer.
pub fn margin<T: Copy + Into<f64>>(x: &[T], answer: usize) -> f64 {
    let others = x.iter().enumerate().filter(|(k, _)| *k != answer);
    x[answer].into() - others.map(|(_, &x)| x.into()).fold(f64::NEG_INFINITY, f64::max)
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

pub(super) fn average(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len() as f64
}

fn less(x: &[f64], mean: f64) -> Vec<f64> {
    x.iter().map(|x| x - mean).collect()
}

fn mean_square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / a.len() as f64
}

fn one_hot(k: usize, answer: usize) -> Vec<f64> {
    (0..k).map(|i| if i == answer { 1.0 } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    /// A run of random-llama3: the embedding and six blocks.
    fn golden() -> (Value, Decomposition) {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/golden/vocabulary/random-llama3.json");
        let text = std::fs::read_to_string(path).expect("the golden file");
        let golden: Value = serde_json::from_str(&text).expect("a golden");
        let plan = golden["plans"][0].clone();
        let blocks = (0..6).flat_map(|block| {
            [MemberKind::Attention, MemberKind::Mlp].map(|kind| Member { kind, block: Some(block) })
        });
        let embedding = Member { kind: MemberKind::Embedding, block: None };
        let members: Vec<Member> = std::iter::once(embedding).chain(blocks).collect();
        let votes: Vec<Vec<f32>> = read(&plan["member_logits"]);
        let logits: Vec<f32> = read(&plan["option_logits"]);
        let found = decompose(&members, &votes, &logits, read(&golden["answer"]));
        (plan, found)
    }

    fn read<T: serde::de::DeserializeOwned>(value: &Value) -> T {
        serde_json::from_value(value.clone()).expect("a value of the golden file")
    }

    /// Every number of `golden` stands in `found`, under the same name.
    fn holds(golden: &Value, found: &Value, name: &str) {
        match golden {
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(field, x)| holds(x, &found[field], &format!("{name}.{field}")));
            }
            Value::Array(items) => {
                assert_eq!(Some(items.len()), found.as_array().map(Vec::len), "{name}");
                let pairs = items.iter().zip(found.as_array().into_iter().flatten());
                pairs.for_each(|(golden, found)| holds(golden, found, name));
            }
            golden => {
                let [golden, found] = [golden, found].map(|x| x.as_f64().unwrap_or(f64::NAN));
                assert!((golden - found).abs() < 1e-6, "{name}: {found} for {golden}");
            }
        }
    }

    #[test]
    fn both_parts_of_the_logits_are_the_goldens() {
        let (golden, found) = golden();
        let found = serde_json::to_value(&found).expect("JSON");
        for part in ["centred", "offset", "by_depth", "share_error"] {
            holds(&golden[part], &found[part], part);
        }
    }

    #[test]
    fn whole_logits_are_the_sum_of_their_parts_everywhere() {
        let (_, found) = golden();
        let close =
            |whole: f64, a: f64, b: f64| assert!((whole - (a + b)).abs() < 1e-12, "{whole}");
        let triples = found.by_depth.iter().map(|depth| depth.triples).chain([found.triples()]);
        for Triples { logit, centred, offset, .. } in triples {
            for part in 0..3 {
                close(logit.numbers()[part], centred.numbers()[part], offset.numbers()[part]);
            }
        }
        let DecomposedColumns { logit, centred, offset, .. } = found.columns();
        for i in 0..logit.member_bias.len() {
            close(logit.member_bias[i], centred.member_bias[i], offset.member_bias[i]);
            let diversity = |column: &ColumnNumbers| column.member_diversity[i];
            close(diversity(logit), diversity(centred), diversity(offset));
        }
        let kinds = logit.by_kind.shares().zip(centred.by_kind.shares());
        for (((_, whole), (_, centred)), (_, offset)) in kinds.zip(offset.by_kind.shares()) {
            close(whole.bias, centred.bias, offset.bias);
            close(whole.diversity, centred.diversity, offset.diversity);
        }
    }

    #[test]
    fn what_all_options_share_moves_the_offset_alone() {
        let members =
            [MemberKind::Embedding, MemberKind::Mlp].map(|kind| Member { kind, block: None });
        let votes = [vec![0.5, -1.0, 2.0], vec![1.0, 0.25, -0.75]];
        let lifted = [vec![0.5, -1.0, 2.0], vec![9.0, 8.25, 7.25]];
        let [before, after] =
            [votes, lifted].map(|votes| decompose(&members, &votes, &[0.0; 3], 1));
        assert!((before.centred.total.diversity - after.centred.total.diversity).abs() < 1e-12);
        assert!((before.probability.total.mse - after.probability.total.mse).abs() < 1e-12);
        assert!(after.offset.column.total.diversity > 10.0 + before.offset.column.total.diversity);
        assert!((after.offset.members[1] - 8.0 - before.offset.members[1]).abs() < 1e-12);
    }
}
