//! How many steps of a lesson a model can be asked, before any of them runs.

use serde::{Deserialize, Serialize};

use crate::study::lessons::{Lesson, LessonStep, LessonTaker};

/// Steps of a lesson that a model can be asked, known before one starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonFit {
    /// The lesson's id.
    pub lesson: String,
    /// Steps that the model can be asked.
    pub asked: usize,
    /// Steps that name their models themselves, or need none.
    pub others: usize,
    /// Why it cannot be asked each of the rest.
    pub lacking: Vec<String>,
}

impl Lesson {
    /// Counts the steps that the model can be asked.
    pub fn fit(&self, by: &LessonTaker<'_>) -> LessonFit {
        let (own, others): (Vec<&LessonStep>, Vec<&LessonStep>) =
            self.steps.iter().partition(|step| step.runs_taught());
        let lacking = own.iter().filter_map(|step| Some(self.fitted(step, by).err()?.to_string()));
        let lacking: Vec<String> = lacking.collect();
        LessonFit {
            lesson: self.id.clone(),
            asked: own.len() - lacking.len(),
            others: others.len(),
            lacking,
        }
    }
}

impl LessonFit {
    /// Says it for the list of lessons.
    pub fn sentence(&self, model: &str) -> String {
        let Self { asked, others, lacking, .. } = self;
        let steps = asked + others + lacking.len();
        let by_others = match others {
            0 => String::new(),
            1 => " 1 step asks scholars or no model.".to_owned(),
            _ => format!(" {others} steps ask scholars or no model."),
        };
        let count = match (*asked, lacking.first()) {
            (0, None) => {
                return format!("{model} is not asked here: all steps ask scholars or no model.");
            }
            (_, None) if *others == 0 => return format!("{model} can be asked all {steps} steps."),
            (1, _) => format!("{model} can be asked 1 of {steps} steps."),
            (asked, _) => format!("{model} can be asked {asked} of {steps} steps."),
        };
        let why = match lacking.as_slice() {
            [] => String::new(),
            [reason] => format!(" 1 step it cannot be asked: {}.", reason.trim_end_matches('.')),
            [reason, ..] => format!(
                " {} steps it cannot be asked, the first because of this: {}.",
                lacking.len(),
                reason.trim_end_matches('.')
            ),
        };
        count + &by_others + &why
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_model_can_be_asked_is_said_in_a_sentence() {
        let said = |asked, others, lacking: &[&str]| {
            let lacking = lacking.iter().map(|&reason| reason.to_owned()).collect();
            LessonFit { lesson: "votes".to_owned(), asked, others, lacking }.sentence("Smol")
        };
        assert_eq!(said(4, 0, &[]), "Smol can be asked all 4 steps.");
        assert_eq!(
            said(2, 1, &[]),
            "Smol can be asked 2 of 3 steps. 1 step asks scholars or no model."
        );
        assert_eq!(said(0, 5, &[]), "Smol is not asked here: all steps ask scholars or no model.");
        assert_eq!(
            said(1, 3, &["its blocks share no weights"]),
            "Smol can be asked 1 of 5 steps. 3 steps ask scholars or no model. \
             1 step it cannot be asked: its blocks share no weights."
        );
        assert_eq!(
            said(0, 0, &["no moments of its training were kept", "another"]),
            "Smol can be asked 0 of 2 steps. 2 steps it cannot be asked, the first because of this: \
             no moments of its training were kept."
        );
    }
}
