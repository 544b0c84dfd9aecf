//! One row of a task, in the form its score asks for.

use serde::{Deserialize, Serialize};

use crate::task::score::Score;

/// A question to a model, with its right answer.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Item {
    /// K options of one token each. `answer` is an index below K.
    Option { prompt: String, options: Vec<String>, answer: usize },
    /// K options of one token each, in token ids and rows of the unembedding, for models without a tokenizer.
    Ids { token_ids: Vec<u32>, option_ids: Vec<u32>, answer: usize },
    /// The candidate whose continuation is likeliest after its own context is the model's answer.
    /// In WinoGrande the contexts differ and the continuation is the same (partial scoring).
    Continuation { candidates: Vec<Candidate>, answer: usize },
    /// `word` begins with the space that joins it to `context`.
    LastWord { context: String, word: String },
    /// `answer` is the right number, plain: no commas, no dollar sign.
    Generate { prompt: String, answer: String },
}

/// A continuation, with the space that joins it, and what it follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Candidate {
    pub context: String,
    pub continuation: String,
}

/// A question, where it stands in its file, and how hard it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRow {
    /// Counted from 1.
    pub line: usize,
    /// In the task's own count, where it has levels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<usize>,
    pub item: Item,
}

impl TaskRow {
    /// Makes a row of a task that has no levels.
    pub fn new(line: usize, item: Item) -> Self {
        Self { line, level: None, item }
    }
}

impl Item {
    /// Returns the rule for what counts as right.
    pub fn score(&self) -> Score {
        match self {
            Item::Option { .. } | Item::Ids { .. } => Score::Option,
            Item::Continuation { .. } => Score::Continuation,
            Item::LastWord { .. } => Score::LastWord,
            Item::Generate { .. } => Score::Generate,
        }
    }

    /// K, 0 where the answer is open.
    pub fn options(&self) -> usize {
        match self {
            Item::Option { options, .. } => options.len(),
            Item::Ids { option_ids, .. } => option_ids.len(),
            Item::Continuation { candidates, .. } => candidates.len(),
            Item::LastWord { .. } | Item::Generate { .. } => 0,
        }
    }

    /// Index of the right option, `None` where the answer is open.
    pub fn answer(&self) -> Option<usize> {
        match self {
            Item::Option { answer, .. }
            | Item::Ids { answer, .. }
            | Item::Continuation { answer, .. } => Some(*answer),
            Item::LastWord { .. } | Item::Generate { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_have_one_answer() {
        let options = vec![" x".into(), " y".into(), " z".into()];
        let text = Item::Option { prompt: "a".into(), options, answer: 2 };
        let ids = Item::Ids { token_ids: vec![1, 2], option_ids: vec![3, 4], answer: 0 };
        let told = [text, ids].map(|item| (item.score(), item.options(), item.answer()));
        assert_eq!(told, [(Score::Option, 3, Some(2)), (Score::Option, 2, Some(0))]);
    }

    #[test]
    fn open_answers_have_no_options() {
        let word = Item::LastWord { context: "a".into(), word: " b".into() };
        let number = Item::Generate { prompt: "a".into(), answer: "3".into() };
        for (item, score) in [(word, Score::LastWord), (number, Score::Generate)] {
            assert_eq!((item.score(), item.options(), item.answer()), (score, 0, None));
        }
    }
}
