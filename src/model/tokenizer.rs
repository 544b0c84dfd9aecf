//! A model's tokenizer, and the rule that makes an option one token *in context* (docs/definitions.md,
//! section 2).

mod growth;
mod library;

use self::library::LibraryTokenizer;
use super::vocabulary::sentencepiece::{CutTokens, SentencePiece};
use super::{ModelError, ModelShape, Prompt, TokenizerFiles};

/// A tokenizer, checked against its model's vocabulary.
pub struct Tokenizer {
    cutter: TextCutter,
}

/// The program that cuts a text.
enum TextCutter {
    Library(Box<LibraryTokenizer>),
    SentencePiece(Box<SentencePiece>),
}

impl Tokenizer {
    /// Reads the files of a model's tokenizer.
    ///
    /// # Errors
    /// Bytes that are not a tokenizer, or one with ids past the model's vocabulary.
    pub fn read(file: &TokenizerFiles, shape: &ModelShape) -> Result<Self, ModelError> {
        match file {
            TokenizerFiles::Json(json) => Self::from_json(json, shape),
            TokenizerFiles::SentencePiece { model, config } => {
                let read = SentencePiece::read(model, config.as_deref())?;
                check_ids("tokenizer.model", read.largest_id(), shape)?;
                Ok(Self { cutter: TextCutter::SentencePiece(Box::new(read)) })
            }
        }
    }

    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn from_json(bytes: &[u8], shape: &ModelShape) -> Result<Self, ModelError> {
        let read = LibraryTokenizer::read(bytes).map_err(tokenizer_error)?;
        check_ids("tokenizer.json", read.largest_id() as usize, shape)?;
        Ok(Self { cutter: TextCutter::Library(Box::new(read)) })
    }

    /// Token ids of `text`, with the tokens that the tokenizer puts before it (BOS). Tokens that it puts
    /// behind a text are left out: the model would be read after the end of the text, and an option
    /// would come after it.
    pub fn encode(&self, text: &str) -> Result<Vec<u32>, ModelError> {
        Ok(self.cut(text)?.into_iter().map(|(id, _)| id).collect())
    }

    /// The text of each token of `text`: what was cut out, or the token's own name where it stands
    /// for no text (`<s>`).
    pub fn pieces(&self, text: &str) -> Result<Vec<String>, ModelError> {
        let cut = self.cut(text)?.into_iter();
        Ok(cut
            .map(|(id, bytes)| match text.get(bytes) {
                Some(piece) if !piece.is_empty() => piece.to_string(),
                _ => self.name(id).unwrap_or_default(),
            })
            .collect())
    }

    /// The token that stands for every word it does not know, and how many words it knows; `None` for
    /// a tokenizer that spells what it does not know.
    pub fn known_words(&self) -> Option<(u32, usize)> {
        match &self.cutter {
            TextCutter::Library(library) => library.known_words(),
            TextCutter::SentencePiece(_) => None,
        }
    }

    /// The token that stands for what is not known; `None` for a tokenizer that spells that.
    pub fn unknown(&self) -> Option<u32> {
        match &self.cutter {
            TextCutter::Library(library) => library.known_words().map(|(unknown, _)| unknown),
            TextCutter::SentencePiece(pieces) => pieces.unknown(),
        }
    }

    /// The text of tokens, without those that stand for no text.
    ///
    /// # Errors
    /// Ids that the tokenizer cannot put together.
    pub fn decode(&self, ids: &[u32]) -> Result<String, ModelError> {
        match &self.cutter {
            TextCutter::Library(library) => library.decode(ids).map_err(tokenizer_error),
            TextCutter::SentencePiece(pieces) => Ok(pieces.decode(ids)),
        }
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
        refuse_if!(prompt.is_empty(), ModelError::EmptyPrompt);
        refuse_if!(prompt.trim().is_empty(), ModelError::BlankPrompt);
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
                    piece: self.name(id).unwrap_or_default(),
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

    /// Names up to three texts that are one token after this prompt and near to an option of several tokens:
    /// other spaces and capitals, its beginnings, the text of its `first` token. Returns the end of a sentence,
    /// empty where there is no such text.
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
        // The unknown token stands for many words, so it is not offered.
        let unknown = self.unknown();
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
        text.or_else(|| self.name(id)).unwrap_or_else(|| id.to_string())
    }

    /// The text that a token adds to a prompt; `None` for one that is no text of its own.
    fn text_after(&self, prompt_ids: &[u32], id: u32) -> Option<String> {
        if self.unknown() == Some(id) {
            return None;
        }
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

    fn cut(&self, text: &str) -> Result<CutTokens, ModelError> {
        match &self.cutter {
            TextCutter::Library(library) => library.encode(text).map_err(tokenizer_error),
            TextCutter::SentencePiece(pieces) => {
                let file = "tokenizer.model";
                pieces.encode(text).map_err(|reason| ModelError::SentencePiece { file, reason })
            }
        }
    }

    /// A token's name in the vocabulary.
    pub fn name(&self, id: u32) -> Option<String> {
        match &self.cutter {
            TextCutter::Library(library) => library.name(id),
            TextCutter::SentencePiece(pieces) => pieces.piece(id).map(str::to_owned),
        }
    }
}

fn tokenizer_error(reason: String) -> ModelError {
    ModelError::Tokenizer { reason }
}

/// Checks that a model has all ids of its tokenizer.
fn check_ids(file: &'static str, largest: usize, shape: &ModelShape) -> Result<(), ModelError> {
    let vocabulary = shape.vocabulary;
    refuse_if!(largest >= vocabulary, ModelError::Vocabulary { file, largest, vocabulary });
    Ok(())
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
