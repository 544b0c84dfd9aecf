//! Bars beside a step's numbers: numbers of one unit stand on one scale.

use crate::chart::number;

/// Units as words write them: `accuracy on sum (%)`.
const UNITS: [&str; 4] = ["%", "points", "logits", "bits"];

/// A number that may have a bar.
#[derive(Clone, Debug, PartialEq)]
pub struct BarNumber {
    /// The kind of number, such as `accuracy`: numbers without a unit share a scale with their own kind.
    pub kind: String,
    /// In words, with its unit in parentheses.
    pub words: String,
    pub value: f64,
}

impl BarNumber {
    /// Which numbers it can be compared with.
    fn unit(&self) -> &str {
        let unit = UNITS.into_iter().find(|unit| {
            let ends = [format!("({unit})"), format!("({unit}, ")];
            ends.iter().any(|end| self.words.contains(end))
        });
        unit.unwrap_or(&self.kind)
    }
}

/// `[numbers]` the ends of each bar's scale, 0 among them; `None` where there is nothing to compare with.
pub fn scales(numbers: &[BarNumber]) -> Vec<Option<[f64; 2]>> {
    let scale = |number: &BarNumber| {
        let alike: Vec<f64> = numbers
            .iter()
            .filter(|other| other.unit() == number.unit())
            .map(|other| other.value)
            .collect();
        let ends = [f64::min, f64::max].map(|end| alike.iter().copied().fold(0.0, end));
        (alike.len() > 1).then_some(ends)
    };
    numbers.iter().map(scale).collect()
}

/// A number beside its bar: a whole one has no decimals, and 0 no sign.
pub fn written(value: f64) -> String {
    let is_whole = value.fract() == 0.0 && value.abs() < 1e4;
    if is_whole { number::fixed(value, 0) } else { number::short(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_has_no_sign() {
        assert_eq!([-0.0, -2.0, 7.0, 2.083].map(written), ["0", "−2", "7", "2.08"]);
    }

    fn number(kind: &str, words: &str, value: f64) -> BarNumber {
        BarNumber { kind: kind.to_owned(), words: words.to_owned(), value }
    }

    #[test]
    fn chance_of_50_percent_is_half_as_long_as_100_percent() {
        let numbers = [
            number("accuracy", "accuracy on follows (%)", 100.0),
            number("accuracy", "accuracy on fact (%), after step 500", 80.0),
            number("chance", "chance on fact (%)", 50.0),
            number("share", "part of the diversity by MLPs (%, logits)", 35.0),
            number("lost", "accuracy lost on sum (hard), drop:0 (points)", -5.0),
            number("ahead", "accuracy on sum, a less b (points)", 10.0),
            number("rows", "rows of sum (hard)", 200.0),
            number("rows", "rows of fact", 100.0),
            number("members", "members", 25.0),
        ];
        let percent = Some([0.0, 100.0]);
        let points = Some([-5.0, 10.0]);
        let rows = Some([0.0, 200.0]);
        assert_eq!(
            scales(&numbers),
            [percent, percent, percent, percent, points, points, rows, rows, None]
        );
    }
}
