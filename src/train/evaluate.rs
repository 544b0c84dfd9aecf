//! Accuracy on held-out rows, with the weights as they are shipped: rounded to half precision.

use half::f16;
use rayon::prelude::*;

use super::TrainError;
use super::network::Network;
use super::shape::Shape;
use super::weights::{StepWeights, TurnedModel};
use crate::task::primer::{self, GeneratedRow, GeneratedTask};

/// Parameters as a model file in half precision holds them.
pub fn rounded(parameters: &[f32]) -> Vec<f32> {
    parameters.iter().map(|&parameter| f16::from_f32(parameter).to_f32()).collect()
}

/// The share of `rows` whose right option has the largest logit.
pub fn accuracy(
    shape: &Shape,
    parameters: &[f32],
    rows: &[GeneratedRow],
) -> Result<f64, TrainError> {
    let mut network = Network::new(*shape);
    let turned = TurnedModel::of(shape, parameters);
    let weights = StepWeights { parameters, turned: &turned };
    let mut right = 0;
    for rows in rows.chunks(32) {
        let (mut tokens, mut starts) = (Vec::new(), vec![0]);
        for row in rows {
            let unknown = || TrainError::Word { text: row.prompt.clone() };
            tokens.extend(primer::encode(&row.prompt).ok_or_else(unknown)?);
            starts.push(tokens.len());
        }
        for (row, logits) in rows.iter().zip(network.next_token_logits(weights, &tokens, &starts)) {
            let mut best = (f32::MIN, 0);
            for (option, text) in row.options.iter().enumerate() {
                let unknown = || TrainError::Word { text: text.clone() };
                let id = *primer::encode(text)
                    .and_then(|ids| ids.last().copied())
                    .as_ref()
                    .ok_or_else(unknown)?;
                if logits[id as usize] > best.0 {
                    best = (logits[id as usize], option);
                }
            }
            right += usize::from(best.1 == row.answer);
        }
    }
    Ok(right as f64 / rows.len().max(1) as f64)
}

/// The share of right rows of one level, and the number of rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelShare {
    pub share: f64,
    /// Number of rows; fewer than were asked for where a level has no more.
    pub rows: usize,
}

/// How many of a task's held-out rows were right, level by level.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskAccuracy {
    pub task: GeneratedTask,
    /// One per level.
    pub levels: Vec<LevelShare>,
}

impl TaskAccuracy {
    /// Over all levels alike.
    pub fn mean(&self) -> f64 {
        let sum: f64 = self.levels.iter().map(|level| level.share).sum();
        sum / self.levels.len().max(1) as f64
    }
}

/// [`accuracy`] on `rows` held-out rows of every task and level, in the order of [`GeneratedTask::ALL`].
pub fn accuracies(
    shape: &Shape,
    parameters: &[f32],
    rows: usize,
    seed: u64,
) -> Result<Vec<TaskAccuracy>, TrainError> {
    let parameters = rounded(parameters);
    GeneratedTask::ALL
        .into_par_iter()
        .map(|task| {
            let levels = (0..primer::levels(task)).map(|level| {
                let rows = primer::held_out(task, Some(level), rows, seed);
                let share = accuracy(shape, &parameters, &rows)?;
                let rows = rows.len();
                Ok(LevelShare { share, rows })
            });
            Ok(TaskAccuracy { task, levels: levels.collect::<Result<_, TrainError>>()? })
        })
        .collect()
}

/// [`accuracy`] on `rows` held-out rows of every task, all its levels in turn: what a survey asks.
pub fn whole(
    shape: &Shape,
    parameters: &[f32],
    rows: usize,
    seed: u64,
) -> Result<Vec<f64>, TrainError> {
    let parameters = rounded(parameters);
    GeneratedTask::ALL
        .into_par_iter()
        .map(|task| accuracy(shape, &parameters, &primer::held_out(task, None, rows, seed)))
        .collect()
}
