//! The likeliest next tokens of a prompt, as options.

use std::sync::Arc;

use crate::model::Prompt;
use crate::plan::Plan;
use crate::study::{LoadedModel, StudyError};

/// How many are offered.
pub const OFFERED: usize = 5;

/// A token that a model may go on with.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Saying {
    /// As an option is written, most often with its leading space.
    pub option: String,
    /// Probability among all tokens of the vocabulary.
    pub probability: f64,
}

impl LoadedModel {
    /// The five likeliest next tokens of a prompt that can be written as options, the likeliest first.
    ///
    /// # Errors
    /// No tokenizer, a prompt that is empty or too long, an engine that fails.
    pub fn says(&self, prompt: &str, plan: &Plan) -> Result<Vec<Saying>, StudyError> {
        let asked = self.tokenizer()?.prompt(self.shape(), prompt, &[])?;
        let ids = asked.token_ids.clone();
        let run = self.engine.next(
            Arc::from([Prompt::from_ids(self.shape(), ids.clone(), Vec::new())?]),
            Arc::from([plan.clone()]),
        )?;
        let logits: Vec<f32> = run.complete()?.into_iter().flatten().flatten().collect();
        self.sayings(prompt, &ids, &logits)
    }

    /// Returns the five likeliest next tokens that can be written as options, by the `logits` `[V]` of a run of the
    /// prompt.
    ///
    /// # Errors
    /// No tokenizer.
    pub fn sayings(
        &self,
        prompt: &str,
        ids: &[u32],
        logits: &[f32],
    ) -> Result<Vec<Saying>, StudyError> {
        /// Beyond so many nothing likely is left that is text.
        const LOOKED_AT: usize = 200;
        let tokenizer = self.tokenizer()?;
        let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weight = |logit: f32| f64::from(logit - largest).exp();
        let total: f64 = logits.iter().copied().map(weight).sum();
        let mut order: Vec<u32> = (0..).take(logits.len()).collect();
        order.sort_by(|&a, &b| logits[b as usize].total_cmp(&logits[a as usize]));
        let sayings = order.into_iter().take(LOOKED_AT).filter_map(|id| {
            // What stands for every unknown word is no word to choose.
            let is_unknown = self.unknown.as_ref().is_some_and(|unknown| unknown.id == id);
            let option = tokenizer.as_option(ids, prompt, id).filter(|_| !is_unknown)?;
            Some(Saying { option, probability: weight(logits[id as usize]) / total })
        });
        Ok(sayings.take(OFFERED).collect())
    }
}
