//! From rows to means: every one with its interval, all from the same resamples; shares of right rows with
//! Wilson's, changes of them with Tango's.

use std::collections::BTreeMap;

use super::reading::Reading;
use super::result::{Measures, OrderRows, Orders, SweepPoint, Variant, VoteMeans};
use super::sweeping::Sweeping;
use super::{Order, Sweep};
use crate::measure::interval::{Resamples, paired_rows, wilson};
use crate::plan::Strategy;
use crate::study::Running;

/// Resamples of the bootstrap.
pub const RESAMPLES: usize = 1000;

impl Sweeping<'_> {
    /// Returns the numbers over the rows so far; `None` before the first chunk is through.
    pub fn orders(&self) -> Option<Orders> {
        (self.rows_done() > 0).then(|| summary(self, RESAMPLES))
    }

    /// Returns the numbers over the rows so far with rougher intervals, from a tenth of the resamples: for files
    /// written on the way.
    pub fn draft(&self) -> Option<Orders> {
        (self.rows_done() > 0).then(|| summary(self, RESAMPLES / 10))
    }
}

fn summary(sweeping: &Sweeping, resamples: usize) -> Orders {
    let rows = sweeping.rows_done();
    let choices: Vec<(usize, usize)> =
        sweeping.readings[..rows].iter().filter_map(|reading| reading.choice).collect();
    let share = |x: f64| if rows == 0 { 0.0 } else { x / rows as f64 };
    let mut counts = BTreeMap::new();
    for (answer, _) in &choices {
        *counts.entry(answer).or_insert(0usize) += 1;
    }
    let chance = share(choices.iter().map(|(_, of)| 1.0 / *of as f64).sum());
    let majority = share(counts.values().copied().max().unwrap_or(0) as f64);
    let answer_tokens = answer_tokens(&sweeping.readings[..rows]);
    let original = sweeping.rows[0].correct_shares();
    let bootstrap = Bootstrap {
        resamples: Resamples::new(rows, resamples, sweeping.seed),
        chance: chance.max(majority),
        original,
        answer_tokens: &answer_tokens,
    };
    let variant = |name: String, plan: String, rows: &OrderRows| Variant {
        name,
        plan,
        measures: bootstrap.measures(&[rows]),
        rows: rows.clone(),
    };
    let own = sweeping.own_plan();
    let variants: Vec<Variant> = sweeping
        .orders
        .iter()
        .zip(&sweeping.rows[1..])
        .map(|(order, rows)| variant(order.name.clone(), order.plan.to_string(), rows))
        .collect();
    let runs = sweeping.own_plan().block_runs().count();
    let points = points(&sweeping.orders, &variants, runs, &bootstrap);
    let original = variant("original".to_string(), own.to_string(), &sweeping.rows[0]);
    Orders {
        task: sweeping.task.clone(),
        score: sweeping.score,
        rows,
        rows_asked: sweeping.readings.len(),
        chance,
        majority,
        answer_tokens,
        resamples,
        seed: sweeping.seed,
        fingerprint: None,
        block_runs: sweeping.block_runs.0,
        block_runs_alone: sweeping.block_runs.1,
        original,
        variants,
        points,
        geometry: Vec::new(),
    }
}

/// The variants that are a sweep's, grouped where only the seed differs.
fn points(
    orders: &[Order],
    variants: &[Variant],
    runs: usize,
    bootstrap: &Bootstrap<'_>,
) -> Vec<SweepPoint> {
    // Sweep, place, and of a loop its rounds, of a head its number.
    let mut groups: BTreeMap<(Sweep, usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    for (i, order) in orders.iter().enumerate() {
        let Some(strategy) = order.strategy else {
            continue;
        };
        let (sweep, at) = Sweep::of(&strategy);
        let second = match strategy {
            Strategy::Loop { rounds, .. } => Some(rounds),
            Strategy::Head { head, .. } => Some(head),
            _ => None,
        };
        groups.entry((sweep, at, second)).or_default().push(i);
    }
    groups
        .into_iter()
        .map(|((sweep, at, second), of)| {
            let measures = if let [one] = of.as_slice() {
                variants[*one].measures
            } else {
                let rows: Vec<&OrderRows> = of.iter().map(|&i| &variants[i].rows).collect();
                bootstrap.measures(&rows)
            };
            let middle = match sweep {
                Sweep::Drop | Sweep::Swap | Sweep::Heads => None,
                _ => Some(runs.saturating_sub(2 * at + 1)),
            };
            SweepPoint {
                sweep,
                at,
                head: second.filter(|_| sweep == Sweep::Heads),
                rounds: second.filter(|_| sweep == Sweep::Loop),
                middle,
                variants: of,
                measures,
            }
        })
        .collect()
}

/// Tokens of each row's right answer; empty where each counts as one, as single tokens and last words do.
fn answer_tokens(readings: &[Reading]) -> Vec<usize> {
    let tokens: Vec<usize> = readings.iter().map(Reading::answer_tokens).collect();
    if tokens.iter().all(|&count| count == 1) { Vec::new() } else { tokens }
}

/// Inputs that all means of one sweep share.
struct Bootstrap<'a> {
    resamples: Resamples,
    /// The larger of 1 / K and the majority class.
    chance: f64,
    /// 1 where the model's own order is right, 0 elsewhere. [rows]
    original: Vec<f64>,
    /// As [`Orders::answer_tokens`].
    answer_tokens: &'a [usize],
}

impl Bootstrap<'_> {
    /// Computes the measures of one order, or of several whose rows are averaged first (the seeds of a shuffle).
    fn measures(&self, orders: &[&OrderRows]) -> Measures {
        let average = |of: &dyn Fn(&OrderRows) -> Vec<f64>| -> Vec<f64> {
            let mut sum = of(orders[0]);
            for rows in &orders[1..] {
                sum.iter_mut().zip(of(rows)).for_each(|(sum, x)| *sum += x);
            }
            sum.iter_mut().for_each(|sum| *sum /= orders.len() as f64);
            sum
        };
        let mean = |of: &dyn Fn(&OrderRows) -> Vec<f64>| self.resamples.mean(&average(of));
        let votes = |of: fn(&OrderRows) -> &Vec<[f64; 3]>| {
            let part = |i: usize| {
                mean(&|rows| of(rows).iter().map(|three| three[i]).collect()).not_negative()
            };
            VoteMeans { mse: part(0), bias: part(1), diversity: part(2) }
        };
        let correct = average(&OrderRows::correct_shares);
        let change: Vec<f64> =
            correct.iter().zip(&self.original).map(|(own, original)| own - original).collect();
        // The denominator is held at its value over all rows: it can pass through 0.
        let full = self.original.iter().sum::<f64>() / (self.original.len() as f64).max(1.0);
        let above = full - self.chance;
        let normalise = |x: f64| (x - self.chance) / above;
        let shares = |of: fn(&OrderRows) -> &Vec<bool>| {
            average(&|rows| of(rows).iter().copied().map(share).collect())
        };
        let kl = average(&|rows| rows.kl.clone());
        let first_word = shares(|rows| &rows.first_word);
        let likelihood = average(&|rows| rows.log_likelihood.clone());
        let per_token = per_token(&likelihood, self.answer_tokens);
        let per_byte = shares(|rows| &rows.correct_per_byte);
        let has = |list: &[f64]| !list.is_empty();
        let share_of = |values: &[f64]| {
            let rows = values.len();
            wilson(values.iter().sum::<f64>() / rows.max(1) as f64, rows)
        };
        let accuracy = share_of(&correct);
        Measures {
            accuracy,
            normalised: (above > 0.0).then(|| accuracy.map(normalise)),
            change: paired_rows(&change),
            margin: mean(&|rows| rows.margin.clone()),
            kl: has(&kl).then(|| self.resamples.mean(&kl).not_negative()),
            first_word: has(&first_word).then(|| share_of(&first_word)),
            probability: votes(|rows| &rows.probability),
            logit: votes(|rows| &rows.logit),
            centred: votes(|rows| &rows.centred),
            offset: votes(|rows| &rows.offset),
            paper: votes(|rows| &rows.paper),
            log_likelihood: has(&likelihood).then(|| self.resamples.mean(&likelihood)),
            accuracy_per_byte: has(&per_byte).then(|| share_of(&per_byte)),
            perplexity: has(&per_token)
                .then(|| self.resamples.map_of_mean(&per_token, |x| (-x).exp()))
                // Past every number ln P alone says how small it is.
                .filter(|found| found.mean < f64::MAX),
        }
    }
}

/// Log-probabilities of whole answers by token; no `tokens`: each counts as one.
pub fn per_token(log_likelihoods: &[f64], tokens: &[usize]) -> Vec<f64> {
    let tokens = tokens.iter().copied().chain(std::iter::repeat(1));
    log_likelihoods.iter().zip(tokens).map(|(sum, count)| sum / count as f64).collect()
}

fn share(right: bool) -> f64 {
    f64::from(u8::from(right))
}

impl OrderRows {
    /// 1 where right. [rows]
    fn correct_shares(&self) -> Vec<f64> {
        self.correct.iter().copied().map(share).collect()
    }
}
