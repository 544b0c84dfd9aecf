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
use super::{FieldName, FieldValue, LessonError, StepAsk};
use crate::measure::interval::Mean;
use crate::measure::largest::LargestMean;

/// `None`: there is no such field.
type FieldFound = Result<Option<FieldValue>, LessonError>;

fn number(value: f64) -> FieldFound {
    Ok(Some(FieldValue::exact(value)))
}

fn word(word: impl Into<String>) -> FieldFound {
    Ok(Some(FieldValue::Word(word.into())))
}

fn mean_of(mean: Mean, scale: f64) -> FieldFound {
    let Mean { mean: value, low, high } = mean.map(|x| scale * x);
    Ok(Some(FieldValue::Number { value, low: low.min(high), high: low.max(high) }))
}

/// The part that has most, and those that the rows cannot tell it from.
fn largest(found: &LargestMean, name: impl Fn(usize) -> String) -> FieldFound {
    let beside = found.beside.iter().map(|&part| name(part)).collect();
    Ok(Some(FieldValue::Largest { word: name(found.part), beside }))
}

/// The model lacks what the field speaks of.
fn lacks(reason: String) -> LessonError {
    LessonError::CannotShow { reason }
}

/// Returns the result of the model that a field names; of the last, where it names none.
fn of_model<'a, T>(
    all: &'a [T],
    name: &FieldName,
    called: impl Fn(&T) -> &str,
) -> Result<&'a T, LessonError> {
    let wanted = all.iter().find(|of| is_called(called(of), name));
    let last = all.last().filter(|_| name.model.is_none());
    wanted.or(last).ok_or_else(|| no_model(name))
}

impl StepFound {
    /// Returns the value of a field. `before` is the run before the question, with which a field may compare.
    ///
    /// # Errors
    /// No such field, or a model that lacks what it speaks of.
    pub fn field(
        &self,
        name: &FieldName,
        before: Option<&StepFound>,
    ) -> Result<FieldValue, LessonError> {
        let parts: Vec<&str> = name.parts.iter().map(String::as_str).collect();
        let found = match self {
            Self::Theory(ask) => theory::field(*ask, &parts),
            Self::Survey(models) => {
                let wanted = of_model(models, name, |of| &of.model)?;
                cells::field(&wanted.cells, &parts)
            }
            Self::Models(models) => {
                let wanted = of_model(models, name, |of| &of.model)?;
                match &wanted.part {
                    PartFound::Lens(found) => lens::field(found, wanted, before, &parts),
                    PartFound::Cells(found) => cells::field(found, &parts),
                    PartFound::Sweeps(found) => sweeps::field(found, wanted.order.len(), &parts),
                    PartFound::Heads(found) => heads::field(found, &parts),
                    PartFound::Coupling(found) => coupling::field(found, &wanted.order, &parts),
                }
            }
        }?;
        found.ok_or_else(|| LessonError::NoField {
            field: name.to_string(),
            instead: format!("this kind of run has {}", self.fields()),
        })
    }

    fn fields(&self) -> &'static str {
        match self {
            Self::Theory(_) => theory::FIELDS,
            Self::Survey(_) => cells::FIELDS,
            Self::Models(models) => match models.first().map(|of| &of.part) {
                Some(PartFound::Lens(_)) => lens::FIELDS,
                Some(PartFound::Heads(..)) => heads::FIELDS,
                Some(PartFound::Coupling(_)) => coupling::FIELDS,
                Some(PartFound::Sweeps(_)) => sweeps::FIELDS,
                Some(PartFound::Cells(_)) | None => cells::FIELDS,
            },
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

/// Every field that a run of this kind has, in words.
pub fn fields_of(ask: &StepAsk) -> &'static str {
    match ask {
        StepAsk::Lens(_) => lens::FIELDS,
        StepAsk::Rows(_) | StepAsk::Survey(_) => cells::FIELDS,
        StepAsk::Sweeps(_) => sweeps::FIELDS,
        StepAsk::Heads(_) => heads::FIELDS,
        StepAsk::Coupling(_) => coupling::FIELDS,
        StepAsk::Theory(_) => theory::FIELDS,
    }
}
