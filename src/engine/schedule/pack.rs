//! Sequences of unequal length, one after the other, without padding.

use crate::engine::rope::{Angles, Rope};

/// Where each prompt's tokens lie in a packed stream [N, D], and the angles of their positions.
pub struct Pack {
    /// (first row, T) of each prompt.
    pub spans: Vec<(usize, usize)>,
    /// Tokens that stand before each prompt's first row and are not in the pack: 0, but where a cache
    /// holds their keys and values.
    pub past: Vec<usize>,
    /// N
    pub rows: usize,
    /// Angles of the sequences that are not long, and of those that are (see `Rope::is_long`).
    pub short: Angles,
    pub long: Angles,
    pub is_long: Vec<bool>,
}

impl Pack {
    /// Packs whole sequences of these lengths; without `rope` there are no angles.
    pub fn of(lengths: &[usize], rope: Option<&Rope>) -> Self {
        Self::going_on(&vec![0; lengths.len()], lengths, rope)
    }

    /// Packs the new tokens of sequences: `past` tokens of each are in a cache, `lengths` follow.
    pub fn going_on(past: &[usize], lengths: &[usize], rope: Option<&Rope>) -> Self {
        let mut rows = 0;
        let spans: Vec<(usize, usize)> = lengths
            .iter()
            .map(|&length| {
                let span = (rows, length);
                rows += span.1;
                span
            })
            .collect();
        let whole: Vec<usize> = past.iter().zip(lengths).map(|(p, t)| p + t).collect();
        let is_long: Vec<bool> =
            whole.iter().map(|&length| rope.is_some_and(|rope| rope.is_long(length))).collect();
        let angles = |long: bool| {
            let of = (0..lengths.len()).filter(|&n| is_long[n] == long);
            let first = of.clone().map(|n| past[n]).min().unwrap_or(0);
            let end = of.map(|n| whole[n]).max().unwrap_or(0);
            rope.map(|rope| rope.angles_at(first..end, long)).unwrap_or_default()
        };
        Self { short: angles(false), long: angles(true), spans, past: past.to_vec(), rows, is_long }
    }

    /// The angles of a prompt's positions.
    pub fn angles(&self, prompt: usize) -> &Angles {
        if self.is_long[prompt] { &self.long } else { &self.short }
    }

    /// The row of each prompt's last token.
    pub fn last_rows(&self) -> Vec<u32> {
        self.spans.iter().map(|(start, length)| (start + length - 1) as u32).collect()
    }
}
