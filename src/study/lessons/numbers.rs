//! The numbers on which a step's options hang, for a picture beside the words.

use serde::{Deserialize, Serialize};

use super::field::fields_in;
use super::{FieldName, FieldValue, LessonError, LessonStep};

/// A number of a run, by its field's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepNumber {
    pub name: FieldName,
    pub value: FieldValue,
}

impl LessonStep {
    /// Returns the numbers that the predicates compare, then the others that the reveal names; each once, no words.
    pub(super) fn numbers(
        &self,
        field: &dyn Fn(&FieldName) -> Result<FieldValue, LessonError>,
    ) -> Result<Vec<StepNumber>, LessonError> {
        let compared = self.options.iter().flat_map(|option| option.holds.fields());
        let mut names: Vec<FieldName> = compared.collect();
        names.extend(fields_in(&self.reveal)?);
        let mut numbers: Vec<StepNumber> = Vec::new();
        for name in names {
            if numbers.iter().any(|number| number.name == name) {
                continue;
            }
            let value = field(&name)?;
            if matches!(value, FieldValue::Number { .. }) {
                numbers.push(StepNumber { name, value });
            }
        }
        Ok(numbers)
    }
}
