//! What the worker holds between requests: one model.

use web_sys::File;

use super::{Desk, Stop, fetch, read, sweep};
use crate::app::protocol::{Ask, Stage, Tell};
use crate::engine::Capture;
use crate::model::{Bytes, ModelFiles};
use crate::study::lab::Rearranging;
use crate::study::report::Report;
use crate::study::{LoadedModel, lens};

#[derive(Default)]
pub struct Session {
    model: Option<LoadedModel>,
}

impl Session {
    pub async fn answer(
        &mut self,
        desk: &Desk,
        id: u32,
        ask: Ask,
        files: Vec<File>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        match ask {
            Ask::LoadKnown { name } => {
                // The old model goes first: two at once may not fit.
                self.model = None;
                let files = fetch::model(desk, id, &name).await?;
                self.load(desk, id, &name, files).await
            }
            Ask::LoadFiles { name } => {
                self.model = None;
                let files = read::files(desk, id, files).await?;
                self.load(desk, id, &name, files).await
            }
            Ask::Orders {
                tasks,
                rows,
                sweeps,
                extent,
            } => {
                let wanted = sweep::Wanted {
                    tasks,
                    rows,
                    sweeps,
                    extent,
                };
                sweep::run(self, desk, id, &wanted).await.map(done)
            }
            Ask::Lens { .. } | Ask::Lab { .. } | Ask::Cancel { .. } => {
                self.one_prompt(desk, id, ask).await
            }
        }
    }

    /// What needs one prompt and no other model, and so may be answered in the middle of a sweep.
    pub async fn one_prompt(&self, desk: &Desk, id: u32, ask: Ask) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        match ask {
            Ask::Lens {
                prompt,
                options,
                answer,
                plan,
            } => {
                let question = (prompt.as_str(), options.as_slice(), answer);
                let report = self.lens(desk, id, question, plan.as_deref()).await;
                report.map(done)
            }
            Ask::Lab {
                prompt,
                options,
                answer,
                plan,
            } => {
                let question = (prompt.as_str(), options.as_slice(), answer);
                self.lab(desk, id, question, &plan).await.map(done)
            }
            _ => Err(Stop::Cancelled),
        }
    }

    pub fn model(&self) -> Result<&LoadedModel, Stop> {
        self.model
            .as_ref()
            .ok_or_else(|| Stop::Failed("no model is loaded: choose one first".to_owned()))
    }

    async fn load(
        &mut self,
        desk: &Desk,
        id: u32,
        name: &str,
        files: Vec<(String, Bytes)>,
    ) -> Result<Tell, Stop> {
        desk.listen(id).await?;
        let files = ModelFiles::from_named(name, files).map_err(failed)?;
        let progress =
            &mut |done: usize, of: usize| desk.progress(id, Stage::Weights, done as f64, of as f64);
        let model = LoadedModel::from_files(&files, progress).map_err(failed)?;
        let facts = model.facts();
        self.model = Some(model);
        desk.listen(id).await?;
        Ok(Tell::Loaded { model: facts })
    }

    async fn lens(
        &self,
        desk: &Desk,
        id: u32,
        question: (&str, &[String], usize),
        plan: Option<&str>,
    ) -> Result<Report, Stop> {
        let model = self.model()?;
        let (prompt, options, answer) = question;
        let question = model.question(prompt, options, answer).map_err(failed)?;
        let plan = model.plan(plan).map_err(failed)?;
        let (prompts, plans) = ([question.prompt.clone()], [plan]);
        let engine = &model.engine;
        let run = engine.start(prompts.into(), plans.clone().into(), Capture::Members);
        let mut run = run.map_err(failed)?;
        while let Some((done, of)) = run.advance().map_err(failed)? {
            desk.progress(id, Stage::Run, done as f64, of as f64);
            desk.listen_now_and_then(id).await?;
        }
        let traces = run.finish().map_err(failed)?;
        let trace = traces.into_iter().flatten().next();
        let trace = trace
            .ok_or_else(|| Stop::Failed("the engine gave no trace for this prompt".to_owned()))?;
        Ok(lens::report(model, lens::lens(&question, &plans[0], trace)))
    }

    async fn lab(
        &self,
        desk: &Desk,
        id: u32,
        question: (&str, &[String], usize),
        plan: &str,
    ) -> Result<Report, Stop> {
        let model = self.model()?;
        let (prompt, options, answer) = question;
        let question = model.question(prompt, options, answer).map_err(failed)?;
        let line = Some(plan.trim()).filter(|line| !line.is_empty());
        let plan = model.plan(line).map_err(failed)?;
        let runs = plan.block_runs().count();
        if runs > MOST_RUNS {
            return Err(Stop::Failed(format!(
                "this order runs {runs} blocks and the lab draws up to {MOST_RUNS}: the lens, or `atelier lens --plan`, takes more"
            )));
        }
        let mut run = Rearranging::start(model, &question, plan).map_err(failed)?;
        while let Some((done, of)) = run.advance().map_err(failed)? {
            desk.progress(id, Stage::Run, done as f64, of as f64);
            desk.listen_now_and_then(id).await?;
        }
        run.report().map_err(failed)
    }
}

/// Every pair of a stream's states is compared, and the worker hears nothing meanwhile.
const MOST_RUNS: usize = 256;

fn done(report: Report) -> Tell {
    Tell::Done {
        report: Box::new(report),
    }
}

pub(super) fn failed(error: impl std::fmt::Display) -> Stop {
    Stop::Failed(error.to_string())
}
