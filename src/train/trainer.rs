//! One training: parameters, optimiser, schedule. Same seed, same bits, on one machine.

use rayon::prelude::*;

use super::TrainError;
use super::adam::Adam;
use super::batch::{self, TrainingBatch};
use super::network::Network;
use super::shape::Shape;

/// What determines a training; a state on disk belongs to exactly one of these.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Recipe {
    pub shape: Shape,
    pub seed: u64,
    /// Tokens to train on; the schedules of rate and difficulty stretch over them.
    pub tokens: u64,
    /// Rows a step.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f64,
    /// Standard deviation of the initial matrices.
    pub initial_std: f64,
}

/// A batch is always cut in this many parts whose gradients are added in order, so the result does
/// not depend on how many threads there are. Small parts also stay in the processor's cache.
const PARTS: usize = 2;
/// Share of the tokens over which the rate climbs to its highest.
const WARM_UP: f64 = 0.02;
/// The cosine ends at this share of the highest rate.
const FINAL_RATE: f64 = 0.03;

/// A training under way.
pub struct Trainer {
    pub recipe: Recipe,
    pub parameters: Vec<f32>,
    pub optimiser: Adam,
    /// Tokens trained on so far.
    pub tokens_seen: u64,
    parts: Vec<BatchPart>,
}

struct BatchPart {
    network: Network,
    gradient: Vec<f32>,
}

/// What one step did.
#[derive(Clone, Copy, Debug)]
pub struct TrainingStep {
    /// Weighted mean cross-entropy, nats.
    pub loss: f64,
    pub gradient_norm: f64,
    pub tokens: u64,
}

impl Trainer {
    pub fn new(recipe: Recipe) -> Self {
        let parameters = recipe
            .shape
            .initialise(recipe.initial_std as f32, recipe.seed);
        let optimiser = Adam::new(parameters.len());
        Self::restore(recipe, parameters, optimiser, 0)
    }

    pub(super) fn restore(
        recipe: Recipe,
        parameters: Vec<f32>,
        optimiser: Adam,
        tokens_seen: u64,
    ) -> Self {
        let part = || BatchPart {
            network: Network::new(recipe.shape),
            gradient: vec![0.0; parameters.len()],
        };
        let parts = (0..PARTS).map(|_| part()).collect();
        Self {
            recipe,
            parameters,
            optimiser,
            tokens_seen,
            parts,
        }
    }

    /// From 0 to 1.
    pub fn progress(&self) -> f64 {
        self.tokens_seen as f64 / self.recipe.tokens.max(1) as f64
    }

    pub fn finished(&self) -> bool {
        self.tokens_seen >= self.recipe.tokens
    }

    /// The learning rate now: a linear climb, then a cosine.
    pub fn rate(&self) -> f64 {
        let progress = self.progress();
        let climb = ((progress + 1e-3) / WARM_UP).min(1.0);
        let fall = 0.5 * (1.0 + (std::f64::consts::PI * progress.min(1.0)).cos());
        self.recipe.rate * climb * (FINAL_RATE + (1.0 - FINAL_RATE) * fall)
    }

    /// Trains on the next batch.
    ///
    /// # Errors
    /// A loss or a gradient that is not a number: the rate is too high for this shape. The parameters
    /// are then worth nothing.
    pub fn step(&mut self) -> Result<TrainingStep, TrainError> {
        let recipe = &self.recipe;
        let progress = self.progress();
        let rows = batch::draw(recipe.seed, self.optimiser.steps, progress, recipe.batch);
        let batches: Vec<TrainingBatch> = rows
            .chunks(rows.len().div_ceil(PARTS))
            .map(TrainingBatch::of)
            .collect::<Result<_, _>>()?;
        let weight: f64 = batches
            .iter()
            .flat_map(|batch| &batch.weights)
            .map(|&weight| f64::from(weight))
            .sum();
        let scale = (1.0 / weight) as f32;
        let parameters = &self.parameters;
        let losses: Vec<f64> = self
            .parts
            .par_iter_mut()
            .zip(&batches)
            .map(|(part, batch)| {
                part.gradient.fill(0.0);
                part.network
                    .gradient(parameters, batch, scale, &mut part.gradient)
            })
            .collect();
        let loss = losses.iter().sum::<f64>() / weight;
        if !loss.is_finite() {
            return Err(TrainError::Diverged {
                step: self.optimiser.steps,
            });
        }
        let (first, others) = self.parts.split_at_mut(1);
        for part in others.iter().take(batches.len() - 1) {
            for (sum, value) in first[0].gradient.iter_mut().zip(&part.gradient) {
                *sum += value;
            }
        }
        let rate = self.rate() as f32;
        let gradient_norm =
            self.optimiser
                .step(&mut self.parameters, &self.parts[0].gradient, rate);
        // The loss may still be a number: it is of the parameters before this step.
        if !gradient_norm.is_finite() {
            return Err(TrainError::Diverged {
                step: self.optimiser.steps,
            });
        }
        let tokens = batches.iter().map(|batch| batch.tokens.len() as u64).sum();
        self.tokens_seen += tokens;
        Ok(TrainingStep {
            loss,
            gradient_norm,
            tokens,
        })
    }
}
