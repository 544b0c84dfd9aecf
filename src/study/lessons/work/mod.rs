//! Runs of a step on one model, in small steps.

mod coupling;
mod heads;
mod lens;
mod tasks;

use self::coupling::CoupledRunning;
use self::heads::HeadsRunning;
use self::lens::LensRunning;
use self::tasks::TasksRunning;
use super::ask::{CoupledAsk, RowsAsk, StepAsk};
use super::found::{ModelFound, PartFound};
use super::{LessonError, LessonPrompt};
use crate::model::catalogue::TRAINING;
use crate::plan::{Plan, Step};
use crate::study::{LoadedModel, Running, StudyError};

/// In [`RowsAsk::models`]: the taught model's moments of training, then itself.
const MOMENTS: &str = "moments";

impl StepAsk {
    /// The models that are run, in order; none for what needs no model. `taught` is the model that is taught
    /// with.
    ///
    /// # Errors
    /// Moments of a model that has none.
    pub fn models(&self, taught: &str) -> Result<Vec<String>, LessonError> {
        if matches!(self, Self::Survey(_) | Self::Theory(_)) {
            return Ok(Vec::new());
        }
        let asked = self.named();
        if asked.is_empty() {
            return Ok(vec![taught.to_owned()]);
        }
        let mut names = Vec::new();
        for name in asked {
            if name != MOMENTS {
                names.push(name.clone());
                continue;
            }
            let prefix = format!("{taught}-step-");
            let moments = TRAINING.iter().filter(|known| known.name.starts_with(&prefix));
            names.extend(moments.map(|known| known.name.to_owned()));
            if names.is_empty() {
                let reason = format!("no moments of the training of {taught} were kept");
                return Err(LessonError::lacking(reason));
            }
            names.push(taught.to_owned());
        }
        Ok(names)
    }

    /// The models that the file names.
    fn named(&self) -> &[String] {
        match self {
            Self::Rows(RowsAsk { models, .. }) | Self::Coupling(CoupledAsk { models, .. }) => {
                models
            }
            _ => &[],
        }
    }

    /// Is the model that is taught with among those that run?
    pub fn runs_taught(&self) -> bool {
        match self {
            Self::Survey(_) | Self::Theory(_) => false,
            _ => {
                let named = self.named();
                named.is_empty() || named.iter().any(|name| name == MOMENTS)
            }
        }
    }
}

/// A plan that names blocks by number is of a model with so many: a longer one would run in part, and the
/// step's words would be untrue of it. Strategies such as `drop:6` go by the model's own order.
pub(super) fn fits(plan: &str, model: &LoadedModel) -> Result<(), StudyError> {
    if plan.trim_start().starts_with(char::is_alphabetic) {
        return Ok(());
    }
    let of_model = model.shape().order.iter().max().map_or(0, |last| last + 1);
    let parsed = Plan::parse(plan, &model.shape().order)?;
    let runs = parsed.steps().iter().flat_map(|step| match step {
        Step::Block(run) => std::slice::from_ref(run),
        Step::Parallel(runs) => runs.as_slice(),
    });
    let of_plan = runs.map(|run| run.index + 1).max().unwrap_or_default();
    if of_plan == of_model {
        return Ok(());
    }
    Err(StudyError::OtherDepth { plan: plan.to_owned(), of_plan, of_model })
}

/// A run of one kind, in small steps.
trait StepRunning: Running {
    fn finish(self: Box<Self>) -> Result<PartFound, StudyError>;
}

/// One model's share of a step, on its way; [`WorkRunning::advance`] it until nothing is left to do.
pub struct WorkRunning<'a> {
    model: &'a LoadedModel,
    run: Box<dyn StepRunning + 'a>,
}

impl<'a> WorkRunning<'a> {
    /// Checks what is asked, before anything runs. `prompt` is the lesson's.
    ///
    /// # Errors
    /// When this model cannot read or run a part of the ask, and when the ask needs no model.
    pub fn start(
        model: &'a LoadedModel,
        ask: &StepAsk,
        prompt: Option<&LessonPrompt>,
    ) -> Result<Self, StudyError> {
        for plan in ask.plans() {
            fits(plan, model)?;
        }
        let run: Box<dyn StepRunning + 'a> = match ask {
            StepAsk::Lens(ask) => Box::new(LensRunning::start(model, ask, prompt)?),
            StepAsk::Rows(ask) => Box::new(TasksRunning::of_rows(model, ask)?),
            StepAsk::Sweeps(ask) => Box::new(TasksRunning::of_sweeps(model, ask)?),
            StepAsk::Heads(ask) => Box::new(HeadsRunning::start(model, ask)?),
            StepAsk::Coupling(ask) => Box::new(CoupledRunning::start(model, ask)?),
            StepAsk::Survey(_) | StepAsk::Theory(_) => return Err(StudyError::NoRows),
        };
        Ok(Self { model, run })
    }

    /// Returns the result; call it once [`WorkRunning::advance`] gave `None`.
    ///
    /// # Errors
    /// Called too early.
    pub fn finish(self) -> Result<ModelFound, StudyError> {
        let shape = self.model.shape();
        Ok(ModelFound {
            model: self.model.name.clone(),
            engine: self.model.engine.describe(),
            is_stored: false,
            order: shape.order.clone(),
            vocabulary: shape.vocabulary,
            part: self.run.finish()?,
        })
    }
}

impl Running for WorkRunning<'_> {
    fn advance(&mut self) -> Result<Option<(usize, usize)>, StudyError> {
        self.run.advance()
    }

    fn is_waiting(&self) -> bool {
        self.run.is_waiting()
    }
}
