//! A training from start, or from where it stopped, to the written model.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Recipe, TrainError, Trainer, evaluate, folder};
use crate::task::minilang::GeneratedTask;

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

/// Steps after which a snapshot is kept, besides the end: log-spaced, the first before any.
pub const SNAPSHOT_STEPS: [u64; 7] = [0, 125, 250, 500, 1_000, 2_000, 4_000];

/// Measurements in the course of a training.
const MEASUREMENTS: f64 = 20.0;
/// Held-out rows a task for each of them.
const ROWS: usize = 100;
const SAVE_EVERY: Duration = Duration::from_secs(60);

/// How a training stands.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Of tokens, from 0 to 1.
    pub progress: f64,
    pub tokens_seen: u64,
    /// Mean over the steps since the last report, nats.
    pub loss: f64,
    pub tokens_per_second: f64,
    /// Held-out accuracy a task, where it was measured now.
    pub accuracies: Option<Vec<(GeneratedTask, f64)>>,
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
        let mut trainer = if self.resume {
            Trainer::resume(&self.out, recipe)?
        } else {
            Trainer::new(recipe)
        };
        let shape = trainer.recipe.shape;
        let (began, tokens_before) = (Instant::now(), trainer.tokens_seen);
        let mut saved = Instant::now();
        let mut measured = (trainer.progress() * MEASUREMENTS).floor();
        while !trainer.finished() {
            if self.snapshots && SNAPSHOT_STEPS.contains(&trainer.optimiser.steps) {
                folder::write(
                    &snapshot_folder(&self.out, trainer.optimiser.steps),
                    &shape,
                    &trainer.parameters,
                )?;
            }
            let step = trainer.step()?;
            let now = (trainer.progress() * MEASUREMENTS).floor();
            let accuracies = if now > measured || trainer.finished() {
                Some(evaluate::accuracies(
                    &shape,
                    &trainer.parameters,
                    ROWS,
                    super::family::SEED,
                )?)
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
}

fn snapshot_folder(out: &Path, steps: u64) -> PathBuf {
    out.join(format!("step-{steps:06}"))
}
