//! SentencePiece's `tokenizer.model`: text as its own program cuts it, between the special tokens that
//! transformers' LlamaTokenizer looks for.

mod config;
mod cutting;
mod normalizer;
mod prefixes;
mod proto;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use self::config::{ConfiguredToken, TokenName, TokenizerConfig};
use self::normalizer::SpellingRules;
use self::prefixes::PrefixTable;
use self::proto::{PieceKind, PieceModel, PieceRule};
use super::LONGEST;
use crate::model::ModelError;
use crate::model::checkpoint::format::{self, OtherFormat};

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
    /// Pieces that texts are cut into.
    ids: HashMap<String, u32>,
    /// Pieces that stand for something else.
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
    /// Tokens wherever they stand, by id; not all are pieces.
    added: BTreeMap<u32, AddedPiece>,
    /// Their texts.
    added_texts: PrefixTable,
    /// The text that is written for an unknown letter.
    unknown_token: String,
    /// Whether every part of a text between special tokens begins with a space, not only the first.
    is_legacy: bool,
    /// Whether the first part does, where not every one does.
    adds_space: bool,
}

/// A token that is looked for before a text is cut.
struct AddedPiece {
    token: ConfiguredToken,
    /// Whether the configuration says what it is for.
    is_named: bool,
}

impl SentencePiece {
    /// Reads `tokenizer.model`, and the `tokenizer_config.json` beside it, if there is one.
    ///
    /// # Errors
    /// Which of them is no such vocabulary, and why.
    pub fn read(model: &[u8], config: Option<&[u8]>) -> Result<Self, ModelError> {
        const CONFIG: &str = "tokenizer_config.json";
        let refusal = |file| move |reason| ModelError::SentencePiece { file, reason };
        let config: TokenizerConfig = serde_json::from_slice(config.unwrap_or(b"{}"))
            .map_err(|reason| ModelError::Json { file: CONFIG.into(), reason })?;
        config.check().map_err(refusal(CONFIG))?;
        let mut read = Self::pieces(model).map_err(refusal("tokenizer.model"))?;
        read.configure(&config).map_err(refusal(CONFIG))?;
        Ok(read)
    }

    /// Reads the model's file.
    fn pieces(model: &[u8]) -> Result<Self, String> {
        if let Some(OtherFormat { what, hint }) = format::known(model) {
            return Err(format!("it is {what}: {hint}"));
        }
        let stored = &PieceModel::read(model)?;
        let (mut ids, mut reserved) = (HashMap::new(), HashMap::new());
        let mut unknown = None;
        let (mut lowest_score, mut highest_score) = (f32::MAX, f32::MIN_POSITIVE);
        for (id, piece) in (0u32..).zip(&stored.pieces) {
            refuse_if!(piece.text.is_empty(), "piece {id} is empty");
            if piece.text.len() > LONGEST {
                let length = piece.text.len();
                return Err(format!("piece {id} has {length} bytes, and {LONGEST} are the most"));
            }
            refuse_if!(!piece.score.is_finite(), "piece {id} has a score that is no number");
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
        refuse_if!(stored.pieces.is_empty(), "it has no pieces".into());
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
            bos: u32::try_from(stored.bos).ok().filter(|&id| (id as usize) < stored.pieces.len()),
            added: BTreeMap::new(),
            added_texts: PrefixTable::new(Vec::new()),
            unknown_token: String::new(),
            is_legacy: true,
            adds_space: true,
        })
    }

    /// Adds what transformers makes of a configuration: its tokens, and how spaces are added.
    fn configure(&mut self, config: &TokenizerConfig) -> Result<(), String> {
        let mut ids: HashMap<&str, u32> = HashMap::new();
        for (&id, token) in &config.added_tokens_decoder {
            let text = token.content.as_str();
            if text.is_empty() {
                continue;
            }
            if let Some(piece) = self.texts.get(id as usize).filter(|piece| *piece != text) {
                return Err(format!(
                    "it gives {text:?} the id {id}, which is {piece:?} in tokenizer.model"
                ));
            }
            refuse_if!(ids.insert(text, id).is_some(), "it gives {text:?} two ids");
            self.added.insert(id, AddedPiece { token: token.clone(), is_named: false });
        }

        // Tokens that the file names by what they are for. One that it does not name has LlamaTokenizer's name,
        // where that is a piece; an empty name is no token of a text.
        let default = |text: &str| TokenName::Text(text.into());
        let defaults = [default("<s>"), default("</s>"), default("<unk>")];
        let ends = [&config.bos_token, &config.eos_token, &config.unk_token];
        let missing = ends.iter().zip(&defaults).filter(|(name, _)| name.is_none());
        let missing = missing.map(|(_, default)| default);
        let is_there = |text: &str| ids.contains_key(text) || self.known(text).is_some();
        let missing: Vec<&TokenName> = missing.filter(|name| is_there(name.text())).collect();
        for name in config.named().into_iter().chain(missing) {
            let text = name.text();
            if text.is_empty() {
                continue;
            }
            let id = ids.get(text).copied().or_else(|| self.known(text));
            let id = id.ok_or_else(|| format!("it names the token {text:?}, which has no id"))?;
            let added = self.added.entry(id);
            let unnamed = || AddedPiece { token: name.token(), is_named: true };
            added.or_insert_with(unnamed).is_named = true;
            ids.insert(text, id);
        }

        let [bos, _, unknown] =
            [0, 1, 2].map(|at| ends[at].as_ref().unwrap_or(&defaults[at]).text());
        self.bos = ids.get(bos).copied().or(self.bos);
        self.bos = self.bos.filter(|_| config.add_bos_token.unwrap_or(true));
        self.unknown_token = unknown.to_owned();
        self.is_legacy = config.is_legacy();
        self.adds_space = config.add_prefix_space.unwrap_or(false);
        self.added_texts = PrefixTable::new(ids.into_iter().collect());
        Ok(())
    }

    /// The largest id of a token.
    pub fn largest_id(&self) -> usize {
        let pieces = self.texts.len().saturating_sub(1);
        self.added.keys().last().map_or(pieces, |&id| pieces.max(id as usize))
    }

    /// A token's name.
    pub fn piece(&self, id: u32) -> Option<&str> {
        let piece = self.texts.get(id as usize).map(String::as_str);
        piece.or_else(|| self.added.get(&id).map(|added| added.token.content.as_str()))
    }

    /// The token for what is not known; `None` where that is spelled by its bytes.
    pub fn unknown(&self) -> Option<u32> {
        self.bytes.is_none().then_some(self.unknown)
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
        let mut spaced = if self.adds_space { SPACE } else { "" }.to_owned();
        let mut from = vec![0; spaced.len()];
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
            let named = self.added.get(token).filter(|added| added.is_named);
            named.is_some_and(|added| {
                spaced.get(bytes.clone()) == Some(added.token.content.as_str())
            })
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
            let cut = if part.is_empty() { Vec::new() } else { cut(&text[part])? };
            let shifted = |bytes: Range<usize>| start + bytes.start..start + bytes.end;
            tokens.extend(cut.into_iter().map(|(id, bytes)| (id, shifted(bytes))));
            Ok::<_, String>(())
        };
        let (mut start, mut at) = (0, 0);
        let mut drops_spaces = false;
        while let Some(letter) = text[at..].chars().next() {
            // The longest of the tokens that begin here.
            let Some((length, id)) = self.added_texts.found_in(&text[at..]).last() else {
                at += letter.len_utf8();
                continue;
            };
            let flags = self.added.get(&id).map(|added| &added.token);
            let is_left_stripped = flags.is_some_and(|token| token.lstrip);
            cut_part(stripped(text, start..at, drops_spaces, is_left_stripped), tokens)?;
            tokens.push((id, at..at + length));
            at += length;
            start = at;
            drops_spaces = flags.is_some_and(|token| token.rstrip);
        }
        cut_part(stripped(text, start..at, drops_spaces, false), tokens)
    }

    /// Cuts a text without adding a space; keeps one that it begins with, by what stands before it.
    fn cut_as_it_stands(&self, text: &str) -> Result<CutTokens, String> {
        if !text.starts_with([' ', '\u{2581}']) {
            return self.cut(text, false);
        }
        let before = self.cut(&self.unknown_token, false)?.len();
        let length = self.unknown_token.len();
        let together = self.cut(&format!("{}{text}", self.unknown_token), false)?;
        let shifted = |at: usize| at.saturating_sub(length);
        // As transformers does where pieces reach over the token's end.
        let skipped = if together.len() < before { 0 } else { before };
        let behind = together.into_iter().skip(skipped);
        Ok(behind.map(|(id, bytes)| (id, shifted(bytes.start)..shifted(bytes.end))).collect())
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

    /// The text of tokens, without those that stand for no text, as SentencePiece's program puts it together.
    pub fn decode(&self, ids: &[u32]) -> String {
        /// Stands for the unknown token.
        const SURFACE: &str = " \u{2047} ";
        let mut text = String::new();
        let mut bytes = Vec::new();
        let mut is_space_dropped = false;
        for &id in ids {
            let kind = match self.added.get(&id) {
                // No piece: it stands for itself.
                Some(added) if id as usize >= self.texts.len() => match added.token.special {
                    true => PieceKind::Control,
                    false => PieceKind::UserDefined,
                },
                _ => self.kinds.get(id as usize).copied().unwrap_or(PieceKind::Control),
            };
            let piece = self.piece(id).unwrap_or_default();
            if kind == PieceKind::Byte {
                let digits = piece.get(3..5).and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.extend(digits);
                continue;
            }
            text.push_str(&String::from_utf8_lossy(&std::mem::take(&mut bytes)));
            match kind {
                PieceKind::Control => {}
                PieceKind::Unknown => text.push_str(SURFACE),
                _ => {
                    let is_first = text.is_empty() && !is_space_dropped;
                    let rest = self.spelling.without_first_space(piece).filter(|_| is_first);
                    is_space_dropped |= rest.is_some() && !self.spelling.drops_spaces;
                    text.push_str(&rest.unwrap_or(piece).replace(SPACE, " "));
                }
            }
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

/// Part of a text without the spaces in front of it, or behind it.
fn stripped(text: &str, part: Range<usize>, in_front: bool, behind: bool) -> Range<usize> {
    // As Python has it, with the separators of files and records.
    let is_space = |letter: char| letter.is_whitespace() || ('\x1c'..='\x1f').contains(&letter);
    let mut left = &text[part.clone()];
    if behind {
        left = left.trim_end_matches(is_space);
    }
    let end = part.start + left.len();
    if in_front {
        left = left.trim_start_matches(is_space);
    }
    end - left.len()..end
}
