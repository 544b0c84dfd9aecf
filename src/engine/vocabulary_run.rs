//! A run that reads the whole vocabulary, and is made again without where the device's memory runs out.

use std::sync::Arc;

use super::{Capture, Engine, EngineError, Run, Trace};
use crate::model::Prompt;
use crate::plan::Plan;

pub struct VocabularyRun<'a> {
    engine: &'a Engine,
    prompts: Arc<[Prompt]>,
    plans: Arc<[Plan]>,
    capture: Capture,
    /// `None` only while the next is begun.
    run: Option<Box<dyn Run<Trace> + 'a>>,
}

impl<'a> VocabularyRun<'a> {
    /// Begins to record the members of checked prompts under plans, the vocabulary beside them.
    pub fn start(
        engine: &'a Engine,
        prompts: Arc<[Prompt]>,
        plans: Arc<[Plan]>,
        capture: Capture,
    ) -> Result<Self, EngineError> {
        let run = engine.record(prompts.clone(), plans.clone(), capture.clone())?;
        Ok(Self { engine, prompts, plans, capture, run: Some(run) })
    }

    /// Begins again without the vocabulary, once.
    fn begin_without(&mut self) -> Result<(), EngineError> {
        self.capture.vocabulary = None;
        // The failed run's buffers go first.
        self.run = None;
        self.engine.backend.give_back_vocabulary();
        self.engine.has_run_out.set(true);

        let (prompts, plans) = (self.prompts.clone(), self.plans.clone());
        self.run = Some(self.engine.record(prompts, plans, self.capture.clone())?);
        Ok(())
    }
}

impl Run<Trace> for VocabularyRun<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, EngineError> {
        let Some(run) = &mut self.run else {
            return Err(EngineError::Cancelled);
        };
        match run.advance() {
            Err(error) if error.is_out_of_memory() && self.capture.vocabulary.is_some() => {
                self.begin_without()?;
                self.advance()
            }
            advanced => advanced,
        }
    }

    fn is_waiting(&self) -> bool {
        self.run.as_ref().is_some_and(|run| run.is_waiting())
    }

    fn finish(self: Box<Self>) -> Result<Vec<Vec<Trace>>, EngineError> {
        self.run.ok_or(EngineError::Cancelled)?.finish()
    }
}
