//! From the last stream to options' logits: the final norm's linear part, the options' output rows and
//! the constants that no branch wrote (docs/definitions.md, "Members" and "Families").

use std::ops::Range;
use std::rc::Rc;

use super::EngineError;
use super::backend::OptionRows;
use crate::model::shape::NormKind;
use crate::model::weights::Weights;
use crate::model::{ModelShape, Prompt};

pub struct Readout {
    weights: Rc<Weights>,
    /// The final norm's gain. `[D]`
    gain: Vec<f32>,
    /// The final norm's bias. `[D]`
    bias: Option<Vec<f32>>,
    /// `[V]`
    head_bias: Option<Vec<f32>>,
}

/// The options of some prompts, as they are read.
pub struct PromptOptions {
    pub rows: OptionRows,
    /// What the bias member adds to each option's logit, `[P][K]`; `None`: there is no such member.
    pub biases: Option<Vec<Vec<f32>>>,
}

impl Readout {
    pub fn new(weights: Rc<Weights>) -> Result<Self, EngineError> {
        let read = |vector: &Option<_>| {
            let read = vector.as_ref().map(|vector| weights.vector(vector));
            read.transpose()
        };
        Ok(Self {
            gain: weights.vector(&weights.final_norm)?,
            bias: read(&weights.final_norm_bias)?,
            head_bias: read(&weights.head_bias)?,
            weights,
        })
    }

    pub fn shape(&self) -> &ModelShape {
        &self.weights.shape
    }

    /// D
    pub fn width(&self) -> usize {
        self.gain.len()
    }

    /// The norm's scale, held at the full run's value: of the mean square of its final stream, or of
    /// its variance.
    pub fn scale(&self, mean_square: f64) -> f32 {
        (1.0 / (mean_square + self.weights.shape.head.norm.eps).sqrt()) as f32
    }

    /// The options' rows of every prompt, filled up to `count` each, and what the bias member adds to
    /// each option: `W[option] beta + b[option]`.
    ///
    /// # Errors
    /// The output rows cannot be read.
    pub fn options(&self, prompts: &[Prompt], count: usize) -> Result<PromptOptions, EngineError> {
        let (d, head) = (self.width(), self.weights.head());
        let is_centred = self.weights.shape.head.norm.kind == NormKind::Layer;
        let mut numbers = Vec::with_capacity(prompts.len() * count * d);
        let mut biases = Vec::with_capacity(prompts.len());
        for prompt in prompts {
            let rows = self.weights.gather(head, &prompt.option_ids)?;
            for row in rows.chunks_exact(d) {
                let folded = row.iter().zip(&self.gain).map(|(w, g)| w * g);
                let mean = match is_centred {
                    true => folded.clone().map(f64::from).sum::<f64>() / d as f64,
                    false => 0.0,
                };
                numbers.extend(folded.map(|x| x - mean as f32));
            }
            let missing = count - prompt.option_ids.len();
            numbers.resize(numbers.len() + missing * d, 0.0);
            let bias = |(row, &id): (&[f32], &u32)| {
                let dot = |beta: &Vec<f32>| -> f64 {
                    let products = row.iter().zip(beta);
                    products.map(|(w, b)| f64::from(*w) * f64::from(*b)).sum()
                };
                let own = self.head_bias.as_ref();
                let own = own.map_or(0.0, |bias| f64::from(bias[id as usize]));
                (self.bias.as_ref().map_or(0.0, dot) + own) as f32
            };
            let of_prompt = rows.chunks_exact(d).zip(&prompt.option_ids).map(bias);
            biases.push(of_prompt.collect());
        }
        let rows = OptionRows { numbers, prompts: prompts.len(), count, is_centred };
        let has_bias = self.weights.shape.has_bias_member();
        Ok(PromptOptions { rows, biases: has_bias.then_some(biases) })
    }

    /// What a member adds to the logits of some tokens: see [`Engine::read_out`](super::Engine::read_out).
    pub fn tokens(
        &self,
        written: Option<&[f32]>,
        scale: f32,
        ids: Range<u32>,
    ) -> Result<Vec<f32>, EngineError> {
        let (vocabulary, d) = (self.shape().vocabulary, self.width());
        if let Some(id) = ids.clone().last().filter(|&id| id as usize >= vocabulary) {
            return Err(EngineError::TokenId { id, vocabulary });
        }
        let tokens = Prompt { token_ids: Vec::new(), option_ids: ids.collect() };
        let count = tokens.option_ids.len();
        let read = self.options(&[tokens], count)?;
        let Some(written) = written else {
            let biases = read.biases.into_iter().flatten().next();
            return Ok(biases.unwrap_or_else(|| vec![0.0; count]));
        };
        let vote = |row: &[f32]| {
            let products = row.iter().zip(written);
            let dot: f64 = products.map(|(w, z)| f64::from(*w) * f64::from(*z)).sum();
            (dot * f64::from(scale)) as f32
        };
        Ok(read.rows.numbers.chunks_exact(d).map(vote).collect())
    }
}
