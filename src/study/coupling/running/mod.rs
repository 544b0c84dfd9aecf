//! One prompt's coupling, in small steps: the run's streams, every step's Jacobians (whole, or searched
//! by products), then all that are wanted in one another's bases.

use std::collections::VecDeque;

mod choice;
mod pairs;
mod steps;

use self::choice::ProductCounts;
use super::assembly;
use super::jacobians::Jacobians;
use super::linearised::LinearPath;
use super::step::StepTangents;
use super::wish::CouplingWish;
use super::{Coupling, CouplingMethod, MethodReason, ProductCount};
use crate::engine::{EngineError, Run, StepStreams};
use crate::measure::coupling::{Lanczos, NotFinite};
use crate::study::{LoadedModel, Running, StudyError};

/// Probes of one product, so that progress stays true and "cancel" is heard.
const PANEL: usize = 128;

/// A coupling on its way; [`Linearising::advance`] it until nothing is left to do.
pub struct Linearising<'a> {
    model: &'a LoadedModel,
    wish: CouplingWish,
    token_ids: Vec<u32>,
    /// `[S + 1]` of `[T, D]`
    streams: StepStreams,
    jacobians: Jacobians,
    method: CouplingMethod,
    reason: MethodReason,
    path: Option<LinearPath>,
    spent: ProductCount,
    /// Products that are thought to be needed altogether.
    expected: u64,
    stage: Option<CouplingStage<'a>>,
    is_waiting: bool,
}

enum CouplingStage<'a> {
    Streams(Box<dyn Run<StepStreams> + 'a>),
    /// The Jacobians of a step.
    Step(usize, StepTangents<'a>, StepWork),
    /// One of its whole Jacobians is there: to be taken apart.
    TakeApart(usize, StepTangents<'a>, StepWork),
    /// The Jacobian of this number in the bases wanted from the one of this place on, from its matrix.
    WholePairs(usize, usize),
    /// A step's Jacobians times what is left of the bases wanted of them.
    Pairs(usize, StepTangents<'a>, PairWork),
    Done,
}

/// Work that is left with a step's Jacobians.
enum StepWork {
    /// Columns so far of the first of these.
    Whole { left: Vec<usize>, columns: Vec<f32> },
    /// As many at a time as make one panel: a search keeps all directions that it has been in.
    Searches {
        waiting: VecDeque<usize>,
        searches: Vec<(usize, Lanczos)>,
        /// Is the linearised path's product the first?
        with_path: bool,
    },
}

/// Images wanted of a step's Jacobians: whose, of which basis, how many of its vectors.
struct PairWork {
    left: Vec<(usize, usize, usize)>,
    asked: Vec<(usize, usize, usize)>,
}

impl<'a> Linearising<'a> {
    /// Checks all that is asked before anything runs.
    ///
    /// # Errors
    /// See [`CouplingWish::check`]; a prompt that the model cannot read.
    pub fn start(
        model: &'a LoadedModel,
        token_ids: &[u32],
        wish: CouplingWish,
    ) -> Result<Self, StudyError> {
        let shape = model.shape();
        wish.check(shape, token_ids.len())?;
        let run = model.engine.streams([token_ids.to_vec()].into(), [wish.plan.clone()].into())?;
        let jacobians = Jacobians::of(&wish, shape, token_ids.len());
        let work = ProductCounts::of(&jacobians, shape.width);
        let (method, reason) = work.method(wish.method);
        Ok(Self {
            model,
            token_ids: token_ids.to_vec(),
            streams: Vec::new(),
            jacobians,
            method,
            reason,
            path: None,
            spent: ProductCount::default(),
            expected: work.expected(method),
            stage: Some(CouplingStage::Streams(run)),
            is_waiting: false,
            wish,
        })
    }

    /// Returns the coupling, with the prompt's text where it came as one.
    ///
    /// # Errors
    /// Called too early: [`EngineError::Cancelled`]; the plane of the last states is not found.
    pub fn coupling(self, text: Option<(String, Vec<String>)>) -> Result<Coupling, StudyError> {
        let is_done = matches!(self.stage, Some(CouplingStage::Done));
        let Some(path) = self.path.filter(|_| is_done) else {
            return Err(EngineError::Cancelled.into());
        };
        let (prompt, tokens) = text.unzip();
        Ok(Coupling {
            prompt,
            tokens,
            token_ids: self.token_ids,
            method: self.method,
            reason: self.reason,
            seed: (self.method == CouplingMethod::Lanczos).then_some(self.wish.seed),
            products: self.spent,
            linearised: path.finish(),
            ..assembly::assembled(&self.wish, &self.jacobians, &self.streams, self.model)?
        })
    }

    fn width(&self) -> usize {
        self.model.shape().width
    }

    /// The last token's, before the step of this number. `[D]`
    fn last_state(&self, step: usize) -> &[f32] {
        let stream = &self.streams[step];
        &stream[stream.len() - self.width()..]
    }

    fn tangents(&self, step: usize) -> Result<StepTangents<'a>, StudyError> {
        let of = &self.wish.plan.steps()[step];
        Ok(StepTangents::new(&self.model.engine, of, &self.streams[step])?)
    }
}

impl Running for Linearising<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.is_waiting = false;
        let stage = match self.stage.take() {
            Some(CouplingStage::Streams(mut run)) => match run.advance()? {
                Some(_) => {
                    self.is_waiting = run.is_waiting();
                    CouplingStage::Streams(run)
                }
                None => {
                    let streams = run.finish()?.into_iter().flatten().next();
                    self.streams = streams.ok_or(EngineError::Cancelled)?;
                    self.path = Some(LinearPath::new(self.last_state(0)));
                    self.begin_step(0)?
                }
            },
            Some(CouplingStage::Step(step, tangents, work)) => self.step(step, tangents, work)?,
            Some(CouplingStage::TakeApart(step, tangents, work)) => {
                self.take_apart(step, tangents, work)?
            }
            Some(CouplingStage::WholePairs(number, first)) => self.whole_pairs(number, first)?,
            Some(CouplingStage::Pairs(step, tangents, work)) => self.pairs(step, tangents, work)?,
            Some(CouplingStage::Done) => {
                self.stage = Some(CouplingStage::Done);
                return Ok(None);
            }
            // An error ended it, and what is there of it is no report.
            None => return Err(EngineError::Cancelled.into()),
        };
        self.stage = Some(stage);
        let done = self.spent.jvp + self.spent.vjp;
        Ok(Some((done as usize, self.expected.max(done + 1) as usize)))
    }

    fn is_waiting(&self) -> bool {
        self.is_waiting
    }
}

fn past(_: NotFinite, step: usize) -> StudyError {
    let at = format!("the derivatives of step {step}");
    EngineError::NotFinite { at }.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ModelFiles;

    #[test]
    fn what_an_error_ended_is_no_report() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let files = ModelFiles::open(&folder.join("tests/models/random-llama2")).expect("a folder");
        let model = LoadedModel::from_files(&files, &mut |_, _| ()).expect("a model");
        let plan = model.plan(None).expect("its own order");
        let wish = CouplingWish::of(plan, vec![2]);
        let mut run = Linearising::start(&model, &[1, 2], wish).expect("a run");
        run.path = Some(LinearPath::new(&[]));
        run.stage = None;
        assert!(run.advance().is_err());
        assert!(run.coupling(None).is_err());
    }
}
