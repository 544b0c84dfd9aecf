//! One question under the model's own order and under the reader's: the `lab` part of a report.

use super::geometry::{Averaging, Geometry};
use super::lens::{compared_lens, lens};
use super::report::{Lab, Report};
use super::{LoadedModel, Question, Running, StudyError};
use crate::engine::{Capture, EngineError, Reference, Run, Trace, VocabularyWish};
use crate::plan::Plan;

/// Both orders on their way; what they share is computed once, and a known run of the original is not made again.
pub struct Rearranging<'a> {
    model: &'a LoadedModel,
    question: Question,
    plan: Plan,
    /// The original order's run, where it is known.
    before: Option<(Trace, Geometry)>,
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
        let known = model.last_original(&question.prompt);
        let before = known.and_then(|original| Some((original.trace, original.geometry?)));
        let (plans, reference) = match &before {
            Some((original, _)) if !original.last_stream.is_empty() => {
                (vec![plan.clone()], Reference::Streams([original.last_stream.clone()].into()))
            }
            Some(_) => (vec![plan.clone()], Reference::None),
            None => (vec![model.plan(None)?, plan.clone()], Reference::FirstPlan),
        };
        let vocabulary = Some(VocabularyWish { reference, ..VocabularyWish::ANSWER });
        let capture = Capture { vocabulary, ..Capture::states() };
        let run = model.engine.start([question.prompt.clone()].into(), plans.into(), capture)?;
        Ok(Self { model, question: question.clone(), plan, before, run })
    }

    /// # Errors
    /// Called too early: [`EngineError::Cancelled`]; as [`Averaging::add`].
    pub fn report(self) -> Result<Report, StudyError> {
        let Self { model, question, plan, before, run } = self;
        let mut traces = run.finish()?.into_iter().flatten();
        let original_plan = model.plan(None)?;
        let (original, before) = match before {
            Some(known) => known,
            None => {
                let trace = traces.next().ok_or(EngineError::Cancelled)?;
                let found = with_geometry(model, &original_plan, trace)?;
                model.remember_original(&question.prompt, &found.0, Some(found.1.clone()));
                found
            }
        };
        let arranged = traces.next().ok_or(EngineError::Cancelled)?;
        let (arranged, after) = with_geometry(model, &plan, arranged)?;

        let lab = Lab {
            original: lens(model, &question, &original_plan, original),
            arranged: compared_lens(model, &question, &plan, arranged),
            geometry: [before, after],
        };
        Ok(Report { lab: Some(Box::new(lab)), ..Report::of(model) })
    }
}

impl Running for Rearranging<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.run.advance()
    }

    fn is_waiting(&self) -> bool {
        self.run.is_waiting()
    }
}

/// A trace with its states taken out, and their geometry.
fn with_geometry(
    model: &LoadedModel,
    plan: &Plan,
    mut trace: Trace,
) -> Result<(Trace, Geometry), StudyError> {
    let mut geometry = Averaging::new(plan, model.shape().width);
    geometry.add(&std::mem::take(&mut trace.states))?;
    Ok((trace, geometry.mean()))
}
