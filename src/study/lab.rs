//! One question under the model's own order and under the reader's: the `lab` part of a report.

use std::sync::Arc;

use super::geometry::{Averaging, Geometry};
use super::lens::{compared_lens, lens};
use super::report::{Lab, Report};
use super::{LoadedModel, Question, StudyError};
use crate::engine::{Capture, EngineError, Reference, Run, Trace, VocabularyWish};
use crate::plan::Plan;

/// Both orders on their way; what they share is computed once.
pub struct Rearranging<'a> {
    model: &'a LoadedModel,
    question: Question,
    plans: [Plan; 2],
    run: Box<dyn Run<Trace> + 'a>,
}

impl<'a> Rearranging<'a> {
    /// # Errors
    /// As [`Engine::start`](crate::engine::Engine::start).
    pub fn start(
        model: &'a LoadedModel,
        question: &Question,
        plan: Plan,
    ) -> Result<Self, StudyError> {
        let plans = [model.plan(None)?, plan];
        let prompts: Arc<[_]> = Arc::from([question.prompt.clone()]);
        let capture = Capture {
            vocabulary: Some(VocabularyWish {
                reference: Reference::FirstPlan,
                ..VocabularyWish::ANSWER
            }),
            ..Capture::states()
        };
        let run = model.engine.start(prompts, plans.clone().into(), capture)?;
        Ok(Self { model, question: question.clone(), plans, run })
    }

    /// Runs one batch: `Some((done, of))` in block runs, `None` once both are done.
    ///
    /// # Errors
    /// What the engine says.
    pub fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        Ok(self.run.advance()?)
    }

    /// Is the device to answer first? See [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.run.is_waiting()
    }

    /// # Errors
    /// Called too early: [`EngineError::Cancelled`].
    pub fn report(self) -> Result<Report, StudyError> {
        let mut traces = self.run.finish()?.into_iter().flatten();
        let width = self.model.shape().width;
        let mut next = |plan: &Plan| -> Result<(Trace, Geometry), StudyError> {
            let mut trace = traces.next().ok_or(EngineError::Cancelled)?;
            let mut geometry = Averaging::new(plan, width);
            geometry.add(&std::mem::take(&mut trace.states));
            Ok((trace, geometry.mean()))
        };
        let (original, before) = next(&self.plans[0])?;
        let (arranged, after) = next(&self.plans[1])?;
        let lab = Lab {
            original: lens(self.model, &self.question, &self.plans[0], original),
            arranged: compared_lens(self.model, &self.question, &self.plans[1], arranged),
            geometry: [before, after],
        };
        Ok(Report { lab: Some(Box::new(lab)), ..Report::of(self.model) })
    }
}
