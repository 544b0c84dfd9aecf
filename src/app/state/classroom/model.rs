//! Which model answers a step: the reader's own, or the one that the step is written for.

use leptos::prelude::*;

use super::OpenLesson;
use crate::app::examples;
use crate::app::link::{Choice, Draft, Link};
use crate::model::catalogue;
use crate::study::lessons::LessonStep;

impl OpenLesson {
    /// Does the reader's own model answer? Else the step has the one that it is written for, as it has where it
    /// names its models itself or needs none.
    pub fn is_own(self) -> bool {
        self.is_own_at(self.step().as_ref())
    }

    /// Whether the reader's own model answers `step`: see [`Self::is_own`].
    pub(super) fn is_own_at(self, step: Option<&LessonStep>) -> bool {
        let is_chosen = self.studio.draft.with(|draft| draft.model != examples::first().model);
        let runs_it = step.is_none_or(LessonStep::runs_taught);
        is_chosen && runs_it && !self.is_lent.get()
    }

    /// Returns the open model, where it is another than that which lessons are written for, and is here.
    pub(super) fn is_other_open(self) -> Option<Choice> {
        let choice = self.studio.draft.with(|draft| draft.model.clone());
        let is_here = self.studio.state.exchange.with(|exchange| exchange.holds(&choice));
        (is_here && choice != examples::first().model).then_some(choice)
    }

    /// Counts the blocks that the model runs that answers the open step, where they are known.
    pub fn blocks(self) -> Option<usize> {
        let name = self.model()?;
        let held = self.studio.state.exchange.with(|exchange| {
            let held = exchange.held().filter(|held| held.choice.name() == name)?;
            Some(held.facts.order.len())
        });
        held.filter(|_| self.is_own()).or_else(|| catalogue::find(&name).map(|known| known.blocks))
    }

    /// Is the reader's own model to answer, and neither here nor on its way?
    pub fn lacks_model(self) -> bool {
        let choice = self.studio.draft.with(|draft| draft.model.clone());
        let is_missing = self
            .studio
            .state
            .exchange
            .with(|exchange| !exchange.holds(&choice) && !exchange.is_loading(&choice));
        self.is_own() && is_missing
    }

    /// The name of the model that answers the open step.
    pub fn model(self) -> Option<String> {
        self.model_at(&self.step()?)
    }

    /// Returns the name of the model that answers a step of the open lesson.
    pub(super) fn model_at(self, step: &LessonStep) -> Option<String> {
        if self.is_own_at(Some(step)) {
            let name = |draft: &Draft| draft.model.name().to_owned();
            return Some(self.studio.draft.with(name));
        }
        Some(self.lesson.get()?.model_of(step).to_owned())
    }

    /// The models that the open step asks, for what is said before its question or to answer it; none where it
    /// needs none.
    pub fn asked_models(self, is_set_up: bool) -> Vec<String> {
        let models = self.step().zip(self.model()).and_then(|(step, model)| {
            let ask = match is_set_up {
                // Whether it can run is asked of a model also where nothing runs before.
                true => step.before.unwrap_or(step.action),
                false => step.action,
            };
            ask.models(&model).ok()
        });
        models.unwrap_or_default()
    }

    /// The model that the step is written for answers, beside the reader's own.
    pub fn lend(self) {
        self.is_lent.set(true);
        let answer = untrack(|| self.answer());
        match untrack(|| self.place()).filter(|_| answer.expected.is_some()) {
            Some(place) => {
                self.change(&place, |answer| answer.outcome = None);
                self.ask_model();
            }
            None => self.begin_step(),
        }
    }

    /// Where one looks further at what the open step ran.
    pub fn link(self) -> Option<Link> {
        let (step, model) = (self.step()?, self.model());
        // What one model took is no other's.
        let outcome =
            self.answer().outcome.filter(|outcome| Some(&outcome.model) == model.as_ref());
        let step = step.as_asked(outcome.as_ref());
        let model = match self.is_own() {
            true => self.studio.draft.with(|draft| draft.model.clone()),
            false => Choice::Known(self.model()?),
        };
        Some(Link::of_step(&*self.lesson.get()?, &step.action, model))
    }
}
