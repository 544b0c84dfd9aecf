//! Which of several parts has the largest number, and whether rows can tell (docs/definitions.md,
//! section 17).

use super::interval::{Mean, Resamples, paired_rows};

/// The part with the largest mean over the same rows.
#[derive(Clone, Debug, PartialEq)]
pub struct LargestMean {
    pub part: usize,
    /// How far it leads each part, row by row; `None` for itself. `[parts]`
    pub lead: Vec<Option<Mean>>,
    /// The parts that it cannot be told apart from.
    pub beside: Vec<usize>,
}

impl LargestMean {
    /// Whether it is larger than every other part by their intervals.
    pub fn is_called(&self) -> bool {
        self.beside.is_empty()
    }
}

/// Finds the part with the largest share: 1 where a row is right, 0 elsewhere, or a difference of two such. `None` for fewer than two rows
/// or parts. `[parts][rows]`
pub fn largest_share(parts: &[Vec<f64>]) -> Option<LargestMean> {
    largest(parts, paired_rows)
}

/// Finds the part with the largest mean. `[parts][rows]`
pub fn largest_mean(parts: &[Vec<f64>], resamples: &Resamples) -> Option<LargestMean> {
    largest(parts, |differences| resamples.mean(differences))
}

fn largest(parts: &[Vec<f64>], interval: impl Fn(&[f64]) -> Mean) -> Option<LargestMean> {
    let rows = parts.first()?.len();
    if parts.len() < 2 || rows < 2 {
        return None;
    }
    let means: Vec<f64> = parts.iter().map(|part| part.iter().sum::<f64>() / rows as f64).collect();
    let part = super::decomposition::argmax(&means);
    let lead: Vec<Option<Mean>> = parts
        .iter()
        .enumerate()
        .map(|(other, values)| {
            let differences: Vec<f64> =
                parts[part].iter().zip(values).map(|(own, other)| own - other).collect();
            (other != part).then(|| interval(&differences))
        })
        .collect();
    let beside =
        (0..parts.len()).filter(|&other| lead[other].is_some_and(|lead| lead.low <= 0.0)).collect();
    Some(LargestMean { part, lead, beside })
}
