use std::path::PathBuf;

/// Why a task cannot be read. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    #[error("no task is called '{name}': choose from {known}, or give a task's TOML file")]
    Unknown { name: String, known: String },
    #[error(
        "{file} is not a valid task file ({reason}); see `atelier tasks --help` for what one looks like"
    )]
    Definition { file: String, reason: String },
    #[error("there is no folder {folder}: give --data the folder that holds the data sets", folder = folder.display())]
    NoFolder { folder: PathBuf },
    #[error("{task} needs one of the files {files} under {folder}, and there is none", folder = folder.display())]
    NoFile { task: String, files: String, folder: PathBuf },
    #[error("{path} cannot be read ({reason})", path = path.display())]
    Read { path: PathBuf, reason: String },
    #[error("its name does not end in .csv, .tsv, .jsonl or .parquet, so its format is not known")]
    Extension,
    #[error("line {line} is not UTF-8 text: save the file as UTF-8")]
    NotText { line: usize },
    #[error(
        "line {line} begins a cell with a quotation mark that is never closed: close it, or write it twice within a quoted cell"
    )]
    OpenQuote { line: usize },
    #[error(
        "it is a Git LFS pointer and not the file itself: fetch that with `git lfs pull`, or download it"
    )]
    Pointer,
    #[error("it has two columns called {column}, and the task asks for that: rename one")]
    TwoColumns { column: String },
    #[error("line {line} cannot be read ({reason})")]
    Format { line: usize, reason: String },
    #[error("it is no parquet file that can be read ({reason})")]
    Parquet { reason: String },
    #[error(
        "it has the columns {found}, but the task needs {wanted}: is it another data set's file?"
    )]
    Columns { found: String, wanted: String },
    #[error("line {line} has {found} cells and there are {columns} columns")]
    Cells { line: usize, found: usize, columns: usize },
    #[error(
        "{task} is generated, and {count} rows of it are more than are drawn at once: ask for at most {}",
        crate::task::primer::MOST_ROWS
    )]
    TooMany { task: String, count: usize },
    #[error("it holds no rows")]
    NoRows,
    #[error("all of its {rows} rows are blank or have no answer, so nothing is left to ask")]
    NothingLeft { rows: usize },
    #[error("line {line} has no value for {{{name}}}")]
    Field { line: usize, name: String },
    #[error(
        "{count} of its {rows} rows have a label that is no option (first {label:?} in line {line}). Add it to \
         the task's labels, or to unlabelled to leave such rows out"
    )]
    Labels { count: usize, rows: usize, line: usize, label: String },
    #[error(
        "line {line} has the label {label:?}, which is the text of one option and the index of another, \
         {indexed:?}. Write label_is = \"text\" or label_is = \"index\" in the task's [[layout]]"
    )]
    LabelTwice { line: usize, label: String, indexed: String },
    #[error("line {line} is not a row of {set} ({found}): {form}")]
    Row { line: usize, set: &'static str, found: String, form: &'static str },
    #[error("{path}: {error}", path = path.display())]
    In { path: PathBuf, error: Box<TaskError> },
}
