//! One task's file, and the questions that its rows become.
//!
//! ```toml
//! about = "which word means the opposite?"
//! frames = ["The opposite of {1} is"]  # rows use several in turn; {1} is a row's first word
//! end = ". "                           # behind a worked example
//! drawn = 3                            # options that are other rows' answers
//! itself = true                        # the row's own words are options
//! options = ["is", "are"]              # or every row has these options
//! examples = "hot,cold"                # at most two, in front of every question
//! tried = "slow,fast|quick"            # the frame was chosen on these rows, which are not asked
//! rows = "big,small|little|short"      # one per line
//! ```
//!
//! The last word of a row is its answer. Words behind a `|` are right as well, or nearly: they are never among the
//! row's options.

use serde::Deserialize;

use crate::task::item::{Item, TaskRow};
use crate::task::primer::Dice;

/// Seed of the rows' order and of the options that are drawn.
const SEED: u64 = 1;

/// Stream of the rows' order; row `n` draws its options from stream `n`.
const ORDER: u64 = u64::MAX;

/// A task's file.
pub(super) struct WordFacts {
    pub(super) file: WordFactsFile,
    pub(super) examples: Vec<Fact>,
    pub(super) rows: Vec<Fact>,
}

/// A file's fields, see the module.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WordFactsFile {
    pub(super) about: String,
    frames: Vec<String>,
    end: String,
    #[serde(default)]
    drawn: usize,
    #[serde(default)]
    itself: bool,
    #[serde(default)]
    options: Vec<String>,
    examples: String,
    tried: String,
    rows: String,
}

/// A row, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fact {
    /// Words that are given.
    pub(super) given: Vec<String>,
    pub(super) right: String,
    /// Words that are right as well.
    pub(super) also: Vec<String>,
}

impl WordFacts {
    /// # Errors
    /// A text that is not TOML, lacks a field or has one too many; a row without an answer; a row that is asked
    /// though the frame was chosen on it or solves it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let file: WordFactsFile = toml::from_str(text).map_err(|error| error.to_string())?;
        let (examples, rows) = (facts(&file.examples)?, facts(&file.rows)?);
        let tried = facts(&file.tried)?;
        if let Some(seen) = rows.iter().find(|&row| tried.contains(row) || examples.contains(row)) {
            return Err(format!(
                "the row of {:?} was tried or solved before it is asked",
                seen.right
            ));
        }
        Ok(Self { file, examples, rows })
    }

    pub(super) fn rows(&self, count: usize) -> Vec<TaskRow> {
        // Lines of a kind stand together in the file: the first few rows must be a fair sample.
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        Dice::new(SEED, ORDER).shuffle(&mut order);

        let first = order.into_iter().take(count);
        first.map(|row| TaskRow::new(row + 1, self.item(row))).collect()
    }

    pub(super) fn probe(&self) -> Item {
        let mut words: Vec<&str> = Vec::new();
        let fixed = self.file.options.iter();
        let listed = self.rows.iter().flat_map(|fact| self.own_options(fact));
        for word in fixed.map(String::as_str).chain(listed) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Item::Option { prompt: self.prompt(0), options: spaced(&words), answer: 0 }
    }

    fn item(&self, row: usize) -> Item {
        let options = self.options(row);
        let right = options.iter().position(|word| *word == self.rows[row].right);
        Item::Option {
            prompt: self.prompt(row),
            options: spaced(&options),
            // The right word is among its options: a test holds every row to it.
            answer: right.unwrap_or_default(),
        }
    }

    /// The worked examples, then the row as far as its answer.
    fn prompt(&self, row: usize) -> String {
        let mut prompt = String::new();
        for (n, example) in self.examples.iter().enumerate() {
            prompt += &self.framed(n, example);
            prompt.push(' ');
            prompt += &example.right;
            prompt += &self.file.end;
        }
        prompt + &self.framed(row, &self.rows[row])
    }

    /// The words of row `n` in the frame whose turn it is.
    fn framed(&self, n: usize, fact: &Fact) -> String {
        let frame = self.file.frames[n % self.file.frames.len()].clone();
        let words = fact.given.iter().chain([&fact.right]).enumerate();
        words.fold(frame, |text, (at, word)| text.replace(&format!("{{{}}}", at + 1), word))
    }

    fn options(&self, row: usize) -> Vec<&str> {
        if !self.file.options.is_empty() {
            return self.file.options.iter().map(String::as_str).collect();
        }
        let fact = &self.rows[row];
        let mut dice = Dice::new(SEED, row as u64);

        // 1. The right word, and the row's own.
        let mut options = self.own_options(fact);

        // 2. Answers of other rows, but what is right here or is given in the question.
        let mut others: Vec<&str> = Vec::new();
        for Fact { right, .. } in &self.rows {
            let near = || fact.also.iter().chain(&fact.given).chain([&fact.right]);
            if !near().any(|word| word == right) && !others.contains(&right.as_str()) {
                others.push(right);
            }
        }
        options.extend(dice.pick_distinct(&others, self.file.drawn));

        // 3. No place is the right one's.
        dice.shuffle(&mut options);
        options
    }

    fn own_options<'a>(&self, fact: &'a Fact) -> Vec<&'a str> {
        let given = if self.file.itself { fact.given.as_slice() } else { &[] };
        let words = [&fact.right].into_iter().chain(given);
        words.map(String::as_str).collect()
    }

    #[cfg(test)]
    pub(super) fn tried(&self) -> Vec<Fact> {
        facts(&self.file.tried).expect("rows")
    }
}

/// One row per line.
fn facts(lines: &str) -> Result<Vec<Fact>, String> {
    let lines = lines.lines().filter(|line| !line.is_empty());
    lines.map(fact).collect()
}

fn fact(line: &str) -> Result<Fact, String> {
    let (given, answer) = line.rsplit_once(',').ok_or_else(|| format!("{line:?} has no answer"))?;
    let mut right = answer.split('|').map(str::to_owned);
    Ok(Fact {
        given: given.split(',').map(str::to_owned).collect(),
        right: right.next().unwrap_or_default(),
        also: right.collect(),
    })
}

fn spaced(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| format!(" {word}")).collect()
}
