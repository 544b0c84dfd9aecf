//! Readings of a line that is nearly a plan: every one is offered, none is taken.

use crate::plan::{Plan, Strategy};

/// One way to read a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meant {
    /// In words: `leave out block 5:`.
    pub words: String,
    /// As the plan's line takes it.
    pub line: String,
}

/// The readings of `skip 5`, `leave out 5` and the like, as far as this model has them. Empty for a
/// line that is a plan, and for one that says nothing of the kind.
pub fn readings(line: &str, order: &[usize]) -> Vec<Meant> {
    let line = line.trim().to_lowercase();
    if line.is_empty() || Plan::parse(&line, order).is_ok() {
        return Vec::new();
    }
    let cut = |c: char| c.is_ascii_digit();
    let Some(at) = line.find(cut) else {
        return Vec::new();
    };
    let (word, number) = line.split_at(at);
    let number = number.trim();
    let Ok(n) = number.parse::<usize>() else {
        return Vec::new();
    };
    let word = word.trim().trim_end_matches(':').trim();
    let word = word.trim_end_matches("block").trim_end_matches("layer").trim();
    let middle = |name: &str| {
        format!(
            "the paper's {name} with s = {n}: the first {} and the last {n} blocks stay,",
            n + 1
        )
    };
    let one = (format!("leave out block {n}:"), Strategy::Drop { position: n });
    let meant: Vec<(String, Strategy)> = match word {
        "skip" => vec![one, (middle("skip"), Strategy::Skip { s: n })],
        "drop" | "leave out" | "without" | "omit" | "remove" | "-" => vec![one],
        "reverse" => vec![(middle("reverse"), Strategy::Reverse { s: n })],
        "parallel" => vec![(middle("parallel"), Strategy::Parallel { s: n })],
        "repeat" => vec![(middle("repeat"), Strategy::Repeat { s: n })],
        "swap" => {
            vec![(format!("swap steps {n} and {}:", n + 1), Strategy::Swap { position: n })]
        }
        _ => Vec::new(),
    };
    meant
        .into_iter()
        .filter(|(_, strategy)| strategy.plan(order).is_ok())
        .map(|(words, strategy)| Meant { words, line: strategy.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_is_read_both_ways_and_neither_is_taken() {
        let order: Vec<usize> = (0..12).collect();
        let lines = |line: &str| -> Vec<String> {
            let all = readings(line, &order);
            all.into_iter().map(|reading| reading.line).collect()
        };
        assert_eq!(lines("skip 5"), ["drop:5", "skip:5"]);
        assert_eq!(lines("Skip layer 3"), ["drop:3", "skip:3"]);
        assert_eq!(lines("leave out block 5"), ["drop:5"]);
        // s = 6 leaves no middle of twelve: one reading is left.
        assert_eq!(lines("skip 6"), ["drop:6"]);
        assert_eq!(lines("skip 99"), [""; 0]);
        for plan in ["skip:5", "0-3,8-11", "", "paint it black", "0-99"] {
            assert_eq!(lines(plan), [""; 0], "{plan}");
        }
    }
}
