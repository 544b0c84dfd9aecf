//! Drills in the making: a text whose words are counted as they are said.

use super::{Drill, finish};

/// A drill being told: its text, and which of its words count fully.
pub struct Telling {
    text: String,
    counted: Vec<usize>,
}

impl Telling {
    pub fn of(story: String) -> Self {
        Telling {
            text: story,
            counted: Vec::new(),
        }
    }

    pub fn say(&mut self, words: &str) -> &mut Self {
        self.text.push(' ');
        self.text += words;
        self
    }

    /// Says a word that follows from what was said before.
    pub fn count(&mut self, word: &str) -> &mut Self {
        self.counted.push(self.text.split(' ').count());
        self.say(word)
    }

    pub fn ask(self, options: &[&str], answer: usize) -> Drill {
        Drill {
            row: finish(self.text, options, answer),
            counted: self.counted,
        }
    }
}
