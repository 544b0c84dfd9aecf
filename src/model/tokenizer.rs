//! `tokenizer.json`, and the rule that makes an option one token *in context* (docs/definitions.md,
//! section 2).

mod growth;

use tokenizers::{Encoding, ModelWrapper, Token};

use self::growth::Growth;
use super::{ModelError, ModelShape, Prompt};
use crate::guarded::{Panicked, guarded};

/// A file whose parts do not fit together, which shows when text is cut with it.
fn panicked(reason: Panicked) -> ModelError {
    ModelError::Tokenizer { reason }
}

/// What the library says quotes tokens, which may hold line breaks.
fn in_one_line(error: &tokenizers::Error) -> String {
    let text = error.to_string();
    let kept = |c: char| match c.is_control() {
        true => c.escape_debug().collect(),
        false => String::from(c),
    };
    text.chars().map(kept).collect()
}

/// A Hugging Face tokenizer, checked against its model's vocabulary.
pub struct Tokenizer {
    inner: tokenizers::Tokenizer,
    /// How many tokens it puts behind a text (EOS). They are dropped: a prompt is the beginning of a text.
    appended: usize,
    growth: Growth,
}

impl Tokenizer {
    /// # Errors
    /// Bytes that are not a tokenizer, or one with ids past the model's vocabulary.
    pub fn from_json(bytes: &[u8], shape: &ModelShape) -> Result<Self, ModelError> {
        let read_error =
            |error: tokenizers::Error| ModelError::Tokenizer { reason: in_one_line(&error) };
        let growth = Growth::of_json(bytes).map_err(|reason| ModelError::Tokenizer { reason })?;
        let mut inner = guarded(|| tokenizers::Tokenizer::from_bytes(bytes))
            .map_err(panicked)?
            .map_err(read_error)?;
        // Merges left out by chance are for training: the same text must be the same tokens.
        if let ModelWrapper::BPE(model) = inner.get_model()
            && model.dropout.is_some()
        {
            let mut model = model.clone();
            model.dropout = None;
            inner.with_model(model);
        }
        // Some files carry the truncation or padding of the run they were saved from.
        inner.with_truncation(None).map_err(read_error)?;
        inner.with_padding(None);
        match inner.get_vocab(true).values().copied().max() {
            Some(largest) if largest as usize >= shape.vocabulary => {
                Err(ModelError::Vocabulary { largest, vocabulary: shape.vocabulary })
            }
            Some(_) => {
                let appended = guarded(|| appended(&inner)).map_err(panicked)?;
                Ok(Self { appended: appended.map_err(read_error)?, inner, growth })
            }
            None => Err(ModelError::Tokenizer { reason: "it has no tokens".into() }),
        }
    }

    /// Token ids of `text`, with the tokens that the tokenizer puts before it (BOS). Tokens that it puts
    /// behind a text are left out: the model would be read after the end of the text, and an option
    /// would come after it.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        let encoding = self.encoding(text)?;
        Ok(encoding.get_ids()[..self.length(&encoding)].to_vec())
    }

    /// The text of each token of `text`: what was cut out, or the token's own name where it stands
    /// for no text (`<s>`).
    pub fn pieces(&self, text: &str) -> Result<Vec<String>, ModelError> {
        let encoding = self.encoding(text)?;
        let cut = encoding.get_offsets().iter().zip(encoding.get_tokens());
        Ok(cut
            .take(self.length(&encoding))
            .map(|(&(start, end), token)| match text.get(start..end) {
                Some(piece) if !piece.is_empty() => piece.to_string(),
                _ => token.clone(),
            })
            .collect())
    }

    /// The token that stands for every word it does not know, and how many words it knows; `None` for
    /// a tokenizer that spells what it does not know.
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

    /// The text of tokens, without those that stand for no text.
    ///
    /// # Errors
    /// Ids that the tokenizer cannot put together.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        let names = ids.iter().filter_map(|&id| self.inner.id_to_token(id));
        let bytes = names.map(|name| name.len()).sum();
        self.growth.check_tokens(bytes).map_err(|reason| ModelError::Tokenizer { reason })?;
        guarded(|| self.inner.decode(ids, true))
            .map_err(panicked)?
            .map_err(|error| ModelError::Tokenizer { reason: in_one_line(&error) })
    }

    /// A prompt with options, each checked to be exactly one token after this prompt.
    ///
    /// # Errors
    /// An empty prompt or one of spaces alone, one past the context, an option that is several tokens or changes how the
    /// prompt's end is cut, two options that are the same token.
    pub fn prompt(
        &self,
        shape: &ModelShape,
        prompt: &str,
        options: &[String],
    ) -> Result<Prompt, ModelError> {
        if prompt.is_empty() {
            return Err(ModelError::EmptyPrompt);
        }
        if prompt.trim().is_empty() {
            return Err(ModelError::BlankPrompt);
        }
        let token_ids = self.encode(prompt)?;
        if token_ids.len() > shape.context {
            return Err(ModelError::TooLong { tokens: token_ids.len(), context: shape.context });
        }
        let mut option_ids: Vec<u32> = Vec::with_capacity(options.len());
        for option in options {
            let id = self.option(&token_ids, prompt, option)?;
            if let Some(earlier) = option_ids.iter().position(|&other| other == id) {
                let first = options[earlier].clone();
                return Err(ModelError::EqualOptions {
                    first,
                    second: option.clone(),
                    piece: self.inner.id_to_token(id).unwrap_or_default(),
                    id,
                });
            }
            option_ids.push(id);
        }
        Ok(Prompt { token_ids, option_ids })
    }

    fn option(&self, prompt_ids: &[u32], prompt: &str, option: &str) -> Result<u32, ModelError> {
        let text = format!("{prompt}{option}");
        let ids = self.encode(&text)?;
        let quoted = |pieces: &[String]| {
            let quoted: Vec<String> = pieces.iter().map(|piece| format!("{piece:?}")).collect();
            if quoted.is_empty() { "no token at all".to_string() } else { quoted.join(" + ") }
        };
        match ids.strip_prefix(prompt_ids) {
            Some(&[id]) => Ok(id),
            Some(rest) => {
                let nearest = self.nearest(prompt_ids, prompt, option, rest.first().copied());
                let pieces = self.pieces(&text)?;
                let pieces = quoted(&pieces[pieces.len() - rest.len()..]);
                Err(ModelError::OptionPieces { option: option.to_string(), pieces, nearest })
            }
            None => {
                let kept = ids.iter().zip(prompt_ids).take_while(|(a, b)| a == b).count();
                let pieces = quoted(&self.pieces(&text)?[kept..]);
                Err(ModelError::OptionMerges { option: option.to_string(), pieces })
            }
        }
    }

    /// The token that `text` is right after a prompt, if it is one.
    fn one_token(&self, prompt_ids: &[u32], prompt: &str, text: &str) -> Option<u32> {
        let ids = self.encode(&format!("{prompt}{text}")).ok()?;
        match ids.strip_prefix(prompt_ids) {
            Some(&[id]) => Some(id),
            _ => None,
        }
    }

    /// What is one token after this prompt and nearest to an option that is several: other spaces and
    /// capitals, its beginnings, the text of its `first` token; as an end of a sentence.
    fn nearest(
        &self,
        prompt_ids: &[u32],
        prompt: &str,
        option: &str,
        first: Option<u32>,
    ) -> String {
        const OFFERED: usize = 3;
        let word = option.trim();
        let mut letters = word.chars();
        let capital: String = letters
            .next()
            .map(|first| first.to_uppercase().chain(letters).collect())
            .unwrap_or_default();
        let mut tried = vec![
            format!(" {word}"),
            word.to_owned(),
            format!(" {}", word.to_lowercase()),
            format!(" {capital}"),
        ];
        // The longest beginnings first; of a long text only its first word has any.
        let start = word.split_whitespace().next().unwrap_or_default();
        let ends = start.char_indices().map(|(at, c)| at + c.len_utf8());
        let ends: Vec<usize> = ends.take(24).collect();
        let shortest = 2;
        for &end in ends.iter().skip(shortest).rev() {
            tried.push(format!(" {}", &start[..end]));
        }
        tried.extend(first.and_then(|id| self.text_after(prompt_ids, id)));
        // What stands for every word that is not known is no word.
        let unknown = self.known_words().map(|(unknown, _)| unknown);
        let mut found: Vec<String> = Vec::new();
        for text in tried {
            let is_new = text != option && !text.trim().is_empty() && !found.contains(&text);
            let token = self.one_token(prompt_ids, prompt, &text);
            if is_new && token.is_some() && token != unknown {
                found.push(text);
            }
            if found.len() == OFFERED {
                break;
            }
        }
        let quoted: Vec<String> = found.iter().map(|text| format!("{text:?}")).collect();
        match quoted.split_last() {
            None => String::new(),
            Some((only, [])) => format!("; the nearest that is one token is {only}"),
            Some((last, others)) => {
                format!("; the nearest that are one token are {} and {last}", others.join(", "))
            }
        }
    }

    /// A token as a reader knows it: the text that it adds to a prompt, or its name in the vocabulary.
    pub fn shown_after(&self, prompt_ids: &[u32], id: u32) -> String {
        let text = self.text_after(prompt_ids, id);
        text.or_else(|| self.inner.id_to_token(id)).unwrap_or_else(|| id.to_string())
    }

    /// The text that a token adds to a prompt; `None` for one that is no text of its own.
    fn text_after(&self, prompt_ids: &[u32], id: u32) -> Option<String> {
        // The last tokens are enough to know whether a space is drawn.
        let tail = &prompt_ids[prompt_ids.len().saturating_sub(4)..];
        let before = self.decode(tail).ok()?;
        let after = self.decode(&[tail, &[id]].concat()).ok()?;
        let text = after.strip_prefix(&before)?;
        (!text.is_empty() && !text.contains('\u{fffd}')).then(|| text.to_owned())
    }

    /// The text that makes a token an option of this prompt; `None` for a token that no text is, such as
    /// one that ends a text.
    pub fn as_option(&self, prompt_ids: &[u32], prompt: &str, id: u32) -> Option<String> {
        let text = self.text_after(prompt_ids, id)?;
        (self.one_token(prompt_ids, prompt, &text) == Some(id)).then_some(text)
    }

    /// Tokens of an encoding without those behind the text.
    fn length(&self, encoding: &Encoding) -> usize {
        encoding.len().saturating_sub(self.appended)
    }

    fn encoding(&self, text: &str) -> Result<Encoding, ModelError> {
        self.growth
            .check_text(text.len(), "this text")
            .map_err(|reason| ModelError::Tokenizer { reason })?;
        guarded(|| self.inner.encode(text, true))
            .map_err(panicked)?
            .map_err(|error| ModelError::Tokenizer { reason: in_one_line(&error) })
    }
}

/// How many tokens a tokenizer puts behind a text, seen by what it makes of one token.
fn appended(tokenizer: &tokenizers::Tokenizer) -> tokenizers::Result<usize> {
    let text = Encoding::from_tokens(vec![Token::new(0, "a".into(), (0, 1))], 0);
    let around = tokenizer.post_process(text, None, true)?;
    let is_added = around.get_special_tokens_mask().iter().rev();
    Ok(is_added.take_while(|&&is_added| is_added == 1).count())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// Cuts at blanks and knows three words; `around` is its post-processor.
    fn tokenizer(around: Value) -> (Tokenizer, ModelShape) {
        let config = include_str!("../../public/models/scholar-2/config.json");
        let shape = ModelShape::from_json(config).expect("a config");
        let json = json!({
            "version": "1.0",
            "truncation": null,
            "padding": null,
            "added_tokens": [],
            "normalizer": null,
            "decoder": null,
            "pre_tokenizer": {"type": "WhitespaceSplit"},
            "post_processor": around,
            "model": {
                "type": "WordLevel",
                "vocab": {"<s>": 0, "</s>": 1, "once": 2, "upon": 3, "a": 4, "?": 5},
                "unk_token": "?",
            },
        });
        let bytes = json.to_string().into_bytes();
        (Tokenizer::from_json(&bytes, &shape).expect("a tokenizer"), shape)
    }

    fn template(pieces: &[&str]) -> Value {
        let piece = |name: &&str| match *name {
            "A" => json!({"Sequence": {"id": "A", "type_id": 0}}),
            name => json!({"SpecialToken": {"id": name, "type_id": 0}}),
        };
        let single: Vec<Value> = pieces.iter().map(piece).collect();
        json!({
            "type": "TemplateProcessing",
            "single": single,
            "pair": single,
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]},
            },
        })
    }

    /// The model would be read after the end of the text.
    #[test]
    fn tokens_that_a_tokenizer_puts_behind_a_text_are_dropped() {
        let bert = json!({"type": "BertProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0]});
        for (around, ids) in [
            (Value::Null, &[2, 3][..]),
            (template(&["A"]), &[2, 3]),
            (template(&["A", "</s>"]), &[2, 3]),
            (template(&["<s>", "A", "</s>", "</s>"]), &[0, 2, 3]),
            (
                json!({"type": "Sequence", "processors": [template(&["<s>", "A", "</s>"])]}),
                &[0, 2, 3],
            ),
            (bert, &[0, 2, 3]),
        ] {
            let (tokenizer, shape) = tokenizer(around.clone());
            assert_eq!(tokenizer.encode("once upon").expect("ids"), ids, "{around}");
            assert_eq!(tokenizer.pieces("once upon").expect("texts").len(), ids.len(), "{around}");
            assert_eq!(tokenizer.encode("").expect("ids"), ids[..ids.len() - 2], "{around}");
            let asked = tokenizer.prompt(&shape, "once upon", &[" a".into(), " once".into()]);
            assert_eq!(asked.expect("options").option_ids, [4, 2], "{around}");
        }
        // One that a reader writes is a part of the text.
        let (tokenizer, _) = tokenizer(template(&["A", "</s>"]));
        assert_eq!(tokenizer.encode("once </s>").expect("ids"), [2, 1]);
    }
}
