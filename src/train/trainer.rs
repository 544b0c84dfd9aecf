//! One training: parameters, optimiser, schedule. Same seed, same bits, on one machine.

use rayon::prelude::*;

use super::TrainError;
use super::adam::Adam;
use super::batch::TrainingBatch;
use super::network::Network;
use super::shape::Shape;
use super::weights::{StepWeights, TurnedModel};
use super::{curriculum, lookups, muon};

/// The settings that determine a training; a state on disk belongs to exactly one recipe.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Recipe {
    pub shape: Shape,
    pub seed: u64,
    /// Tokens to train on; the schedules of rate and difficulty stretch over them.
    pub tokens: u64,
    /// Rows per training step.
    pub batch: usize,
    /// Highest learning rate.
    pub rate: f64,
    /// Standard deviation of the initial matrices.
    pub initial_std: f64,
}

/// A batch is always cut in this many parts whose gradients are added in order, so the result does
/// not depend on how many threads there are.
const PARTS: usize = 2;
/// Tokens of a part that go through the blocks together, about: 80 to all of them
/// take as long.
const TOKENS: usize = 320;
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
    turned: TurnedModel,
    parts: Vec<BatchPart>,
}

struct BatchPart {
    network: Network,
    gradient: Vec<f32>,
}

/// The measured numbers of one training step.
#[derive(Clone, Copy, Debug)]
pub struct TrainingStep {
    /// Weighted mean cross-entropy, nats.
    pub loss: f64,
    pub tokens: u64,
}

impl Trainer {
    pub fn new(recipe: Recipe) -> Self {
        let mut parameters = recipe.shape.initialise(recipe.initial_std as f32, recipe.seed);
        lookups::prepare(&recipe.shape, &mut parameters);
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
            turned: TurnedModel::of(&recipe.shape, &parameters),
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

    /// The batch that the next step takes.
    ///
    /// # Errors
    /// A row with a word that the vocabulary has not.
    pub fn batch(&self) -> Result<TrainingBatch, TrainError> {
        let (recipe, step) = (&self.recipe, self.optimiser.steps);
        let (seed, progress, count) = (recipe.seed, self.progress(), recipe.batch);
        TrainingBatch::of(&curriculum::draw(seed, step, progress, count))
    }

    /// Trains on the next batch.
    ///
    /// # Errors
    /// A loss or a gradient that is not a number: the rate is too high for this shape. The parameters
    /// are then worth nothing.
    pub fn step(&mut self) -> Result<TrainingStep, TrainError> {
        let batch = self.batch()?;
        // The tokens of each part, some at a time.
        let batches: Vec<Vec<TrainingBatch>> = batch
            .parts(self.parts.len())
            .into_iter()
            .map(|part| part.parts(part.tokens.len().div_ceil(TOKENS)))
            .collect();
        let weights = batch.weights.iter().map(|&weight| f64::from(weight));
        let weight: f64 = weights.sum();
        let scale = (1.0 / weight) as f32;
        self.turned.fill(&self.parameters);
        let weights = StepWeights { parameters: &self.parameters, turned: &self.turned };
        let parts = self.parts.par_iter_mut().zip(&batches);
        let losses: Vec<f64> = parts
            .with_max_len(1)
            .map(|(part, batches)| {
                let gradient = &mut part.gradient[..];
                gradient.fill(0.0);
                let network = &mut part.network;
                batches.iter().map(|batch| network.gradient(weights, batch, scale, gradient)).sum()
            })
            .collect();
        let loss = losses.iter().sum::<f64>() / weight;
        let step = self.optimiser.steps;
        refuse_if!(!loss.is_finite(), TrainError::Diverged { step });
        let rate = self.rate() as f32;
        let parts = self.parts.iter_mut().take(batches.len());
        let mut gradients: Vec<&mut [f32]> = parts.map(|part| &mut part.gradient[..]).collect();
        let (shape, optimiser) = (&self.recipe.shape, &mut self.optimiser);
        let gradient_norm =
            muon::step(shape, optimiser, &mut self.parameters, &mut gradients, rate);
        // The loss may still be a number: it is of the parameters before this step.
        refuse_if!(!gradient_norm.is_finite(), TrainError::Diverged { step });
        let tokens = batch.tokens.len() as u64;
        self.tokens_seen += tokens;
        Ok(TrainingStep { loss, tokens })
    }
}
