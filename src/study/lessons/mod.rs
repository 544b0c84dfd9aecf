//! Lessons: a question put before a run, answered by the run.
//!
//! A lesson is data ([`Lesson`], one TOML file): every step says something, asks something, names what is run
//! ([`StepAsk`]), and has options. Which option is right is a [`Predicate`] on what the run found, so that the
//! same lesson stays true on a reader's own model; where that model lacks what a step needs, the step says so.
//! A step is fitted to its model first ([`Lesson::fitted`]): to its depth, and to what it reads.
//!
//! A step is run in two phases ([`StepPhase`]): what its set-up needs, and what its question asks for. Each
//! names its models ([`StepAsk::models`]); [`WorkRunning`] does what one of them has to do in small steps, and
//! [`Lesson::outcome`] reads what they found.

mod ask;
#[cfg(any(feature = "cli", feature = "web"))]
mod checked;
mod error;
mod field;
mod fit;
mod found;
mod group;
mod lesson;
mod members;
mod middle;
mod numbers;
mod outcome;
mod picture;
mod pool;
mod predicate;
mod reading;
mod source;
mod words;
mod work;

pub use ask::{
    CoupledAsk, CoupledShow, HeadsAsk, LensAsk, LensPicture, LensShow, ReadColumn, RowsAsk,
    StepAsk, SurveyAsk, SurveyShow, SweepsAsk, TheoryAsk,
};
pub use error::LessonError;
pub use field::{FieldFormat, FieldName, FieldValue};
pub use fit::{LessonFit, LessonFits, LessonTaker};
pub use found::{FoundCell, FoundLens, ModelFound, PartFound, StepFound, TaskLooks};
pub use group::{PlainGroup, RowGroup};
pub use lesson::{
    Lesson, LessonMarks, LessonOption, LessonPremise, LessonPrompt, LessonStep, PlainOption,
    PlainStep, TeacherNotes,
};
pub use numbers::StepNumber;
pub use outcome::{AskedStep, OptionOutcome, StepOutcome, StepPhase, StepShowing};
pub use picture::{CoupledModel, DepthAccuracy, PictureCell, PictureMean, StepPicture};
pub use predicate::{Holding, Predicate};
pub use reading::{MOVED, moved_members};
pub(crate) use reading::{swap_relation, weightiest};
pub use source::{RanModel, RunSource};
pub use work::WorkRunning;

/// The lessons' files in the order in which they are taught, under `lessons/` beside the page, without
/// `.toml`.
pub const LESSONS: [&str; 12] = [
    "01-votes",
    "02-bias-and-diversity",
    "03-disagreement",
    "04-attention-and-mlps",
    "05-depth",
    "06-sharing",
    "07-orders",
    "08-reading",
    "09-coupling",
    "10-training",
    "11-painters",
    "12-real-model",
];

/// The number of the lesson with the painters' questions, from 1, to which the view of orders leads.
pub const PAINTERS_LESSON: usize = 11;

/// The real model whose reports come with the page.
pub const REAL_MODEL: &str = "SmolLM2-135M-Instruct.Q4_1";

#[cfg(all(test, feature = "cli"))]
mod tests;
#[cfg(all(test, feature = "cli"))]
mod verdicts;
