//! Text written greedily under many plans (docs/definitions.md, section 8, `generate`): no cache,
//! every token recomputed under the whole order.

use std::sync::Arc;

use crate::engine::Run;
use crate::model::Prompt;
use crate::plan::Plan;
use crate::study::loaded::likeliest;
use crate::study::{LoadedModel, StudyError};
use crate::task::score;

/// Tokens written at most, fewer where the context ends.
pub const TOKENS: usize = 128;

/// A model that is shown one question after another goes on with the next one.
const END: &str = "Question:";

/// A chunk of prompts, plan after plan.
pub struct Generating<'a> {
    model: &'a LoadedModel,
    plans: Arc<[Plan]>,
    /// Token ids of every prompt.
    prompts: Vec<Vec<u32>>,
    expected: Vec<String>,
    plan: usize,
    texts: Vec<Text>,
    written: usize,
    /// The next tokens of the texts that have not ended, on their way.
    run: Option<Writing<'a>>,
    /// [plan][prompt]
    right: Vec<Vec<bool>>,
}

/// Which texts go on, and their next tokens' logits.
type Writing<'a> = (Vec<usize>, Box<dyn Run<Vec<f32>> + 'a>);

#[derive(Clone)]
struct Text {
    ids: Vec<u32>,
    ended: bool,
}

impl<'a> Generating<'a> {
    /// # Errors
    /// A model without a tokenizer: what it writes could not be read.
    pub fn new(
        model: &'a LoadedModel,
        plans: Arc<[Plan]>,
        prompts: Vec<Vec<u32>>,
        expected: Vec<String>,
    ) -> Result<Self, StudyError> {
        model.tokenizer()?;
        let texts = begin(&prompts);
        Ok(Self {
            model,
            plans,
            prompts,
            expected,
            plan: 0,
            texts,
            written: 0,
            run: None,
            right: Vec::new(),
        })
    }

    /// Goes on with one token of every text that has not ended; `false` once every plan is done.
    pub fn advance(&mut self) -> Result<bool, StudyError> {
        if let Some((open, mut run)) = self.run.take() {
            if run.advance()?.is_some() {
                self.run = Some((open, run));
            } else {
                self.write(&open, &run.finish()?.concat())?;
            }
            return Ok(true);
        }
        let Some(plan) = self.plans.get(self.plan) else {
            return Ok(false);
        };
        let context = self.model.shape().context;
        for text in &mut self.texts {
            text.ended |= text.ids.len() >= context;
        }
        let open: Vec<usize> = (0..self.texts.len())
            .filter(|&i| !self.texts[i].ended)
            .collect();
        if open.is_empty() || self.written == TOKENS {
            let right = (0..self.texts.len())
                .map(|i| Ok(score::answers(&self.text(i)?, &self.expected[i])))
                .collect::<Result<_, StudyError>>()?;
            self.right.push(right);
            self.texts = begin(&self.prompts);
            (self.plan, self.written) = (self.plan + 1, 0);
            return Ok(true);
        }
        let prompts: Vec<Prompt> = open
            .iter()
            .map(|&i| Prompt {
                token_ids: self.texts[i].ids.clone(),
                option_ids: Vec::new(),
            })
            .collect();
        let plan = Arc::from([plan.clone()]);
        let run = self.model.engine.next(prompts.into(), plan)?;
        self.run = Some((open, run));
        Ok(true)
    }

    /// Is the device to answer first? See [`Run::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.run.as_ref().is_some_and(|(_, run)| run.is_waiting())
    }

    /// Adds the likeliest token to each of the `open` texts.
    fn write(&mut self, open: &[usize], logits: &[Vec<f32>]) -> Result<(), StudyError> {
        for (&i, row) in open.iter().zip(logits) {
            let id = likeliest(row.iter().copied());
            if self.model.shape().eos_token_ids.contains(&id) {
                self.texts[i].ended = true;
                continue;
            }
            self.texts[i].ids.push(id);
            self.texts[i].ended = self.text(i)?.contains(END);
        }
        self.written += 1;
        Ok(())
    }

    /// Tokens written and to write.
    pub fn progress(&self) -> (usize, usize) {
        (self.plan * TOKENS + self.written, self.plans.len() * TOKENS)
    }

    /// `[plan][prompt]` whether each text says what was expected.
    pub fn right(self) -> Vec<Vec<bool>> {
        self.right
    }

    /// What was written after the prompt, up to the next question.
    fn text(&self, i: usize) -> Result<String, StudyError> {
        let written = &self.texts[i].ids[self.prompts[i].len()..];
        let text = self.model.tokenizer()?.decode(written)?;
        Ok(match text.find(END) {
            Some(end) => text[..end].to_string(),
            None => text,
        })
    }
}

fn begin(prompts: &[Vec<u32>]) -> Vec<Text> {
    let text = |ids: &Vec<u32>| Text {
        ids: ids.clone(),
        ended: false,
    };
    prompts.iter().map(text).collect()
}
