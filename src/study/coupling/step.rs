//! One step of a plan, ready to be multiplied with: a parallel step's Jacobian is the mean of its runs'.

use std::rc::Rc;

use crate::engine::{Engine, EngineError, TangentPoint, TangentProduct, Tangents};
use crate::plan::Step;

/// Products with a step's Jacobians.
pub struct StepTangents<'a> {
    runs: Vec<RunTangents<'a>>,
}

struct RunTangents<'a> {
    tangents: Box<dyn Tangents + 'a>,
    answer: Option<Vec<Vec<f32>>>,
}

impl<'a> StepTangents<'a> {
    /// At the stream that enters the step. `[T, D]`
    ///
    /// # Errors
    /// As [`Engine::tangents`].
    pub fn new(engine: &'a Engine, step: &Step, stream: &Rc<[f32]>) -> Result<Self, EngineError> {
        let runs = step.block_runs().iter().map(|&run| {
            Ok(RunTangents {
                tangents: engine.tangents(TangentPoint::of(run, stream.clone()))?,
                answer: None,
            })
        });
        Ok(Self { runs: runs.collect::<Result<_, EngineError>>()? })
    }

    /// # Errors
    /// As [`Tangents::ask`].
    pub fn ask(&mut self, products: Vec<TangentProduct>) -> Result<(), EngineError> {
        for run in &mut self.runs {
            run.answer = None;
            run.tangents.ask(products.clone())?;
        }
        Ok(())
    }

    /// Returns the products that were asked for; `None` while a device has not answered.
    ///
    /// # Errors
    /// As [`Tangents::answer`].
    pub fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        for run in &mut self.runs {
            if run.answer.is_none() {
                run.answer = run.tangents.answer()?;
            }
        }
        if self.runs.iter().any(|run| run.answer.is_none()) {
            return Ok(None);
        }
        let share = 1.0 / self.runs.len() as f32;
        let mut answers = self.runs.iter_mut().filter_map(|run| run.answer.take());
        let mut mean = answers.next().unwrap_or_default();
        for other in answers {
            for (sum, x) in mean.iter_mut().flatten().zip(other.iter().flatten()) {
                *sum += x;
            }
        }
        if share < 1.0 {
            mean.iter_mut().flatten().for_each(|x| *x *= share);
        }
        Ok(Some(mean))
    }
}
