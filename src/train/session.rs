//! A training from start, or from where it stopped, to the written model.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::evaluate::{self, TaskAccuracy};
use super::{Recipe, TrainError, Trainer, folder};

/// Where and how often things are written and measured.
#[derive(Clone, Debug)]
pub struct TrainingSession {
    pub out: PathBuf,
    /// Go on from the state in `out`.
    pub resume: bool,
    /// Keep models along the way, as `out/step-NNNNNN`.
    pub snapshots: bool,
    /// Keep the optimiser's state after the end too.
    pub keep_state: bool,
}

/// Moments at which a snapshot is kept, besides beginning and end: when the model has met lookups, quizzes,
/// claims, sums and everything, and later.
const SNAPSHOTS: [f64; 6] = [0.055, 0.125, 0.185, 0.265, 0.413, 0.6];

/// Measurements in the course of a training.
const MEASUREMENTS: f64 = 20.0;
/// Held-out rows a task for each of them.
const ROWS: usize = 100;
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// The progress of a training.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Share of the tokens that were trained on, from 0 to 1.
    pub progress: f64,
    pub tokens_seen: u64,
    /// Mean over the steps since the last report, nats.
    pub loss: f64,
    pub tokens_per_second: f64,
    /// Held-out accuracy per task, where it was measured now.
    pub accuracies: Option<Vec<TaskAccuracy>>,
}

impl TrainingSession {
    /// Trains from nothing to the end and writes the model; `report` is told every step.
    ///
    /// # Errors
    /// A state that cannot be read or belongs to another recipe, files that cannot be written, a
    /// loss that is not a number.
    pub fn run(
        &self,
        recipe: Recipe,
        report: &mut dyn FnMut(&Standing),
    ) -> Result<Trainer, TrainError> {
        let mut trainer =
            if self.resume { Trainer::resume(&self.out, recipe)? } else { Trainer::new(recipe) };
        let shape = trainer.recipe.shape;
        let (began, tokens_before) = (Instant::now(), trainer.tokens_seen);
        let mut saved = Instant::now();
        let mut measured = (trainer.progress() * MEASUREMENTS).floor();
        while !trainer.finished() {
            let before = trainer.progress();
            if self.snapshots && trainer.optimiser.steps == 0 {
                self.snapshot(&trainer)?;
            }
            let step = trainer.step()?;
            let passed = |moment: &f64| before < *moment && *moment <= trainer.progress();
            if self.snapshots && SNAPSHOTS.iter().any(passed) {
                self.snapshot(&trainer)?;
            }
            let now = (trainer.progress() * MEASUREMENTS).floor();
            let accuracies = if now > measured || trainer.finished() {
                Some(evaluate::accuracies(&shape, &trainer.parameters, ROWS, super::family::SEED)?)
            } else {
                None
            };
            measured = now;
            let seconds = began.elapsed().as_secs_f64().max(1e-9);
            report(&Standing {
                progress: trainer.progress().min(1.0),
                tokens_seen: trainer.tokens_seen,
                loss: step.loss,
                tokens_per_second: (trainer.tokens_seen - tokens_before) as f64 / seconds,
                accuracies,
            });
            if saved.elapsed() > SAVE_EVERY {
                trainer.save(&self.out)?;
                saved = Instant::now();
            }
        }
        folder::write(&self.out, &shape, &trainer.parameters)?;
        if self.keep_state {
            trainer.save(&self.out)?;
        } else {
            let state = self.out.join(super::state::FILE);
            if state.exists() {
                std::fs::remove_file(&state).map_err(|error| TrainError::Write {
                    path: state,
                    reason: error.to_string(),
                })?;
            }
        }
        Ok(trainer)
    }

    fn snapshot(&self, trainer: &Trainer) -> Result<(), TrainError> {
        let steps = trainer.optimiser.steps;
        let place = self.out.join(format!("step-{steps:06}"));
        folder::write(&place, &trainer.recipe.shape, &trainer.parameters)
    }
}

/// Takes away a former training's state and the models that it kept along the way: they would be taken for
/// those of the training that replaces it.
///
/// # Errors
/// One that cannot be removed.
pub fn forget_training(out: &Path) -> Result<(), TrainError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: std::io::Error| TrainError::Write { path, reason: error.to_string() }
    };
    let state = out.join(super::state::FILE);
    if state.exists() {
        std::fs::remove_file(&state).map_err(failed(&state))?;
    }
    for entry in std::fs::read_dir(out).map_err(failed(out))? {
        let entry = entry.map_err(failed(out))?;
        let name = entry.file_name();
        let is_step = name.to_str().and_then(|name| name.strip_prefix("step-"));
        let is_step = is_step.is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
        let path = entry.path();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_step && is_folder && path.join("model.safetensors").is_file() {
            std::fs::remove_dir_all(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}
