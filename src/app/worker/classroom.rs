//! The runs that answer the questions of lessons.
//!
//! A step runs on the model that is loaded, or on those of the catalogue that it is written for: these are
//! opened beside it, on the processor, and stay, being small.

use std::collections::BTreeMap;

use super::job::Job;
use super::{Desk, Stop, failed, fetch, opening, stop, words};
use crate::app::protocol::{Ask, Stage, Tell};
use crate::engine::EngineError;
use crate::study::lessons::{
    Lesson, LessonStep, LessonTaker, ModelFound, StepAsk, StepFound, StepPhase, WorkRunning,
};
use crate::study::report::{Opened, Report};
use crate::study::survey::Survey;
use crate::study::{LoadedModel, StudyError};

/// The surveys that come with the page: of the scholars, and of the real model.
const SURVEYS: [&str; 2] = ["examples/survey.atelier.json", "examples/smollm2-survey.atelier.json"];

/// Surveys, reports and models that lessons have fetched, and the last set-up's result.
#[derive(Default)]
pub struct Classroom {
    /// In the order of [`SURVEYS`]; the second only where a step looked at it.
    surveys: Vec<Survey>,
    /// By their files' names.
    reports: BTreeMap<String, Report>,
    models: Vec<LoadedModel>,
    /// The last set-up that was run, and its result.
    before: Option<(SetUp, StepFound)>,
}

/// The model that is loaded.
#[derive(Clone, Copy)]
pub struct Present<'a> {
    pub model: &'a LoadedModel,
    /// Fetched from the catalogue: a reader's own may have the name of one.
    pub is_catalogues: bool,
}

/// A set-up that was run: of a step, on a model.
#[derive(PartialEq)]
struct SetUp {
    lesson: String,
    step: String,
    model: String,
    /// Not the catalogue's, whatever its name.
    is_readers: bool,
}

/// A step's run: who waits for it, and what is there for it.
#[derive(Clone, Copy)]
struct StepTurn<'a> {
    desk: &'a Desk,
    id: u32,
    lesson: &'a Lesson,
    /// The name of the model that is taught with.
    taught: &'a str,
    /// The loaded model, on which the reader may ask for something else meanwhile.
    held: Option<&'a LoadedModel>,
    /// The loaded model, where a step that names its model may take it.
    by_name: Option<&'a LoadedModel>,
}

/// Why a step's run ended early.
enum Unrun {
    /// The model lacks what it takes.
    Lacking(String),
    Stopped(Stop),
}

impl From<Stop> for Unrun {
    fn from(stop: Stop) -> Self {
        Self::Stopped(stop)
    }
}

impl Classroom {
    /// Another model is there, perhaps of the same name: what a set-up found of the last is not its own.
    pub fn forget_set_up(&mut self) {
        self.before = None;
    }

    /// Runs a step; `held` is the model that is loaded.
    pub async fn answer(
        &mut self,
        held: Option<Present<'_>>,
        desk: &Desk,
        id: u32,
        ask: &Ask,
    ) -> Result<Tell, Stop> {
        let Ask::LessonStep { lesson, step, phase, is_own } = ask else {
            return Err(Stop::Failed("that is no step of a lesson".to_owned()));
        };
        let lessons = words::lessons(desk, id).await?;
        let lesson = words::called(&lessons, lesson)?;
        let step = lesson.step(step).map_err(failed)?;
        let written_for = lesson.model_of(step).to_owned();
        let own = held.filter(|_| *is_own && step.runs_taught());
        let written = lesson.written(step).map_err(failed)?;
        let fitted = own.map(|own| lesson.fitted(step, &LessonTaker::new(own.model)));
        let step = fitted.unwrap_or_else(|| Ok(written.clone()));
        let taught = own.map_or(written_for, |own| own.model.name.clone());
        let set_up = SetUp {
            lesson: lesson.id.clone(),
            step: written.id.clone(),
            model: taught.clone(),
            is_readers: own.is_some_and(|own| !own.is_catalogues),
        };
        let turn = StepTurn {
            desk,
            id,
            lesson,
            taught: &taught,
            held: held.map(|held| held.model),
            by_name: own.or(held.filter(|held| held.is_catalogues)).map(|held| held.model),
        };
        let stepped = match step {
            Ok(step) => self.phases(turn, step, set_up, *phase).await,
            Err(why) => Err(Unrun::Lacking(why.to_string())),
        };
        match stepped {
            Ok(stepped) => Ok(stepped),
            Err(Unrun::Stopped(stop)) => Err(stop),
            Err(Unrun::Lacking(why)) => {
                let outcome = Box::new(lesson.cannot_show(&written, &taught, &why));
                Ok(Tell::Stepped { outcome, pictures: Vec::new() })
            }
        }
    }

    async fn phases(
        &mut self,
        turn: StepTurn<'_>,
        step: LessonStep,
        set_up: SetUp,
        phase: StepPhase,
    ) -> Result<Tell, Unrun> {
        let last = self.before.take().filter(|(known, _)| *known == set_up);
        let before = match (&step.before, last) {
            (None, _) => None,
            (Some(_), Some((_, found))) => Some(found),
            (Some(ask), None) => Some(self.run(turn, ask).await?),
        };
        let step =
            step.after(before.as_ref()).map_err(|error| Unrun::Lacking(error.to_string()))?;
        let found = match phase {
            StepPhase::SetUp => {
                self.check(turn, &step.action)?;
                None
            }
            // Some questions are answered by the run that they are about.
            StepPhase::Reveal if step.before.as_ref() == Some(&step.action) => before.clone(),
            StepPhase::Reveal => Some(self.run(turn, &step.action).await?),
        };

        let outcome = turn.lesson.outcome(&step, turn.taught, before.as_ref(), found.as_ref());
        let pictures = found.map(|found| found.pictures(before.as_ref()));
        self.before = before.map(|before| (set_up, before));
        Ok(Tell::Stepped { outcome: Box::new(outcome), pictures: pictures.unwrap_or_default() })
    }

    /// Nobody is to predict what the model cannot show: begins what answers the question, and runs nothing of
    /// it. Models that are not open yet are not fetched for it.
    fn check(&self, turn: StepTurn<'_>, ask: &StepAsk) -> Result<(), Unrun> {
        let names = ask.models(turn.taught).map_err(|error| Unrun::Lacking(error.to_string()))?;
        for model in names.iter().filter_map(|name| self.open_model(turn, name)) {
            WorkRunning::start(model, ask, turn.lesson.prompt.as_ref()).map_err(unrun)?;
        }
        Ok(())
    }

    async fn run(&mut self, turn: StepTurn<'_>, ask: &StepAsk) -> Result<StepFound, Unrun> {
        let StepTurn { desk, id, .. } = turn;
        if let StepAsk::Survey(ask) = ask {
            let count = if ask.reads_real() { SURVEYS.len() } else { 1 };
            self.fetch_surveys(desk, id, count).await?;
            let surveys: Vec<&Survey> = self.surveys.iter().collect();
            return Ok(StepFound::of_surveys(&surveys, ask));
        }
        let names = ask.models(turn.taught).map_err(|error| Unrun::Lacking(error.to_string()))?;
        let mut found: Vec<ModelFound> = Vec::with_capacity(names.len());
        for name in &names {
            let is_open = self.open_model(turn, name).is_some();
            if let Some(file) = ask.report().filter(|_| !is_open) {
                found.push(self.stored(desk, id, file, ask).await?);
                continue;
            }
            if !is_open {
                let files = fetch::model(desk, id, name).await?;
                let model = opening::reference(desk, id, &files).await?;
                self.models.push(model);
            }
            let Some(model) = self.open_model(turn, name) else {
                return Err(Stop::Failed(format!("{name} is not open: load the page again")).into());
            };
            let running = WorkRunning::start(model, ask, turn.lesson.prompt.as_ref());
            let mut running = running.map_err(unrun)?;
            let part = (found.len(), names.len());
            let job = Job { beside: turn.held, part, ..Job::new(model, desk, id) };
            job.drive(Stage::Lesson, &mut running).await?;
            found.push(running.finish().map_err(stop)?);
        }
        Ok(StepFound { ask: ask.clone(), models: found })
    }

    /// The loaded model, or one of the catalogue that was opened beside it.
    fn open_model<'a>(&'a self, turn: StepTurn<'a>, name: &str) -> Option<&'a LoadedModel> {
        let held = turn.by_name.filter(|held| held.name == name);
        held.or_else(|| self.models.iter().find(|model| model.name == name))
    }

    /// Fetches the first surveys, as far as they are not there yet.
    async fn fetch_surveys(&mut self, desk: &Desk, id: u32, count: usize) -> Result<(), Stop> {
        for file in SURVEYS.iter().take(count).skip(self.surveys.len()) {
            let bytes = fetch::bytes(desk, id, file).await?;
            let opened = Opened::read(&bytes).and_then(Opened::survey);
            self.surveys.push(opened.map_err(|error| Stop::Failed(format!("{file}: {error}")))?);
        }
        Ok(())
    }

    /// Reads a step's numbers from a report that comes with the page.
    async fn stored(
        &mut self,
        desk: &Desk,
        id: u32,
        file: &str,
        ask: &StepAsk,
    ) -> Result<ModelFound, Unrun> {
        if !self.reports.contains_key(file) {
            let bytes = fetch::bytes(desk, id, file).await?;
            let opened = Opened::read(&bytes).and_then(Opened::report);
            let report = opened.map_err(|error| Stop::Failed(format!("{file}: {error}")))?;
            self.reports.insert(file.to_owned(), report);
        }
        let found = self.reports.get(file).and_then(|report| ModelFound::of_report(report, ask));
        found.ok_or_else(|| Stop::Failed(format!("{file} lacks what this step asks")).into())
    }
}

/// Sorts an error: a model that cannot read or run the step is the step's answer; a GPU's failure is not.
fn unrun(error: StudyError) -> Unrun {
    match error {
        StudyError::Engine(EngineError::Gpu(_)) => Unrun::Stopped(stop(error)),
        error => Unrun::Lacking(error.to_string()),
    }
}
