//! Which lessons a model can be asked, found without a run.

use serde::{Deserialize, Serialize};

use super::{Lesson, LessonStep, WorkRunning};
use crate::study::LoadedModel;

/// Numbers of lessons, counted from 1, by how many of their steps a model can be asked. A step that names its models
/// itself, or needs none, can be taken with any model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LessonFits {
    /// Every step.
    pub whole: Vec<usize>,
    /// Some steps.
    pub partly: Vec<usize>,
    /// No step.
    pub none: Vec<usize>,
}

impl LessonFits {
    /// Checks every step of these lessons on a model, as it is checked before its question, and runs nothing.
    pub fn check(model: &LoadedModel, lessons: &[Lesson]) -> Self {
        let mut fits = Self::default();
        for (number, lesson) in (1..).zip(lessons) {
            let asked =
                lesson.steps.iter().filter(|step| can_be_asked(model, lesson, step)).count();
            let fit = match asked {
                0 => &mut fits.none,
                asked if asked == lesson.steps.len() => &mut fits.whole,
                _ => &mut fits.partly,
            };
            fit.push(number);
        }
        fits
    }

    /// Returns the fits of a shipped model, which need not be open: a test checks it. `None` of any other.
    pub fn shipped(name: &str) -> Option<Self> {
        let (whole, partly, none): (&[usize], &[usize], &[usize]) = match name {
            // Each step runs on the model that it is written for while this one is chosen.
            "scholar-12" => (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], &[], &[]),
            "scholar-8" | "scholar-2" | "scholar-12-shared" => {
                (&[2, 5, 6, 9, 11], &[1, 3, 4, 7, 8], &[10])
            }
            "scholar-4" => (&[2, 5, 6, 9, 10, 11], &[1, 3, 4, 7, 8], &[]),
            _ => return None,
        };
        Some(Self { whole: whole.into(), partly: partly.into(), none: none.into() })
    }
}

/// Whether the model can run what a step asks of it, before its question and for its answer.
fn can_be_asked(model: &LoadedModel, lesson: &Lesson, step: &LessonStep) -> bool {
    let mut asks = step.before.iter().chain([&step.action]).filter(|ask| ask.runs_taught());
    asks.all(|ask| {
        let Ok(names) = ask.models(&model.name) else { return false };
        let prompt = lesson.prompt.as_ref();
        !names.contains(&model.name) || WorkRunning::start(model, ask, prompt).is_ok()
    })
}
