//! Runs of lessons: a step's set-up, the answer to its question, all of a lesson for a sheet.

use std::collections::VecDeque;
use std::sync::Arc;

use leptos::prelude::*;

use super::{OpenLesson, StepPlace, StepRun};
use crate::app::asked::veiled;
use crate::app::browser;
use crate::study::lessons::{LessonStep, StepOutcome, StepPhase};

impl OpenLesson {
    /// The open step from its beginning: what its question needs is run, and whether the reader's own model can
    /// show it is asked before anybody predicts.
    pub(super) fn begin_step(self) {
        self.stop();
        self.is_let_go.set(false);
        self.set_up.set(None);
        untrack(|| {
            let has_before = self.step().is_some_and(|step| step.before.is_some());
            let needs = has_before || self.is_own();
            if needs && self.run_outcome().is_none() {
                self.set_up_again();
            }
        });
    }

    /// Runs what the question needs, also where it was stopped.
    pub fn set_up_again(self) {
        let Some(place) = untrack(|| self.place()) else {
            return;
        };
        self.run(place, StepPhase::SetUp, move |outcome| {
            // A set-up that says nothing else than the file changes nothing on the screen.
            if let Some(outcome) = outcome {
                self.set_up.set(Some(veiled(outcome)));
            }
        });
    }

    /// The reader expects this option: kept, and the model is asked.
    pub fn commit(self, option: usize, words: String) {
        let Some(place) = untrack(|| self.place()) else {
            return;
        };
        let question = untrack(|| self.asked()).map(|asked| asked.ask);
        let is_run = untrack(|| self.run_outcome()).is_some();
        self.change(&place, |answer| {
            answer.expected = Some(option);
            answer.expected_words = words;
            answer.question = question.unwrap_or_default();
        });
        // Whoever has every step run for a sheet has this one run, too.
        if !is_run && !self.is_preparing.get_untracked() {
            self.ask_model();
        }
    }

    /// Asks the model of the page, whatever was answered before.
    pub fn ask_model(self) {
        if let Some(place) = untrack(|| self.place()) {
            self.run(place, StepPhase::Reveal, |_| ());
        }
    }

    /// Takes back the reader's and the model's answer to the open step, with a class's hands; begins it again.
    pub fn ask_anew(self) {
        if let Some(place) = untrack(|| self.place()) {
            self.change(&place, |answer| {
                answer.expected = None;
                answer.expected_words.clear();
                answer.own_words.clear();
                answer.tally.clear();
                answer.outcome = None;
            });
        }
        self.begin_step();
    }

    /// Runs what was not run of the open lesson, or by another build of the page, or on another model than would
    /// answer now, step after step; `then` once all of it is there.
    pub fn run_all(self, then: impl FnOnce() + 'static) {
        let build = browser::build();
        let left = untrack(|| {
            let lesson = self.lesson.get()?;
            let is_left = |step: &&LessonStep| {
                let answer = self.answer_to(step);
                let model = answer.outcome.as_ref().map(|outcome| &outcome.model);
                let is_same = model == self.model_at(step).as_ref();
                !(is_same && answer.is_run() && answer.page == build)
            };
            let place =
                |step: &LessonStep| StepPlace { lesson: lesson.id.clone(), step: step.id.clone() };
            let left = lesson.steps.iter().filter(is_left).map(place);
            Some(left.collect())
        });
        self.run_each(left.unwrap_or_default(), then);
    }

    fn run_each(self, mut left: VecDeque<StepPlace>, then: impl FnOnce() + 'static) {
        let Some(place) = left.pop_front() else {
            self.is_preparing.set(false);
            then();
            return;
        };
        self.is_preparing.set(true);
        self.run(place, StepPhase::Reveal, move |outcome| match outcome {
            Some(_) => self.run_each(left, then),
            None => {
                self.is_preparing.set(false);
                self.studio.say("The sheet was not made: not every step was run.");
            }
        });
    }

    /// Runs a phase of a step; `then` hears what came of it, or nothing where it was stopped.
    fn run(
        self,
        place: StepPlace,
        phase: StepPhase,
        then: impl FnOnce(Option<StepOutcome>) + 'static,
    ) {
        let number = self.runs.get_value();
        self.runs.set_value(number.wrapping_add(1));
        let own = StepRun { number, place: place.clone(), phase };
        self.under_way.set(Some(own.clone()));
        // A sheet runs other steps than the open one.
        let is_own = untrack(|| {
            let lesson = self.lesson.get();
            let mut steps = lesson.iter().flat_map(|lesson| &lesson.steps);
            self.is_own_at(steps.find(|step| step.id == place.step))
        });
        self.studio.ask_step(place, phase, is_own, move |found| {
            if self.is_left() {
                return;
            }
            // What was given up may still be answered: it is of a step that was left, or was to be forgotten.
            let under_way = self.under_way;
            if under_way.with_untracked(|now| now.as_ref() != Some(&own)) {
                return then(None);
            }
            under_way.set(None);
            let (outcome, pictures) = found.unzip();
            if phase == StepPhase::Reveal
                && let Some(outcome) = outcome.clone()
            {
                let is_for_sheet = self.is_preparing.get_untracked();
                let mut is_kept = false;
                self.change(&own.place, |answer| {
                    is_kept = answer.told(outcome, browser::build(), is_for_sheet);
                });
                if is_kept {
                    let drawn = Arc::new(pictures.unwrap_or_default());
                    self.pictures.update(|all| {
                        all.insert(own.place, drawn);
                    });
                }
            }
            then(outcome);
        });
    }

    /// Nothing of lessons is to go on.
    pub fn stop(self) {
        if self.under_way.with_untracked(Option::is_some) {
            self.under_way.set(None);
            self.studio.cancel_sweep();
        }
    }
}
