//! One sequence among those that lie one after the other, and its chunks of tokens.

use std::ops::Range;

use super::Heads;
use crate::matmul::Isa;
use crate::matmul::training::StridedProduct;

/// Tokens of a chunk. All its queries are computed against all keys that any of them sees, so small chunks
/// waste less, and large ones are called more rarely.
const CHUNK: usize = 16;

/// Keys rounded up to whole chunks.
pub fn padded(tokens: usize) -> usize {
    tokens.next_multiple_of(CHUNK)
}

/// Where the heads of one sequence lie.
#[derive(Clone, Copy)]
pub struct PackedSequence {
    isa: Isa,
    heads: Heads,
    /// Its first token.
    first: usize,
    pub tokens: usize,
}

impl PackedSequence {
    /// Each with where its probabilities begin.
    pub fn all(
        starts: &[usize],
        heads: Heads,
    ) -> impl Iterator<Item = (PackedSequence, Range<usize>)> {
        // The widest registers that a head fills: what is left of a wider one goes a longer way.
        let filled = |isa: &Isa| heads.width.is_multiple_of(isa.lanes());
        let isa = Isa::available().into_iter().find(filled);
        let isa = isa.unwrap_or_else(Isa::best);
        let mut at = 0;
        starts.windows(2).map(move |span| {
            let (first, tokens) = (span[0], span[1] - span[0]);
            let from = at;
            at += heads.heads * tokens * padded(tokens);
            let sequence = PackedSequence { isa, heads, first, tokens };
            (sequence, from..at)
        })
    }

    /// Each chunk's tokens, and how many keys it sees, rounded up to whole chunks.
    pub fn chunks(self) -> impl Iterator<Item = (Range<usize>, usize)> {
        (0..self.tokens).step_by(CHUNK).map(move |from| {
            let end = (from + CHUNK).min(self.tokens);
            (from..end, padded(end))
        })
    }

    /// Numbers of a token's queries, keys and values.
    pub fn row(self) -> usize {
        self.heads.qkv_width()
    }

    /// Where head `head` (queries, then keys, then values) of token `t` begins.
    pub fn at(self, t: usize, head: usize) -> usize {
        (self.first + t) * self.row() + head * self.heads.width
    }

    /// Where query head `h` of token `t` begins in what is mixed.
    pub fn mixed_at(self, t: usize, h: usize) -> usize {
        (self.first + t) * self.mixed_row() + h * self.heads.width
    }

    pub fn mixed_row(self) -> usize {
        self.heads.heads * self.heads.width
    }

    pub fn product(self, rows: usize, depth: usize, columns: usize) -> StridedProduct {
        StridedProduct { isa: self.isa, rows, depth, columns, add: false }
    }

    /// Head `head` of all tokens, [W, padded T].
    pub fn transpose(self, from: &[f32], head: usize, into: &mut Vec<f32>) {
        let keys = padded(self.tokens);
        into.clear();
        into.resize(self.heads.width * keys, 0.0);
        for t in 0..self.tokens {
            let values = &from[self.at(t, head)..][..self.heads.width];
            for (to, value) in into[t..].iter_mut().step_by(keys).zip(values) {
                *to = *value;
            }
        }
    }
}
