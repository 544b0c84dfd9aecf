//! Where a run's heads look, and how much they carry from there (docs/definitions.md, "Attention
//! pattern").

use super::Demand;
use crate::engine::EngineError;
use crate::engine::schedule::Schedule;
use crate::model::{ModelShape, Prompt};
use crate::plan::BlockRun;

/// Which looks to keep of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttentionWish {
    /// Positions that look, counted from 0; none: the last of each prompt.
    pub queries: Vec<usize>,
    /// Stored blocks; none: all that run.
    pub blocks: Vec<usize>,
    /// Query heads, counted from 0; none: all of a block.
    pub heads: Vec<usize>,
}

/// Attention weights of one run of a block's attention, at the positions that were wished.
#[derive(Clone, Debug, PartialEq)]
pub struct AttentionReading {
    pub block: usize,
    /// Query heads. `[H']`
    pub heads: Vec<usize>,
    /// Positions that look. `[Q]`
    pub queries: Vec<usize>,
    /// T
    pub tokens: usize,
    /// The softmax's weights, 0 where a query does not see: `[H', Q, T]`.
    pub weights: Vec<f32>,
    /// The value-weighted attention: the length of the weight times the token's value through the head's
    /// columns of the output matrix; 0 where the plan has switched the head off. `[H', Q, T]`
    pub carried: Vec<f32>,
}

/// # Errors
/// A position past a prompt.
pub fn positions(positions: &[usize], prompts: &[Prompt]) -> Result<(), EngineError> {
    for prompt in prompts {
        let tokens = prompt.token_ids.len();
        if let Some(&position) = positions.iter().find(|&&position| position >= tokens) {
            return Err(EngineError::Position { position, tokens });
        }
    }
    Ok(())
}

impl AttentionReading {
    /// One head's rows of `numbers` (weights or carried lengths) at the first query: `[H'][T]`.
    pub fn first(&self, numbers: &[f32]) -> Vec<Vec<f32>> {
        let rows = numbers.chunks_exact(self.tokens.max(1));
        let rows = rows.step_by(self.queries.len().max(1));
        rows.map(<[f32]>::to_vec).collect()
    }
}

impl AttentionWish {
    /// # Errors
    /// A position past a prompt, a block or a head that the model lacks.
    pub fn check(&self, shape: &ModelShape, prompts: &[Prompt]) -> Result<(), EngineError> {
        positions(&self.queries, prompts)?;
        let last = shape.blocks.len().saturating_sub(1);
        if let Some(&index) = self.blocks.iter().find(|&&index| index > last) {
            return Err(EngineError::Plan { index, last });
        }
        for (block, of) in shape.blocks.iter().enumerate() {
            let heads = of.attention.heads;
            let past = self.heads.iter().find(|&&head| head >= heads);
            if let Some(&head) = past.filter(|_| self.wants(block)) {
                return Err(EngineError::Head { head, block, heads });
            }
        }
        Ok(())
    }

    fn wants(&self, block: usize) -> bool {
        self.blocks.is_empty() || self.blocks.contains(&block)
    }

    /// Whether this run's attention is recorded.
    pub fn keeps(&self, run: &BlockRun) -> bool {
        run.half.has_attention() && self.wants(run.index)
    }

    /// Positions that look in a prompt of `tokens`.
    pub fn queries(&self, tokens: usize) -> Vec<usize> {
        if self.queries.is_empty() { vec![tokens.saturating_sub(1)] } else { self.queries.clone() }
    }

    /// Which of a block's heads.
    pub fn heads(&self, of: usize) -> Vec<usize> {
        if self.heads.is_empty() { (0..of).collect() } else { self.heads.clone() }
    }

    /// Counts the numbers that a record of attention asks for per token under a schedule.
    pub fn demand(&self, schedule: &Schedule, shape: &ModelShape) -> Demand {
        let runs = schedule.nodes.iter().flat_map(|node| &node.runs);
        let heads = runs
            .filter(|run| self.keeps(run))
            .map(|run| self.heads(shape.blocks[run.index].attention.heads).len());
        Demand {
            numbers_a_token: 2 * self.queries.len().max(1) * heads.sum::<usize>(),
            ..Demand::default()
        }
    }
}
