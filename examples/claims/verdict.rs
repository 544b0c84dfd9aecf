//! Claims, and verdicts by thresholds that were committed before the runs (docs/smollm2.md, "How a verdict is reached").

use std::fmt;

use atelier::measure::interval::{Mean, Resamples, mean_of_independent};

/// How much more than its own half-width an interval asks for, where the answer is to be found in 80 % of such runs:
/// `((1.960 + 0.842) / 1.960)²`.
const POWER: f64 = 2.04;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Holds,
    DoesNotHold,
    Open,
}

impl fmt::Display for Verdict {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Self::Holds => "holds",
            Self::DoesNotHold => "does not hold",
            Self::Open => "open",
        })
    }
}

/// A claim of a paper, and the rule that judges it.
pub struct Claim<Rule> {
    number: &'static str,
    text: &'static str,
    pub rule: Rule,
}

pub const fn claim<Rule>(number: &'static str, text: &'static str, rule: Rule) -> Claim<Rule> {
    Claim { number, text, rule }
}

impl<Rule> Claim<Rule> {
    /// Returns this claim's lines of the table: one per judgement, as tasks may be judged one by one.
    pub fn lines(&self, judgements: impl IntoIterator<Item = Judgement>) -> String {
        let line = |Judgement { found, rows, verdict, decides }: Judgement| {
            format!(
                "| {} | {} | {found} | {rows} | {verdict} | {decides} |\n",
                self.number, self.text
            )
        };
        judgements.into_iter().map(line).collect()
    }
}

/// Numbers about a claim, and the verdict on it.
pub struct Judgement {
    pub found: String,
    pub rows: String,
    pub verdict: Verdict,
    /// Rows or tasks that would decide an open claim.
    pub decides: String,
}

impl Judgement {
    pub fn new(verdict: Verdict, found: String, rows: String) -> Self {
        Self { found, rows, verdict, decides: String::new() }
    }

    /// Judges whether a mean lies above a threshold: `count` rows or tasks are behind it.
    pub fn above(
        mean: Mean,
        threshold: f64,
        found: String,
        rows: String,
        (count, what): (usize, &str),
    ) -> Self {
        let judgement = Self::new(Verdict::above(mean, threshold), found, rows);
        judgement.or_needs(mean, threshold, count, what)
    }

    /// Judges by the verdicts of tasks or prompts, each behind its line: all must hold, and so many refute.
    pub fn of_all(each: Vec<(String, Verdict)>, against: usize, rows: String) -> Self {
        let (lines, verdicts): (Vec<String>, Vec<Verdict>) = each.into_iter().unzip();
        Self::new(Verdict::all(&verdicts, against), lines.join("; "), rows)
    }

    /// Says what would decide it, where it is open.
    pub fn or_wants(mut self, what: &str) -> Self {
        if self.verdict == Verdict::Open {
            self.decides = what.to_owned();
        }
        self
    }

    /// Says how many rows or tasks would decide it, where it is open: `count` are behind the mean now.
    pub fn or_needs(mut self, mean: Mean, threshold: f64, count: usize, what: &str) -> Self {
        self.decides = needed(self.verdict, mean, threshold, count, what);
        self
    }
}

impl Verdict {
    /// Holds where the whole interval lies above the threshold.
    pub fn above(found: Mean, threshold: f64) -> Self {
        match found.interval() {
            Some([low, _]) if low > threshold => Self::Holds,
            Some([_, high]) if high < threshold => Self::DoesNotHold,
            _ => Self::Open,
        }
    }

    /// Holds where the whole interval lies below the threshold.
    pub fn below(found: Mean, threshold: f64) -> Self {
        match Self::above(found, threshold) {
            Self::Holds => Self::DoesNotHold,
            Self::DoesNotHold => Self::Holds,
            other => other,
        }
    }

    /// Holds where the whole interval lies so near to a number, and does not where it lies further away.
    pub fn near(found: Mean, number: f64, distance: f64) -> Self {
        let Some([low, high]) = found.interval() else {
            return Self::Open;
        };
        if low >= number - distance && high <= number + distance {
            Self::Holds
        } else if high < number - distance || low > number + distance {
            Self::DoesNotHold
        } else {
            Self::Open
        }
    }

    /// A correlation with p below 0.05 holds where its sign is the claim's, and does not where it is the other.
    pub fn of_correlation(p: f64, is_claimed: bool) -> Self {
        match (p < 0.05, is_claimed) {
            (true, true) => Self::Holds,
            (true, false) => Self::DoesNotHold,
            _ => Self::Open,
        }
    }

    /// Holds where all hold, does not where so many do not.
    pub fn all(each: &[Self], against: usize) -> Self {
        Self::most(each, each.len().max(1), against)
    }

    /// Holds where so many hold, does not where so many do not.
    pub fn most(each: &[Self], enough: usize, against: usize) -> Self {
        let count = |verdict: Self| each.iter().filter(|found| **found == verdict).count();
        if count(Self::DoesNotHold) >= against {
            Self::DoesNotHold
        } else if count(Self::Holds) >= enough {
            Self::Holds
        } else {
            Self::Open
        }
    }
}

/// How many times as many rows, or tasks, would show the distance to the threshold in 80 % of such runs.
fn times_to_decide(found: Mean, threshold: f64) -> Option<f64> {
    let [low, high] = found.interval()?;
    let distance = (found.mean - threshold).abs();
    let reach = if found.mean > threshold { found.mean - low } else { high - found.mean };
    (distance > 0.0).then(|| POWER * (reach / distance).powi(2))
}

/// Says how many rows or tasks would decide an open claim, of which there were `count`.
fn needed(verdict: Verdict, found: Mean, threshold: f64, count: usize, what: &str) -> String {
    if verdict != Verdict::Open {
        return String::new();
    }
    let times = times_to_decide(found, threshold).map(|times| times * count as f64);
    match times.map(two_digits) {
        Some(wanted) if wanted < 1e7 => format!("about {wanted} {what}"),
        _ => format!("no number of {what}: it lies on the threshold"),
    }
}

/// Rounds up to two digits, since more would be a pretence.
fn two_digits(number: f64) -> f64 {
    let unit = 10f64.powi(number.log10().floor() as i32 - 1).max(1.0);
    (number / unit).ceil() * unit
}

/// A mean with both ends, in so many digits.
pub fn spelled(found: Mean, digits: usize) -> String {
    match found.interval() {
        Some([low, high]) => format!("{:.digits$} [{low:.digits$}, {high:.digits$}]", found.mean),
        None => format!("{:.digits$} [no interval]", found.mean),
    }
}

/// A share in per cent.
pub fn percent(found: Mean) -> String {
    spelled(found.map(|share| 100.0 * share), 1)
}

/// Lists tasks with their numbers of rows.
pub fn sizes<'a>(tasks: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    joined(tasks.into_iter().map(|(task, rows)| format!("{task} {rows}")), ", ")
}

pub fn joined(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}

/// Draws the resamples of every bootstrap over so many rows, blocks or tasks.
pub fn resamples(rows: usize) -> Resamples {
    Resamples::new(rows, 1000, 0)
}

/// Returns the mean of one number over the mean of another, rows resampled together.
pub fn ratio(part: &[f64], whole: &[f64]) -> Mean {
    resamples(part.len()).statistic(|counts| weighted(counts, part) / weighted(counts, whole))
}

/// The mean of values, each counted so often.
pub fn weighted(counts: &[f64], values: &[f64]) -> f64 {
    sum(counts, values) / counts.iter().sum::<f64>()
}

/// Returns the sum of values, each counted so often.
pub fn sum(counts: &[f64], values: &[f64]) -> f64 {
    counts.iter().zip(values).map(|(count, value)| count * value).sum()
}

/// Returns the slope of the straight line through points (x, y), each counted so often, by least squares.
pub fn slope(counts: &[f64], points: &[[f64; 2]]) -> f64 {
    let column = |side: usize| -> Vec<f64> { points.iter().map(|point| point[side]).collect() };
    let (x, y) = (weighted(counts, &column(0)), weighted(counts, &column(1)));
    let weighed = |number: &dyn Fn(&[f64; 2]) -> f64| -> f64 {
        counts.iter().zip(points).map(|(count, point)| count * number(point)).sum()
    };
    weighed(&|point| (point[0] - x) * (point[1] - y)) / weighed(&|point| (point[0] - x).powi(2))
}

/// The mean over tasks; without an interval where there is none.
pub fn mean_of_tasks(means: &[Mean]) -> Mean {
    mean_of_independent(means).unwrap_or(Mean::without_interval(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean(mean: f64, low: f64, high: f64) -> Mean {
        Mean { mean, low, high }
    }

    #[test]
    fn an_interval_across_the_threshold_is_open() {
        use Verdict::{DoesNotHold, Holds, Open};
        assert_eq!(Verdict::above(mean(0.6, 0.51, 0.7), 0.5), Holds);
        assert_eq!(Verdict::above(mean(0.4, 0.3, 0.49), 0.5), DoesNotHold);
        assert_eq!(Verdict::above(mean(0.6, 0.5, 0.7), 0.5), Open);
        assert_eq!(Verdict::below(mean(0.4, 0.3, 0.49), 0.5), Holds);
        assert_eq!(Verdict::above(Mean::without_interval(0.9), 0.5), Open);
        let near = |low, high| Verdict::near(mean(0.5, low, high), 0.49, 0.03);
        assert_eq!(
            [near(0.47, 0.51), near(0.53, 0.6), near(0.51, 0.53)],
            [Holds, DoesNotHold, Open]
        );
        assert_eq!(Verdict::all(&[Holds, Open, DoesNotHold], 2), Open);
        assert_eq!(Verdict::all(&[Holds, DoesNotHold, DoesNotHold], 2), DoesNotHold);
        assert_eq!(Verdict::all(&[], 1), Open);
    }

    /// The page's own table: a share 5 points above 50 % takes 780 rows.
    #[test]
    fn rows_that_decide_are_those_of_the_page() {
        let share = atelier::measure::interval::wilson(0.55, 200);
        let rows = 200.0 * times_to_decide(share, 0.5).expect("a distance");
        assert!((740.0..820.0).contains(&rows), "{rows}");
        assert_eq!(needed(Verdict::Open, share, 0.5, 200, "rows"), "about 790 rows");
        assert_eq!(needed(Verdict::Holds, share, 0.5, 200, "rows"), "");
        let on = mean(0.5, 0.4, 0.6);
        assert!(needed(Verdict::Open, on, 0.5, 200, "rows").starts_with("no number of rows"));
    }

    #[test]
    fn a_slope_is_that_of_the_points_that_count() {
        let points = [[3.0, 1.0], [5.0, 2.0], [7.0, 3.0], [9.0, 0.0]];
        assert_eq!(slope(&[1.0, 1.0, 1.0, 0.0], &points), 0.5);
    }
}
