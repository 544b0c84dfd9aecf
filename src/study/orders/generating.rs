//! Text written greedily under many plans (docs/definitions.md, section 8, `generate`): plan after plan,
//! as many texts at once as have room for their keys and values.

use std::ops::Range;
use std::sync::Arc;

use crate::engine::Decoder;
use crate::plan::Plan;
use crate::study::loaded::likeliest;
use crate::study::{LoadedModel, StudyError};
use crate::task::score;

/// Tokens written at most, fewer where the context ends.
pub const MAX_WRITTEN: usize = 128;

/// A model that is shown one question after another goes on with the next one.
const END: &str = "Question:";

/// A chunk of prompts, plan after plan.
pub struct Generating<'a> {
    model: &'a LoadedModel,
    plans: Arc<[Plan]>,
    /// Token ids of every prompt.
    prompts: Vec<Vec<u32>>,
    expected: Vec<String>,
    /// The texts that are being written.
    batch: Option<TextBatch<'a>>,
    /// [plan][prompt], as far as they are written.
    right: Vec<Vec<bool>>,
}

/// Texts under one plan.
struct TextBatch<'a> {
    texts: Range<usize>,
    decoder: Decoder<'a>,
    /// Counted from the batch's first.
    ended: Vec<bool>,
    written: usize,
    /// Those whose next tokens were asked for.
    open: Option<Vec<usize>>,
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
        Ok(Self { model, plans, prompts, expected, batch: None, right: vec![Vec::new()] })
    }

    /// Goes on with one block of all texts of a batch that have not ended; `false` once every plan is
    /// done.
    pub fn advance(&mut self) -> Result<bool, StudyError> {
        let Some(mut batch) = self.batch.take() else {
            return self.begin();
        };
        if let Some(open) = batch.open.take() {
            match batch.decoder.advance()? {
                Some(logits) => self.write(&mut batch, &open, &logits)?,
                None => batch.open = Some(open),
            }
            self.batch = Some(batch);
            return Ok(true);
        }
        let context = self.model.shape().context;
        for (text, ended) in batch.ended.iter_mut().enumerate() {
            *ended |= batch.decoder.ids(text).len() >= context;
        }
        let open: Vec<usize> = (0..batch.ended.len()).filter(|&text| !batch.ended[text]).collect();
        if open.is_empty() || batch.written == MAX_WRITTEN {
            for (text, row) in batch.texts.clone().enumerate() {
                let right = score::answers(&self.text(&batch, text)?, &self.expected[row]);
                if let Some(rows) = self.right.last_mut() {
                    rows.push(right);
                }
            }
            return Ok(true);
        }
        batch.decoder.ask(&open)?;
        batch.open = Some(open);
        self.batch = Some(batch);
        Ok(true)
    }

    /// The next texts, or the next plan.
    fn begin(&mut self) -> Result<bool, StudyError> {
        let Some(plan) = self.plans.get(self.right.len() - 1) else {
            return Ok(false);
        };
        let done = self.right.last().map_or(0, Vec::len);
        if done == self.prompts.len() {
            self.right.push(Vec::new());
            return Ok(self.right.len() <= self.plans.len());
        }
        let rest = &self.prompts[done..];
        let lengths = rest.iter().map(|ids| ids.len() + MAX_WRITTEN);
        let count = Decoder::room(&self.model.engine, plan, lengths);
        self.batch = Some(TextBatch {
            texts: done..done + count,
            decoder: self.model.engine.decoder(rest[..count].to_vec(), plan)?,
            ended: vec![false; count],
            written: 0,
            open: None,
        });
        Ok(true)
    }

    /// Is the device to answer first? See [`Decoder::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.batch.as_ref().is_some_and(|batch| batch.decoder.is_waiting())
    }

    /// Adds the likeliest token to each of the `open` texts.
    fn write(
        &self,
        batch: &mut TextBatch<'a>,
        open: &[usize],
        logits: &[Vec<f32>],
    ) -> Result<(), StudyError> {
        for (&text, row) in open.iter().zip(logits) {
            let id = likeliest(row.iter().copied());
            if self.model.shape().eos_token_ids.contains(&id) {
                batch.ended[text] = true;
                continue;
            }
            batch.decoder.push(text, id)?;
            batch.ended[text] = self.text(batch, text)?.contains(END);
        }
        batch.written += 1;
        Ok(())
    }

    /// Tokens written and to write.
    pub fn progress(&self) -> (usize, usize) {
        let whole = self.prompts.len() * MAX_WRITTEN;
        let rows: usize = self.right.iter().map(Vec::len).sum();
        let written = self.batch.as_ref().map_or(0, |batch| batch.written * batch.texts.len());
        (rows * MAX_WRITTEN + written, self.plans.len() * whole)
    }

    /// `[plan][prompt]` whether each text says what was expected.
    pub fn right(mut self) -> Vec<Vec<bool>> {
        self.right.truncate(self.plans.len());
        self.right
    }

    /// Returns the text written after the prompt, up to the next question.
    fn text(&self, batch: &TextBatch, text: usize) -> Result<String, StudyError> {
        let prompt = self.prompts[batch.texts.start + text].len();
        let written = &batch.decoder.ids(text)[prompt..];
        let text = self.model.tokenizer()?.decode(written)?;
        Ok(match text.find(END) {
            Some(end) => text[..end].to_string(),
            None => text,
        })
    }
}
