//! The definition of a task in a small TOML file: which files, which columns, which words around
//! them, which options, and what counts as right.
//!
//! ```toml
//! name = "rte"
//! about = "does the text say so?"
//! split = "validation"
//! first = 2000                       # rows asked unless --rows says otherwise
//! score = "option"                   # or continuation, last_word, generate
//! files = ["rte/val.jsonl"]          # looked for under --data; csv, tsv, jsonl or parquet
//! template = "{text1} Is {text2} definitely correct? Yes or No? {answer}"
//! options = ["Yes", "No"]
//!
//! [[layout]]                         # the first whose columns a file has
//! fields = { text1 = "{premise}", text2 = "{hypothesis}" }
//! label = "{label}"
//! labels = { entailment = "Yes", not_entailment = "No" }
//! ```
//!
//! `{answer}` ends the template of options: what blanks stand before it, every option begins with.
//! `{options}` lists the options, or a row's own choices behind the options as letters. A field may
//! be a part of a column: `{ from = "{input}", after = "premise: ", before = " [SEP]" }`. A file
//! without a header line has its columns named by `columns = ["label", "text"]`. A row's own choices
//! are in `choices = "column"`; without `options`, they are what is scored.
//!
//! A label names its option through `labels`. Without `labels` it is an option's text or an option's
//! index, counted from 0. A file with a label that is the text of one option and the index of another
//! is refused until its layout says `label_is = "text"` or `label_is = "index"`.

mod layout;
mod template;

pub use layout::{FileLayout, LabelKind};
pub use template::Template;

use std::path::{Component, Path};

use serde::Deserialize;

use crate::task::error::TaskError;
use crate::task::painters::Painters;
use crate::task::score::Score;

/// Names in a template that no column gives.
const GIVEN: [&str; 2] = ["options", "answer"];

/// A task's file, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: String,
    pub about: String,
    /// Where the task comes from.
    pub source: String,
    pub split: String,
    /// Rows asked, unless the reader says otherwise.
    pub first: usize,
    pub score: Score,
    /// Paths below a data folder, the first that exists is read.
    pub files: Vec<String>,
    pub form: Form,
}

/// How a file's rows become questions.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// By a reader of its own.
    Painters(Painters),
    Columns(Box<Columns>),
}

/// Columns around which a template puts words.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns {
    pub template: Template,
    /// The blanks that every option begins with.
    pub blank: String,
    /// K words; none where the rows bring their own choices or the answer is open.
    pub options: Vec<String>,
    pub layouts: Vec<FileLayout>,
}

/// The first text that is there twice, blanks around it aside: nothing tells such options apart.
pub fn equal(texts: &[String]) -> Option<&str> {
    let mut pairs = texts.iter().enumerate();
    let twice =
        pairs.find(|(at, text)| texts[..*at].iter().any(|other| other.trim() == text.trim()));
    twice.map(|(_, text)| text.trim())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDefinition {
    name: String,
    #[serde(default)]
    about: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    split: String,
    #[serde(default = "first")]
    first: usize,
    score: Option<Score>,
    #[serde(default)]
    files: Vec<String>,
    reader: Option<String>,
    template: Option<String>,
    #[serde(default)]
    options: Vec<String>,
    #[serde(default)]
    layout: Vec<layout::RawLayout>,
}

/// File systems take 255 bytes, and some are added.
const LONGEST_NAME: usize = 100;

/// The paper's number of rows per data set.
fn first() -> usize {
    2000
}

impl Definition {
    /// `file` is what errors call it.
    ///
    /// # Errors
    /// [`TaskError::Definition`]: something is missing, or does not fit together.
    pub fn parse(text: &str, file: &str) -> Result<Self, TaskError> {
        let wrong = |reason: String| TaskError::Definition { file: file.to_string(), reason };
        let raw: RawDefinition = toml::from_str(text).map_err(|error| {
            let start = error.span().map(|span| span.start.min(text.len()));
            let line = start.map(|start| text[..start].matches('\n').count() + 1);
            let message = error.message().lines().next().unwrap_or_default().to_string();
            wrong(match line {
                Some(line) => format!("line {}: {message}", line),
                None => message,
            })
        })?;
        raw.checked().map_err(wrong)
    }
}

impl RawDefinition {
    fn checked(self) -> Result<Definition, String> {
        let name_is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        refuse_if!(
            self.name.is_empty() || !self.name.chars().all(name_is_plain),
            format!("name is {:?}, but may only have letters, digits, _ and -", self.name)
        );
        if self.name.len() > LONGEST_NAME {
            return Err(format!(
                "name has {} letters, and files are called by it: give it at most {LONGEST_NAME}",
                self.name.len()
            ));
        }
        let is_elsewhere = |file: &&String| {
            let mut parts = Path::new(file.as_str()).components();
            !parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
        };
        if let Some(file) = self.files.iter().find(is_elsewhere) {
            return Err(format!(
                "files names {file:?}, which does not lie under the folder that --data gives: write the way from there"
            ));
        }
        refuse_if!(self.first == 0, "first is 0, which leaves nothing to ask".into());
        let (form, score) = match &self.reader {
            Some(reader) => {
                let set = Painters::from_name(reader).ok_or_else(|| {
                    let known = Painters::ALL.map(Painters::name).join(", ");
                    format!("reader is {reader:?}, but readers are {known}")
                })?;
                (Form::Painters(set), Score::Continuation)
            }
            None => {
                let score = self
                    .score
                    .ok_or("it has no score: write option, continuation, last_word or generate")?;
                (Form::Columns(Box::new(self.columns(score)?)), score)
            }
        };
        Ok(Definition {
            name: self.name,
            about: self.about,
            source: self.source,
            split: self.split,
            first: self.first,
            score,
            files: self.files,
            form,
        })
    }

    fn columns(&self, score: Score) -> Result<Columns, String> {
        let text = self.template.as_deref().ok_or("it has no template")?;
        let mut template = Template::parse(text)?;
        let blank = template.strip_end("answer");
        let chooses = matches!(score, Score::Option | Score::Continuation);
        if chooses && blank.is_none() {
            return Err("its template does not end in {answer}, where the options go".into());
        }
        if template.names().any(|name| name == "answer") {
            return Err("its template has {answer} before its end".into());
        }
        if score == Score::Option && self.options.len() < 2 {
            return Err(format!("it has {} options and needs two or more", self.options.len()));
        }
        if self.options.iter().any(|option| option.trim().is_empty()) {
            return Err("one of its options is blank".into());
        }
        if let Some(twice) = equal(&self.options) {
            return Err(format!("it has the option {twice:?} twice"));
        }
        if self.layout.is_empty() {
            return Err("it has no [[layout]] that says which columns to read".into());
        }
        let layouts =
            self.layout.iter().cloned().map(FileLayout::try_from).collect::<Result<Vec<_>, _>>()?;
        for layout in &layouts {
            let strange = layout.labels.values().find(|to| !self.options.contains(to));
            if let Some(to) = strange
                && !self.options.is_empty()
            {
                return Err(format!(
                    "labels name the option {to:?}, but the options are {}",
                    self.options.join(", ")
                ));
            }
            if score != Score::LastWord && layout.label.names().next().is_none() {
                return Err("a layout has no label that says what is right".into());
            }
            if layout.label_is.is_some() && !layout.labels.is_empty() {
                return Err("a layout has both labels and label_is: leave one out".into());
            }
            if score == Score::Continuation && self.options.is_empty() && layout.choices.is_none() {
                return Err("it has neither options nor a layout with choices".into());
            }
        }
        Ok(Columns {
            template,
            blank: blank.unwrap_or_default(),
            options: self.options.clone(),
            layouts,
        })
    }
}
