//! Claims about the shape of an order of the middle blocks (docs/smollm2.md, P10 and P14).

use std::collections::BTreeSet;

use atelier::measure::correlation::{CorrelationKind, spearman};
use atelier::measure::interval::Mean;
use atelier::plan::Plan;

use super::painters::TaskOrders;
use super::stream::mean_correlation;
use super::verdict::{Judgement, Verdict, joined, resamples, sizes, slope, spelled, weighted};

/// Fewest orders of one size whose ranks say something.
const MIN_ORDERS: usize = 6;

/// Fewest sizes, or numbers of blocks, over which a claim is judged.
const MIN_SIZES: usize = 3;

/// Fewest blocks in parallel that are judged.
const MIN_BLOCKS: usize = 3;

/// Kendall's tau of shuffles and the reversal against ln P, size by size.
pub fn kept_pairs(task: &TaskOrders) -> Option<Judgement> {
    let sizes_of_middle = (0..task.blocks() / 2).rev();
    let orders = sizes_of_middle.filter_map(|s| Some((s, taus_and_log_likelihoods(task, s)?)));
    let (sizes_there, groups): (Vec<usize>, Vec<[Vec<f64>; 2]>) =
        orders.filter(|(_, [taus, _])| taus.len() >= MIN_ORDERS).unzip();
    if groups.len() < MIN_SIZES {
        return None;
    }

    // The mean of Spearman's over sizes, with the interval of the sizes' own coefficients.
    let mean = mean_correlation(CorrelationKind::Spearman, &groups).filter(Mean::has_interval)?;
    let each = sizes_there.iter().zip(&groups);
    let lines: Vec<String> = each
        .filter_map(|(s, [taus, log_likelihoods])| {
            let found = spearman(taus, log_likelihoods)?;
            Some(format!("s = {s}: {:.2} of {} orders", found.r, found.n))
        })
        .collect();
    let found = format!("Spearman's {} ({})", spelled(mean, 2), lines.join(", "));
    Some(Judgement::above(mean, 0.0, found, sizes([task.size()]), (lines.len(), "sizes")))
}

/// Returns how much of the original order the shuffles and the reversal with `s` blocks at each end keep, each plan
/// once, and their mean ln P.
fn taus_and_log_likelihoods(task: &TaskOrders, s: usize) -> Option<[Vec<f64>; 2]> {
    let is_of_size = |name: &str| {
        let rest = name.strip_prefix("shuffle:").or_else(|| name.strip_prefix("reverse:"));
        rest.and_then(|rest| rest.split(':').next()) == Some(s.to_string().as_str())
    };
    let identity: Vec<usize> = (0..task.blocks()).collect();
    // Seeds of a small middle give one order more than once.
    let mut plans = BTreeSet::new();
    let variants = task.0.variants.iter();
    let variants =
        variants.filter(|variant| is_of_size(&variant.name) && plans.insert(&variant.plan));

    let numbers = variants.map(|variant| {
        let plan = Plan::parse(&variant.plan, &identity).ok()?;
        let middle: Vec<usize> = plan.block_runs().map(|run| run.index).collect();
        let middle = middle.get(s + 1..task.blocks() - s)?;
        Some((tau(middle), variant.measures.log_likelihood?.mean))
    });
    let (taus, log_likelihoods) = numbers.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some([taus, log_likelihoods])
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
    /// Reads the rounds with `s` blocks at each end.
    fn of(task: &TaskOrders, s: usize) -> Option<Self> {
        let orders = (1..).map_while(|round| {
            let name =
                if round == 1 { format!("parallel:{s}") } else { format!("loop:{s}:{round}") };
            Some(task.order(&name)?.log_likelihood)
        });
        let log_likelihoods = orders.collect();
        Some(Self { blocks: (task.blocks() - 1).checked_sub(2 * s)?, log_likelihoods })
    }

    /// Returns the number of rounds with the largest mean ln P, where each row counts so often.
    fn best(&self, counts: &[f64]) -> usize {
        let means: Vec<f64> =
            self.log_likelihoods.iter().map(|rows| weighted(counts, rows)).collect();
        (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b])).map_or(0, |best| best + 1)
    }
}

/// The best number of rounds by the number of blocks in parallel: the slope of a straight line, rows resampled.
pub fn rounds(task: &TaskOrders) -> Option<Judgement> {
    let all = (0..task.blocks() / 2).rev().filter_map(|s| Rounds::of(task, s));
    let all: Vec<Rounds> = all
        .filter(|rounds| rounds.blocks >= MIN_BLOCKS && rounds.log_likelihoods.len() >= MIN_ORDERS)
        .collect();
    if all.len() < MIN_SIZES {
        return None;
    }

    let rows = task.0.rows;
    let growth = resamples(rows).statistic(|counts| {
        let points = all.iter().map(|rounds| [rounds.blocks as f64, rounds.best(counts) as f64]);
        slope(&vec![1.0; all.len()], &points.collect::<Vec<_>>())
    });
    let once = vec![1.0; rows];
    let is_largest = all.iter().any(|rounds| rounds.best(&once) == rounds.log_likelihoods.len());
    let verdict = match Verdict::above(growth, 0.0) {
        // A larger number might be better still.
        Verdict::Holds if is_largest => Verdict::Open,
        verdict => verdict,
    };
    let lines = all.iter().map(|rounds| format!("{} blocks {}", rounds.blocks, rounds.best(&once)));
    let (growth_in_words, lines) = (spelled(growth, 2), joined(lines, ", "));
    let found = format!("slope {growth_in_words} rounds per block; best: {lines}");
    let judgement = Judgement::new(verdict, found, sizes([task.size()]));
    Some(judgement.or_needs(growth, 0.0, rows, "rows"))
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
    }
}
