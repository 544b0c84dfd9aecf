//! Claims about the shape of an order of the middle blocks (docs/smollm2.md, P10 and P14).

use std::collections::BTreeSet;

use atelier::measure::correlation::{CorrelationKind, fisher_mean, over_groups, spearman};
use atelier::measure::interval::{Mean, Resamples};
use atelier::plan::Plan;

use super::painters::{RESAMPLES, TaskOrders, weighted};
use super::verdict::{Found, Verdict, needed, spelled};

/// Fewest orders of one size whose ranks say something.
const MIN_ORDERS: usize = 6;

/// Fewest sizes, or numbers of blocks, over which a claim is judged.
const MIN_SIZES: usize = 3;

/// The claims that these tasks' sweeps can speak to.
pub fn claims(tasks: &[TaskOrders]) -> Vec<Found> {
    let found = tasks.iter().flat_map(|task| [kept_pairs(task), rounds(task)]);
    found.flatten().collect()
}

/// Fewest blocks in parallel that are judged.
const MIN_BLOCKS: usize = 3;

/// Several orders of one size: how much of the original order each keeps, and its mean ln P.
struct SizeOrders {
    s: usize,
    taus: Vec<f64>,
    log_likelihoods: Vec<f64>,
}

/// Kendall's tau of shuffles and the reversal against ln P, size by size.
fn kept_pairs(task: &TaskOrders) -> Option<Found> {
    let sizes: Vec<SizeOrders> = (0..task.blocks() / 2)
        .rev()
        .filter_map(|s| size_orders(task, s))
        .filter(|size| size.taus.len() >= MIN_ORDERS)
        .collect();
    if sizes.len() < MIN_SIZES {
        return None;
    }

    // The mean of Spearman's over sizes, with the interval of the sizes' own coefficients.
    let coefficients = sizes.iter().filter_map(|size| {
        let found = spearman(&size.taus, &size.log_likelihoods)?;
        Some((size.s, found.r, found.n))
    });
    let coefficients: Vec<(usize, f64, usize)> = coefficients.collect();
    let mean = fisher_mean(&coefficients.iter().map(|(_, r, n)| (*r, *n)).collect::<Vec<_>>())?;
    let groups: Vec<[&[f64]; 2]> =
        sizes.iter().map(|size| [&size.taus[..], &size.log_likelihoods[..]]).collect();
    let test = over_groups(CorrelationKind::Spearman, &groups)?.test?;
    let mean = Mean { mean, low: test.low, high: test.high };

    let verdict = Verdict::above(mean, 0.0);
    let lines: Vec<String> =
        coefficients.iter().map(|(s, r, n)| format!("s = {s}: {r:.2} of {n} orders")).collect();
    Some(Found {
        claim: "P10",
        text: "the more of the order stays, the less is lost",
        found: format!("Spearman's {} ({})", spelled(mean, 2), lines.join(", ")),
        rows: task.rows_in_words(),
        verdict,
        decides: needed(verdict, mean, 0.0, coefficients.len(), "sizes"),
    })
}

/// Returns the shuffles and the reversal with `s` blocks kept at each end, each plan once.
fn size_orders(task: &TaskOrders, s: usize) -> Option<SizeOrders> {
    let is_of_size = |name: &str| {
        let rest = name.strip_prefix("shuffle:").or_else(|| name.strip_prefix("reverse:"));
        rest.and_then(|rest| rest.split(':').next()) == Some(s.to_string().as_str())
    };
    let identity: Vec<usize> = (0..task.blocks()).collect();
    // Seeds of a small middle give one order more than once.
    let mut plans = BTreeSet::new();
    let variants = task.orders().variants.iter();
    let variants =
        variants.filter(|variant| is_of_size(&variant.name) && plans.insert(&variant.plan));

    let numbers = variants.map(|variant| {
        let plan = Plan::parse(&variant.plan, &identity).ok()?;
        let middle: Vec<usize> = plan.block_runs().map(|run| run.index).collect();
        let middle = middle.get(s + 1..task.blocks() - s)?;
        let log_likelihood = variant.measures.log_likelihood?;
        Some((tau(middle), log_likelihood.mean))
    });
    let (taus, log_likelihoods) = numbers.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(SizeOrders { s, taus, log_likelihoods })
}

/// Kendall's tau of an order of different blocks against their ascending order.
fn tau(order: &[usize]) -> f64 {
    let pairs = || (0..order.len()).flat_map(|i| (i + 1..order.len()).map(move |j| (i, j)));
    let ascending = pairs().filter(|(i, j)| order[*i] < order[*j]).count();
    2.0 * ascending as f64 / pairs().count() as f64 - 1.0
}

/// Blocks in parallel: ln P of every row by the number of rounds, from one.
struct Rounds {
    blocks: usize,
    /// `[rounds][rows]`
    log_likelihoods: Vec<Vec<f64>>,
}

impl Rounds {
    /// Returns the number of rounds with the largest mean ln P, where each row counts so often.
    fn best(&self, counts: &[f64]) -> usize {
        let means: Vec<f64> =
            self.log_likelihoods.iter().map(|rows| weighted(counts, rows)).collect();
        (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b])).map_or(0, |best| best + 1)
    }
}

/// The best number of rounds by the number of blocks in parallel: the slope of a straight line, rows resampled.
fn rounds(task: &TaskOrders) -> Option<Found> {
    let sizes = (0..task.blocks() / 2).rev();
    let all = sizes.filter_map(|s| {
        let orders = (1..).map_while(|round| {
            let name =
                if round == 1 { format!("parallel:{s}") } else { format!("loop:{s}:{round}") };
            Some(task.order(&[name])?.log_likelihood)
        });
        let log_likelihoods: Vec<Vec<f64>> = orders.collect();
        let blocks = (task.blocks() - 1).checked_sub(2 * s)?;
        Some(Rounds { blocks, log_likelihoods })
    });
    let all: Vec<Rounds> = all
        .filter(|rounds| rounds.blocks >= MIN_BLOCKS && rounds.log_likelihoods.len() >= MIN_ORDERS)
        .collect();
    if all.len() < MIN_SIZES {
        return None;
    }

    let rows = task.orders().rows;
    let slope = Resamples::new(rows, RESAMPLES, 0).statistic(|counts| {
        let points = all.iter().map(|rounds| (rounds.blocks as f64, rounds.best(counts) as f64));
        least_squares_slope(&points.collect::<Vec<_>>())
    });
    let once = vec![1.0; rows];
    let is_largest = all.iter().any(|rounds| rounds.best(&once) == rounds.log_likelihoods.len());
    let verdict = match Verdict::above(slope, 0.0) {
        // A larger number might be better still.
        Verdict::Holds if is_largest => Verdict::Open,
        verdict => verdict,
    };
    let lines = all.iter().map(|rounds| format!("{} blocks {}", rounds.blocks, rounds.best(&once)));
    Some(Found {
        claim: "P14",
        text: "the best number of rounds grows with the number of blocks",
        found: format!(
            "slope {} rounds per block; best: {}",
            spelled(slope, 2),
            lines.collect::<Vec<_>>().join(", ")
        ),
        rows: task.rows_in_words(),
        verdict,
        decides: needed(verdict, slope, 0.0, rows, "rows"),
    })
}

/// Returns the slope of the straight line through these points (x, y), by least squares.
fn least_squares_slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x).sum::<f64>() / n;
    let mean_y = points.iter().map(|(_, y)| y).sum::<f64>() / n;
    let covariance: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let variance: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tau_is_1_of_the_original_order_and_less_1_of_the_reversed() {
        assert_eq!([tau(&[3, 4, 5]), tau(&[5, 4, 3])], [1.0, -1.0]);
        // Two of three pairs keep their order.
        assert!((tau(&[3, 5, 4]) - 1.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_best_round_is_that_of_the_rows_that_count() {
        let rounds =
            Rounds { blocks: 3, log_likelihoods: vec![vec![-1.0, -5.0], vec![-4.0, -1.0]] };
        assert_eq!([rounds.best(&[1.0, 0.0]), rounds.best(&[1.0, 1.0])], [1, 2]);
        assert_eq!(least_squares_slope(&[(3.0, 1.0), (5.0, 2.0), (7.0, 3.0)]), 0.5);
    }
}
