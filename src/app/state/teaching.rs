//! What lessons ask of the worker: their words, and the runs of a step.

use serde::de::DeserializeOwned;

use super::shown::Place;
use super::{StepPlace, Studio};
use crate::app::protocol::Ask;
use crate::study::lessons::{Lesson, LessonHead, StepOutcome, StepPhase, StepPicture};

impl Studio {
    /// What a list shows of all lessons; a sentence where they cannot be had.
    pub fn ask_lessons(self, then: impl FnOnce(Result<Vec<LessonHead>, String>) + 'static) {
        self.read(Ask::Lessons, |found| then(found.and_then(|json| parsed(&json))));
    }

    /// One lesson as its file has it.
    pub fn ask_lesson(self, lesson: String, then: impl FnOnce(Result<Lesson, String>) + 'static) {
        self.read(Ask::Lesson { lesson }, |found| then(found.and_then(|json| parsed(&json))));
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
            true => self.begin_sweep(ask),
            false => Some(self.begin_beside(ask)),
        };
        let Some(id) = id else {
            return ended(None);
        };
        let then = move |found: Option<[String; 2]>| {
            let found = found.map(|[outcome, pictures]| {
                Ok::<_, String>((parsed(&outcome)?, parsed(&pictures)?))
            });
            ended(match found {
                Some(Ok(both)) => Some(both),
                Some(Err(sentence)) => {
                    self.fail(Place::Sweep, sentence);
                    None
                }
                None => None,
            });
        };
        self.hands().taught.replace(Some((id, Box::new(then))));
    }

    fn read(self, ask: Ask, then: impl FnOnce(Result<String, String>) + 'static) {
        self.change(|exchange, _| {
            let post = exchange.read(ask);
            let then = Box::new(then);
            self.hands().readers.borrow_mut().push((post.id, then));
            vec![post]
        });
    }
}

fn parsed<T: DeserializeOwned>(json: &str) -> Result<T, String> {
    serde_json::from_slice(json.as_bytes()).map_err(|error| {
        format!("What the engine's script says of lessons cannot be read ({error}): reload the page without its cache.")
    })
}
