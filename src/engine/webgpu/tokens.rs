//! Scores given tokens: the log-probability of each, and whether it is the likeliest.

use std::ops::Range;
use std::sync::Arc;

use super::arena::Use;
use super::error::GpuError;
use super::pass::Pass;
use super::score;
use super::walk::{Output, Record};
use crate::engine::TokenScore;
use crate::engine::schedule::group::Group;

use crate::model::{ModelConfig, Passage};

/// Logits computed at once: bounds the [R, V] matrix.
const LOGITS: usize = 1 << 23;

pub struct Tokens {
    pub passages: Arc<[Passage]>,
}

/// Of one pack of passages.
pub struct Kept {
    /// Rows that foresee a scored token, passage by passage. [R]
    rows: wgpu::Buffer,
    /// The tokens foreseen. [R]
    targets: wgpu::Buffer,
    /// R
    count: usize,
    /// For nodes where plans end: which set of R scores is theirs.
    ends: Vec<Option<usize>>,
    scores: wgpu::Buffer,
}

impl Record for Tokens {
    type Item = TokenScore;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.passages
            .iter()
            .map(|passage| passage.token_ids.as_slice())
            .collect()
    }

    fn open(&self, pass: &mut Pass, group: &Group, range: Range<usize>) -> Result<Kept, GpuError> {
        let (mut rows, mut targets) = (Vec::new(), Vec::new());
        for (passage, &(start, length)) in self.passages[range].iter().zip(&pass.pack.spans) {
            let first = length - passage.scored;
            rows.extend((first..length).map(|at| (start + at - 1) as u32));
            targets.extend_from_slice(&passage.token_ids[first..]);
        }
        let mut sets = 0;
        let ends = group.is_end.iter().map(|&is_end| {
            sets += usize::from(is_end);
            is_end.then(|| sets - 1)
        });
        let ends = ends.collect();
        let count = targets.len();
        Ok(Kept {
            rows: pass.upload(Use::Ids, &rows),
            targets: pass.upload(Use::Wanted, &targets),
            count,
            ends,
            scores: pass.buffer(Use::Out, sets * count * 4),
        })
    }

    fn complete(
        &self,
        pass: &mut Pass,
        kept: &mut Kept,
        _: &Group,
        node: usize,
        slot: usize,
    ) -> Result<(), GpuError> {
        let Some(set) = kept.ends[node] else {
            return Ok(());
        };
        let engine = pass.engine;
        let most =
            LOGITS.min((engine.device.largest_buffer() / 4) as usize) / engine.config.vocabulary;
        for first in (0..kept.count).step_by(most.max(1)) {
            let rows = most.max(1).min(kept.count - first);
            let logits = pass.buffer(Use::Logits, rows * engine.config.vocabulary);
            pass.logits(slot, &kept.rows, first, rows, (&logits, 0))?;
            let place = set * kept.count + first;
            let (recorder, targets, out) = (&mut pass.recorder, &kept.targets, &kept.scores);
            engine
                .kernels
                .score
                .run(recorder, &logits, rows, targets, first, out, place)?;
        }
        Ok(())
    }

    fn close(
        &self,
        _: &mut Pass,
        kept: &mut Kept,
        _: &Group,
        _: Range<usize>,
    ) -> Result<Vec<Output>, GpuError> {
        let sets = kept.ends.iter().flatten().count();
        let words = sets * kept.count * 4;
        Ok(vec![(kept.scores.clone(), words, "the tokens' scores")])
    }

    fn items(
        &self,
        _: &ModelConfig,
        kept: Kept,
        read: Vec<Vec<f32>>,
        group: &Group,
        range: Range<usize>,
    ) -> Vec<Vec<TokenScore>> {
        let numbers = read.concat();
        let scores: Vec<(f64, bool)> = numbers.as_chunks().0.iter().map(score::read).collect();
        let of = |path: &Vec<usize>| {
            let end = path.last().and_then(|&node| kept.ends[node]);
            let scores = &scores[end.unwrap_or_default() * kept.count..][..kept.count];
            TokenScore::of_each(&self.passages[range.clone()], scores)
        };
        group.schedule.paths.iter().map(of).collect()
    }
}
