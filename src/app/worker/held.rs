//! The model that the worker holds: what is asked of it, and its way to another engine.

use web_sys::Blob;

use super::classroom::{Classroom, Present};
use super::crew::Crew;
use super::job::Job;
use super::wanted::unreadable;
use super::{Desk, Stop, coupling, done, opening, prompt, stop, sweep, words};
use crate::app::hub::budget::{DeviceWords, second_copy_refusal};
use crate::app::protocol::{Ask, Asked, EngineWish, Stage, Tell};
use crate::model::ModelFiles;
use crate::study::need::Needing;
use crate::study::parts::LeavingOut;
use crate::study::report::Report;
use crate::study::{LoadedModel, SEED};
use crate::task::built_in::BuiltInTask;

pub struct HeldModel {
    /// `None` only while it is on its way to another engine.
    pub model: Option<LoadedModel>,
    /// To put the model into an engine again: the bytes are the browser's, not this program's.
    pub files: ModelFiles<Blob>,
    /// They came from the catalogue.
    pub is_catalogues: bool,
    pub wish: EngineWish,
    pub notice: String,
    /// Bytes that it takes.
    pub memory: u64,
    /// Workers that hold it too.
    pub crew: Crew,
}

impl HeldModel {
    /// Says what runs the model, and `more` of the last run.
    pub fn tell_engine(&self, desk: &Desk, id: u32, more: &str) {
        if let Some(model) = &self.model {
            tell_engine(desk, id, model, &self.notice, more);
        }
    }

    /// How many blocks the model's own order runs.
    pub fn blocks(&self) -> Option<usize> {
        self.model.as_ref().map(|model| model.shape().order.len())
    }

    /// Puts the model on the GPU again, or on the processor.
    pub async fn reopen(
        &mut self,
        desk: &Desk,
        id: u32,
        again: bool,
        reason: &str,
    ) -> Result<(), Stop> {
        // The broken engine goes first: its memory is needed.
        self.model = None;
        let wish = if again { self.wish } else { EngineWish::Cpu };
        let opened = opening::open(desk, id, &self.files, wish, &mut |_, _| false).await;
        let first = format!("in the middle of a run, {reason}");
        let (model, why) = opened.map_err(|stop| stop.after(&first))?;
        let on_gpu = model.engine.profile().is_some();
        self.notice = if on_gpu {
            format!(
                "In the middle of a run, {reason}; the model was put on the GPU again, and the run repeated."
            )
        } else {
            format!(
                "In the middle of a run, {reason}; the model runs on the CPU now, which repeated the run. {why}"
            )
        };
        self.model = Some(model);
        self.tell_engine(desk, id, "");
        Ok(())
    }

    /// One try at a request.
    pub async fn once(
        &mut self,
        classroom: &mut Classroom,
        desk: &Desk,
        id: u32,
        ask: &Ask,
    ) -> Result<Tell, Stop> {
        let Self { model: Some(model), files, notice, memory, crew, is_catalogues, .. } = self
        else {
            return Err(none());
        };
        let (model, files, notice) = (&*model, &*files, notice.as_str());
        let job = Job::new(model, desk, id);
        let long = Job { beside: Some(model), ..job };
        let report = match ask {
            Ask::Orders(wanted) => {
                let by = sweep::Runners {
                    model,
                    files,
                    crew,
                    named: &|words| tell_engine(desk, id, model, notice, words),
                };
                let report = sweep::run(by, long, wanted).await;
                if report.is_err() {
                    // They are in the middle of rows that nobody wants any more, and hear nothing: they go.
                    *crew = Crew::default();
                }
                report
            }
            Ask::RowsCoupling { task, rows, plan } => {
                coupling::rows(long, *task, *rows, plan.as_deref()).await
            }
            Ask::Need { tasks, rows } => need(long, tasks, *rows).await,
            Ask::Parts(asked) => parts(long, asked).await,
            Ask::LessonStep { .. } => {
                let present = Present { model, is_catalogues: *is_catalogues };
                return classroom.answer(Some(present), desk, id, ask).await;
            }
            Ask::LessonFits => return words::fits(model, desk, id).await,
            Ask::Compare(asked) => {
                if model.engine.profile().is_none() {
                    let sentence = "The model runs on the CPU already.".to_owned();
                    return Ok(Tell::Compared { sentence });
                }
                let bytes = opening::reference_bytes(files)?;
                let budget = DeviceWords::here().budget();
                if let Some(sentence) = second_copy_refusal(bytes, *memory, budget) {
                    return Ok(Tell::Compared { sentence });
                }
                let reference = opening::reference(desk, id, files).await?;
                return prompt::compare([model, &reference], desk, id, asked).await;
            }
            _ => return prompt::answer(job, ask).await,
        };
        report.map(|report| done(desk, report))
    }
}

/// Measures the vote of every part of the model, and the losses without it, on built-in tasks.
async fn need(job: Job<'_>, tasks: &[BuiltInTask], rows: usize) -> Result<Report, Stop> {
    let model = job.model;
    let mut report = Report::of(model);
    for (number, &task) in tasks.iter().enumerate() {
        let needing = Needing::start(model, task.name(), &task.items(rows), SEED);
        let mut needing = needing.map_err(|error| unreadable("need", model, task, error))?;
        let part = Job { part: (number, tasks.len()), ..job };
        part.drive(Stage::Rows, &mut needing).await?;
        report.need.push(needing.need());
    }
    Ok(report)
}

/// Measures the losses of the answer to one prompt without each part of the plan.
async fn parts(job: Job<'_>, asked: &Asked) -> Result<Report, Stop> {
    let (question, plan) = job.read(asked)?;
    let mut run = LeavingOut::start(job.model, &question, plan).map_err(stop)?;
    job.drive(Stage::Parts, &mut run).await?;
    run.report().map_err(stop)
}

/// No model, where one is needed.
pub fn none() -> Stop {
    Stop::Failed("no model is loaded: choose one first".to_owned())
}

/// Says what runs a model, and `more` of its last run.
fn tell_engine(desk: &Desk, id: u32, model: &LoadedModel, notice: &str, more: &str) {
    let mut line = model.engine.describe() + more;
    if let Some(profile) = model.engine.profile() {
        line += &format!(": {profile}");
    }
    line.push('.');
    let notice = notice.to_owned();
    desk.tell(id, Tell::Engine { line, notice });
}
