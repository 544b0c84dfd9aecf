//! `0.166 = 0.168 − 0.002`: the identity in numbers that add up as they are written.

use super::number::{fixed, short};
use super::{Column, strokes};
use crate::measure::decomposition::uniform_mse;
use crate::study::report::Lens;

/// The whole run's three numbers, rounded for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub mse: String,
    pub bias: String,
    pub diversity: String,
    /// Do the three make one identity in this column? Not in the paper's.
    pub holds: bool,
    /// What to know about the three numbers, in one sentence.
    pub note: String,
}

impl Identity {
    /// In a column's numbers.
    pub fn of(lens: &Lens, column: Column) -> Self {
        let t = column.total(lens);
        if column == Column::Paper {
            let k = lens.logits.len();
            let note = format!(
                "As the paper prints them these are not one identity: mse and bias are squared shares × 100 \
                 (Eq. 14, which divides the logits by {m}, so mse sits near the uniform value {uniform}), and diversity \
                 is in squared logits (Eq. 8).",
                m = lens.members.len(),
                uniform = short(100.0 * uniform_mse(k)),
            );
            return Self {
                mse: short(t.mse),
                bias: short(t.bias),
                diversity: short(t.diversity),
                holds: false,
                note,
            };
        }
        let digits = digits(t.mse, t.bias, t.diversity);
        let note = format!(
            "The {strokes} add up to the model's own logits within {error}.",
            strokes = strokes::count(&lens.members),
            error = short(lens.decomposition.sum_error),
        );
        Self {
            mse: fixed(t.mse, digits),
            bias: fixed(t.bias, digits),
            diversity: fixed(t.diversity, digits),
            holds: true,
            note,
        }
    }
}

/// The fewest decimals, three or more, at which the rounded numbers add up as written and no
/// nonzero diversity reads as 0.
fn digits(mse: f64, bias: f64, diversity: f64) -> usize {
    (3..=8)
        .find(|&n| {
            let unit = 10f64.powi(-i32::try_from(n).unwrap_or(8));
            let whole = |x: f64| (x / unit).round();
            whole(bias) - whole(diversity) == whole(mse)
                && (diversity == 0.0 || whole(diversity) != 0.0)
        })
        .unwrap_or(8)
}

#[cfg(test)]
mod tests {
    use super::digits;

    #[test]
    fn written_numbers_add_up() {
        assert_eq!(digits(0.166, 0.168, 0.002), 3);
        // 0.1664 = 0.1685 - 0.0021: rounded to three, 0.166 = 0.169 - 0.002 is off by one.
        assert_eq!(digits(0.1664, 0.1685, 0.0021), 4);
        assert_eq!(digits(0.2, 0.20004, 0.00004), 5);
        assert_eq!(digits(0.25, 0.25, 0.0), 3);
    }
}
