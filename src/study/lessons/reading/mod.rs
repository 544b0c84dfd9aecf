//! From what was found to a field's value: the closed set of fields, a file a kind of run.

mod cells;
mod coupling;
mod heads;
mod lens;
mod sweeps;
mod theory;

pub(crate) use coupling::{swap_relation, weightiest};
pub(super) use lens::{LOUDEST, OPPONENT, named_member};
pub use lens::{MOVED, moved_members};

use super::found::{PartFound, StepFound};
use super::{FieldName, FieldValue, LessonError, ModelFound, StepAsk};
use crate::measure::interval::Mean;

type FieldFound = Result<FieldValue, LessonError>;

fn number(value: f64) -> FieldFound {
    Ok(FieldValue::exact(value))
}

fn word(word: impl Into<String>) -> FieldFound {
    Ok(FieldValue::Word(word.into()))
}

fn mean_of(mean: Mean, scale: f64) -> FieldFound {
    let Mean { mean: value, low, high } = mean.map(|x| scale * x);
    Ok(FieldValue::Number { value, low: low.min(high), high: low.max(high) })
}

/// The part that has most, and those that the rows cannot tell it from.
fn largest(part: usize, beside: &[usize], name: impl Fn(usize) -> String) -> FieldFound {
    let beside = beside.iter().map(|&part| name(part)).collect();
    Ok(FieldValue::Largest { word: name(part), beside })
}

/// Returns what a field speaks of, or the reason why the model lacks it.
fn known<T>(value: Option<T>, otherwise: &str) -> Result<T, LessonError> {
    value.ok_or_else(|| LessonError::lacking(otherwise))
}

/// A run has no field of these parts.
fn no_field(parts: &[&str]) -> LessonError {
    LessonError::NoField {
        field: parts.join("."),
        instead: "name one that such a run has".to_owned(),
    }
}

/// The columns that fields name, as in [`FoundCell::columns`](super::found::FoundCell::columns).
const COLUMNS: [&str; 4] = ["probability", "logit", "centred", "paper"];

/// The place of a column among [`COLUMNS`]; an error, where the field names none.
fn column(name: &str) -> Result<usize, LessonError> {
    COLUMNS.iter().position(|column| *column == name).ok_or_else(|| no_field(&[name]))
}

/// Returns the result of the model that a field names; of the last, where it names none.
fn of_model<'a>(all: &'a [ModelFound], name: &FieldName) -> Result<&'a ModelFound, LessonError> {
    let wanted = all.iter().find(|of| is_called(&of.model, name));
    let last = all.last().filter(|_| name.model.is_none());
    wanted.or(last).ok_or_else(|| no_model(name))
}

impl StepFound {
    /// Returns the value of a field. `before` is the run before the question, with which a field may compare.
    ///
    /// # Errors
    /// No such field, or a model that lacks what it speaks of.
    pub fn field(&self, name: &FieldName, before: Option<&StepFound>) -> FieldFound {
        let found = self.found_field(name, before);
        found.map_err(|error| match error {
            // With the run and the model that were written, and all parts.
            LessonError::NoField { instead, .. } => {
                LessonError::NoField { field: name.to_string(), instead }
            }
            other => other,
        })
    }

    fn found_field(&self, name: &FieldName, before: Option<&StepFound>) -> FieldFound {
        let parts: Vec<&str> = name.parts.iter().map(String::as_str).collect();
        if let StepAsk::Theory(ask) = &self.ask {
            return theory::field(*ask, &parts);
        }
        let wanted = of_model(&self.models, name)?;
        match &wanted.part {
            PartFound::Lens(found) => lens::field(found, wanted, before, &parts),
            PartFound::Cells(found) => cells::field(found, &parts),
            PartFound::Sweeps(found) => sweeps::field(found, &self.ask, wanted.order.len(), &parts),
            PartFound::Heads(found) => heads::field(found, &parts),
            PartFound::Coupling(found) => coupling::field(found, &wanted.order, &parts),
        }
    }
}

/// By its name, or by what its name ends in: `step-000125`.
fn is_called(model: &str, name: &FieldName) -> bool {
    let asked = name.model.as_deref();
    asked.is_some_and(|asked| {
        model == asked || model.strip_suffix(asked).is_some_and(|rest| rest.ends_with('-'))
    })
}

fn no_model(name: &FieldName) -> LessonError {
    LessonError::NoField {
        field: name.to_string(),
        instead: "name one of the models that the step runs behind the @".to_owned(),
    }
}
