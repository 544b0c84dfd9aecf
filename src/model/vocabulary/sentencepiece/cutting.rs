//! How spelled text is cut into pieces: merges (as SentencePiece's `bpe_model.cc`), the most probable pieces
//! (`unigram_model.cc`), or letters.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::ops::Range;

use super::SentencePiece;
use super::proto::{PieceKind, PieceRule};

/// A piece of spelled text: its bytes there, and its token.
pub type CutPiece = (Range<usize>, u32);

impl SentencePiece {
    /// The pieces of spelled text.
    pub(super) fn pieces_of(&self, text: &str) -> Vec<CutPiece> {
        match self.rule {
            PieceRule::Unigram => self.most_probable(text),
            PieceRule::Merges => self.merged(text),
            PieceRule::Letters => {
                let symbols = self.symbols(text).into_iter();
                symbols.map(|symbol| (symbol.bytes.clone(), self.id(&text[symbol.bytes]))).collect()
            }
        }
    }

    /// Letters and user-defined symbols, one behind the other.
    fn symbols(&self, text: &str) -> Vec<MergeSymbol> {
        let mut symbols: Vec<MergeSymbol> = Vec::new();
        let mut start = 0;
        while let Some(letter) = text[start..].chars().next() {
            let user_defined = self.spelling.user_defined(&text[start..]);
            let length = user_defined.map_or(letter.len_utf8(), str::len);
            let is_frozen = user_defined.is_some();
            let before = symbols.len().checked_sub(1);
            let next = symbols.len() + 1;
            symbols.push(MergeSymbol { bytes: start..start + length, is_frozen, before, next });
            start += length;
        }
        symbols
    }

    /// Neighbours become one, the pair of the best score first, of equal ones the leftmost.
    fn merged(&self, text: &str) -> Vec<CutPiece> {
        let mut symbols = self.symbols(text);
        let mut agenda = BinaryHeap::new();
        let mut unused = HashMap::new();
        for right in 1..symbols.len() {
            agenda.extend(self.pair(text, &symbols, right - 1, right, &mut unused));
        }

        while let Some(pair) = agenda.pop() {
            let (left, right) = (pair.left, pair.right);
            let together = symbols[left].bytes.start..symbols[right].bytes.end;
            // A symbol that became part of another is empty.
            let is_there = !symbols[left].bytes.is_empty()
                && !symbols[right].bytes.is_empty()
                && together.len() == pair.length
                && symbols[left].next == right;
            if !is_there {
                continue;
            }
            symbols[left].bytes = together.clone();
            symbols[right].bytes = together.end..together.end;
            let next = symbols[right].next;
            symbols[left].next = next;
            if let Some(after) = symbols.get_mut(next) {
                after.before = Some(left);
                agenda.extend(self.pair(text, &symbols, left, next, &mut unused));
            }
            if let Some(before) = symbols[left].before {
                agenda.extend(self.pair(text, &symbols, before, left, &mut unused));
            }
        }

        // Pieces that only stand on the way to others are cut where they were put together.
        let mut cut = Vec::new();
        let mut left: Vec<Range<usize>> = symbols
            .into_iter()
            .map(|symbol| symbol.bytes)
            .filter(|bytes| !bytes.is_empty())
            .collect();
        left.reverse();
        while let Some(bytes) = left.pop() {
            let id = self.id(&text[bytes.clone()]);
            match unused.get(&text[bytes.clone()]) {
                Some(&length) if self.kinds[id as usize] == PieceKind::Unused => {
                    left.push(bytes.start + length..bytes.end);
                    left.push(bytes.start..bytes.start + length);
                }
                _ => cut.push((bytes, id)),
            }
        }
        cut
    }

    /// The merge of two neighbours, if they make a piece. Notes in `unused`, by a piece that no text may be
    /// cut into, how long the left of the two is.
    fn pair<'t>(
        &self,
        text: &'t str,
        symbols: &[MergeSymbol],
        left: usize,
        right: usize,
        unused: &mut HashMap<&'t str, usize>,
    ) -> Option<MergePair> {
        let (first, second) = (&symbols[left], &symbols[right]);
        if first.is_frozen || second.is_frozen {
            return None;
        }
        let together = &text[first.bytes.start..second.bytes.end];
        let id = *self.ids.get(together)?;
        if self.kinds[id as usize] == PieceKind::Unused {
            unused.insert(together, first.bytes.len());
        }
        let score = self.scores[id as usize];
        Some(MergePair { left, right, score, length: together.len() })
    }

    /// The pieces whose scores have the largest sum.
    fn most_probable(&self, text: &str) -> Vec<CutPiece> {
        /// The price of an unknown letter beside the least probable piece.
        const UNKNOWN: f32 = 10.0;
        let unknown_score = self.lowest_score - UNKNOWN;
        let mut best: Vec<BestEnd> = vec![BestEnd::default(); text.len() + 1];

        // The best way to every end, from the ends before it.
        for (start, letter) in text.char_indices() {
            let until_here = best[start].score;
            let letter_end = start + letter.len_utf8();
            let mut has_letter = false;
            for (length, id) in self.prefixes.found_in(&text[start..]) {
                let end = start + length;
                let score = match self.kinds[id as usize] {
                    PieceKind::Unused => continue,
                    // Always chosen.
                    PieceKind::UserDefined => {
                        f64::from((end - start) as f32 * self.highest_score) - 0.1
                    }
                    _ => f64::from(self.scores[id as usize]),
                };
                best[end].offer(start, id, score + f64::from(until_here));
                has_letter |= end == letter_end;
            }
            if !has_letter {
                let score = f64::from(unknown_score + until_here);
                best[letter_end].offer(start, self.unknown, score);
            }
        }

        // From the end back.
        let mut cut = Vec::new();
        let mut end = text.len();
        while let Some(start) = best[end].start {
            cut.push((start..end, best[end].id));
            end = start;
        }
        cut.reverse();
        cut
    }
}

/// Part of a text on its way to a piece, and its neighbours by number.
struct MergeSymbol {
    bytes: Range<usize>,
    is_frozen: bool,
    before: Option<usize>,
    next: usize,
}

/// Two neighbours that make a piece.
struct MergePair {
    left: usize,
    right: usize,
    score: f32,
    /// Bytes of both when they were looked up.
    length: usize,
}

impl Ord for MergePair {
    fn cmp(&self, other: &Self) -> Ordering {
        // Zeros of both signs are one score; no score is NaN.
        let score = self.score.partial_cmp(&other.score).unwrap_or(Ordering::Equal);
        score.then(other.left.cmp(&self.left))
    }
}

impl PartialOrd for MergePair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for MergePair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for MergePair {}

/// The best way to cut a text up to an end.
#[derive(Clone, Default)]
struct BestEnd {
    score: f32,
    /// Where its last piece starts, and which it is.
    start: Option<usize>,
    id: u32,
}

impl BestEnd {
    fn offer(&mut self, start: usize, id: u32, score: f64) {
        if self.start.is_none() || score > f64::from(self.score) {
            *self = Self { score: score as f32, start: Some(start), id };
        }
    }
}
