//! SentencePiece's `tokenizer.model`: text as its own program cuts it, between the special tokens that
//! transformers' LlamaTokenizer looks for.

mod cutting;
mod normalizer;
mod prefixes;
mod proto;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use self::normalizer::SpellingRules;
use self::prefixes::PrefixTable;
use self::proto::{PieceKind, PieceModel, PieceRule};
use super::LONGEST;
use crate::model::checkpoint::format::{self, OtherFormat};

/// Bytes of a name in `tokenizer_config.json` at most: it is cut again wherever it stands.
const MAX_NAME: usize = 128;

/// Stands for a space.
const SPACE: &str = "\u{2581}";

/// A text cut into tokens, and the bytes of the text that each was made of: none for a token that stands
/// for no text or for part of a letter.
pub type CutTokens = Vec<(u32, Range<usize>)>;

/// A vocabulary of SentencePiece's.
pub struct SentencePiece {
    texts: Vec<String>,
    scores: Vec<f32>,
    kinds: Vec<PieceKind>,
    /// Pieces that texts are cut into, and those that stand for something else.
    ids: HashMap<String, u32>,
    reserved: HashMap<String, u32>,
    rule: PieceRule,
    spelling: SpellingRules,
    unknown: u32,
    /// By byte, where letters that are no pieces are spelled by their bytes.
    bytes: Option<Vec<u32>>,
    /// Pieces that texts are cut into, for the rule that tries all of them.
    prefixes: PrefixTable,
    /// Scores of normal pieces.
    lowest_score: f32,
    highest_score: f32,
    /// The token before every text.
    bos: Option<u32>,
    /// Texts that are tokens wherever they stand.
    special: Vec<(String, u32)>,
    /// The text that is written for an unknown letter.
    unknown_token: String,
    /// Whether every part of a text between special tokens begins with a space, not only the first.
    is_legacy: bool,
}

/// `tokenizer_config.json`, as far as it says how LlamaTokenizer cuts.
#[derive(Default, Deserialize)]
struct TokenizerConfig {
    legacy: Option<bool>,
    add_bos_token: Option<bool>,
    bos_token: Option<Value>,
    eos_token: Option<Value>,
    unk_token: Option<Value>,
}

impl SentencePiece {
    /// Reads `tokenizer.model`, and the `tokenizer_config.json` beside it, if there is one.
    ///
    /// # Errors
    /// Why they are no such vocabulary.
    pub fn read(model: &[u8], config: Option<&[u8]>) -> Result<Self, String> {
        let config: TokenizerConfig = match config {
            None => TokenizerConfig::default(),
            Some(bytes) => serde_json::from_slice(bytes).map_err(|reason| {
                format!("tokenizer_config.json beside it is not the JSON expected: {reason}")
            })?,
        };
        if let Some(OtherFormat { what, hint }) = format::known(model) {
            return Err(format!("it is {what}: {hint}"));
        }
        let stored = PieceModel::read(model)?;
        let mut read = Self::pieces(&stored)?;

        // What transformers makes of the names in the configuration: an empty one is no token of a text.
        let name = |value: &Option<Value>, default: &str| match value {
            None | Some(Value::Null) => default.to_owned(),
            Some(value) => {
                let text = value.as_str().or_else(|| value["content"].as_str());
                text.unwrap_or_default().to_owned()
            }
        };
        let bos = name(&config.bos_token, "<s>");
        let unknown = name(&config.unk_token, "<unk>");
        let named = [bos.clone(), name(&config.eos_token, "</s>"), unknown.clone()];
        if let Some(name) = named.iter().find(|name| name.len() > MAX_NAME) {
            let length = name.len();
            return Err(format!(
                "tokenizer_config.json beside it names a token of {length} bytes, and {MAX_NAME} are the most"
            ));
        }
        let special = named.into_iter().filter(|name| !name.is_empty());
        read.special =
            special.filter_map(|name| Some((name.clone(), read.known(&name)?))).collect();
        let stored_bos = u32::try_from(stored.bos).ok().filter(|&id| read.piece(id).is_some());
        let adds_bos = config.add_bos_token.unwrap_or(true);
        read.bos = read.known(&bos).or(stored_bos).filter(|_| adds_bos);
        read.is_legacy = config.legacy.unwrap_or(true);
        read.unknown_token = unknown;
        Ok(read)
    }

    /// The model's own part.
    fn pieces(stored: &PieceModel) -> Result<Self, String> {
        let (mut ids, mut reserved) = (HashMap::new(), HashMap::new());
        let mut unknown = None;
        let (mut lowest_score, mut highest_score) = (f32::MAX, f32::MIN_POSITIVE);
        for (id, piece) in (0u32..).zip(&stored.pieces) {
            if piece.text.is_empty() {
                return Err(format!("piece {id} is empty"));
            }
            if piece.text.len() > LONGEST {
                let length = piece.text.len();
                return Err(format!("piece {id} has {length} bytes, and {LONGEST} are the most"));
            }
            if !piece.score.is_finite() {
                return Err(format!("piece {id} has a score that is no number"));
            }
            let is_cut_into = match piece.kind {
                PieceKind::Normal => {
                    lowest_score = lowest_score.min(piece.score);
                    highest_score = highest_score.max(piece.score);
                    true
                }
                PieceKind::UserDefined | PieceKind::Unused => true,
                PieceKind::Unknown if unknown.replace(id).is_some() => {
                    return Err("it has two unknown pieces".into());
                }
                PieceKind::Unknown | PieceKind::Control | PieceKind::Byte => false,
            };
            let all = if is_cut_into { &mut ids } else { &mut reserved };
            if all.insert(piece.text.to_owned(), id).is_some() {
                return Err(format!("piece {id} is there twice"));
            }
        }
        if stored.pieces.is_empty() {
            return Err("it has no pieces".into());
        }
        let unknown = unknown.ok_or("it has no unknown piece")?;

        // A piece of every byte, where there is to be one.
        let byte = |byte: u8| {
            let name = format!("<0x{byte:02X}>");
            let id = reserved.get(&name).copied();
            let is_byte = |id: &u32| stored.pieces[*id as usize].kind == PieceKind::Byte;
            id.filter(is_byte)
                .ok_or_else(|| format!("it spells letters by bytes and has no {name}"))
        };
        let bytes = stored.has_bytes.then(|| (0..=255).map(byte).collect::<Result<_, _>>());

        let tried = ids.iter().filter(|_| stored.rule == PieceRule::Unigram);
        let prefixes = PrefixTable::new(tried.map(|(text, &id)| (&text[..], id)).collect());
        Ok(Self {
            texts: stored.pieces.iter().map(|piece| piece.text.to_owned()).collect(),
            scores: stored.pieces.iter().map(|piece| piece.score).collect(),
            kinds: stored.pieces.iter().map(|piece| piece.kind).collect(),
            prefixes,
            ids,
            bytes: bytes.transpose()?,
            reserved,
            rule: stored.rule,
            spelling: SpellingRules::new(stored)?,
            unknown,
            lowest_score,
            highest_score,
            bos: None,
            special: Vec::new(),
            unknown_token: String::new(),
            is_legacy: true,
        })
    }

    /// How many tokens there are.
    pub fn size(&self) -> usize {
        self.texts.len()
    }

    /// A token's name.
    pub fn piece(&self, id: u32) -> Option<&str> {
        self.texts.get(id as usize).map(String::as_str)
    }

    /// The tokens of a text, with the one before it.
    ///
    /// # Errors
    /// The rules make too much of it.
    pub fn encode(&self, text: &str) -> Result<CutTokens, String> {
        let mut tokens: CutTokens = self.bos.iter().map(|&bos| (bos, 0..0)).collect();
        if self.is_legacy || text.is_empty() {
            self.cut_around_special(text, &mut |part| self.cut(part, true), &mut tokens)?;
            return Ok(tokens);
        }

        // One space in front, whatever the text's own are spelled by.
        let mut spaced = SPACE.to_owned();
        let mut from = vec![0; SPACE.len()];
        for (at, letter) in text.char_indices() {
            let letter = if SPACE.starts_with(letter) { ' ' } else { letter };
            spaced.push(letter);
            from.extend(std::iter::repeat_n(at, letter.len_utf8()));
        }
        from.push(text.len());
        let mut cut = Vec::new();
        self.cut_around_special(&spaced, &mut |part| self.cut_as_it_stands(part), &mut cut)?;
        // The space is dropped where nothing but a special token follows it.
        let is_special = |(token, bytes): &(u32, Range<usize>)| {
            let mut special = self.special.iter();
            special
                .any(|(name, id)| id == token && spaced.get(bytes.clone()) == Some(name.as_str()))
        };
        if let [(first, _), second, ..] = &cut[..]
            && self.piece(*first) == Some(SPACE)
            && is_special(second)
        {
            cut.remove(0);
        }
        tokens.extend(cut.into_iter().map(|(id, bytes)| (id, from[bytes.start]..from[bytes.end])));
        Ok(tokens)
    }

    /// Cuts what lies between the special tokens of a text.
    fn cut_around_special(
        &self,
        text: &str,
        cut: &mut dyn FnMut(&str) -> Result<CutTokens, String>,
        tokens: &mut CutTokens,
    ) -> Result<(), String> {
        let mut cut_part = |part: Range<usize>, tokens: &mut CutTokens| {
            let start = part.start;
            let own = if part.is_empty() { Vec::new() } else { cut(&text[part])? };
            let placed = |bytes: Range<usize>| start + bytes.start..start + bytes.end;
            tokens.extend(own.into_iter().map(|(id, bytes)| (id, placed(bytes))));
            Ok::<_, String>(())
        };
        let (mut start, mut at) = (0, 0);
        while let Some(letter) = text[at..].chars().next() {
            // The longest of the special tokens that begin here.
            let found = self.special.iter().filter(|(name, _)| text[at..].starts_with(&name[..]));
            let Some((name, id)) = found.max_by_key(|(name, _)| name.len()) else {
                at += letter.len_utf8();
                continue;
            };
            cut_part(start..at, tokens)?;
            tokens.push((*id, at..at + name.len()));
            at += name.len();
            start = at;
        }
        cut_part(start..at, tokens)
    }

    /// Cuts a text without adding a space; keeps one that it begins with, by what stands before it.
    fn cut_as_it_stands(&self, text: &str) -> Result<CutTokens, String> {
        if !text.starts_with([' ', '\u{2581}']) {
            return self.cut(text, false);
        }
        let before = self.cut(&self.unknown_token, false)?.len();
        let length = self.unknown_token.len();
        let together = self.cut(&format!("{}{text}", self.unknown_token), false)?;
        let own = |at: usize| at.saturating_sub(length);
        let behind = together.into_iter().skip(before);
        Ok(behind.map(|(id, bytes)| (id, own(bytes.start)..own(bytes.end))).collect())
    }

    /// Cuts a text as SentencePiece does.
    fn cut(&self, text: &str, adds_space: bool) -> Result<CutTokens, String> {
        let spelled = self.spelling.spell(text, adds_space)?;
        let mut tokens: CutTokens = Vec::new();
        let mut is_behind_unknown = false;
        for (bytes, id) in self.pieces_of(&spelled.text) {
            let (start, end) = (spelled.from[bytes.start], spelled.from[bytes.end]);
            let is_unknown = id == self.unknown;
            match (&self.bytes, tokens.last_mut()) {
                (Some(ids), _) if is_unknown => {
                    let spelled = spelled.text[bytes].bytes();
                    tokens.extend(spelled.map(|byte| (ids[usize::from(byte)], start..start)));
                }
                // Unknown letters beside each other are one token.
                (None, Some((_, before))) if is_unknown && is_behind_unknown => before.end = end,
                _ => tokens.push((id, start..end)),
            }
            is_behind_unknown = is_unknown;
        }
        Ok(tokens)
    }

    /// The text of tokens, without those that stand for no text.
    pub fn decode(&self, ids: &[u32]) -> String {
        let mut text = String::new();
        let mut bytes = Vec::new();
        let mut is_first = self.spelling.space_is_added();
        for &id in ids {
            let (Some(piece), Some(kind)) = (self.piece(id), self.kinds.get(id as usize)) else {
                continue;
            };
            if *kind == PieceKind::Byte {
                let digits = piece.get(3..5).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.extend(digits);
                is_first = false;
                continue;
            }
            text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut bytes)));
            if matches!(kind, PieceKind::Control | PieceKind::Unknown) {
                continue;
            }
            // The space that was added.
            let own = if is_first { piece.strip_prefix(SPACE).unwrap_or(piece) } else { piece };
            is_first = false;
            text.push_str(&own.replace(SPACE, " "));
        }
        text.push_str(&String::from_utf8_lossy(&bytes));
        text
    }

    /// The token of a name, if it is a piece.
    fn known(&self, name: &str) -> Option<u32> {
        self.reserved.get(name).or_else(|| self.ids.get(name)).copied()
    }

    /// The token of spelled text, the unknown one where it is none.
    fn id(&self, piece: &str) -> u32 {
        self.known(piece).unwrap_or(self.unknown)
    }
}
