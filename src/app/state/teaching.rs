//! Requests of lessons to the worker: their words, and the runs of a step.

use super::{StepPlace, Studio};
use crate::app::protocol::{Ask, Tell};
use crate::study::lessons::{Lesson, LessonFit, LessonHead, StepOutcome, StepPhase, StepPicture};

/// Said where the worker answers a question about lessons with something else.
const OTHER_WORDS: &str =
    "The engine's script answered another question: reload the page without its cache.";

impl Studio {
    /// Asks for the heads of all lessons, for a list; a sentence where they cannot be had.
    pub fn ask_lessons(self, then: impl FnOnce(Result<Vec<LessonHead>, String>) + 'static) {
        self.read(
            Ask::Lessons,
            |tell| match tell {
                Tell::Lessons { lessons } => Some(lessons),
                _ => None,
            },
            then,
        );
    }

    /// Asks how many steps of each lesson the model can be asked that was loaded last, with its name.
    pub fn ask_fits(self, then: impl FnOnce(Result<(String, Vec<LessonFit>), String>) + 'static) {
        self.read(
            Ask::LessonFits,
            |tell| match tell {
                Tell::Fits { model, lessons } => Some((model, lessons)),
                _ => None,
            },
            then,
        );
    }

    /// One lesson, as the models take it that its steps are written for.
    pub fn ask_lesson(self, lesson: String, then: impl FnOnce(Result<Lesson, String>) + 'static) {
        self.read(
            Ask::Lesson { lesson },
            |tell| match tell {
                Tell::Lesson { lesson } => Some(*lesson),
                _ => None,
            },
            then,
        );
    }

    /// Runs a step up to a phase, in place of a sweep: on the draft's model, if the step is to be its own, or
    /// on the one that it is written for, which waits for no other. `ended` hears what came of it, or nothing
    /// where it was stopped or failed, also at once where the draft's model cannot be had.
    pub fn ask_step(
        self,
        StepPlace { lesson, step }: StepPlace,
        phase: StepPhase,
        is_own: bool,
        ended: impl FnOnce(Option<(StepOutcome, Vec<StepPicture>)>) + 'static,
    ) {
        let ask = Ask::LessonStep { lesson, step, phase, is_own };
        let id = match is_own {
            true => self.start_sweep(ask),
            false => Some(self.begin_beside(ask)),
        };
        let Some(id) = id else {
            return ended(None);
        };
        self.hands().taught.replace(Some((id, Box::new(ended))));
    }

    /// Asks for words of lessons, which `wanted` takes from the answer.
    fn read<T>(
        self,
        ask: Ask,
        wanted: impl FnOnce(Tell) -> Option<T> + 'static,
        then: impl FnOnce(Result<T, String>) + 'static,
    ) {
        let then = |found: Result<Tell, String>| {
            then(found.and_then(|tell| wanted(tell).ok_or_else(|| OTHER_WORDS.to_owned())));
        };
        self.change(|exchange, _| {
            let post = exchange.read(ask);
            self.hands().readers.borrow_mut().push((post.id, Box::new(then)));
            vec![post]
        });
    }
}
