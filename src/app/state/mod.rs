//! The page's state and actions: the draft, the pictures shown, the work under way.
//!
//! Parts read signals and call actions. They set no signal but settings: those of views, and the bench's hand and
//! numbers. `actions` is what a reader changes, `choosing` which model it is to be, `running` what is asked of the
//! worker, `events` what it answers, `exchange` what these have to do with each other, `texts` which texts stand beside
//! the lab's answer, `writing` when they are asked for, `sending` what is sent.

pub mod exchange;
pub mod texts;

#[cfg(feature = "web")]
mod actions;
#[cfg(feature = "web")]
mod address;
#[cfg(feature = "web")]
mod baked;
#[cfg(feature = "web")]
mod bench;
#[cfg(feature = "web")]
mod choosing;
#[cfg(feature = "web")]
mod classroom;
#[cfg(feature = "web")]
mod doctor;
#[cfg(feature = "web")]
mod events;
#[cfg(feature = "web")]
mod folds;
#[cfg(feature = "web")]
mod reading;
#[cfg(feature = "web")]
mod reports;
#[cfg(feature = "web")]
mod running;
#[cfg(feature = "web")]
mod sending;
#[cfg(feature = "web")]
mod shown;
#[cfg(feature = "web")]
mod studio;
#[cfg(feature = "web")]
mod surveys;
#[cfg(feature = "web")]
mod sweeps;
#[cfg(feature = "web")]
mod teaching;
#[cfg(feature = "web")]
mod writing;

#[cfg(feature = "web")]
pub(in crate::app) use studio::sentence;
#[cfg(feature = "web")]
pub use {
    address::Address,
    bench::Bench,
    choosing::{name_of, wish_of},
    classroom::{OpenLesson, StepPlace},
    folds::Folds,
    shown::{Findings, Origin, Place, Problem, Shown},
    studio::Studio,
    surveys::{OpenSurvey, Surveys, is_found},
};
