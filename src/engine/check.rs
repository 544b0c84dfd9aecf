//! What every engine refuses before it runs anything.

use super::EngineError;
use crate::model::{ModelConfig, Passage, Prompt};
use crate::plan::Plan;

/// One sequence: a prompt, or a passage.
fn ids(config: &ModelConfig, token_ids: &[u32]) -> Result<(), EngineError> {
    let (vocabulary, context) = (config.vocabulary, config.context);
    let tokens = token_ids.len();
    if tokens == 0 || tokens > context {
        return Err(EngineError::Length { tokens, context });
    }
    match token_ids.iter().find(|&&id| id as usize >= vocabulary) {
        Some(&id) => Err(EngineError::TokenId { id, vocabulary }),
        None => Ok(()),
    }
}

pub fn prompts(config: &ModelConfig, prompts: &[Prompt]) -> Result<(), EngineError> {
    let vocabulary = config.vocabulary;
    for prompt in prompts {
        ids(config, &prompt.token_ids)?;
        let past = |&&id: &&u32| id as usize >= vocabulary;
        if let Some(&id) = prompt.option_ids.iter().find(past) {
            return Err(EngineError::TokenId { id, vocabulary });
        }
    }
    Ok(())
}

pub fn passages(config: &ModelConfig, passages: &[Passage]) -> Result<(), EngineError> {
    for passage in passages {
        ids(config, &passage.token_ids)?;
        let (tokens, scored) = (passage.token_ids.len(), passage.scored);
        if scored == 0 || scored >= tokens {
            return Err(EngineError::Scored { tokens, scored });
        }
    }
    Ok(())
}

pub fn plans(config: &ModelConfig, plans: &[Plan]) -> Result<(), EngineError> {
    let blocks = config.blocks;
    match plans
        .iter()
        .flat_map(Plan::block_runs)
        .find(|run| run.index >= blocks)
    {
        Some(run) => Err(EngineError::Plan {
            index: run.index,
            last: blocks - 1,
        }),
        None => Ok(()),
    }
}
