use super::Painters;

/// Why a file of a data set cannot be read. Lines and columns are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    #[error(
        "there is no data set '{name}': choose from lambada, hellaswag, winogrande, arc, gsm8k"
    )]
    Unknown { name: String },
    #[error("line {line} is not UTF-8 text: save the file as UTF-8")]
    NotText { line: usize },
    #[error("line {line} is not a row of {set} ({reason}, column {column}): {}", set.form())]
    Json { set: Painters, line: usize, column: usize, reason: String },
    #[error("line {line} is not a row of {set} ({found}): {}", set.form())]
    Row { set: Painters, line: usize, found: String },
    #[error("the file holds no rows of {set}: {}", set.form())]
    Empty { set: Painters },
}
