//! Cost of running a model: tokens per second of prompts with every member recorded, and the saving where plans
//! that begin alike run together.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::watch::{Timing, Watch};
use crate::engine::EngineError;
use crate::model::{ModelError, Prompt};
use crate::plan::Plan;
use crate::study::{LoadedModel, StudyError};

/// Tokens of a prompt.
const TOKENS: [usize; 3] = [12, 64, 512];

/// A model on an engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Prefill {
    pub model: String,
    pub engine: String,
    /// Numbers that the model stores.
    pub parameters: u64,
    pub prompts: Vec<PromptRate>,
    pub drop_sweep: Option<DropSweep>,
    /// Measurements that were not made, and why.
    pub unmeasured: Vec<String>,
}

/// A prompt of some tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PromptRate {
    pub tokens: usize,
    /// Members that were recorded.
    pub members: usize,
    pub tokens_a_second: f64,
    /// Median time of the whole prompt.
    pub seconds: f64,
    pub repeats: usize,
}

/// Every block left out once, on one prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DropSweep {
    pub plans: usize,
    pub tokens: usize,
    pub together_seconds: f64,
    pub one_by_one_seconds: f64,
    /// Together by one by one: less is saved work.
    pub ratio: f64,
}

impl Prefill {
    fn new(model: &str, engine: &str, parameters: u64) -> Self {
        Self { model: model.to_string(), engine: engine.to_string(), parameters, ..Self::default() }
    }

    /// Returns the report of an engine that the model could not be put on.
    pub fn failed(model: &str, engine: &str, why: &dyn std::fmt::Display) -> Self {
        let mut failed = Self::new(model, engine, 0);
        let said = format!("prompts and the drop sweep: {why}");
        failed.unmeasured.push(said);
        failed
    }
}

/// Measures for about `seconds`, each thing at least once.
pub async fn prefill(
    model: &LoadedModel,
    engine: &str,
    watch: &Watch<'_>,
    seconds: f64,
    mut progress: impl FnMut(&Prefill),
) -> Prefill {
    let share = seconds / (TOKENS.len() + 2) as f64;
    let mut found = Prefill::new(&model.name, engine, model.engine.parameters());
    for tokens in TOKENS {
        progress(&found);
        let context = model.shape().context;
        if tokens > context {
            let said = format!("{tokens} tokens: the model's context is {context}");
            found.unmeasured.push(said);
            continue;
        }
        match prompt(model, tokens, watch, share).await {
            Ok(Some(rate)) => found.prompts.push(rate),
            Ok(None) => found.unmeasured.push(format!("{tokens} tokens: it was ended")),
            Err(error) => found.unmeasured.push(format!("{tokens} tokens: {error}")),
        }
    }
    progress(&found);
    match drop_sweep(model, watch, share).await {
        Ok(Some(sweep)) => found.drop_sweep = Some(sweep),
        Ok(None) => found.unmeasured.push("the drop sweep: it was ended".into()),
        Err(error) => found.unmeasured.push(format!("the drop sweep: {error}")),
    }
    found
}

async fn prompt(
    model: &LoadedModel,
    tokens: usize,
    watch: &Watch<'_>,
    most: f64,
) -> Result<Option<PromptRate>, StudyError> {
    let prompt = made_up(model, tokens)?;
    let plan = model.plan(None)?;
    let timing = timed(model, &prompt, &[std::slice::from_ref(&plan)], watch, most).await?;
    Ok(timing.map(|timing| PromptRate {
        tokens,
        members: model.engine.members(&plan).len(),
        tokens_a_second: tokens as f64 / timing.seconds,
        seconds: timing.seconds,
        repeats: timing.repeats,
    }))
}

async fn drop_sweep(
    model: &LoadedModel,
    watch: &Watch<'_>,
    most: f64,
) -> Result<Option<DropSweep>, StudyError> {
    let tokens = TOKENS[0].min(model.shape().context);
    let prompt = made_up(model, tokens)?;
    let plans = (0..model.shape().order.len()).map(|i| model.plan(Some(&format!("drop:{i}"))));
    let plans: Vec<Plan> = plans.collect::<Result<_, _>>()?;
    let together = timed(model, &prompt, &[&plans], watch, most).await?;
    let single: Vec<&[Plan]> = plans.chunks(1).collect();
    let one_by_one = timed(model, &prompt, &single, watch, most).await?;
    Ok(together.zip(one_by_one).map(|(together, one_by_one)| DropSweep {
        plans: plans.len(),
        tokens,
        together_seconds: together.seconds,
        one_by_one_seconds: one_by_one.seconds,
        ratio: together.seconds / one_by_one.seconds,
    }))
}

/// Ids that lie all over the vocabulary, and two options.
fn made_up(model: &LoadedModel, tokens: usize) -> Result<Prompt, ModelError> {
    let shape = model.shape();
    let id = |i: usize| (i * 7919 + 1) % shape.vocabulary.max(1);
    let ids = (0..tokens).map(|i| id(i) as u32).collect();
    Prompt::from_ids(shape, ids, vec![0, 1])
}

/// Runs of one prompt under these plans, one after the other; `None` where it was ended.
async fn timed(
    model: &LoadedModel,
    prompt: &Prompt,
    runs: &[&[Plan]],
    watch: &Watch<'_>,
    most: f64,
) -> Result<Option<Timing>, StudyError> {
    let mut goes_on = |_, _| match (watch.is_ended)() {
        true => ControlFlow::Break(()),
        false => ControlFlow::Continue(()),
    };
    let timing = watch.time(most, async |times| {
        for plans in (0..times).flat_map(|_| runs) {
            model.engine.run(std::slice::from_ref(prompt), plans, &mut goes_on)?;
        }
        Ok::<(), EngineError>(())
    });
    match timing.await {
        Err(EngineError::Cancelled) => Ok(None),
        timing => Ok(timing?),
    }
}
