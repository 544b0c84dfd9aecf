//! Requests of lessons to the worker: their words, and the runs of a step.

use super::{StepPlace, Studio};
use crate::app::protocol::{Ask, Tell};
use crate::study::lessons::{LessonFit, StepOutcome, StepPhase, StepPicture};

/// Said where the worker answers a question about lessons with something else.
pub(super) const OTHER_WORDS: &str =
    "The engine's script answered another question: reload the page without its cache.";

impl Studio {
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

    /// Asks how many steps of each lesson the model can be asked that was loaded last, with its name.
    pub fn ask_fits(self, then: impl FnOnce(Result<(String, Vec<LessonFit>), String>) + 'static) {
        self.read(Ask::LessonFits, |found| {
            then(found.and_then(|words| match words {
                Tell::Fits { model, lessons } => Ok((model, lessons)),
                _ => Err(OTHER_WORDS.to_owned()),
            }));
        });
    }

    /// Asks for words of lessons: `then` hears them, or the sentence why they cannot be had.
    pub(super) fn read(self, ask: Ask, then: impl FnOnce(Result<Tell, String>) + 'static) {
        self.change(|exchange, _| {
            let post = exchange.read(ask);
            self.hands().readers.borrow_mut().push((post.id, Box::new(then)));
            vec![post]
        });
    }
}
