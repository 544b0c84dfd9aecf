//! The model that the worker holds: what is asked of it, and its way to another engine.

use web_sys::Blob;

use super::classroom::{Classroom, Present};
use super::crew::Crew;
use super::wanted::Wanted;
use super::{Desk, Job, Stop, coupling, done, need, opening, parts, prompt, sweep, words};
use crate::app::hub::budget::{DeviceWords, second_copy_refusal};
use crate::app::protocol::{Ask, EngineWish, Tell};
use crate::model::ModelFiles;
use crate::study::LoadedModel;

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
        let job = Job { model, desk, id };
        match ask {
            Ask::Orders { tasks, rows, sweeps, extent, plans } => {
                let wanted = Wanted {
                    tasks: tasks.clone(),
                    rows: *rows,
                    sweeps: sweeps.clone(),
                    extent: *extent,
                    plans: plans.clone(),
                };
                let by = sweep::Runners {
                    model,
                    files,
                    crew,
                    named: &|words| tell_engine(desk, id, model, notice, words),
                };
                let report = sweep::run(by, desk, id, &wanted).await;
                if report.is_err() {
                    // They are in the middle of rows that nobody wants any more, and hear nothing: they go.
                    *crew = Crew::default();
                }
                report.map(|report| done(desk, report))
            }
            Ask::RowsCoupling { task, rows, plan } => {
                let report = coupling::rows(job, *task, *rows, plan.as_deref()).await;
                report.map(|report| done(desk, report))
            }
            Ask::LessonStep { .. } => {
                let present = Present { model, is_catalogues: *is_catalogues };
                classroom.answer(Some(present), desk, id, ask).await
            }
            Ask::LessonFits => words::fits(model, desk, id).await,
            Ask::Need { tasks, rows } => {
                need::run(job, tasks, *rows).await.map(|report| done(desk, report))
            }
            Ask::Parts { prompt, options, answer, plan } => {
                let question = (prompt.as_str(), options.as_slice(), *answer);
                let report = parts::run(job, question, plan.as_deref()).await;
                report.map(|report| done(desk, report))
            }
            Ask::Compare { prompt, options, answer, plan } => {
                let question = (prompt.as_str(), options.as_slice(), *answer);
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
                let models = [model, &reference];
                prompt::compare(models, desk, id, question, plan.as_deref()).await
            }
            _ => prompt::answer(job, ask).await,
        }
    }
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
