//! Source of a step's numbers: the models that ran, the survey that was read, or made-up members.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{ModelFound, StepAsk, StepFound};

/// Where the numbers of a step come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunSource {
    /// Run here, in this order.
    Models(Vec<RanModel>),
    /// Read from a report of this model that comes with the page: its fewest and most rows of a task.
    Report { ran: RanModel, rows: [usize; 2] },
    /// Read from surveys that come with the page: their fewest and most rows of a task.
    Survey { rows: [usize; 2] },
    /// Computed here of made-up members or of chance.
    MadeUp,
}

/// A model that ran.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanModel {
    pub model: String,
    /// Device and precision.
    pub engine: String,
}

impl RanModel {
    fn of(found: &ModelFound) -> Self {
        Self { model: found.model.clone(), engine: found.engine.clone() }
    }
}

impl StepFound {
    /// Returns the source of these numbers.
    pub fn source(&self) -> RunSource {
        let Self { ask, models } = self;
        match ask {
            StepAsk::Theory(_) => RunSource::MadeUp,
            StepAsk::Survey(_) => {
                let rows: Vec<usize> = models.iter().flat_map(|of| of.part.rows()).collect();
                RunSource::Survey { rows: fewest_and_most(&rows) }
            }
            _ if models.iter().any(|of| of.is_stored) => RunSource::Report {
                ran: RanModel::of(&models[0]),
                rows: fewest_and_most(&models[0].part.rows()),
            },
            _ => RunSource::Models(models.iter().map(RanModel::of).collect()),
        }
    }
}

impl RunSource {
    /// Returns how many rows of each task a stored report has: `"40 rows of each task"`; `None` for a run made here.
    pub fn stored_rows_in_words(&self) -> Option<String> {
        match self {
            Self::Report { rows: [fewest, most], .. } | Self::Survey { rows: [fewest, most] } => {
                let rows =
                    if fewest == most { most.to_string() } else { format!("{fewest} to {most}") };
                Some(format!("{rows} rows of each task"))
            }
            Self::Models(_) | Self::MadeUp => None,
        }
    }
}

fn fewest_and_most(rows: &[usize]) -> [usize; 2] {
    [rows.iter().min(), rows.iter().max()].map(|rows| rows.copied().unwrap_or(0))
}

impl fmt::Display for RunSource {
    /// One sentence for the reader.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = self.stored_rows_in_words().unwrap_or_default();
        match self {
            Self::MadeUp => f.write_str("Computed here, without a model."),
            Self::Report { ran: RanModel { model, engine }, .. } => write!(
                f,
                "Read from a report of {model} that comes with the page ({rows}); {engine} computed it."
            ),
            Self::Survey { .. } => write!(
                f,
                "Read from surveys that come with the page ({rows}), computed when they were made."
            ),
            Self::Models(models) => {
                let mut engines: Vec<&str> = models.iter().map(|of| of.engine.as_str()).collect();
                engines.dedup();
                let names: Vec<&str> = models.iter().map(|of| of.model.as_str()).collect();
                write!(f, "Computed here by {}, {}.", listed(&names), listed(&engines))
            }
        }
    }
}

/// `a`, `a and b`, `a, b and c`; moments of one model's training are counted and not named one by one.
pub(super) fn listed(names: &[&str]) -> String {
    let Some((last, rest)) = names.split_last() else {
        return String::new();
    };
    let prefix = format!("{last}-step-");
    match rest {
        [] => (*last).to_owned(),
        [_, _, ..] if rest.iter().all(|name| name.starts_with(&prefix)) => {
            format!("{last} and {} moments of its training", rest.len())
        }
        _ => format!("{} and {last}", rest.join(", ")),
    }
}
