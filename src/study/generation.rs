//! A text that a model goes on with by itself: the likeliest token, again and again, under any plan
//! (docs/definitions.md, "Scores", `generate`).

use super::loaded::likeliest;
use super::{LoadedModel, StudyError};
use crate::engine::Decoder;
use crate::plan::Plan;

/// Tokens before the written ones that are read with them: whether a space is drawn hangs on them.
const TAIL: usize = 4;

/// A prompt, and what a model writes after it.
pub struct Generation<'a> {
    model: &'a LoadedModel,
    decoder: Decoder<'a>,
    /// Token ids of the prompt.
    prompt: usize,
    most: usize,
    /// Bytes of the written text that were given out.
    given: usize,
    is_asked: bool,
    end: Option<TextEnd>,
}

/// Why a text goes no further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextEnd {
    /// As many tokens as were asked for.
    Tokens,
    /// The model ended it.
    Model,
    /// The model takes no more tokens.
    Context,
}

/// The result of one call of [`Generation::advance`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrote {
    /// Not yet a token.
    Nothing,
    /// A token, and what can be read since the last one: nothing where characters are not whole yet or
    /// the model has no tokenizer.
    Token {
        id: u32,
        text: String,
    },
    End(TextEnd),
}

impl<'a> Generation<'a> {
    /// At most `most` tokens after a prompt's.
    ///
    /// # Errors
    /// A prompt that is empty, fills the context or is not of this model's tokens, a plan of another
    /// model.
    pub fn new(
        model: &'a LoadedModel,
        prompt: Vec<u32>,
        plan: &Plan,
        most: usize,
    ) -> Result<Self, StudyError> {
        let (tokens, context) = (prompt.len(), model.shape().context);
        refuse_if!(tokens == context && most > 0, StudyError::FullContext { context });
        Ok(Self {
            model,
            decoder: model.engine.decoder(vec![prompt], plan)?,
            prompt: tokens,
            most,
            given: 0,
            is_asked: false,
            end: None,
        })
    }

    /// Goes on with one block, or with one look whether the device has answered.
    ///
    /// # Errors
    /// When the engine fails, or the tokenizer cannot read the ids written.
    pub fn advance(&mut self) -> Result<Wrote, StudyError> {
        if let Some(end) = self.end {
            return Ok(Wrote::End(end));
        }
        if !self.is_asked {
            if let Some(end) = self.is_full() {
                return self.ended(end);
            }
            self.decoder.ask(&[0])?;
            self.is_asked = true;
        }
        let Some(logits) = self.decoder.advance()? else {
            return Ok(Wrote::Nothing);
        };
        self.is_asked = false;
        let id = likeliest(logits.into_iter().flatten());
        if self.model.shape().eos_token_ids.contains(&id) {
            return self.ended(TextEnd::Model);
        }
        self.decoder.push(0, id)?;
        let text = self.readable()?;
        Ok(Wrote::Token { id, text })
    }

    /// Is the device to answer first? See [`Decoder::is_waiting`].
    pub fn is_waiting(&self) -> bool {
        self.decoder.is_waiting()
    }

    /// Are keys and values kept, or is every token recomputed?
    pub fn is_cached(&self) -> bool {
        self.decoder.is_cached()
    }

    /// Token ids that were written.
    pub fn written(&self) -> &[u32] {
        &self.decoder.ids(0)[self.prompt..]
    }

    /// Returns the text written; `None` without a tokenizer.
    ///
    /// # Errors
    /// Ids that the tokenizer cannot read.
    pub fn text(&self) -> Result<Option<String>, StudyError> {
        let Some(tokenizer) = &self.model.tokenizer else {
            return Ok(None);
        };
        let ids = self.decoder.ids(0);
        let from = self.prompt.saturating_sub(TAIL);
        let before = tokenizer.decode(&ids[from..self.prompt])?;
        let whole = tokenizer.decode(&ids[from..])?;
        // A character that the prompt began and the model ended is all the model's.
        let common = before.chars().zip(whole.chars()).take_while(|(a, b)| a == b);
        let common: usize = common.map(|(c, _)| c.len_utf8()).sum();
        Ok(Some(whole[common..].to_owned()))
    }

    fn is_full(&self) -> Option<TextEnd> {
        if self.written().len() >= self.most {
            return Some(TextEnd::Tokens);
        }
        let is_full = self.decoder.ids(0).len() >= self.model.shape().context;
        is_full.then_some(TextEnd::Context)
    }

    /// Returns the text that came since the last call, except for a character that is not whole.
    fn readable(&mut self) -> Result<String, StudyError> {
        let text = self.text()?.unwrap_or_default();
        let whole = text.trim_end_matches('\u{fffd}');
        let new = whole.get(self.given..).unwrap_or_default().to_owned();
        self.given += new.len();
        Ok(new)
    }

    fn ended(&mut self, end: TextEnd) -> Result<Wrote, StudyError> {
        self.end = Some(end);
        Ok(Wrote::End(end))
    }
}
