//! One prompt under one order.

use std::sync::Arc;

use super::StepRunning;
use crate::engine::{Capture, DepthWish, EngineError, Run, Trace};
use crate::model::Prompt;
use crate::plan::Plan;
use crate::study::lens::{lens, name_words};
use crate::study::lessons::found::{FoundLens, PartFound};
use crate::study::lessons::{LensAsk, LensPicture, LensShow, LessonPrompt};
use crate::study::{LoadedModel, Question, Running, StudyError};

/// Likeliest words that are read at each depth.
const TOP: usize = 3;

pub struct LensRunning<'a> {
    model: &'a LoadedModel,
    question: Question,
    plan: Plan,
    /// With the norm computed at every depth, and with that of the run's end.
    runs: Vec<Box<dyn Run<Trace> + 'a>>,
}

impl<'a> LensRunning<'a> {
    pub fn start(
        model: &'a LoadedModel,
        ask: &LensAsk,
        prompt: Option<&LessonPrompt>,
    ) -> Result<Self, StudyError> {
        let prompt = ask.prompt.as_ref().or(prompt).ok_or(StudyError::NoRows)?;
        let question = model.question(&prompt.text, &prompt.options, prompt.answer)?;
        let plan = model.plan(ask.plan.as_deref())?;
        // The picture of the depths is of the last token, which is what fields speak of.
        let last = question.prompt.token_ids.len().checked_sub(1);
        let drawn = Vec::from_iter(last.filter(|_| ask.shown() == LensShow::Depths));
        let captures = if ask.picture == LensPicture::LogitLens {
            [false, true]
                .map(|is_held| Capture {
                    depths: Some(DepthWish {
                        top: TOP.min(model.shape().vocabulary),
                        is_held,
                        positions: drawn.clone(),
                        ..DepthWish::default()
                    }),
                    ..Capture::answer()
                })
                .into()
        } else {
            vec![Capture::answer()]
        };
        let mut runs = Vec::new();
        for capture in captures {
            let prompts: Arc<[Prompt]> = [question.prompt.clone()].into();
            runs.push(model.engine.start(prompts, [plan.clone()].into(), capture)?);
        }
        Ok(Self { model, question, plan, runs })
    }
}

impl Running for LensRunning<'_> {
    fn is_waiting(&self) -> bool {
        self.runs.iter().any(|run| run.is_waiting())
    }

    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        let count = self.runs.len();
        for (n, run) in self.runs.iter_mut().enumerate() {
            if let Some((done, of)) = run.advance()? {
                return Ok(Some((n * of + done, count * of)));
            }
        }
        Ok(None)
    }
}

impl StepRunning for LensRunning<'_> {
    fn finish(self: Box<Self>) -> Result<PartFound, StudyError> {
        let mut lenses = Vec::new();
        for run in self.runs {
            let trace = run.finish()?.into_iter().flatten().next();
            let trace = trace.ok_or(EngineError::Cancelled)?;
            let mut found = lens(self.model, &self.question, &self.plan, trace);
            name_words(&mut found, self.model);
            lenses.push(found);
        }
        let mut lenses = lenses.into_iter();
        let lens = lenses.next().ok_or(EngineError::Cancelled)?;
        Ok(PartFound::Lens(Box::new(FoundLens { lens, held: lenses.next() })))
    }
}
