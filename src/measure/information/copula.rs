//! The continuous estimator: a Gaussian copula (Ince et al. 2017). A member's logits are taken in
//! K - 1 contrasts, for a shift does not matter to softmax; each contrast's ranks over all rows
//! become standard normal; entropies are those of Gaussians, per class for what is given Y.

use statrs::distribution::{ContinuousCDF, Normal};

use super::gaussian::Factor;
use super::{Curve, InformationRefusal, Terms, classes};
use crate::measure::correlation::average_ranks;

/// A member's logits for every row, `[N][K]`.
pub type Logits<'a> = &'a dyn Fn(usize, usize) -> &'a [f32];

/// The first 1, 2, … of `members` members, whose logits for a row `logits(member, row)` gives.
///
/// A contrast that is constant, or that a member's own earlier contrasts determine (as those of the
/// embedding where all prompts end in the same word), adds nothing and is left out. A member that
/// earlier members determine ends the curve.
///
/// # Errors
/// Fewer than two rows, one class only, or too few rows for even one member.
pub fn curve(
    members: usize,
    logits: Logits<'_>,
    answers: &[usize],
    options: usize,
) -> Result<Curve, InformationRefusal> {
    let counts = classes(answers, options)?;
    let mut whole = Groups::new(answers, &counts);
    let mut points: Vec<Terms> = Vec::new();
    let mut stopped = None;
    let mut relevancies = Vec::new();
    let (mut sum, mut given) = (0.0, 0.0);
    for member in 0..members {
        if let Err(refusal) = supported(member + 1, options, &counts) {
            refuse_if!(points.is_empty(), refusal);
            stopped = Some(refusal.to_string());
            break;
        }
        let mut own = Groups::new(answers, &counts);
        let mut repeats = false;
        for contrast in contrasts(member, logits, answers.len(), options) {
            if own.push(&contrast) {
                repeats |= !whole.push(&contrast);
            }
        }
        if repeats {
            stopped = Some(InformationRefusal::Repeats { member }.to_string());
            break;
        }
        let (h, h_given) = own.entropies();
        relevancies.push(h - h_given);
        sum += h;
        given += h_given;
        let (all, all_given) = whole.entropies();
        points.push(Terms::new(relevancies.clone(), sum - all, given - all_given, all - all_given));
    }
    Ok(Curve { points, stopped })
}

/// The terms of all members together.
///
/// # Errors
/// As [`curve`], or the reason why it ends early.
pub fn terms(
    members: usize,
    logits: Logits<'_>,
    answers: &[usize],
    options: usize,
) -> Result<Terms, String> {
    supported(members, options, &classes(answers, options).map_err(text)?).map_err(text)?;
    let mut curve = curve(members, logits, answers, options).map_err(text)?;
    match curve.stopped {
        None => curve.points.pop().ok_or_else(|| "no members".to_string()),
        Some(why) => Err(why),
    }
}

fn text(refusal: InformationRefusal) -> String {
    refusal.to_string()
}

/// `M (K - 1) <= min class count / 5`.
fn supported(members: usize, options: usize, counts: &[usize]) -> Result<(), InformationRefusal> {
    // A class that never occurs is no class of these rows.
    let smallest = counts.iter().copied().filter(|&n| n > 0).min().unwrap_or(0);
    let dimensions = members * (options - 1);
    if dimensions > smallest / 5 {
        return Err(InformationRefusal::Dimensions {
            members,
            options,
            dimensions,
            smallest,
            supported: smallest / 5,
        });
    }
    Ok(())
}

/// `[K - 1][N]` a member's Helmert contrasts, each through its ranks to N(0, 1).
fn contrasts(member: usize, logits: Logits<'_>, rows: usize, options: usize) -> Vec<Vec<f64>> {
    let normal = Normal::standard();
    (1..options)
        .map(|j| {
            let size = ((j * (j + 1)) as f64).sqrt();
            let values: Vec<f64> = (0..rows)
                .map(|row| {
                    let u = logits(member, row);
                    let before: f64 = u[..j].iter().map(|&x| f64::from(x)).sum();
                    (before - j as f64 * f64::from(u[j])) / size
                })
                .collect();
            average_ranks(&values)
                .into_iter()
                .map(|rank| normal.inverse_cdf(rank / (rows as f64 + 1.0)))
                .collect()
        })
        .collect()
}

/// Factors of the same dimensions over all rows and over the rows of each class.
struct Groups<'a> {
    answers: &'a [usize],
    all: Factor,
    /// Share of the rows, and the factor, of each class that occurs.
    classes: Vec<(usize, f64, Factor)>,
}

impl<'a> Groups<'a> {
    fn new(answers: &'a [usize], counts: &[usize]) -> Self {
        let rows = answers.len();
        let classes = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        Self {
            answers,
            all: Factor::new(rows),
            classes: classes
                .map(|(class, &n)| (class, n as f64 / rows as f64, Factor::new(n)))
                .collect(),
        }
    }

    /// Adds a dimension everywhere, or, where any group finds it determined, nowhere.
    fn push(&mut self, values: &[f64]) -> bool {
        let mut kept = self.all.push(values);
        for (class, _, factor) in &mut self.classes {
            let own = values.iter().zip(self.answers);
            let own: Vec<f64> =
                own.filter(|(_, answer)| *answer == class).map(|(x, _)| *x).collect();
            kept = kept && factor.push(&own);
        }
        if !kept {
            let dimensions = self.classes.iter().map(|(_, _, f)| f.dimensions());
            let least = dimensions.chain([self.all.dimensions()]).min();
            self.truncate(least.unwrap_or(0));
        }
        kept
    }

    fn truncate(&mut self, dimensions: usize) {
        self.all.truncate(dimensions);
        for (_, _, factor) in &mut self.classes {
            factor.truncate(dimensions);
        }
    }

    /// `H(U)` and `H(U|Y)`, bits.
    fn entropies(&self) -> (f64, f64) {
        let given = self.classes.iter().map(|(_, share, f)| share * f.bits());
        (self.all.bits(), given.sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logits(rows: usize, answers: &[usize]) -> Vec<Vec<[f32; 2]>> {
        let noise = |x: usize| ((x * 7919 % 1009) as f32) / 1009.0;
        (0..3)
            .map(|member| {
                (0..rows)
                    .map(|row| {
                        let pull = if answers[row] == 1 { 0.3 } else { 0.0 };
                        [noise(row * 31 + member * 17 + 3), noise(row * 13 + member * 101) + pull]
                    })
                    .collect()
            })
            .collect()
    }

    #[test]
    fn the_curve_stops_where_the_smallest_class_ends() {
        let answers: Vec<usize> = (0..100).map(|row| usize::from(row % 10 == 0)).collect();
        let table = logits(100, &answers);
        let at = |member: usize, row: usize| &table[member][row][..];
        let found = curve(3, &at, &answers, 2).expect("two members");
        assert_eq!(found.points.len(), 2);
        assert_eq!(
            found.stopped.as_deref(),
            Some(
                "3 members with 2 options have 3 dimensions, but the smallest class of 10 rows supports 2 (rows / 5)"
            )
        );
        for point in &found.points {
            assert!(point.residue().abs() < 1e-12);
        }
        assert!(terms(3, &at, &answers, 2).is_err());
    }

    #[test]
    fn a_member_that_says_nothing_new_ends_the_curve_and_a_constant_adds_nothing() {
        let answers: Vec<usize> = (0..200).map(|row| row % 2).collect();
        let mut table = logits(200, &answers);
        table[2] = table[0].clone();
        let at = |member: usize, row: usize| &table[member][row][..];
        let found = curve(3, &at, &answers, 2).expect("two members");
        assert_eq!(found.points.len(), 2);
        assert!(found.stopped.is_some_and(|why| why.starts_with("member 2 ")));
        table[0] = vec![[1.0, 2.0]; 200];
        let at = |member: usize, row: usize| &table[member][row][..];
        let found = curve(2, &at, &answers, 2).expect("two members");
        assert_eq!(found.points[0].joint, 0.0);
        assert!((found.points[1].redundancy).abs() < 1e-12);
        assert!(found.points[1].joint > 0.0);
    }
}
