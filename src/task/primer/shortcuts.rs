//! How far one gets without looking anything up: three ways to answer that a model may fall for.

use std::collections::HashMap;

use super::{DataSplit, Dice, GeneratedRow, GeneratedTask, held_out, levels, pieces, row};

/// A way to answer without understanding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortcut {
    /// The option that is right most often, whatever the prompt.
    MostFrequent,
    /// The option that the prompt mentions last; the most frequent one where it mentions none.
    LastMentioned,
    /// The option whose prompts have these words most often, in whatever order (naive Bayes).
    BagOfWords,
}

impl Shortcut {
    /// All three.
    pub const ALL: [Shortcut; 3] =
        [Shortcut::MostFrequent, Shortcut::LastMentioned, Shortcut::BagOfWords];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Shortcut::MostFrequent => "most frequent",
            Shortcut::LastMentioned => "last mentioned",
            Shortcut::BagOfWords => "bag of words",
        }
    }
}

/// Rows that the counts are of.
const COUNTED: usize = 4_000;

/// Counts of right answers, and of the words in the prompts of each.
struct AnswerCounts {
    /// Rows with this answer, and with this answer and word.
    answers: HashMap<String, (f64, HashMap<String, f64>)>,
    words: f64,
}

fn words(prompt: &str) -> impl Iterator<Item = &str> {
    pieces(prompt).into_iter().map(|(_, piece)| piece.trim_start())
}

impl AnswerCounts {
    /// Counts training rows, as many of every level, as a model meets them.
    fn of(task: GeneratedTask) -> Self {
        let mut dice = Dice::new(0, task as u64);
        let mut answers: HashMap<String, (f64, HashMap<String, f64>)> = HashMap::new();
        let mut seen = std::collections::HashSet::new();
        for n in 0..COUNTED {
            let row = row(task, n % levels(task), DataSplit::Training, &mut dice);
            let (rows, counts) = answers.entry(row.options[row.answer].clone()).or_default();
            *rows += 1.0;
            for word in words(&row.prompt) {
                seen.insert(word.to_owned());
                *counts.entry(word.to_owned()).or_default() += 1.0;
            }
        }
        Self { answers, words: seen.len() as f64 }
    }

    fn frequency(&self, option: &str) -> f64 {
        self.answers.get(option).map_or(0.0, |(rows, _)| *rows)
    }

    /// Logarithm of how likely the prompt's words are beside this answer, up to a constant.
    fn likelihood(&self, option: &str, prompt: &str) -> f64 {
        let Some((rows, counts)) = self.answers.get(option) else {
            return f64::NEG_INFINITY;
        };
        let all: f64 = counts.values().sum();
        let each = words(prompt).map(|word| {
            let count = counts.get(word).copied().unwrap_or_default();
            ((count + 1.0) / (all + self.words)).ln()
        });
        rows.ln() + each.sum::<f64>()
    }

    fn answer(&self, by: Shortcut, row: &GeneratedRow) -> usize {
        let score = |option: &String| match by {
            Shortcut::MostFrequent => self.frequency(option),
            Shortcut::LastMentioned => {
                let story: Vec<&str> = words(&row.prompt).collect();
                let at = story.iter().rposition(|word| *word == option.trim_start());
                at.map_or(0.0, |at| (at + 1) as f64) + self.frequency(option) / 1e9
            }
            Shortcut::BagOfWords => self.likelihood(option, &row.prompt),
        };
        let scores: Vec<f64> = row.options.iter().map(score).collect();
        let best = (0..scores.len()).max_by(|&a, &b| scores[a].total_cmp(&scores[b]));
        best.unwrap_or(0)
    }
}

/// The share of `rows` held-out rows of each level that a shortcut answers rightly.
pub fn shares(task: GeneratedTask, by: Shortcut, rows: usize, seed: u64) -> Vec<f64> {
    let counts = AnswerCounts::of(task);
    (0..levels(task))
        .map(|level| {
            let rows = held_out(task, Some(level), rows, seed);
            let right = rows.iter().filter(|row| counts.answer(by, row) == row.answer);
            right.count() as f64 / rows.len().max(1) as f64
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Topic is of words in any order; what comes last in a line is never what is mentioned last.
    #[test]
    fn no_shortcut_pays_at_the_hardest_levels() {
        for task in GeneratedTask::ALL {
            for by in Shortcut::ALL {
                // The mean of the two hardest levels: a guess by parity is always right at one and never at
                // the other.
                let shares = shares(task, by, 400, 1);
                let hardest = &shares[shares.len() - 2..];
                let share = hardest.iter().sum::<f64>() / 2.0;
                let pays = share > task.chance() + 0.12;
                let may = task == GeneratedTask::Topic && by == Shortcut::BagOfWords;
                assert_eq!(pays, may, "{} by {}: {share}", task.name(), by.name());
            }
        }
    }
}
