//! Means with bootstrap intervals (Efron 1979, the percentile method); shares of rows with Wilson's
//! (1927), since all resamples of rows that are all right, or all wrong, are the same.
//!
//! The rows of every resample are drawn once and used for every measure of every order, so that a
//! change between two orders is compared on the same rows (a paired bootstrap).

use rand_mt::Mt;
use serde::{Deserialize, Serialize};

/// A mean over rows and its 95 % percentile interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// Rows drawn with replacement: as many as there are rows, `count` times over.
///
/// A measure over no rows is all zeros: a report says beside it that 0 rows were done. Every number
/// of a [`Mean`] is finite, because JSON holds no other: an infinite one becomes the largest `f64`
/// of its sign. A resample in which a function has no value (NaN) is left out of the interval;
/// where the function has none on the rows themselves, all three numbers are 0.
#[derive(Clone, Debug)]
pub struct Resamples {
    rows: usize,
    count: usize,
    /// `[blocks][rows][LANES]` row indices: the draws of [`LANES`] resamples side by side, whose
    /// sums then do not wait for one another.
    drawn: Vec<u32>,
}

const LANES: usize = 8;

impl Resamples {
    /// Draws `count` resamples of `rows` rows with MT19937, seeded as CPython's `random.seed` does and
    /// so the same everywhere. A row is `floor(x * rows / 2^32)` for a 32-bit draw x; one row is more
    /// likely than another by at most rows / 2^32.
    pub fn new(rows: usize, count: usize, seed: u64) -> Resamples {
        // CPython's key: the seed's 32-bit digits, the upper one only where there is one.
        let (low, high) = (seed as u32, (seed >> 32) as u32);
        let mut random = Mt::new_with_key(std::iter::once(low).chain((high > 0).then_some(high)));
        let blocks = if rows == 0 { 0 } else { count.div_ceil(LANES) };
        let mut drawn = vec![0; blocks * rows * LANES];
        for resample in 0..if rows == 0 { 0 } else { count } {
            let block = &mut drawn[(resample / LANES) * rows * LANES..][..rows * LANES];
            for draw in 0..rows {
                let row = (u64::from(random.next_u32()) * rows as u64) >> 32;
                block[draw * LANES + resample % LANES] = row as u32;
            }
        }
        Resamples { rows, count, drawn }
    }

    /// Of a measure, one number a row.
    ///
    /// # Panics
    /// If `values` is neither `[rows]` nor empty.
    pub fn mean(&self, values: &[f64]) -> Mean {
        self.statistic(&[values], |means| means[0])
    }

    /// Of the rows for which something holds.
    ///
    /// # Panics
    /// If `holds` is neither `[rows]` nor empty.
    pub fn share(&self, holds: &[bool]) -> Mean {
        let values: Vec<f64> = holds.iter().map(|&is| f64::from(u8::from(is))).collect();
        self.mean(&values)
    }

    /// `f` of a measure's mean, such as a perplexity. `low <= high` whether `f` rises or falls.
    ///
    /// # Panics
    /// If `values` is neither `[rows]` nor empty.
    pub fn map_of_mean(&self, values: &[f64], f: impl Fn(f64) -> f64) -> Mean {
        self.statistic(&[values], |means| f(means[0]))
    }

    /// `f` of the means of several measures, `[columns]`, all taken on the same resample: a ratio,
    /// a score relative to another's.
    ///
    /// # Panics
    /// If a column is neither `[rows]` nor empty.
    pub fn statistic(&self, columns: &[&[f64]], f: impl Fn(&[f64]) -> f64) -> Mean {
        if columns.iter().any(|column| column.is_empty()) {
            return Mean::default();
        }
        for column in columns {
            assert_eq!(column.len(), self.rows, "one number a row");
        }
        let means: Vec<f64> =
            columns.iter().map(|column| column.iter().sum::<f64>() / self.rows as f64).collect();
        let mean = f(&means);
        if mean.is_nan() {
            return Mean::default();
        }
        let resampled: Vec<Vec<f64>> = columns.iter().map(|column| self.means(column)).collect();
        let mut row = vec![0.0; columns.len()];
        let mut values: Vec<f64> = (0..self.count)
            .map(|resample| {
                for (mean, column) in row.iter_mut().zip(&resampled) {
                    *mean = column[resample];
                }
                f(&row)
            })
            .filter(|value| !value.is_nan())
            .map(finite)
            .collect();
        values.sort_unstable_by(f64::total_cmp);
        let mean = finite(mean);
        Mean {
            mean,
            low: percentile(&values, 0.025).unwrap_or(mean),
            high: percentile(&values, 0.975).unwrap_or(mean),
        }
    }

    /// `[count]` the column's mean in every resample, each summed in the order of its draws.
    fn means(&self, column: &[f64]) -> Vec<f64> {
        let mut means = Vec::with_capacity(self.count + LANES);
        for block in self.drawn.chunks_exact(self.rows * LANES) {
            let mut sums = [0.0; LANES];
            for rows in block.chunks_exact(LANES) {
                for (sum, &row) in sums.iter_mut().zip(rows) {
                    *sum += column[row as usize];
                }
            }
            means.extend(sums.map(|sum| sum / self.rows as f64));
        }
        means.truncate(self.count);
        means
    }
}

/// A share of rows with Wilson's 95 % interval. A mean of shares, each between 0 and 1, varies no more
/// than a share does: for it the interval is rather too wide than too narrow.
pub fn wilson(share: f64, rows: usize) -> Mean {
    // Of the normal distribution, 97.5 % lie below.
    const Z: f64 = 1.959_963_984_540_054;
    if rows == 0 || !share.is_finite() {
        return Mean::default();
    }
    let share = share.clamp(0.0, 1.0);
    let each = Z * Z / rows as f64;
    let middle = (share + each / 2.0) / (1.0 + each);
    let reach = (share * (1.0 - share) * each + each * each / 4.0).sqrt() / (1.0 + each);
    Mean {
        mean: share,
        // Rounding must not put the share outside.
        low: (middle - reach).clamp(0.0, share),
        high: (middle + reach).clamp(share, 1.0),
    }
}

impl Mean {
    /// The same on a scale that rises in step with it.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Mean {
        let [mean, low, high] = [self.mean, self.low, self.high].map(|x| finite(f(x)));
        Mean { mean, low, high }
    }
}

fn finite(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

/// The value below which a share of sorted values lies, linear between two of them.
fn percentile(sorted: &[f64], share: f64) -> Option<f64> {
    let place = share * sorted.len().checked_sub(1)? as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let (a, b) = (sorted[below], sorted[above]);
    if a == b {
        return Some(a);
    }
    let t = place - below as f64;
    Some(a * (1.0 - t) + b * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_0_or_all_rows_is_not_certain() {
        let close = |found: Mean, low: f64, high: f64| {
            let off = (found.low - low).abs().max((found.high - high).abs());
            assert!(off < 5e-4, "{found:?}");
        };
        // Statsmodels' proportion_confint(method="wilson").
        close(wilson(1.0, 20), 0.8389, 1.0);
        close(wilson(0.0, 20), 0.0, 0.1611);
        close(wilson(0.5, 100), 0.4038, 0.5962);
        close(wilson(0.732, 500), 0.6916, 0.7690);
        assert_eq!(wilson(0.3, 0), Mean::default());
        for rows in [1, 7, 1000] {
            for share in [0.0, 0.1, 0.9999, 1.0] {
                let found = wilson(share, rows);
                assert!(0.0 <= found.low && found.low <= share);
                assert!(share <= found.high && found.high <= 1.0);
            }
        }
        let twice = wilson(0.5, 100).map(|x| 2.0 * x);
        close(twice, 0.8077, 1.1923);
    }

    /// The expected rows were drawn by CPython 3: `random.seed(seed)`, then
    /// `(random.getrandbits(32) * rows) >> 32`.
    #[test]
    fn rows_are_cpythons_draws() {
        let drawn = |rows: usize, seed: u64| {
            let resamples = Resamples::new(rows, 2, seed);
            let at = |resample: usize| (0..rows).map(move |draw| draw * LANES + resample);
            let rows = at(0).chain(at(1)).map(|at| resamples.drawn[at]);
            rows.take(6).collect::<Vec<u32>>()
        };
        assert_eq!(drawn(3, 0), [2, 1, 2, 2, 1, 0]);
        assert_eq!(drawn(500, 0), [422, 192, 378, 445, 210, 20]);
        assert_eq!(drawn(500, 1 << 40), [51, 176, 335, 32, 213, 24]);
    }

    #[test]
    fn percentiles_lie_linearly_between_values() {
        let values: Vec<f64> = (0..=40).map(f64::from).collect();
        assert_eq!(percentile(&values, 0.025), Some(1.0));
        assert_eq!(percentile(&values, 0.975), Some(39.0));
        assert_eq!(percentile(&[1.0, 3.0], 0.025), Some(1.05));
        assert_eq!(percentile(&[7.0], 0.975), Some(7.0));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn an_interval_is_the_percentiles_of_the_resamples_means() {
        let resamples = Resamples::new(4, 3, 9);
        let values = [1.0, 10.0, 100.0, 1000.0];
        let mut means: Vec<f64> = (0..3)
            .map(|resample| {
                let rows = (0..4).map(|draw| resamples.drawn[draw * LANES + resample]);
                rows.map(|row| values[row as usize]).sum::<f64>() / 4.0
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let found = resamples.mean(&values);
        assert_eq!(found.mean, 277.75);
        assert_eq!(found.low, means[0] * (1.0 - 0.05) + means[1] * 0.05);
        assert!((found.high - (means[1] * 0.05 + means[2] * 0.95)).abs() < 1e-9);
    }

    #[test]
    fn equal_values_have_no_spread_and_no_rounding() {
        let resamples = Resamples::new(7, 100, 3);
        let all = |x| Mean { mean: x, low: x, high: x };
        assert_eq!(resamples.mean(&[0.1; 7]).low, resamples.mean(&[0.1; 7]).mean);
        assert_eq!(resamples.mean(&[0.1; 7]).high, resamples.mean(&[0.1; 7]).mean);
        assert_eq!(resamples.share(&[true; 7]), all(1.0));
        assert_eq!(resamples.share(&[false; 7]), all(0.0));
    }

    #[test]
    fn a_falling_function_keeps_low_below_high() {
        let resamples = Resamples::new(50, 400, 1);
        let values: Vec<f64> = (0..50).map(|i| -f64::from(i) / 25.0).collect();
        let plain = resamples.mean(&values);
        let perplexity = resamples.map_of_mean(&values, |mean| (-mean).exp());
        assert!(perplexity.low < perplexity.mean && perplexity.mean < perplexity.high);
        assert_eq!(perplexity.mean, (-plain.mean).exp());
        // A percentile between two values is not mapped exactly, but nearly.
        assert!((perplexity.low - (-plain.high).exp()).abs() < 1e-3);
        assert!((perplexity.high - (-plain.low).exp()).abs() < 1e-3);
    }

    #[test]
    fn columns_share_their_resamples() {
        let resamples = Resamples::new(20, 200, 5);
        let values: Vec<f64> = (0..20).map(|i| f64::from(i * i)).collect();
        let shifted: Vec<f64> = values.iter().map(|x| x + 2.0).collect();
        let difference = resamples.statistic(&[&shifted, &values], |means| means[0] - means[1]);
        for number in [difference.mean, difference.low, difference.high] {
            assert!((number - 2.0).abs() < 1e-9, "{difference:?}");
        }
    }

    #[test]
    fn no_rows_and_what_has_no_value_stay_out_of_json() {
        let none = Resamples::new(0, 1000, 0);
        assert_eq!(none.mean(&[]), Mean::default());
        let resamples = Resamples::new(4, 100, 0);
        assert_eq!(resamples.mean(&[]), Mean::default());
        let values = [0.0, 0.0, 0.0, 1.0];
        assert_eq!(resamples.map_of_mean(&values, |_| f64::NAN), Mean::default());
        // A resample without the last row has mean 0 and no value here.
        let partly = resamples.map_of_mean(&values, |mean| mean / mean);
        assert_eq!((partly.mean, partly.low, partly.high), (1.0, 1.0, 1.0));
        let beyond = resamples.map_of_mean(&values, |mean| 1.0 / mean);
        assert_eq!((beyond.mean, beyond.high), (4.0, f64::MAX));
        assert_eq!(Resamples::new(4, 0, 0).mean(&values).low, 0.25);
    }

    /// The 95 % interval of 100 normal-like rows covers the true mean about 95 times in 100.
    #[test]
    fn intervals_cover_the_true_mean() {
        let mut random = Mt::new(7);
        let mut uniform = || f64::from(random.next_u32()) / 4_294_967_296.0;
        let resamples = Resamples::new(100, 400, 11);
        let covered = (0..300)
            .filter(|_| {
                let values: Vec<f64> =
                    (0..100).map(|_| (0..6).map(|_| uniform()).sum::<f64>()).collect();
                let found = resamples.mean(&values);
                found.low <= 3.0 && 3.0 <= found.high
            })
            .count();
        assert!((270..=297).contains(&covered), "{covered} of 300");
    }
}
