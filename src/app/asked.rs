//! A step's words before its question is answered: nothing of the run that answers it is among them.

use crate::study::lessons::{OptionOutcome, StepOutcome};

/// Removes from a run's words everything that answers the question.
pub fn veiled(outcome: StepOutcome) -> StepOutcome {
    if outcome.lacking().is_some() {
        return outcome;
    }
    let StepOutcome { lesson, step, say, ask, options, asked, .. } = outcome;
    let veiled = |option| {
        let OptionOutcome { id, text, .. } = option;
        OptionOutcome { id, text, ..OptionOutcome::default() }
    };
    let options = options.into_iter().map(veiled).collect();
    // Whose run it was changes nothing of the question: what a teacher types beside it stays in its place.
    StepOutcome { lesson, step, say, ask, options, asked, ..StepOutcome::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::study::lessons::{
        FieldValue, Holding, Lesson, LessonStep, RunSource, StepNumber, StepShowing,
    };

    fn lesson() -> Lesson {
        let text = include_str!("../../public/lessons/01-votes.toml");
        Lesson::read("01-votes.toml", text).expect("a lesson")
    }

    fn answered(step: &LessonStep) -> StepOutcome {
        let mut outcome = StepOutcome::asked("votes", step);
        outcome.showing = StepShowing::Answered;
        outcome.right = Some(1);
        outcome.model = "told".into();
        outcome.source = Some(RunSource::MadeUp);
        outcome.reveal = "told".into();
        outcome.caveat = "told".into();
        outcome.numbers.push(StepNumber {
            name: "lead".parse().expect("a field"),
            value: FieldValue::exact(1.0),
        });
        for option in &mut outcome.options {
            option.holding = Some(Holding::Agrees);
            option.belief = "told".into();
            option.why = "told".into();
        }
        outcome
    }

    #[test]
    fn nothing_of_the_answer_is_left_in_what_is_asked() {
        let lesson = lesson();
        for step in &lesson.steps {
            let asked = veiled(answered(step));
            assert_eq!(asked, StepOutcome::asked("votes", step));
            let text = serde_json::to_string(&asked).expect("JSON");
            assert!(!text.contains("told") && !text.contains("agrees"), "{text}");
        }
    }

    #[test]
    fn why_a_model_cannot_show_a_step_is_no_answer() {
        let step = &lesson().steps[0];
        let mut outcome = StepOutcome::asked("votes", step);
        outcome.showing = StepShowing::CannotShow("It has no tasks.".into());
        assert_eq!(veiled(outcome.clone()), outcome);
    }
}
