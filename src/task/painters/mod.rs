//! The five data sets of *Transformer Layers as Painters*, read from the files they are published
//! in, one set a file. Prompts are the lm-evaluation-harness's defaults without examples in front, but for BOS and
//! long rows (see [`score`](crate::task::score)).
//!
//! A file is read whole or refused with the number of its first wrong line: no row is left out.

mod arc;
mod error;
mod gsm8k;
mod hellaswag;
mod lambada;
mod lines;
mod winogrande;

use std::fmt;
use std::str::FromStr;

pub use error::DataError;

use crate::task::item::Item;
use crate::task::score::Score;

/// A data set of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Painters {
    Lambada,
    HellaSwag,
    WinoGrande,
    Arc,
    Gsm8k,
}

impl Painters {
    /// All five.
    pub const ALL: [Painters; 5] = [
        Painters::Lambada,
        Painters::HellaSwag,
        Painters::WinoGrande,
        Painters::Arc,
        Painters::Gsm8k,
    ];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Painters::Lambada => "lambada",
            Painters::HellaSwag => "hellaswag",
            Painters::WinoGrande => "winogrande",
            Painters::Arc => "arc",
            Painters::Gsm8k => "gsm8k",
        }
    }

    /// Finds the data set of that name.
    pub fn from_name(name: &str) -> Option<Painters> {
        Painters::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Returns the rule for what counts as right, the same for every row.
    pub fn score(self) -> Score {
        match self {
            Painters::Lambada => Score::LastWord,
            Painters::HellaSwag | Painters::WinoGrande | Painters::Arc => Score::Continuation,
            Painters::Gsm8k => Score::Generate,
        }
    }

    /// Reads every row of a file's bytes, in order. At least one.
    ///
    /// # Errors
    /// The first line that is no row of this set, by its number, or a file without rows.
    pub fn read(self, file: &[u8]) -> Result<Vec<Item>, DataError> {
        let items = match self {
            Painters::Lambada => lines::json(file, self, lambada::item),
            Painters::HellaSwag => hellaswag::items(file),
            Painters::WinoGrande => lines::json(file, self, winogrande::item),
            Painters::Arc => lines::json(file, self, arc::item),
            Painters::Gsm8k => lines::json(file, self, gsm8k::item),
        }?;
        if items.is_empty() { Err(DataError::Empty { set: self }) } else { Ok(items) }
    }

    /// A row of the set, for a sentence that refuses another.
    fn form(self) -> &'static str {
        match self {
            Painters::Lambada => lambada::FORM,
            Painters::HellaSwag => hellaswag::FORM,
            Painters::WinoGrande => winogrande::FORM,
            Painters::Arc => arc::FORM,
            Painters::Gsm8k => gsm8k::FORM,
        }
    }
}

impl fmt::Display for Painters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Painters {
    type Err = DataError;

    fn from_str(name: &str) -> Result<Self, DataError> {
        Painters::from_name(name).ok_or_else(|| DataError::Unknown { name: name.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_has_its_name() {
        for set in Painters::ALL {
            assert_eq!(set.to_string().parse(), Ok(set));
        }
        let refusal = "mmlu".parse::<Painters>().expect_err("no such set");
        assert_eq!(
            refusal.to_string(),
            "there is no data set 'mmlu': choose from lambada, hellaswag, winogrande, arc, gsm8k"
        );
    }

    #[test]
    fn a_file_without_rows_is_refused_with_the_form_of_one() {
        for set in Painters::ALL {
            for file in ["", "\n \r\n", "\u{feff}"] {
                let refusal = set.read(file.as_bytes()).expect_err("no rows").to_string();
                assert!(
                    refusal.starts_with(&format!("the file holds no rows of {set}: ")),
                    "{refusal}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_text_is_refused_by_its_line() {
        for set in Painters::ALL {
            assert_eq!(set.read(b"\n\xff\xfe"), Err(DataError::NotText { line: 2 }), "{set}");
        }
    }
}
