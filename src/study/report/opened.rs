//! The one reader of reports: what a file holds, checked, or what it is instead.

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Report, VERSION, check};
use crate::study::coupling::{ModelsCoupling, ModelsCouplingReport};
use crate::study::survey::{Survey, SurveyReport};

/// A report that every figure can be drawn of: indices and lengths fit.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// Has a `lens`.
    Lens(Box<Report>),
    /// Has `prompts`.
    Prompts(Box<Report>),
    /// Has a `lab`.
    Lab(Box<Report>),
    /// Has `orders`, or `need`.
    Orders(Box<Report>),
    /// Has a `coupling`, or `task_coupling`.
    Coupling(Box<Report>),
    /// Has `coupling_models`.
    CouplingModels(Box<ModelsCoupling>),
    Survey(Box<Survey>),
}

/// Why a file cannot be opened, or not here. Each is the rest of a sentence that names the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReportError {
    #[error("it is empty: write it again")]
    Empty,
    #[error("it is no atelier report ({reason})")]
    Json { reason: String },
    #[error(
        "it was written by a newer atelier (layout {found}, this one reads up to {VERSION}): use a newer one"
    )]
    Newer { found: u64 },
    #[error("it is no atelier report but {what}: {instead}")]
    Foreign { what: &'static str, instead: &'static str },
    #[error("it is an atelier report with nothing in it: write it again")]
    Nothing,
    #[error("it is {what}, without a survey in it: {instead}")]
    NoSurvey { what: &'static str, instead: &'static str },
    #[error("it is {what}: {instead}")]
    Survey { what: &'static str, instead: &'static str },
    #[error("{place} does not fit the rest of the file ({reason}): was it edited by hand?")]
    Shape { place: String, reason: String },
}

/// Fields by which files are told apart; their contents are skipped.
#[derive(Deserialize)]
struct FileHead {
    atelier: Option<u64>,
    survey: Option<IgnoredAny>,
    lens: Option<IgnoredAny>,
    prompts: Option<IgnoredAny>,
    lab: Option<IgnoredAny>,
    orders: Option<IgnoredAny>,
    need: Option<IgnoredAny>,
    coupling: Option<IgnoredAny>,
    task_coupling: Option<IgnoredAny>,
    coupling_models: Option<IgnoredAny>,
    // What a survey was asked.
    continuations: Option<IgnoredAny>,
    tasks: Option<IgnoredAny>,
    // A model's files.
    model_type: Option<IgnoredAny>,
    architectures: Option<IgnoredAny>,
    added_tokens: Option<IgnoredAny>,
    weight_map: Option<IgnoredAny>,
    // A line of prompts.
    answer: Option<IgnoredAny>,
    options: Option<IgnoredAny>,
    ids: Option<IgnoredAny>,
}

impl Opened {
    /// Reads a file's bytes and checks all that drawing relies on.
    ///
    /// # Errors
    /// See [`ReportError`].
    pub fn read(bytes: &[u8]) -> Result<Self, ReportError> {
        refuse_if!(bytes.iter().all(u8::is_ascii_whitespace), ReportError::Empty);
        let head: FileHead = serde_json::from_slice(bytes).map_err(|error| {
            foreign_bytes(bytes).unwrap_or(ReportError::Json { reason: error.to_string() })
        })?;
        let found = head.atelier.ok_or_else(|| foreign_object(&head))?;
        refuse_if!(found > u64::from(VERSION), ReportError::Newer { found });
        if head.continuations.is_some() && head.tasks.is_some() {
            return Err(ReportError::Foreign {
                what: "what a survey was asked (survey.json)",
                instead: "open the survey.atelier.json beside it",
            });
        }
        if head.survey.is_some() {
            let report: SurveyReport = parsed(bytes)?;
            report.survey.check()?;
            return Ok(Self::Survey(Box::new(report.survey)));
        }
        if head.coupling_models.is_some() {
            let report: ModelsCouplingReport = parsed(bytes)?;
            check::models(&report.coupling_models)?;
            return Ok(Self::CouplingModels(Box::new(report.coupling_models)));
        }
        let parts = [
            &head.lens,
            &head.prompts,
            &head.lab,
            &head.orders,
            &head.need,
            &head.coupling,
            &head.task_coupling,
        ];
        refuse_if!(parts.iter().all(|part| part.is_none()), ReportError::Nothing);
        let report: Box<Report> = parsed(bytes)?;
        check::report(&report)?;
        if report.lens.is_some() {
            Ok(Self::Lens(report))
        } else if report.lab.is_some() {
            Ok(Self::Lab(report))
        } else if report.prompts.is_some() {
            Ok(Self::Prompts(report))
        } else if report.coupling.is_some() || !report.task_coupling.is_empty() {
            Ok(Self::Coupling(report))
        } else if !report.orders.is_empty() || !report.need.is_empty() {
            Ok(Self::Orders(report))
        } else {
            Err(ReportError::Nothing)
        }
    }

    /// Names the kind of file, as the rest of a sentence.
    pub fn what(&self) -> &'static str {
        self.words().0
    }

    /// The kind of file, and where it can be looked at.
    fn words(&self) -> (&'static str, &'static str) {
        let lens = "open it with the lens, or with `atelier figures`";
        let orders = "open it with Orders, or with `atelier figures`";
        let coupling = "open it with Coupling, or with `atelier figures`";
        match self {
            Self::Lens(_) => ("a report of one prompt", lens),
            Self::Prompts(_) => ("a report of many prompts", lens),
            Self::Lab(_) => ("a report of a rearranged model", orders),
            Self::Orders(_) => ("a report of a sweep over orders", orders),
            Self::Coupling(_) => ("a report of coupling", coupling),
            Self::CouplingModels(_) => ("a comparison of models' coupling", coupling),
            Self::Survey(_) => ("a survey", "open it with Survey, or with `atelier figures`"),
        }
    }

    /// # Errors
    /// It is no survey.
    pub fn survey(self) -> Result<Survey, ReportError> {
        let (what, instead) = self.words();
        match self {
            Self::Survey(survey) => Ok(*survey),
            _ => Err(ReportError::NoSurvey { what, instead }),
        }
    }

    /// # Errors
    /// It is no comparison of models.
    pub fn models(self) -> Result<ModelsCoupling, ReportError> {
        let (what, instead) = self.words();
        match self {
            Self::CouplingModels(models) => Ok(*models),
            _ => Err(ReportError::Survey { what, instead }),
        }
    }

    /// # Errors
    /// It is of several models: a survey, or a comparison.
    pub fn report(self) -> Result<Report, ReportError> {
        let (what, instead) = self.words();
        match self {
            Self::Lens(report)
            | Self::Prompts(report)
            | Self::Lab(report)
            | Self::Orders(report)
            | Self::Coupling(report) => Ok(*report),
            Self::CouplingModels(_) | Self::Survey(_) => Err(ReportError::Survey { what, instead }),
        }
    }
}

impl Report {
    /// Reads what a lens, the lab, a sweep or a coupling wrote.
    ///
    /// # Errors
    /// See [`ReportError`].
    pub fn read(text: &str) -> Result<Self, ReportError> {
        Opened::read(text.as_bytes())?.report()
    }
}

fn parsed<T: serde::de::DeserializeOwned>(bytes: &[u8]) -> Result<T, ReportError> {
    serde_json::from_slice(bytes).map_err(|error| ReportError::Json { reason: error.to_string() })
}

/// A JSON object that is not ours.
fn foreign_object(head: &FileHead) -> ReportError {
    let (what, instead) = if head.model_type.is_some() || head.architectures.is_some() {
        ("a model's configuration (config.json)", "open the folder it lies in as a model")
    } else if head.added_tokens.is_some() {
        ("a model's tokenizer (tokenizer.json)", "open the folder it lies in as a model")
    } else if head.weight_map.is_some() {
        ("the list of a model's weight files", "open the folder it lies in as a model")
    } else if head.is_prompt() {
        PROMPTS
    } else {
        return ReportError::Json { reason: "it does not say which version it is of".into() };
    };
    ReportError::Foreign { what, instead }
}

const PROMPTS: (&str, &str) =
    ("a file of prompts", "run `atelier lens --prompts` on it, and open what --out writes");

impl FileHead {
    fn is_prompt(&self) -> bool {
        self.answer.is_some() && (self.options.is_some() || self.ids.is_some())
    }
}

/// A file that is no JSON object, by how it begins.
fn foreign_bytes(bytes: &[u8]) -> Option<ReportError> {
    let starts = |with: &[u8]| bytes.starts_with(with);
    let text = bytes.trim_ascii_start();
    // An object's length in eight bytes, then the object.
    let safetensors = bytes.get(8) == Some(&b'{') && bytes.get(6..8) == Some(&[0, 0]);
    let (what, instead) = if starts(b"GGUF") {
        ("a model's weights (GGUF)", "open it as a model")
    } else if safetensors {
        ("a model's weights (safetensors)", "open the folder it lies in as a model")
    } else if starts(b"PAR1") {
        ("a Parquet file", "of a survey, open the survey.atelier.json instead of its rows")
    } else if starts(b"\x89PNG") || text.starts_with(b"<svg") {
        ("a picture", "open the report it was drawn from")
    } else if starts(b"PK\x03\x04") || starts(b"\x1f\x8b") {
        ("an archive", "unpack it first")
    } else {
        let line = text.split(|b| *b == b'\n').next().unwrap_or_default();
        let head: FileHead = serde_json::from_slice(line).ok()?;
        if !head.is_prompt() {
            return None;
        }
        PROMPTS
    };
    Some(ReportError::Foreign { what, instead })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_file_is_named_for_what_it_is() {
        for (bytes, says) in [
            (&b" \n"[..], "it is empty: write it again"),
            (b"{", "it is no atelier report (EOF while parsing an object at line 1 column 1)"),
            (b"{\"name\": \"x\"}", "it is no atelier report (it does not say which version it is of)"),
            (b"{\"atelier\": 99}", "it was written by a newer atelier (layout 99, this one reads up to 1): use a newer one"),
            (b"{\"model_type\": \"llama\"}", "it is no atelier report but a model's configuration (config.json): open the folder it lies in as a model"),
            (b"{\"added_tokens\": []}", "it is no atelier report but a model's tokenizer (tokenizer.json): open the folder it lies in as a model"),
            (b"{\"weight_map\": {}}", "it is no atelier report but the list of a model's weight files: open the folder it lies in as a model"),
            (b"GGUF\x03\0\0\0", "it is no atelier report but a model's weights (GGUF): open it as a model"),
            (b"\x40\0\0\0\0\0\0\0{\"a\"", "it is no atelier report but a model's weights (safetensors): open the folder it lies in as a model"),
            (b"PAR1\x15", "it is no atelier report but a Parquet file: of a survey, open the survey.atelier.json instead of its rows"),
            (b"<svg xmlns=\"\">", "it is no atelier report but a picture: open the report it was drawn from"),
            (b"PK\x03\x04", "it is no atelier report but an archive: unpack it first"),
            (
                b"{\"prompt\": \"a\", \"options\": [\"b\", \"c\"], \"answer\": 0}\n{\"ids\": [1], \"rows\": [2, 3], \"answer\": 0}\n",
                "it is no atelier report but a file of prompts: run `atelier lens --prompts` on it, and open what --out writes",
            ),
            (
                b"{\"atelier\": 1, \"shots\": 0, \"seed\": 0, \"continuations\": false, \"models\": [], \"tasks\": []}",
                "it is no atelier report but what a survey was asked (survey.json): open the survey.atelier.json beside it",
            ),
        ] {
            assert_eq!(Opened::read(bytes).expect_err(says).to_string(), says);
        }
    }
}
