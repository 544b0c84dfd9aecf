//! `tokenizer.json`, by Hugging Face's own library.

use tokenizers::{Encoding, ModelWrapper, Token};

use super::growth::Growth;
use crate::guarded::guarded;
use crate::model::vocabulary::sentencepiece::CutTokens;

/// A tokenizer of the library's, bounded and without what is only for training.
pub struct LibraryTokenizer {
    inner: tokenizers::Tokenizer,
    /// How many tokens it puts behind a text (EOS). They are dropped: a prompt is the beginning of a text.
    appended: usize,
    growth: Growth,
}

impl LibraryTokenizer {
    /// Reads the JSON.
    ///
    /// # Errors
    /// Why it is no tokenizer.
    pub fn read(json: &[u8]) -> Result<Self, String> {
        let growth = Growth::of_json(json)?;
        let read = guarded(|| tokenizers::Tokenizer::from_bytes(json))?;
        let mut inner = read.map_err(in_one_line)?;

        // Merges left out by chance are for training: the same text must be the same tokens.
        if let ModelWrapper::BPE(model) = inner.get_model()
            && model.dropout.is_some()
        {
            let mut model = model.clone();
            model.dropout = None;
            inner.with_model(model);
        }
        // Some files carry the truncation or padding of the run they were saved from.
        inner.with_truncation(None).map_err(in_one_line)?;
        inner.with_padding(None);
        refuse_if!(inner.get_vocab_size(true) == 0, "it has no tokens".into());
        let appended = guarded(|| appended(&inner))?.map_err(in_one_line)?;
        Ok(Self { inner, appended, growth })
    }

    /// The largest of its ids.
    pub fn largest_id(&self) -> u32 {
        self.inner.get_vocab(true).into_values().max().unwrap_or(0)
    }

    /// The tokens of a text, without those that it puts behind one.
    pub fn encode(&self, text: &str) -> Result<CutTokens, String> {
        self.growth.check_text(text.len(), "this text")?;
        let encoding = guarded(|| self.inner.encode(text, true))?.map_err(in_one_line)?;
        let length = encoding.len().saturating_sub(self.appended);
        let cut = encoding.get_ids().iter().zip(encoding.get_offsets());
        Ok(cut.take(length).map(|(&id, &(start, end))| (id, start..end)).collect())
    }

    /// The text of tokens, without those that stand for no text.
    pub fn decode(&self, ids: &[u32]) -> Result<String, String> {
        let names = ids.iter().filter_map(|&id| self.inner.id_to_token(id));
        self.growth.check_tokens(names.map(|name| name.len()).sum())?;
        guarded(|| self.inner.decode(ids, true))?.map_err(in_one_line)
    }

    /// A token's name.
    pub fn name(&self, id: u32) -> Option<String> {
        self.inner.id_to_token(id)
    }

    /// The token that stands for every word it does not know, and how many words it knows.
    pub fn known_words(&self) -> Option<(u32, usize)> {
        let unknown = match self.inner.get_model() {
            ModelWrapper::WordLevel(model) => model.unk_token.clone(),
            ModelWrapper::WordPiece(model) => model.unk_token.clone(),
            _ => return None,
        };
        let unknown = self.inner.token_to_id(&unknown)?;
        let special = self.inner.get_added_vocabulary().len();
        let words = self.inner.get_vocab_size(true).saturating_sub(special);
        Some((unknown, words))
    }
}

/// An error of the library in one line: it quotes tokens, which may hold line breaks.
fn in_one_line(error: tokenizers::Error) -> String {
    let text = error.to_string();
    let shown = |c: char| match c.is_control() {
        true => c.escape_debug().collect(),
        false => String::from(c),
    };
    text.chars().map(shown).collect()
}

/// How many tokens a tokenizer puts behind a text, seen by what it makes of one token.
fn appended(tokenizer: &tokenizers::Tokenizer) -> tokenizers::Result<usize> {
    let text = Encoding::from_tokens(vec![Token::new(0, "a".into(), (0, 1))], 0);
    let around = tokenizer.post_process(text, None, true)?;
    let is_added = around.get_special_tokens_mask().iter().rev();
    Ok(is_added.take_while(|&&is_added| is_added == 1).count())
}
