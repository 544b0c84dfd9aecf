//! The checks of prompts, passages, plans and tangent points that every engine makes before it runs anything.

use super::{EngineError, TangentPoint};
use crate::model::{ModelShape, Passage, Prompt};
use crate::plan::{BlockRun, Plan, Step};

/// One sequence: a prompt, or a passage.
pub fn ids(shape: &ModelShape, token_ids: &[u32]) -> Result<(), EngineError> {
    let (vocabulary, context) = (shape.vocabulary, shape.context);
    let tokens = token_ids.len();
    refuse_if!(tokens == 0 || tokens > context, EngineError::Length { tokens, context });
    match token_ids.iter().find(|&&id| id as usize >= vocabulary) {
        Some(&id) => Err(EngineError::TokenId { id, vocabulary }),
        None => Ok(()),
    }
}

pub fn prompts(shape: &ModelShape, prompts: &[Prompt]) -> Result<(), EngineError> {
    let vocabulary = shape.vocabulary;
    for prompt in prompts {
        ids(shape, &prompt.token_ids)?;
        let past = |&&id: &&u32| id as usize >= vocabulary;
        if let Some(&id) = prompt.option_ids.iter().find(past) {
            return Err(EngineError::TokenId { id, vocabulary });
        }
    }
    Ok(())
}

pub fn passages(shape: &ModelShape, passages: &[Passage]) -> Result<(), EngineError> {
    for passage in passages {
        ids(shape, &passage.token_ids)?;
        let (tokens, scored) = (passage.token_ids.len(), passage.scored);
        refuse_if!(scored == 0 || scored >= tokens, EngineError::Scored { tokens, scored });
    }
    Ok(())
}

pub fn plans(shape: &ModelShape, plans: &[Plan]) -> Result<(), EngineError> {
    let blocks = shape.blocks.len();
    for plan in plans {
        if let Some(run) = plan.block_runs().find(|run| run.index >= blocks) {
            return Err(EngineError::Plan { index: run.index, last: blocks.saturating_sub(1) });
        }
        plan.check_heads(|index| shape.blocks[index].attention.heads)?;
    }
    Ok(())
}

/// The tokens of a point's stream.
pub fn point(shape: &ModelShape, point: &TangentPoint) -> Result<usize, EngineError> {
    let run = BlockRun { index: point.block, half: point.half, heads_off: point.heads_off };
    let blocks = shape.blocks.len().max(run.index.saturating_add(1));
    plans(shape, &[Plan::new(vec![Step::Block(run)], blocks)?])?;
    let (tokens, context) = (point.stream.len() / shape.width, shape.context);
    assert_eq!(point.stream.len(), tokens * shape.width, "whole rows");
    refuse_if!(tokens == 0 || tokens > context, EngineError::Length { tokens, context });
    Ok(tokens)
}
