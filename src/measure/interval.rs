//! Means and shares of rows with 95 % intervals (docs/definitions.md, section 17).
//!
//! Means take the bootstrap's percentiles (Efron 1979), expanded as Hesterberg (2015) says, and below
//! eight rows Student's t. Shares of rows take Wilson's interval (1927), and differences of paired
//! shares Tango's (1998): all resamples of rows that are all right are the same.
//!
//! The rows of every resample are drawn once and used for every measure of every order, so that a
//! change between two orders is compared on the same rows (a paired bootstrap).

use rand_mt::Mt;
use serde::{Deserialize, Deserializer, Serialize};
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// A mean over rows and its 95 % interval.
///
/// A mean of one row has no interval: it reaches from minus to plus infinity, which is `null` in JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    pub mean: f64,
    #[serde(deserialize_with = "low_end")]
    pub low: f64,
    #[serde(deserialize_with = "high_end")]
    pub high: f64,
}

impl Mean {
    /// A mean whose interval nobody knows.
    pub fn without_interval(mean: f64) -> Self {
        Self { mean, low: f64::NEG_INFINITY, high: f64::INFINITY }
    }

    /// Whether both ends of the interval are known.
    pub fn has_interval(&self) -> bool {
        self.interval().is_some()
    }

    /// Both ends; `None` where nothing is known of them.
    pub fn interval(&self) -> Option<[f64; 2]> {
        let is_known = self.low.is_finite() && self.high.is_finite();
        is_known.then_some([self.low, self.high])
    }

    /// Whether the interval lies on one side of 0.
    pub fn is_sure(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }

    /// The mean less `other`'s, of other rows: the distances to the ends add as squares (Newcombe's method 10
    /// for two shares of [`wilson`]; Zou & Donner 2008 for any two intervals).
    #[must_use]
    pub fn less(self, other: Self) -> Self {
        let mean = self.mean - other.mean;
        let low = mean - (self.mean - self.low).hypot(other.high - other.mean);
        let high = mean + (self.high - self.mean).hypot(other.mean - other.low);
        Self { mean, low, high }
    }

    /// Cuts the interval at 0, below which squares and divergences never are.
    #[must_use]
    pub fn not_negative(self) -> Self {
        let low = if self.low.is_finite() { self.low.max(0.0) } else { self.low };
        Self { low, ..self }
    }

    /// Takes the mean and both ends through a function that rises.
    #[must_use]
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let end = |end: f64| if end.is_finite() { finite(f(end)) } else { end };
        Self { mean: finite(f(self.mean)), low: end(self.low), high: end(self.high) }
    }
}

/// Reads an interval's lower end, `null` as minus infinity.
pub fn low_end<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::NEG_INFINITY))
}

/// Reads an interval's upper end, `null` as infinity.
pub fn high_end<'de, D: Deserializer<'de>>(json: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(json)?.unwrap_or(f64::INFINITY))
}

/// Below so many rows a mean's interval is Student's t: resamples of so few rows do not leave their range.
const BOOTSTRAP_ROWS: usize = 8;

/// The number below which 97.5 % of the normal distribution lie.
pub(super) const Z: f64 = 1.959_963_984_540_054;

/// Rows drawn with replacement: as many as there are rows, `count` times over.
///
/// A measure over no rows is all zeros: a report says beside it that 0 rows were done. The mean is finite,
/// because JSON holds no other number: an infinite one becomes the largest `f64` of its sign. A
/// resample in which a function has no value (NaN) is left out of the interval; where the function has
/// none on the rows themselves, all three numbers are 0.
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

    /// Returns the mean of a measure, one number per row, with its interval.
    ///
    /// # Panics
    /// If `values` is neither `[rows]` nor empty.
    pub fn mean(&self, values: &[f64]) -> Mean {
        self.map_of_mean(values, |mean| mean)
    }

    /// Returns `f` of a measure's mean, such as a perplexity, with its interval; `f` rises or falls throughout.
    ///
    /// # Panics
    /// If `values` is neither `[rows]` nor empty.
    pub fn map_of_mean(&self, values: &[f64], f: impl Fn(f64) -> f64) -> Mean {
        if values.is_empty() {
            return Mean::default();
        }
        assert_eq!(values.len(), self.rows, "one number a row");
        if values.len() < BOOTSTRAP_ROWS || values.iter().all(|value| *value == values[0]) {
            return students(values, f);
        }
        let mean = f(values.iter().sum::<f64>() / self.rows as f64);
        let resampled = self.means(values).into_iter().map(f);
        percentiles(mean, self.rows, resampled)
    }

    /// The mean over the rows that have a value; `None` where none has. `[rows]`
    ///
    /// # Panics
    /// If `values` is not `[rows]`.
    pub fn mean_of_some(&self, values: &[Option<f64>]) -> Option<Mean> {
        let there: Vec<f64> = values.iter().copied().flatten().collect();
        if there.is_empty() {
            return None;
        }
        if there.len() == values.len() {
            return Some(self.mean(&there));
        }
        assert_eq!(values.len(), self.rows, "one number a row, or none");
        if there.len() < BOOTSTRAP_ROWS || there.iter().all(|value| *value == there[0]) {
            return Some(students(&there, |mean| mean));
        }
        // The quotient of both means is the mean over the rows that have a value. A resample without
        // such a row has no value and is left out.
        let sums: Vec<f64> = values.iter().map(|value| value.unwrap_or(0.0)).collect();
        let counts: Vec<f64> =
            values.iter().map(|value| f64::from(u8::from(value.is_some()))).collect();
        let (sums, counts) = (self.means(&sums), self.means(&counts));
        let resampled = sums.into_iter().zip(counts).map(|(sum, count)| sum / count);
        let mean = there.iter().sum::<f64>() / there.len() as f64;
        Some(percentiles(mean, there.len(), resampled))
    }

    /// `f` of how often each row was drawn; on the rows themselves each counts once. `f` is NaN where it has no
    /// value. Fewer than eight rows give no interval.
    pub fn statistic(&self, f: impl Fn(&[f64]) -> f64) -> Mean {
        let mean = f(&vec![1.0; self.rows]);
        if self.rows < BOOTSTRAP_ROWS {
            return with_value(Mean::without_interval(mean));
        }
        let resampled = (0..self.count).map(|resample| {
            let block = &self.drawn[(resample / LANES) * self.rows * LANES..];
            let mut counts = vec![0.0; self.rows];
            for draw in 0..self.rows {
                counts[block[draw * LANES + resample % LANES] as usize] += 1.0;
            }
            f(&counts)
        });
        percentiles(mean, self.rows, resampled)
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

/// Student's interval of a few rows' mean, both ends through `f`. Equal values are a point, one value has no
/// interval.
fn students(values: &[f64], f: impl Fn(f64) -> f64) -> Mean {
    let rows = values.len() as f64;
    if values.len() == 1 {
        return with_value(Mean::without_interval(f(values[0])));
    }
    if values.iter().all(|value| *value == values[0]) {
        let mean = f(values[0]);
        return with_value(Mean { mean, low: mean, high: mean });
    }
    let mean = values.iter().sum::<f64>() / rows;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let reach = t_975(rows - 1.0) * (squares / (rows - 1.0) / rows).sqrt();
    let (one, other) = (f(mean - reach), f(mean + reach));
    // `min` and `max` would drop an end that is no number.
    let ends = if one.is_nan() || other.is_nan() { [f64::NAN; 2] } else { [one, other] };
    let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
    with_value(Mean { mean: f(mean), low, high })
}

/// Zeros where there is no number, and the largest number for an infinite mean.
fn with_value(found: Mean) -> Mean {
    if found.mean.is_nan() {
        return Mean::default();
    }
    let mean = finite(found.mean);
    if found.low.is_nan() || found.high.is_nan() {
        return Mean::without_interval(mean);
    }
    Mean { mean, ..found }
}

/// Hesterberg's expanded percentiles of resampled means of `rows` rows.
fn percentiles(mean: f64, rows: usize, resampled: impl Iterator<Item = f64>) -> Mean {
    if mean.is_nan() {
        return Mean::default();
    }
    let mut values: Vec<f64> = resampled.filter(|value| !value.is_nan()).map(finite).collect();
    values.sort_unstable_by(f64::total_cmp);
    let mean = finite(mean);
    let share = expanded(rows);
    Mean {
        mean,
        low: percentile(&values, share).unwrap_or(mean),
        high: percentile(&values, 1.0 - share).unwrap_or(mean),
    }
}

/// The share of resamples below the interval: 0.025 where rows are many, less where they are few.
fn expanded(rows: usize) -> f64 {
    let rows = rows as f64;
    let reach = (rows / (rows - 1.0)).sqrt() * t_975(rows - 1.0);
    Normal::standard().cdf(-reach)
}

/// The number below which 97.5 % of Student's t lie.
pub(super) fn t_975(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::INFINITY, |student| student.inverse_cdf(0.975))
}

/// A share of rows with Wilson's 95 % interval; no interval of no rows. A mean of shares, each between
/// 0 and 1, varies no more than a share does: for it the interval is rather too wide than too narrow.
pub fn wilson(share: f64, rows: usize) -> Mean {
    if rows == 0 || !share.is_finite() {
        return Mean::without_interval(0.0);
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

/// The share of rows for which something holds, with Wilson's interval.
pub fn share(holds: &[bool]) -> Mean {
    let count = holds.iter().filter(|holds| **holds).count();
    wilson(count as f64 / holds.len().max(1) as f64, holds.len())
}

/// The difference of two shares of the same rows with Tango's score interval (1998): `first_alone` rows are
/// right in the first alone, `second_alone` in the second alone. No interval of no rows.
pub fn paired(first_alone: f64, second_alone: f64, rows: usize) -> Mean {
    if rows == 0 {
        return Mean::without_interval(0.0);
    }
    let mean = (first_alone - second_alone) / rows as f64;
    let end = |z: f64, limit: f64| {
        // The statistic falls in the difference: halve what is left.
        let (mut inside, mut outside) = (mean, limit);
        for _ in 0..60 {
            let middle = f64::midpoint(inside, outside);
            let is_inside = tango(first_alone, second_alone, rows as f64, middle).abs() <= z.abs();
            if is_inside {
                inside = middle;
            } else {
                outside = middle;
            }
        }
        inside
    };
    Mean { mean, low: end(Z, -1.0), high: end(-Z, 1.0) }
}

/// Tango's statistic of a difference that is assumed.
fn tango(first_alone: f64, second_alone: f64, rows: f64, difference: f64) -> f64 {
    let spread = difference * (1.0 - difference);
    let linear =
        (2.0 * rows - first_alone + second_alone) * difference - first_alone - second_alone;
    let root = (linear * linear + 8.0 * rows * second_alone * spread).max(0.0).sqrt();
    let discordant = ((root - linear) / (4.0 * rows)).max(0.0);
    let variance = rows * (2.0 * discordant + spread);
    (first_alone - second_alone - rows * difference) / variance.max(f64::MIN_POSITIVE).sqrt()
}

/// [`paired`] of differences, each between -1 and 1. Where a row's difference is a mean, over seeds say, the
/// interval is rather too wide than too narrow. `[rows]`
pub fn paired_rows(differences: &[f64]) -> Mean {
    let first: f64 = differences.iter().map(|difference| difference.max(0.0)).sum();
    let second: f64 = differences.iter().map(|difference| (-difference).max(0.0)).sum();
    paired(first, second, differences.len())
}

/// The mean of means over different rows, such as several tasks': half-widths add as squares (Zou & Donner
/// 2008). `None` of none.
pub fn mean_of_independent(means: &[Mean]) -> Option<Mean> {
    let count = means.len() as f64;
    if means.is_empty() {
        return None;
    }
    let mean = means.iter().map(|one| one.mean).sum::<f64>() / count;
    let reach =
        |half: fn(&Mean) -> f64| means.iter().map(|one| half(one).powi(2)).sum::<f64>().sqrt();
    Some(Mean {
        mean,
        low: mean - reach(|one| one.mean - one.low) / count,
        high: mean + reach(|one| one.high - one.mean) / count,
    })
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
        assert!(!wilson(0.3, 0).has_interval());
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
    fn an_interval_is_the_expanded_percentiles_of_the_resamples_means() {
        let resamples = Resamples::new(8, 3, 9);
        let values = [1.0, 10.0, 100.0, 1000.0, 2.0, 20.0, 200.0, 2000.0];
        let mut means: Vec<f64> = (0..3)
            .map(|resample| {
                let rows = (0..8).map(|draw| resamples.drawn[draw * LANES + resample]);
                rows.map(|row| values[row as usize]).sum::<f64>() / 8.0
            })
            .collect();
        means.sort_by(f64::total_cmp);
        let found = resamples.mean(&values);
        assert_eq!(found.mean, 416.625);
        // Hesterberg 2015, table: of eight rows 0.57 %, of sixteen 1.4 %, of a hundred 2.3 %.
        let share = expanded(8);
        assert!((share - 0.0057).abs() < 5e-5);
        assert!((expanded(16) - 0.0139).abs() < 5e-5 && (expanded(100) - 0.0231).abs() < 5e-5);
        let between = means[0] * (1.0 - 2.0 * share) + means[1] * 2.0 * share;
        assert!((found.low - between).abs() < 1e-9);
    }

    #[test]
    fn equal_values_have_no_spread_and_no_rounding() {
        for rows in [2, 7, 9] {
            let resamples = Resamples::new(rows, 100, 3);
            let found = resamples.mean(&vec![0.1; rows]);
            assert_eq!((found.mean, found.low, found.high), (0.1, 0.1, 0.1));
        }
        assert_eq!(share(&[true; 7]), wilson(1.0, 7));
        assert_eq!(share(&[]), wilson(0.0, 0));
    }

    #[test]
    fn one_row_has_no_interval_and_says_so_in_json() {
        let found = Resamples::new(1, 100, 0).mean(&[0.5]);
        assert_eq!(found, Mean::without_interval(0.5));
        let json = serde_json::to_string(&found).expect("JSON");
        assert_eq!(json, r#"{"mean":0.5,"low":null,"high":null}"#);
        assert_eq!(serde_json::from_str::<Mean>(&json).expect("a mean"), found);
        assert_eq!(found.map(|x| 2.0 * x), Mean::without_interval(1.0));
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
    fn rows_without_a_value_are_left_out() {
        let resamples = Resamples::new(20, 200, 5);
        let values: Vec<Option<f64>> = (0..20).map(|i| Some(f64::from(i * i))).collect();
        let all: Vec<f64> = values.iter().copied().flatten().collect();
        assert_eq!(resamples.mean_of_some(&values), Some(resamples.mean(&all)));
        let mut some = values.clone();
        some[19] = None;
        let found = resamples.mean_of_some(&some).expect("a mean");
        assert!((found.mean - 111.0).abs() < 1e-12);
        assert!(found.low < found.mean && found.mean < found.high);
        some[1..].fill(None);
        assert_eq!(resamples.mean_of_some(&some), Some(Mean::without_interval(0.0)));
        assert_eq!(resamples.mean_of_some(&[None; 20]), None);
    }

    #[test]
    fn no_rows_and_what_has_no_value_stay_out_of_json() {
        let none = Resamples::new(0, 1000, 0);
        assert_eq!(none.mean(&[]), Mean::default());
        let mut values = [0.0; 9];
        values[8] = 1.0;
        let resamples = Resamples::new(9, 100, 0);
        assert_eq!(resamples.mean(&[]), Mean::default());
        assert_eq!(resamples.map_of_mean(&values, |_| f64::NAN), Mean::default());
        // A resample without the last row has mean 0 and no value here.
        let partly = resamples.map_of_mean(&values, |mean| mean / mean);
        assert_eq!((partly.mean, partly.low, partly.high), (1.0, 1.0, 1.0));
        let beyond = resamples.map_of_mean(&values, |mean| 1.0 / mean);
        assert_eq!((beyond.mean, beyond.high), (9.0, f64::MAX));
        assert_eq!(Resamples::new(9, 0, 0).mean(&values).low, 1.0 / 9.0);
        let few = Resamples::new(2, 100, 0).map_of_mean(&[0.0, 1.0], |mean| (-mean).sqrt());
        assert_eq!(few, Mean::default());
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
