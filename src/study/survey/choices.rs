//! How often each option is right, and how often the model chooses it.

use serde::{Deserialize, Serialize};

use super::MeasuredRow;
use crate::measure::decomposition::argmax;
use crate::task::score::Score;

/// One option of a task's rows, by its place among theirs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChoiceShare {
    /// Its text, where that is the same in every row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option: Option<String>,
    /// Share of rows whose right answer it is.
    pub right: f64,
    /// Share of rows in which the model chooses it.
    pub chosen: f64,
}

/// Counts over rows.
#[derive(Default)]
pub(super) struct ChoiceCounts(Vec<ChoiceCount>);

#[derive(Default)]
struct ChoiceCount {
    /// Its text so far; `None` inside where rows differ.
    text: Option<Option<String>>,
    right: usize,
    chosen: usize,
}

impl ChoiceCounts {
    /// Adds a row that `score` judges.
    pub fn add(&mut self, row: &MeasuredRow, score: Score) {
        let chosen = match score {
            Score::Option => row.answered,
            Score::Continuation => argmax(&row.log_likelihoods),
            Score::LastWord | Score::Generate => return,
        };
        let right = row.right.unwrap_or(row.answer);
        let options = row.choices.len().max(1 + right.max(chosen));
        if self.0.len() < options {
            self.0.resize_with(options, ChoiceCount::default);
        }
        self.0[right].right += 1;
        self.0[chosen].chosen += 1;
        for (count, text) in self.0.iter_mut().zip(&row.choices) {
            let before = count.text.get_or_insert_with(|| Some(text.clone()));
            if before.as_ref() != Some(text) {
                *before = None;
            }
        }
    }

    /// Shares of so many rows.
    pub fn finish(self, rows: usize) -> Vec<ChoiceShare> {
        let share = |count: usize| count as f64 / rows.max(1) as f64;
        let choices = self.0.into_iter().map(|count| ChoiceShare {
            option: count.text.flatten(),
            right: share(count.right),
            chosen: share(count.chosen),
        });
        choices.collect()
    }
}
