//! Right answers by level: how hard a row is, in its task's own count (digits, hops, negations).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::measure::interval::{Mean, wilson};

/// A task's rows of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LevelAccuracy {
    /// In the task's own count.
    pub level: usize,
    pub rows: usize,
    /// Rows of this level that are right.
    pub correct: usize,
}

impl LevelAccuracy {
    /// The share of right answers, with Wilson's interval.
    pub fn accuracy(&self) -> Mean {
        wilson(self.correct as f64 / self.rows.max(1) as f64, self.rows)
    }
}

/// A level in words, of its plural: "3 hops", "1 hop".
pub fn counted(level: usize, several: &str) -> String {
    match several.strip_suffix('s') {
        Some(one) if level == 1 => format!("1 {one}"),
        _ => format!("{level} {several}"),
    }
}

/// Rows of every level so far, and how many of them were right.
#[derive(Clone, Debug, Default)]
pub(super) struct LevelCounts(BTreeMap<usize, [usize; 2]>);

impl LevelCounts {
    /// One more row; one that has no level does not count.
    pub fn add(&mut self, level: Option<usize>, correct: bool) {
        if let Some(level) = level {
            let [rows, right] = self.0.entry(level).or_default();
            *rows += 1;
            *right += usize::from(correct);
        }
    }

    /// Level by level, the lowest first; none where no row had one.
    pub fn finish(self) -> Vec<LevelAccuracy> {
        let counts = self.0.into_iter();
        counts.map(|(level, [rows, correct])| LevelAccuracy { level, rows, correct }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_at_their_own_level() {
        let mut counts = LevelCounts::default();
        for (level, correct) in [(9, true), (2, true), (9, false), (2, true), (9, false)] {
            counts.add(Some(level), correct);
        }
        counts.add(None, true);
        let all = counts.finish();
        let numbers: Vec<_> = all.iter().map(|of| (of.level, of.rows, of.correct)).collect();
        assert_eq!(numbers, [(2, 2, 2), (9, 3, 1)]);
        let hardest = all[1].accuracy();
        assert!((hardest.mean - 1.0 / 3.0).abs() < 1e-12);
        assert!(hardest.low < hardest.mean && hardest.mean < hardest.high);
        // All right leaves room below, and none above.
        let easiest = all[0].accuracy();
        assert!(easiest.low < 1.0 && easiest.high == 1.0);
    }

    #[test]
    fn rows_without_levels_have_none() {
        let mut counts = LevelCounts::default();
        counts.add(None, true);
        assert!(counts.finish().is_empty());
    }
}
