//! The discrete estimator: every member votes for the option it finds likeliest, and votes are
//! counted. Plug-in entropies with the correction of Miller (1955) and Madow.

use std::collections::BTreeMap;

use super::{Curve, InformationRefusal, Terms, classes};

/// Whether counts are corrected for how few they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    None,
    /// `+ (cells - 1) / (2 N ln 2)`, cells being those that are not empty.
    MillerMadow,
}

/// The terms of a group whose members vote `votes` `[M][N]`, about `answers` `[N]` among `options`.
///
/// # Errors
/// Fewer than two rows, one class only, or `K^(M + 1) > N / 5`.
///
/// # Panics
/// If there is no member, or one without a vote a row.
pub fn terms(
    votes: &[Vec<usize>],
    answers: &[usize],
    options: usize,
) -> Result<Terms, InformationRefusal> {
    classes(answers, options)?;
    supported(votes.len(), answers.len(), options)?;
    Ok(estimate(votes, answers, options, Correction::MillerMadow))
}

/// The first 1, 2, … members.
///
/// # Errors
/// As [`terms`] for the first member.
pub fn curve(
    votes: &[Vec<usize>],
    answers: &[usize],
    options: usize,
) -> Result<Curve, InformationRefusal> {
    let mut points = vec![terms(&votes[..1], answers, options)?];
    let mut stopped = None;
    for members in 2..=votes.len() {
        match terms(&votes[..members], answers, options) {
            Ok(point) => points.push(point),
            Err(refusal) => {
                stopped = Some(refusal.to_string());
                break;
            }
        }
    }
    Ok(Curve { points, stopped })
}

/// `H(Y)`.
///
/// # Errors
/// Fewer than two rows, or one class only.
pub fn entropy_of(answers: &[usize], options: usize) -> Result<f64, InformationRefusal> {
    classes(answers, options)?;
    Ok(entropy(answers.iter().copied(), Correction::MillerMadow))
}

/// Without asking whether the rows support it.
pub fn estimate(
    votes: &[Vec<usize>],
    answers: &[usize],
    options: usize,
    correction: Correction,
) -> Terms {
    assert!(!votes.is_empty(), "at least one member");
    for member in votes {
        assert_eq!(member.len(), answers.len(), "one vote a row");
    }
    // A cell's number: digits to the base K, the answer's first.
    let base = options as u128;
    let cell = |members: &[Vec<usize>], row: usize| {
        let digits = members.iter().map(|votes| votes[row] as u128);
        digits.fold(0_u128, |cell, vote| cell.wrapping_mul(base).wrapping_add(vote))
    };
    let rows = 0..answers.len();
    let of =
        |members: &[Vec<usize>]| entropy(rows.clone().map(|row| cell(members, row)), correction);
    let with_answer = |members: &[Vec<usize>]| {
        let cells = rows.clone().map(|row| (cell(members, row), answers[row]));
        entropy(cells, correction)
    };
    let answer = entropy(answers.iter().copied(), correction);
    let each: Vec<[f64; 2]> =
        votes.chunks(1).map(|member| [of(member), with_answer(member)]).collect();
    let [whole, whole_with] = [of(votes), with_answer(votes)];
    let relevancies = each.iter().map(|[h, with]| h + answer - with).collect();
    let sum: f64 = each.iter().map(|[h, _]| h).sum();
    let given: f64 = each.iter().map(|[_, with]| with - answer).sum();
    Terms::new(relevancies, sum - whole, given - (whole_with - answer), whole + answer - whole_with)
}

fn supported(members: usize, rows: usize, options: usize) -> Result<(), InformationRefusal> {
    let power = u32::try_from(members + 1).unwrap_or(u32::MAX);
    let cells = (options as u128).saturating_pow(power);
    refuse_if!(
        cells > (rows / 5) as u128,
        InformationRefusal::Cells { members, options, cells, rows, supported: rows / 5 }
    );
    Ok(())
}

/// Returns the entropy of the counted cells, bits.
fn entropy<T: Ord>(cells: impl Iterator<Item = T>, correction: Correction) -> f64 {
    // In order, so that sums are the same on every run.
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    let mut rows = 0;
    for cell in cells {
        *counts.entry(cell).or_default() += 1;
        rows += 1;
    }
    let n = f64::from(rows);
    let plug_in: f64 = counts.values().map(|&count| count as f64 / n).map(|p| -p * p.log2()).sum();
    match correction {
        Correction::None => plug_in,
        Correction::MillerMadow => {
            plug_in + (counts.len() as f64 - 1.0) / (2.0 * n * std::f64::consts::LN_2)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_rows_cannot_support_is_refused() {
        let answers: Vec<usize> = (0..80).map(|row| row % 2).collect();
        let member = answers.clone();
        assert!(terms(&[member.clone(), member.clone(), member.clone()], &answers, 2).is_ok());
        let four = vec![member; 4];
        let refusal = terms(&four, &answers, 2).expect_err("32 cells");
        assert_eq!(
            refusal.to_string(),
            "a joint histogram of 4 votes and the answer among 2 options has 32 cells, but 80 rows support 16 (rows / 5)"
        );
        let curve = curve(&four, &answers, 2).expect("a curve");
        assert_eq!(curve.points.len(), 3);
        assert!(curve.stopped.is_some_and(|why| why.contains("32 cells")));
    }

    #[test]
    fn no_rows_one_row_and_one_class_are_refused() {
        for rows in 0..2 {
            assert_eq!(
                terms(&[vec![0; rows]], &vec![0; rows], 2),
                Err(InformationRefusal::Rows { rows })
            );
        }
        let refusal = terms(&[vec![0; 100]], &[1; 100], 2).expect_err("one class");
        assert_eq!(refusal, InformationRefusal::OneClass { answer: 1 });
    }
}
