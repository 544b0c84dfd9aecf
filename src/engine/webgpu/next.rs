//! Logits of the next token over the whole vocabulary.

use std::ops::Range;
use std::sync::Arc;

use super::arena::Use;
use super::error::GpuError;
use super::pass::Pass;
use super::walk::{Output, Record};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::group::Group;
use crate::model::{ModelConfig, Prompt};

pub struct Next {
    pub prompts: Arc<[Prompt]>,
}

/// Of one pack of P prompts.
pub struct Kept {
    /// The rows of the prompts' last tokens. [P]
    last: wgpu::Buffer,
    /// For nodes where plans end: which set of P rows is theirs.
    ends: Vec<Option<usize>>,
    /// [ends, P, V]
    logits: wgpu::Buffer,
}

impl Record for Next {
    /// [V]
    type Item = Vec<f32>;
    type Kept = Kept;

    fn sequences(&self) -> Vec<&[u32]> {
        self.prompts
            .iter()
            .map(|prompt| prompt.token_ids.as_slice())
            .collect()
    }

    fn numbers_read(&self, config: &ModelConfig, schedule: &Schedule, is_end: &[bool]) -> usize {
        let ends = is_end.iter().filter(|&&is_end| is_end).count();
        ends.min(schedule.paths.len()) * config.vocabulary
    }

    fn open(&self, pass: &mut Pass, group: &Group, _: Range<usize>) -> Result<Kept, GpuError> {
        let last = pass.pack.last_rows(1);
        let mut sets = 0;
        let ends = group.is_end.iter().map(|&is_end| {
            sets += usize::from(is_end);
            is_end.then(|| sets - 1)
        });
        let ends = ends.collect();
        let numbers = sets * last.len() * pass.engine.config.vocabulary;
        Ok(Kept {
            last: pass.upload(Use::Ids, &last),
            ends,
            logits: pass.buffer(Use::Out, numbers),
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
        let prompts = pass.pack.spans.len();
        let to = (&kept.logits, set * prompts);
        pass.logits(slot, &kept.last, 0, prompts, to)
    }

    fn close(
        &self,
        pass: &mut Pass,
        kept: &mut Kept,
        _: &Group,
        range: Range<usize>,
    ) -> Result<Vec<Output>, GpuError> {
        let sets = kept.ends.iter().flatten().count();
        let words = sets * range.len() * pass.engine.config.vocabulary;
        Ok(vec![(kept.logits.clone(), words, "the logits")])
    }

    fn items(
        &self,
        config: &ModelConfig,
        kept: Kept,
        read: Vec<Vec<f32>>,
        group: &Group,
        range: Range<usize>,
    ) -> Vec<Vec<Vec<f32>>> {
        let numbers = read.concat();
        let a_set = range.len() * config.vocabulary;
        let of = |path: &Vec<usize>| {
            let end = path.last().and_then(|&node| kept.ends[node]);
            let logits = &numbers[end.unwrap_or_default() * a_set..][..a_set];
            logits
                .chunks(config.vocabulary)
                .map(<[f32]>::to_vec)
                .collect()
        };
        group.schedule.paths.iter().map(of).collect()
    }
}
