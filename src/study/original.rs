//! The original order's last run: other orders of the same prompt are compared with it without running it again.

use std::cell::RefCell;

use super::geometry::Geometry;
use super::{LoadedModel, Running, StudyError};
use crate::engine::{Capture, EngineError, Reference, Run, Trace, VocabularyWish};
use crate::model::Prompt;
use crate::plan::Plan;

/// The original order's run on the prompt that it ran on last.
#[derive(Default)]
pub struct LastOriginal(RefCell<Option<OriginalRun>>);

/// A run of the original order.
#[derive(Clone)]
pub struct OriginalRun {
    prompt: Prompt,
    /// The answer, without states and views of the run's inside.
    pub trace: Trace,
    /// Known where the lab ran it.
    pub geometry: Option<Geometry>,
}

/// A run of the original order that is made after a plan's answer, to be compared with it.
pub struct OriginalAfter<'a> {
    model: &'a LoadedModel,
    prompt: Prompt,
    run: Box<dyn Run<Trace> + 'a>,
}

impl LoadedModel {
    /// Says what to read of a plan's answer: the likeliest tokens, and the KL from the original order where its run
    /// on the prompt is known.
    ///
    /// # Errors
    /// A model without blocks to run.
    pub fn answer_wish(&self, prompt: &Prompt, plan: &Plan) -> Result<VocabularyWish, StudyError> {
        let known = match self.plan(None)? == *plan {
            true => None,
            false => self.last_original(prompt).map(|original| original.trace.last_stream),
        };
        let known = known.filter(|stream| !stream.is_empty());
        let reference = known.map_or(Reference::None, |stream| Reference::Streams([stream].into()));
        Ok(VocabularyWish { reference, ..VocabularyWish::ANSWER })
    }

    /// Begins the original order's run with which the `trace` of a plan is still to be compared; `None` where
    /// that run is known, or the plan is the original order, which is then remembered.
    ///
    /// # Errors
    /// When the model has no blocks to run, or the engine fails.
    pub fn original_after<'a>(
        &'a self,
        prompt: &Prompt,
        plan: &Plan,
        trace: &Trace,
    ) -> Result<Option<OriginalAfter<'a>>, StudyError> {
        let original = self.plan(None)?;
        if original == *plan {
            self.remember_original(prompt, trace, None);
            return Ok(None);
        }
        if self.last_original(prompt).is_some() {
            return Ok(None);
        }
        let reference = match trace.last_stream.is_empty() {
            true => Reference::None,
            false => Reference::OfEarlier([trace.last_stream.clone()].into()),
        };
        let vocabulary = Some(VocabularyWish { reference, ..VocabularyWish::ANSWER });
        let capture = Capture { vocabulary, ..Capture::default() };
        let run = self.engine.start([prompt.clone()].into(), [original].into(), capture)?;
        Ok(Some(OriginalAfter { model: self, prompt: prompt.clone(), run }))
    }

    /// The original order's run on a prompt, where it is the one that it ran on last.
    pub fn last_original(&self, prompt: &Prompt) -> Option<OriginalRun> {
        let last = self.original.0.borrow();
        last.as_ref().filter(|run| run.prompt == *prompt).cloned()
    }

    /// Remembers a run of the original order; without a geometry, that of an earlier run on the prompt.
    pub(super) fn remember_original(
        &self,
        prompt: &Prompt,
        trace: &Trace,
        geometry: Option<Geometry>,
    ) {
        let geometry =
            geometry.or_else(|| self.last_original(prompt).and_then(|original| original.geometry));
        let trace = Trace {
            states: Vec::new(),
            depths: Vec::new(),
            grid: Vec::new(),
            attention: Vec::new(),
            ..trace.clone()
        };
        let prompt = prompt.clone();
        self.original.0.replace(Some(OriginalRun { prompt, trace, geometry }));
    }
}

impl OriginalAfter<'_> {
    /// The original order's trace, which the model remembers; its `earlier_kl` is the plan's.
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`]; when the engine fails.
    pub fn finish(self) -> Result<Trace, StudyError> {
        let trace = self.run.finish()?.into_iter().flatten().next();
        let trace = trace.ok_or(EngineError::Cancelled)?;
        self.model.remember_original(&self.prompt, &trace, None);
        Ok(trace)
    }
}

impl Running for OriginalAfter<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.run.advance()
    }

    fn is_waiting(&self) -> bool {
        self.run.is_waiting()
    }
}
