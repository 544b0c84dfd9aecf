//! A reader's answers in lessons: as this browser stores them, and as the file that is made of them.

use serde::{Deserialize, Serialize};

use crate::study::lessons::{StepOutcome, StepShowing};

/// Raised when an older page could not read it.
const VERSION: u32 = 1;

/// Everything that was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerBook {
    #[serde(rename = "atelier-answers")]
    version: u32,
    /// The build that wrote it.
    pub page: String,
    /// In the order in which they were first given.
    pub answers: Vec<StepAnswer>,
}

/// The reader's answer to one step, and the model's.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StepAnswer {
    /// Ids.
    pub lesson: String,
    pub step: String,
    pub question: String,
    /// The option that the reader expected; nothing where the step was only run, for a sheet.
    pub expected: Option<usize>,
    pub expected_words: String,
    /// The reader's own words on the difference.
    pub own_words: String,
    /// Hands that a teacher counted, an option each.
    pub tally: Vec<u32>,
    /// The build on which the model answered.
    pub page: String,
    /// A model's answer, and the model whose numbers it names.
    pub outcome: Option<StepOutcome>,
}

impl StepAnswer {
    /// Has the reader said what to expect, and has a model been asked?
    pub fn is_told(&self) -> bool {
        self.expected.is_some() && self.is_run()
    }

    /// Whether the reader has said what to expect, and a model has been asked that could show the step.
    pub fn is_answered(&self) -> bool {
        self.is_told() && self.outcome.as_ref().is_some_and(|outcome| outcome.lacking().is_none())
    }

    /// A model said this. Where it cannot show the step, what another one showed stays for a sheet.
    ///
    /// Is it kept?
    pub fn told(&mut self, outcome: StepOutcome, page: String, is_for_sheet: bool) -> bool {
        if is_for_sheet && outcome.lacking().is_some() && self.is_answered() {
            return false;
        }
        self.question.clone_from(&outcome.ask);
        self.page = page;
        self.outcome = Some(outcome);
        true
    }

    /// Has a model been asked?
    pub fn is_run(&self) -> bool {
        let showing = self.outcome.as_ref().map(|outcome| &outcome.showing);
        showing.is_some_and(|showing| *showing != StepShowing::Asked)
    }

    /// Is there nothing in it that a reader would miss?
    fn is_empty(&self) -> bool {
        self.expected.is_none()
            && self.outcome.is_none()
            && self.own_words.is_empty()
            && self.tally.iter().all(|&hands| hands == 0)
    }
}

impl Default for AnswerBook {
    fn default() -> Self {
        Self { version: VERSION, page: String::new(), answers: Vec::new() }
    }
}

impl AnswerBook {
    /// Reads what was kept.
    ///
    /// # Errors
    /// One sentence: it has another form.
    pub fn read(text: &str) -> Result<Self, String> {
        let book = serde_json::from_slice::<Self>(text.as_bytes()).ok();
        book.filter(|book| book.version == VERSION).ok_or_else(|| {
            "This browser keeps answers that this page cannot read. New answers are kept only after you forget those."
                .to_owned()
        })
    }

    /// As it is kept, and as a file.
    pub fn written(&self) -> String {
        // Strings and finite numbers always have a JSON form.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }

    pub fn of(&self, lesson: &str, step: &str) -> Option<&StepAnswer> {
        self.answers.iter().find(|answer| answer.lesson == lesson && answer.step == step)
    }

    /// Changes what is known of a step, on a page of the build `page`.
    pub fn change(
        &mut self,
        lesson: &str,
        step: &str,
        page: &str,
        change: impl FnOnce(&mut StepAnswer),
    ) {
        page.clone_into(&mut self.page);
        let at =
            self.answers.iter().position(|answer| answer.lesson == lesson && answer.step == step);
        let at = at.unwrap_or_else(|| {
            self.answers.push(StepAnswer {
                lesson: lesson.to_owned(),
                step: step.to_owned(),
                ..StepAnswer::default()
            });
            self.answers.len() - 1
        });
        change(&mut self.answers[at]);
        if self.answers[at].is_empty() {
            self.answers.remove(at);
        }
    }

    /// Steps of a lesson that were answered; of all lessons, where none is named.
    pub fn answered(&self, lesson: Option<&str>) -> usize {
        let of = |answer: &&StepAnswer| lesson.is_none_or(|lesson| answer.lesson == lesson);
        let own = self.answers.iter().filter(of);
        own.filter(|answer| answer.is_answered()).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(showing: StepShowing) -> StepOutcome {
        StepOutcome {
            lesson: "votes".into(),
            step: "sum".into(),
            model: "scholar-12".into(),
            source: None,
            showing,
            say: String::new(),
            ask: "How many?".into(),
            options: Vec::new(),
            right: None,
            numbers: Vec::new(),
            reveal: String::new(),
            caveat: String::new(),
            asked: None,
        }
    }

    fn book() -> AnswerBook {
        let mut book = AnswerBook::default();
        book.change("votes", "sum", "b1", |answer| {
            answer.expected = Some(2);
            answer.outcome = Some(outcome(StepShowing::Answered));
        });
        book.change("votes", "lead", "b2", |answer| {
            answer.own_words = "more".into();
        });
        book
    }

    #[test]
    fn what_is_kept_is_what_was_answered() {
        let book = book();
        assert_eq!(AnswerBook::read(&book.written()), Ok(book.clone()));
        assert_eq!(book.page, "b2");
        let sum = book.of("votes", "sum").expect("an answer");
        assert_eq!(sum.expected, Some(2));
        assert_eq!(book.of("votes", "vote"), None);
        // Only what was expected and run is answered.
        assert_eq!([book.answered(None), book.answered(Some("votes"))], [1, 1]);
        assert_eq!(book.answered(Some("depth")), 0);
    }

    #[test]
    fn a_step_that_is_only_asked_or_only_run_is_not_answered() {
        let mut answer = StepAnswer {
            expected: Some(0),
            outcome: Some(outcome(StepShowing::Asked)),
            ..StepAnswer::default()
        };
        assert!(!answer.is_answered());
        for (showing, is_answered) in [
            (StepShowing::Answered, true),
            (StepShowing::Open, true),
            (StepShowing::CannotShow("It has no tasks.".into()), false),
        ] {
            answer.outcome = Some(outcome(showing));
            assert!(answer.is_told());
            assert_eq!(answer.is_answered(), is_answered);
        }
        answer.expected = None;
        assert!(answer.is_run() && !answer.is_told());
    }

    #[test]
    fn a_sheet_takes_away_nothing_that_was_answered() {
        let cannot = || outcome(StepShowing::CannotShow("It has no tasks.".into()));
        let mut answer = StepAnswer { expected: Some(0), ..StepAnswer::default() };
        assert!(answer.told(cannot(), "b1".into(), true));
        assert!(answer.told(outcome(StepShowing::Answered), "b1".into(), true));
        assert!(!answer.told(cannot(), "b2".into(), true));
        assert!(answer.is_answered() && answer.page == "b1");
        // Who asks another model is told what it says.
        assert!(answer.told(cannot(), "b2".into(), false));
        assert!(!answer.is_answered() && answer.question == "How many?");
    }

    #[test]
    fn an_answer_that_is_taken_back_leaves_nothing() {
        let mut book = book();
        book.change("votes", "lead", "b2", |answer| answer.own_words.clear());
        assert_eq!(book.answers.len(), 1);
        book.change("votes", "lead", "b2", |answer| answer.tally = vec![0, 0]);
        assert_eq!(book.answers.len(), 1);
        book.change("votes", "lead", "b2", |answer| answer.tally = vec![0, 3]);
        assert_eq!(book.answers.len(), 2);
    }

    #[test]
    fn a_text_of_another_form_is_refused_in_a_sentence() {
        let other = book().written().replace("\"atelier-answers\": 1", "\"atelier-answers\": 2");
        for text in ["", "{}", "[1]", other.as_str()] {
            let said = AnswerBook::read(text).expect_err(text);
            assert!(said.contains("cannot read"), "{said}");
        }
    }
}
