//! A story and what is asked about it.
//!
//! A row of a task is a story with one ask. A model learns from the same stories with several asks
//! after one another: their answers, and the words of a claim that follow from the story, count in
//! the loss. Verdicts alone say too little: models stayed at chance for millions of tokens.

use super::{DataSplit, GeneratedRow};

/// How a claim is made: with its verdict asked for, or left open for the model to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskKind {
    /// "So Ben sings" -> " indeed"
    Claimed,
    /// "So Ben" -> " sings"
    Told,
}

/// One question: text that continues a story (its space included), up to where the answer stands.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExerciseAsk {
    pub text: String,
    /// Words of `text` that can be foreseen: the byte at which each begins, and how much it counts.
    pub told: Vec<(usize, f32)>,
    /// Without their spaces.
    pub options: Vec<&'static str>,
    /// Index of the right one.
    pub answer: usize,
}

impl ExerciseAsk {
    /// Begins with text that need not be foreseen.
    pub fn say(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Goes on with text that need not be foreseen.
    pub fn and(mut self, text: &str) -> Self {
        self.text += text;
        self
    }

    /// A word that follows from what was said before it.
    pub fn tell(mut self, word: &str, counted: f32) -> Self {
        self.told.push((self.text.len(), counted));
        self.text.push(' ');
        self.text += word;
        self
    }

    /// Sets the options that may stand here, and the index of the right one.
    pub fn answer(mut self, options: &[&'static str], answer: usize) -> Self {
        self.options = options.to_vec();
        self.answer = answer;
        self
    }
}

/// A story with its asks; the first is the row's.
#[derive(Clone, Debug, PartialEq)]
pub struct Exercise {
    /// The events, told in sentences.
    pub story: String,
    /// Words to be foreseen within the story, though it continues with another word: the byte at which it
    /// continues, and the word. So the question about a long story is asked of its beginnings too.
    pub asides: Vec<(usize, &'static str)>,
    /// At least one.
    pub asks: Vec<ExerciseAsk>,
}

/// Text to learn from.
#[derive(Clone, Debug, PartialEq)]
pub struct CountedText {
    /// A story with its asks answered.
    pub text: String,
    /// The byte at which a counted word begins, its space included, and how much it counts.
    pub counted: Vec<(usize, f32)>,
    /// The byte at which a word begins instead of which another is to be foreseen.
    pub asides: Vec<(usize, &'static str)>,
}

impl Exercise {
    fn prompt(&self, ask: &ExerciseAsk) -> String {
        format!("{}{}", self.story, ask.text)
    }

    /// The first ask as a row; `level` in the task's own count.
    pub fn row(&self, level: usize) -> GeneratedRow {
        let ask = &self.asks[0];
        GeneratedRow {
            prompt: self.prompt(ask),
            options: ask.options.iter().map(|option| format!(" {option}")).collect(),
            answer: ask.answer,
            level,
        }
    }

    /// The side that all asks belong to, each as a row of its own; none when they differ.
    pub fn side(&self) -> Option<DataSplit> {
        let mut sides = self.asks.iter().map(|ask| DataSplit::of(&self.prompt(ask)));
        let first = sides.next()?;
        sides.all(|side| side == first).then_some(first)
    }

    /// The story, and all asks answered.
    pub fn counted_text(&self) -> CountedText {
        let mut text = self.story.clone();
        let mut counted = Vec::new();
        for (n, ask) in self.asks.iter().enumerate() {
            if n > 0 {
                text.push('.');
            }
            counted.extend(ask.told.iter().map(|&(at, how)| (text.len() + at, how)));
            text += &ask.text;
            counted.push((text.len(), 1.0));
            text.push(' ');
            text += ask.options[ask.answer];
        }
        CountedText { text, counted, asides: self.asides.clone() }
    }
}
