//! Which lessons a model can be asked, found without a run.

use super::LessonFit;

/// Numbers of lessons, counted from 1, by how many of their steps a model can be asked. A step that names its models
/// itself, or needs none, can be taken with any model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonFits {
    /// Every step.
    pub whole: Vec<usize>,
    /// Some steps.
    pub partly: Vec<usize>,
    /// No step.
    pub none: Vec<usize>,
}

impl LessonFits {
    /// Sorts the lessons, given in their order, by how many of their steps a model can be asked.
    pub fn of(lessons: &[LessonFit]) -> Self {
        let mut fits = Self::default();
        for (number, lesson) in (1..).zip(lessons) {
            let fit = match (lesson.asked + lesson.others, lesson.lacking.len()) {
                (0, _) => &mut fits.none,
                (_, 0) => &mut fits.whole,
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
            "scholar-12" => (&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], &[], &[]),
            "scholar-8" => (&[1, 2, 3, 4, 5, 7, 9, 11], &[6, 8, 12], &[10]),
            "scholar-4" => (&[1, 2, 3, 4, 5, 9, 10, 11], &[6, 7, 8, 12], &[]),
            "scholar-2" => (&[1, 2, 3, 4, 5, 9, 11], &[6, 7, 8, 12], &[10]),
            "scholar-12-shared" => (&[1, 2, 5, 6, 9, 11], &[3, 4, 7, 8, 12], &[10]),
            _ => return None,
        };
        Some(Self { whole: whole.into(), partly: partly.into(), none: none.into() })
    }
}
