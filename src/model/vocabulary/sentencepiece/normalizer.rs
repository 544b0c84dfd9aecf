//! How SentencePiece spells a text before it is cut: letters replaced by a table, spaces dropped, added and
//! written as `▁`. Step by step as its `normalizer.cc`.

use super::prefixes::PrefixTable;
use super::proto::{PieceKind, PieceModel};
use super::{LONGEST, SPACE};

/// Bytes that a text may become at most.
const MAX_BYTES: usize = 16 << 20;

/// A text as it is cut, and where in the text it came from.
pub struct Spelled {
    pub text: String,
    /// For every byte, and the end: the byte of the text that it was made of.
    pub from: Vec<usize>,
}

/// The rules of a model.
pub struct SpellingRules {
    charsmap: Option<Charsmap>,
    /// Stand for themselves whatever the table says.
    user_defined: PrefixTable,
    adds_space: bool,
    is_space_behind: bool,
    /// Whether spaces in front of a text are dropped, however many.
    pub drops_spaces: bool,
    escapes_spaces: bool,
}

/// Replacements by the longest text that they replace: a trie in double arrays (Darts), and texts that a
/// zero ends.
struct Charsmap {
    trie: Vec<u32>,
    texts: String,
}

impl SpellingRules {
    /// The rules that a model's file holds.
    ///
    /// # Errors
    /// A damaged table.
    pub fn new(model: &PieceModel) -> Result<Self, String> {
        let pieces = (0..).zip(&model.pieces);
        let user_defined = pieces.filter(|(_, piece)| piece.kind == PieceKind::UserDefined);
        let user_defined =
            PrefixTable::new(user_defined.map(|(id, piece)| (piece.text, id)).collect());
        let charsmap = match model.charsmap {
            [] => None,
            bytes => Some(Charsmap::read(bytes).ok_or("its normalisation rules are damaged")?),
        };
        Ok(Self {
            charsmap,
            user_defined,
            adds_space: model.adds_space,
            is_space_behind: model.is_space_behind,
            drops_spaces: model.drops_spaces,
            escapes_spaces: model.escapes_spaces,
        })
    }

    /// A text's first piece without the space that a text does not begin with, if it has one.
    pub fn without_first_space<'a>(&self, piece: &'a str) -> Option<&'a str> {
        piece.strip_prefix(SPACE).filter(|_| self.adds_space || self.drops_spaces)
    }

    /// The user-defined symbol that a text begins with, the longest.
    pub fn user_defined<'a>(&self, text: &'a str) -> Option<&'a str> {
        let (length, _) = self.user_defined.found_in(text).last()?;
        text.get(..length)
    }

    /// Spells a text; `adds_space` says whether one may be added.
    ///
    /// # Errors
    /// The table makes too much of it.
    pub fn spell(&self, text: &str, adds_space: bool) -> Result<Spelled, String> {
        let mut spelled = Spelled { text: String::new(), from: Vec::new() };
        let space = if self.escapes_spaces { SPACE } else { " " };
        let mut left = text;

        // Spaces in front are dropped.
        while self.drops_spaces && !left.is_empty() {
            let (" ", length) = self.replaced(left) else { break };
            left = &left[length..];
        }
        if left.is_empty() {
            spelled.from.push(text.len());
            return Ok(spelled);
        }
        let adds_space = adds_space && self.adds_space;
        if adds_space && !self.is_space_behind {
            spelled.push(space, text.len() - left.len());
        }

        // Letters, or what the table has for them; of several spaces, the first.
        let mut is_behind_space = self.drops_spaces;
        while !left.is_empty() {
            let (mut part, length) = self.replaced(left);
            let at = text.len() - left.len();
            if is_behind_space {
                part = part.trim_start_matches(' ');
            }
            for letter in part.split_inclusive(' ') {
                match letter.strip_suffix(' ') {
                    Some(before) => {
                        spelled.push(before, at);
                        spelled.push(space, at);
                    }
                    None => spelled.push(letter, at),
                }
            }
            if !part.is_empty() {
                is_behind_space = part.ends_with(' ');
            }
            is_behind_space &= self.drops_spaces;
            left = &left[length..];
            if spelled.text.len() > MAX_BYTES {
                return Err(format!("its rules make more than {} MB of a text", MAX_BYTES >> 20));
            }
        }

        // Spaces behind are dropped.
        let mut end = text.len();
        while self.drops_spaces && spelled.text.ends_with(space) {
            let length = spelled.text.len() - space.len();
            end = spelled.from[length];
            spelled.text.truncate(length);
            spelled.from.truncate(length);
        }
        if adds_space && self.is_space_behind {
            spelled.push(space, end);
        }
        spelled.from.push(end);
        Ok(spelled)
    }

    /// Returns what stands for a text's beginning, and how many bytes of the text that is.
    fn replaced<'a>(&'a self, text: &'a str) -> (&'a str, usize) {
        if let Some(symbol) = self.user_defined(text) {
            return (symbol, symbol.len());
        }
        let found = self.charsmap.as_ref().and_then(|charsmap| charsmap.longest(text));
        found.unwrap_or_else(|| {
            let letter = text.chars().next().map_or(0, char::len_utf8);
            (&text[..letter], letter)
        })
    }
}

impl Spelled {
    fn push(&mut self, text: &str, from: usize) {
        self.text.push_str(text);
        self.from.extend(std::iter::repeat_n(from, text.len()));
    }
}

impl Charsmap {
    /// Reads a table: the trie's length in bytes, the trie, and the texts; checks that every place in the
    /// trie that leads to a text leads to one, and that none is longer than a token.
    fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let (trie, texts) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let (units, odd) = trie.as_chunks::<4>();
        let trie: Vec<u32> = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        let texts = String::from_utf8(texts.to_vec()).ok()?;
        let is_text = |unit: &u32| {
            let start = (unit & !LEAF) as usize;
            unit & LEAF == 0 || start < texts.len() && texts.is_char_boundary(start)
        };
        let is_short = texts.split('\0').all(|text| text.len() <= LONGEST);
        let is_whole = odd.is_empty() && !trie.is_empty() && texts.ends_with('\0') && is_short;
        (is_whole && trie.iter().all(is_text)).then_some(Self { trie, texts })
    }

    /// Finds the longest beginning of a text that the table has: its replacement and its length.
    fn longest(&self, text: &str) -> Option<(&str, usize)> {
        let offset = |unit: u32| (unit >> 10) << ((unit & 1 << 9) >> 6);
        let mut found = None;
        let mut node = offset(*self.trie.first()?);
        // A damaged trie may lead in circles.
        for (at, &byte) in text.as_bytes().iter().take(LONGEST).enumerate() {
            node ^= u32::from(byte);
            let Some(&unit) = self.trie.get(node as usize) else { break };
            if unit & (LEAF | 0xff) != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            let has_text = unit & 1 << 8 != 0;
            if let Some(&leaf) = self.trie.get(node as usize).filter(|_| has_text) {
                found = Some((leaf & !LEAF, at + 1));
            }
        }
        let (start, length) = found?;
        let replacement = self.texts.get(start as usize..)?.split('\0').next()?;
        text.is_char_boundary(length).then_some((replacement, length))
    }
}

/// The bit by which a place of the trie says that it leads to a text.
const LEAF: u32 = 1 << 31;
