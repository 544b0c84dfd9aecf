//! The words behind a chore, taken one by one.

use crate::command::Stop;

/// A chore's words that are not taken yet.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    chore: String,
    words: Vec<String>,
}

impl Options {
    pub fn new(chore: &str, words: &[String]) -> Self {
        Self { chore: chore.to_string(), words: words.to_vec() }
    }

    /// Takes a flag; whether it was there.
    pub fn has(&mut self, flag: &str) -> bool {
        let before = self.words.len();
        self.words.retain(|word| word != flag);
        self.words.len() < before
    }

    /// Takes an option and the word behind it, each time that it is there: `--name value` or `--name=value`. `wants` ends
    /// the sentence that refuses it alone.
    pub fn values(&mut self, option: &str, wants: &str) -> Result<Vec<String>, Stop> {
        let (mut values, mut others) = (Vec::new(), Vec::new());
        let mut words = std::mem::take(&mut self.words).into_iter();
        while let Some(word) = words.next() {
            let behind = word.strip_prefix(option).and_then(|rest| rest.strip_prefix('='));
            if let Some(value) = behind {
                values.push(value.to_string());
            } else if word == option {
                let value = words.next();
                values.push(value.ok_or_else(|| Stop::usage(format!("`{option}` {wants}.")))?);
            } else {
                others.push(word);
            }
        }
        self.words = others;
        Ok(values)
    }

    /// Takes an option and the word behind it; the last one counts.
    pub fn value(&mut self, option: &str, wants: &str) -> Result<Option<String>, Stop> {
        Ok(self.values(option, wants)?.pop())
    }

    /// Takes the last word, whatever it is.
    pub fn last(&mut self) -> Option<String> {
        self.words.pop()
    }

    pub fn first(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    /// Refuses what is left.
    pub fn end(&self) -> Result<(), Stop> {
        match self.first() {
            Some(word) => Err(Stop::usage(format!("`{}` takes no `{word}`.", self.chore))),
            None => Ok(()),
        }
    }
}

/// Reads a chore's words with `take`, as its tests do, and refuses what is left.
#[cfg(test)]
pub fn taken<T>(
    chore: &str,
    words: &[&str],
    take: fn(&mut Options) -> Result<T, Stop>,
) -> Result<T, String> {
    let words: Vec<String> = words.iter().map(|word| word.to_string()).collect();
    let mut options = Options::new(chore, &words);
    let found = take(&mut options).and_then(|found| options.end().map(|()| found));
    found.map_err(|stop| stop.to_string())
}
