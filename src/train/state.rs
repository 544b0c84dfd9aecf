//! A training on disk, to go on from: parameters and optimiser in full precision, and the recipe.
//! Batches are drawn by their number, so the number of steps is all the state that they have.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use super::adam::Adam;
use super::folder::write_whole;
use super::{Recipe, TrainError, Trainer};

/// The state's file in a training's folder.
pub const FILE: &str = "training.safetensors";

impl Trainer {
    /// Writes the state into `folder`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), TrainError> {
        let path = folder.join(FILE);
        let failed = |reason: String| TrainError::Write { path: path.clone(), reason };
        std::fs::create_dir_all(folder).map_err(|error| failed(error.to_string()))?;
        let bytes = |values: &[f32]| {
            values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>()
        };
        let held = [
            ("parameters", bytes(&self.parameters)),
            ("gradient_mean", bytes(&self.optimiser.mean)),
            ("gradient_square", bytes(&self.optimiser.square)),
        ];
        let dimensions = vec![self.parameters.len()];
        let views = held
            .iter()
            .map(|(name, bytes)| {
                Ok((*name, TensorView::new(Dtype::F32, dimensions.clone(), bytes)?))
            })
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
            .map_err(|error| failed(error.to_string()))?;
        let recipe =
            serde_json::to_string(&self.recipe).map_err(|error| failed(error.to_string()))?;
        let facts = HashMap::from([
            ("recipe".to_owned(), recipe),
            ("steps".to_owned(), self.optimiser.steps.to_string()),
            ("tokens_seen".to_owned(), self.tokens_seen.to_string()),
        ]);
        let file = safetensors::serialize(views, Some(facts))
            .map_err(|error| failed(error.to_string()))?;
        write_whole(&path, &file)
    }

    /// Reads the state in `folder`, which must belong to `recipe`.
    ///
    /// # Errors
    /// No readable state, or one of another recipe.
    pub fn resume(folder: &Path, recipe: Recipe) -> Result<Trainer, TrainError> {
        let path = folder.join(FILE);
        let file = std::fs::read(&path).map_err(|error| unreadable(&path, error.to_string()))?;
        let (_, header) = SafeTensors::read_metadata(&file)
            .map_err(|error| unreadable(&path, error.to_string()))?;
        let facts = header.metadata().clone().unwrap_or_default();
        let fact = |name: &str| {
            facts.get(name).ok_or_else(|| unreadable(&path, format!("it has no '{name}'")))
        };
        let number = |name: &str| {
            fact(name)?
                .parse::<u64>()
                .map_err(|_| unreadable(&path, format!("its '{name}' is not a number")))
        };
        let held: Recipe = serde_json::from_str(fact("recipe")?)
            .map_err(|error| unreadable(&path, error.to_string()))?;
        if let Some(what) = recipe.difference(&held) {
            return Err(TrainError::OtherTraining { path, what: what.to_owned() });
        }
        let tensors = SafeTensors::deserialize(&file)
            .map_err(|error| unreadable(&path, error.to_string()))?;
        let len = recipe.shape.layout().len;
        let read = |name: &str| {
            let tensor =
                tensors.tensor(name).map_err(|error| unreadable(&path, error.to_string()))?;
            refuse_if!(
                tensor.dtype() != Dtype::F32 || tensor.shape() != [len],
                unreadable(&path, format!("'{name}' is not {len} numbers in single precision"))
            );
            let (numbers, _) = tensor.data().as_chunks::<4>();
            Ok(numbers.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect::<Vec<f32>>())
        };
        let (steps, tokens_seen) = (number("steps")?, number("tokens_seen")?);
        // Every step has tokens.
        if steps > tokens_seen {
            let reason = format!("{steps} steps cannot have had {tokens_seen} tokens");
            return Err(unreadable(&path, reason));
        }
        let optimiser =
            Adam { mean: read("gradient_mean")?, square: read("gradient_square")?, steps };
        Ok(Trainer::restore(recipe, read("parameters")?, optimiser, tokens_seen))
    }
}

fn unreadable(path: &Path, reason: String) -> TrainError {
    TrainError::Read { path: PathBuf::from(path), reason }
}

impl Recipe {
    /// Names the first difference between two recipes; `None` if they are equal.
    fn difference(&self, other: &Recipe) -> Option<&'static str> {
        if self.shape != other.shape {
            Some("the model's shape")
        } else if self.seed != other.seed {
            Some("the seed")
        } else if self.tokens != other.tokens {
            Some("the number of tokens")
        } else if self.batch != other.batch {
            Some("the batch")
        } else if self.rate != other.rate || self.initial_std != other.initial_std {
            Some("the learning rate or initial deviation")
        } else {
            None
        }
    }
}
