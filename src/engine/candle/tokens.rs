//! Scores given tokens: the log-probability of each, and whether it is the likeliest.

use std::ops::Range;
use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::CandleEngine;
use super::walk::Record;
use crate::engine::TokenScore;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::model::Passage;

/// Logits computed at once: bounds the [R, V] matrix.
const LOGITS: usize = 1 << 23;

pub struct Tokens<'a> {
    pub engine: &'a CandleEngine,
    pub passages: Arc<[Passage]>,
}

/// Of one pack of passages.
pub struct Kept {
    /// Rows that foresee a scored token, passage by passage.
    rows: Tensor, // [R]
    /// The tokens foreseen. [R]
    targets: Vec<u32>,
    /// For nodes where plans end: log-probability of each target, and is it the likeliest?
    scores: Vec<Vec<(f64, bool)>>,
}

impl Record for Tokens<'_> {
    type Item = TokenScore;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.passages
            .iter()
            .map(|passage| passage.token_ids.as_slice())
            .collect()
    }

    fn open(
        &self,
        range: Range<usize>,
        pack: &Pack,
        schedule: &Schedule,
        stream: &Tensor,
    ) -> Result<Kept> {
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for (passage, &(start, length)) in self.passages[range].iter().zip(&pack.spans) {
            let first = length - passage.scored;
            rows.extend((first..length).map(|at| (start + at - 1) as u32));
            targets.extend_from_slice(&passage.token_ids[first..]);
        }
        Ok(Kept {
            rows: Tensor::new(rows, stream.device())?,
            targets,
            scores: vec![Vec::new(); schedule.nodes.len()],
        })
    }

    fn state(
        &self,
        kept: &mut Kept,
        _: &Pack,
        node: usize,
        stream: &Tensor,
        is_end: bool,
    ) -> Result<()> {
        if !is_end {
            return Ok(());
        }
        let normed = self.engine.normed(&stream.index_select(&kept.rows, 0)?)?; // [R, D]
        let rows = (LOGITS / self.engine.config.vocabulary).max(1);
        let mut scores = Vec::with_capacity(kept.targets.len());
        for (n, targets) in kept.targets.chunks(rows).enumerate() {
            let part = normed.narrow(0, n * rows, targets.len())?;
            let logits = self.engine.logits(&part)?; // [R', V]
            let logits = logits.chunks_exact(self.engine.config.vocabulary);
            scores.extend(logits.zip(targets).map(|(row, &id)| score(row, id)));
        }
        kept.scores[node] = scores;
        Ok(())
    }

    fn close(
        &self,
        kept: Kept,
        schedule: &Schedule,
        _: Range<usize>,
        range: Range<usize>,
    ) -> Result<Vec<Vec<TokenScore>>> {
        let of = |path: &Vec<usize>| {
            let scores = &kept.scores[path[path.len() - 1]];
            TokenScore::of_each(&self.passages[range.clone()], scores)
        };
        Ok(schedule.paths.iter().map(of).collect())
    }
}

/// Log-softmax of a row at `id`, in f64, and whether `id` is the first of its largest logits.
fn score(row: &[f32], id: u32) -> (f64, bool) {
    let (mut best, mut largest) = (0, f32::NEG_INFINITY);
    for (i, &x) in row.iter().enumerate() {
        if x > largest {
            (best, largest) = (i, x);
        }
    }
    let sum: f64 = row.iter().map(|&x| f64::from(x - largest).exp()).sum();
    let log_probability = f64::from(row[id as usize] - largest) - sum.ln();
    (log_probability, best == id as usize)
}
