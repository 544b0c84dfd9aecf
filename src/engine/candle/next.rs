//! Logits of the next token over the whole vocabulary.

use std::ops::Range;
use std::sync::Arc;

use candle_core::{Result, Tensor};

use super::CandleEngine;
use super::walk::Record;
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::model::Prompt;

pub struct Next<'a> {
    pub engine: &'a CandleEngine,
    pub prompts: Arc<[Prompt]>,
}

/// Of one pack of P prompts.
pub struct Kept {
    /// The rows of the prompts' last tokens.
    last: Tensor, // [P]
    /// For nodes where plans end. [P][V]
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

    fn open(
        &self,
        _: Range<usize>,
        pack: &Pack,
        schedule: &Schedule,
        stream: &Tensor,
    ) -> Result<Kept> {
        Ok(Kept {
            last: Tensor::new(pack.last_rows(1), stream.device())?,
            logits: vec![Vec::new(); schedule.nodes.len()],
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
        if is_end {
            let normed = self.engine.normed(&stream.index_select(&kept.last, 0)?)?; // [P, D]
            let logits = self.engine.logits(&normed)?; // [P, V]
            let rows = logits.chunks_exact(self.engine.config.vocabulary);
            kept.logits[node] = rows.map(<[f32]>::to_vec).collect();
        }
        Ok(())
    }

    fn close(
        &self,
        kept: Kept,
        schedule: &Schedule,
        _: Range<usize>,
        _: Range<usize>,
    ) -> Result<Vec<Vec<Vec<f32>>>> {
        // Plans may end at the same node, where they are the same.
        let of = |path: &Vec<usize>| kept.logits[path[path.len() - 1]].clone();
        Ok(schedule.paths.iter().map(of).collect())
    }
}
