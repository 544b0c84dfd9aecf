//! Readings that a view of a run's inside asks the engine for.

use super::{Stop, failed};
use crate::app::protocol::InsideAsk;
use crate::engine::{AttentionWish, Capture, DepthWish};
use crate::plan::{Half, Plan};
use crate::study::report::{Lens, LensNorm};
use crate::study::{LoadedModel, Question};

/// The likeliest tokens that a cell names.
const TOP: usize = 5;

/// Says what to read of a run of `plan`.
pub fn capture(
    model: &LoadedModel,
    question: &Question,
    plan: &Plan,
    ask: &InsideAsk,
) -> Result<Capture, Stop> {
    let tokens = question.prompt.token_ids.len();
    let window = |from: Option<usize>, count: usize| -> Vec<usize> {
        let from = from.unwrap_or(tokens.saturating_sub(count));
        let from = from.min(tokens.saturating_sub(1));
        (from..tokens.min(from + count)).collect()
    };
    Ok(match ask {
        InsideAsk::Depths { follow, is_held, from, count } => Capture {
            depths: Some(DepthWish {
                top: TOP.min(model.shape().vocabulary),
                followed: followed(model, question, follow)?,
                is_held: *is_held,
                positions: window(*from, *count),
            }),
            ..Capture::answer()
        },
        InsideAsk::Attention { query, run, head, from, count } => {
            let runs = plan.block_runs().filter(|run| run.half != Half::Mlp);
            let runs: Vec<usize> = runs.map(|run| run.index).collect();
            let Some(&block) = runs.get((*run).min(runs.len().saturating_sub(1))) else {
                return Err(Stop::Failed(
                    "this plan runs no block's attention, so nothing looks: let one run".to_owned(),
                ));
            };
            let heads = model.shape().blocks[block].attention.heads;
            let all = AttentionWish {
                queries: (*query).into_iter().collect(),
                ..AttentionWish::default()
            };
            let large = AttentionWish {
                queries: window(*from, *count),
                blocks: vec![block],
                heads: vec![(*head).min(heads.saturating_sub(1))],
            };
            Capture { attention: vec![all, large], ..Capture::answer() }
        }
        // Its own study says what it keeps.
        InsideAsk::Member { .. } => Capture::answer(),
    })
}

/// Tokens of the words to follow, one each; of the options where there are none.
fn followed(model: &LoadedModel, question: &Question, words: &[String]) -> Result<Vec<u32>, Stop> {
    if words.is_empty() {
        return Ok(question.prompt.option_ids.clone());
    }
    let prompt = question.text.as_ref().map(|text| text.prompt.as_str());
    let tokenizer = model.tokenizer().map_err(failed)?;
    let prompt = tokenizer.prompt(model.shape(), prompt.unwrap_or_default(), words);
    let ids = prompt.map_err(failed)?.option_ids;
    if let Some(unknown) = &model.unknown {
        let word = |at: usize| words.get(at).map(String::as_str);
        unknown.check(&ids, word).map_err(failed)?;
    }
    Ok(ids)
}

/// Says in the report how it was asked.
pub fn note(lens: &mut Lens, ask: &InsideAsk) {
    if let InsideAsk::Depths { is_held, .. } = ask {
        lens.logit_lens_norm = Some(if *is_held { LensNorm::Held } else { LensNorm::Recomputed });
    }
}
