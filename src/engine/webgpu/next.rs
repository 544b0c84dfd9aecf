//! Logits of the next token over the whole vocabulary.

use std::ops::Range;

use super::arena::Use;
use super::error::GpuError;
use super::pass::Pass;
use super::walk::Record;
use crate::engine::group::Group;
use crate::engine::schedule::Schedule;
use crate::model::Prompt;

/// Logits computed at once: bounds the [P, V] matrix.
const LOGITS: usize = 1 << 23;

pub struct Next<'a> {
    pub prompts: &'a [Prompt],
}

/// Of one pack of P prompts.
pub struct Kept {
    /// The rows of the prompts' last tokens. [P]
    last: wgpu::Buffer,
    /// [end][P][V]
    logits: Vec<Vec<Vec<f32>>>,
}

impl Record for Next<'_> {
    /// [V]
    type Item = Vec<f32>;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.prompts
            .iter()
            .map(|prompt| prompt.token_ids.as_slice())
            .collect()
    }

    fn kept_rows(&self, _: &Schedule, _: &[bool]) -> usize {
        0
    }

    fn places(&self, _: &Group) -> Option<Vec<Vec<[usize; 2]>>> {
        None
    }

    fn open(&self, pass: &mut Pass, group: &Group, _: Range<usize>) -> Result<Kept, GpuError> {
        let last = pass.pack.last_rows(1);
        Ok(Kept {
            last: pass.upload(Use::Ids, &last),
            logits: vec![Vec::new(); group.schedule.nodes.len()],
        })
    }

    fn complete(
        &self,
        pass: &mut Pass,
        kept: &mut Kept,
        group: &Group,
        node: usize,
        slot: usize,
    ) -> Result<(), GpuError> {
        if !group.is_end[node] {
            return Ok(());
        }
        let engine = pass.engine;
        let (prompts, vocabulary) = (pass.pack.spans.len(), engine.config.vocabulary);
        let most = LOGITS.min((engine.device.largest_buffer() / 4) as usize) / vocabulary;
        for first in (0..prompts).step_by(most.max(1)) {
            let rows = most.max(1).min(prompts - first);
            let logits = pass.logits(slot, &kept.last, first, rows)?;
            let numbers = pass.read(&logits, 0, rows * vocabulary, "the logits")?;
            kept.logits[node].extend(numbers.chunks(vocabulary).map(<[f32]>::to_vec));
        }
        Ok(())
    }

    fn close(
        &self,
        _: &mut Pass,
        mut kept: Kept,
        group: &Group,
        _: Range<usize>,
    ) -> Result<Vec<Vec<Vec<f32>>>, GpuError> {
        let mut of = |path: &Vec<usize>| {
            let end = path
                .last()
                .map(|&node| std::mem::take(&mut kept.logits[node]));
            end.unwrap_or_default()
        };
        Ok(group.schedule.paths.iter().map(&mut of).collect())
    }
}
