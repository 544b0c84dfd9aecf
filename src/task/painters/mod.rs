//! Two data sets of *Transformer Layers as Painters* that a task file cannot say: HellaSwag has six lines an item,
//! WinoGrande two contexts. Prompts are the lm-evaluation-harness's defaults without examples in front, but for BOS and
//! long rows (see [`score`](crate::task::score)).
//!
//! A file is read whole or refused with the number of its first wrong line: no row is left out.

mod hellaswag;
mod winogrande;

use crate::task::error::TaskError;
use crate::task::item::Item;

/// A data set with a reader of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Painters {
    HellaSwag,
    WinoGrande,
}

impl Painters {
    /// Both.
    pub const ALL: [Painters; 2] = [Painters::HellaSwag, Painters::WinoGrande];

    /// As a task file spells it.
    pub fn name(self) -> &'static str {
        match self {
            Painters::HellaSwag => "hellaswag",
            Painters::WinoGrande => "winogrande",
        }
    }

    /// Finds the data set of that name.
    pub fn from_name(name: &str) -> Option<Painters> {
        Painters::ALL.into_iter().find(|set| set.name() == name)
    }

    /// Reads every row of a file's bytes, in order. At least one.
    ///
    /// # Errors
    /// The first line that is no row of this set, by its number, or a file without rows.
    pub fn read(self, file: &[u8]) -> Result<Vec<Item>, TaskError> {
        let items = match self {
            Painters::HellaSwag => hellaswag::items(file),
            Painters::WinoGrande => winogrande::items(file),
        }?;
        if items.is_empty() { Err(TaskError::NoRows) } else { Ok(items) }
    }

    /// A line that is no row of the set, with the form of one.
    fn refuse(self, line: usize, found: String) -> TaskError {
        let form = match self {
            Painters::HellaSwag => hellaswag::FORM,
            Painters::WinoGrande => winogrande::FORM,
        };
        TaskError::Row { line, set: self.name(), found, form }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_rows_or_without_text_is_refused() {
        for set in Painters::ALL {
            for file in ["", "\n \r\n", "\u{feff}"] {
                let refusal = set.read(file.as_bytes()).expect_err("no rows").to_string();
                assert_eq!(refusal, "it holds no rows");
            }
            let refusal = set.read(b"\n\xff\xfe").expect_err("no text").to_string();
            assert_eq!(refusal, "line 2 is not UTF-8 text: save the file as UTF-8");
        }
    }
}
