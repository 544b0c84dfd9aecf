//! Golden runs: numbers of an independent implementation in float64, and how far an engine is from
//! them.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::EngineThere;
use super::difference::Difference;
use crate::engine::EngineError;
use crate::plan::Plan;
use crate::study::{LoadedModel, Question, StudyError, lens};

/// A golden on an engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GoldenResult {
    pub golden: String,
    pub model: String,
    pub engine: String,
    /// The model's own order, and every plan.
    pub runs: usize,
    /// The largest difference of two numbers, relative to the largest of their list; `None` where
    /// nothing ran.
    pub largest_difference: Option<f64>,
    /// Where that is.
    pub at: Option<String>,
    pub tolerance: f64,
    pub passes: bool,
    /// The first difference that is none of numbers, or the reason why nothing ran.
    pub said: Option<String>,
}

impl GoldenResult {
    /// Nothing compared yet.
    pub fn new(golden: &str, model: &str, engine: &EngineThere) -> Self {
        Self {
            golden: golden.to_string(),
            model: model.to_string(),
            engine: engine.name.clone(),
            tolerance: engine.tolerance,
            ..Self::default()
        }
    }

    /// Nothing ran.
    #[must_use]
    pub fn failed(mut self, why: &dyn std::fmt::Display) -> Self {
        self.said = Some(why.to_string());
        self
    }

    fn take(&mut self, found: Difference) {
        self.runs += 1;
        if self.largest_difference.is_none_or(|most| found.largest > most) {
            self.largest_difference = Some(found.largest);
            self.at = Some(found.at).filter(|at| !at.is_empty());
        }
        self.said = self.said.take().or(found.unlike);
        let most = self.largest_difference.unwrap_or(f64::INFINITY);
        self.passes = self.said.is_none() && most <= self.tolerance;
    }
}

/// Why a golden could not be run.
#[derive(Debug, thiserror::Error)]
pub enum GoldenError {
    #[error(
        "the golden's {0} is missing or of another kind; it needs a model, a question, and a baseline or cases"
    )]
    Field(&'static str),
    #[error(transparent)]
    Study(#[from] StudyError),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error("the result could not be compared: {0}")]
    Json(#[from] serde_json::Error),
}

/// The model that a golden is of; `None` where this is no golden run.
pub fn model_of(golden: &Value) -> Option<&str> {
    let is_run = golden["baseline"].is_object() || golden["cases"].is_array();
    golden["model"].as_str().filter(|_| is_run)
}

/// Runs the model's own order and every plan of a golden, all in one pass. `None` where it was ended
/// before: `progress` counts block runs and says whether to go on.
///
/// # Errors
/// When the golden lacks a field, the model cannot read its question or plans, or the device fails.
pub fn check(
    golden: &Value,
    model: &LoadedModel,
    mut result: GoldenResult,
    progress: &mut dyn FnMut(usize, usize) -> ControlFlow<()>,
) -> Result<Option<GoldenResult>, GoldenError> {
    let question = question(golden, model)?;
    let asked = [
        ("token_ids", &question.prompt.token_ids),
        ("option_token_ids", &question.prompt.option_ids),
    ];
    for (field, found) in asked {
        if let Some(expected) = golden.get(field)
            && ids(expected).as_ref() != Some(found)
        {
            result.said = Some(format!("{field} are others: {found:?}"));
        }
    }
    let (plans, expected): (Vec<Plan>, Vec<&Value>) = runs(golden, model)?.into_iter().unzip();
    let prompts = std::slice::from_ref(&question.prompt);
    let traces = match model.engine.run(prompts, &plans, progress) {
        Err(EngineError::Cancelled) => return Ok(None),
        traces => traces?,
    };
    for ((plan, traces), expected) in plans.iter().zip(traces).zip(expected) {
        for trace in traces {
            let found = serde_json::to_value(lens::lens(model, &question, plan, trace))?;
            let mut difference = Difference::new(result.tolerance);
            for (field, expected) in expected.as_object().ok_or(GoldenError::Field("runs"))? {
                if !["name", "steps", "plan"].contains(&field.as_str()) {
                    difference.walk(&found[field], expected, &format!("{plan} {field}"));
                }
            }
            result.take(difference);
        }
    }
    Ok(Some(result))
}

fn ids(value: &Value) -> Option<Vec<u32>> {
    serde_json::from_value(value.clone()).ok()
}

fn question(golden: &Value, model: &LoadedModel) -> Result<Question, GoldenError> {
    let answer = golden["answer"].as_u64().ok_or(GoldenError::Field("answer"))? as usize;
    Ok(match golden["prompt"].as_str() {
        Some(prompt) => {
            let options: Option<Vec<String>> =
                serde_json::from_value(golden["options"].clone()).ok();
            let options = options.ok_or(GoldenError::Field("options"))?;
            model.question(prompt, &options, answer)?
        }
        None => {
            let of = |field| ids(&golden[field]).ok_or(GoldenError::Field(field));
            model.question_from_ids(&of("ids")?, &of("rows")?, answer)?
        }
    })
}

/// Every plan with what it gave.
fn runs<'a>(golden: &'a Value, model: &LoadedModel) -> Result<Vec<(Plan, &'a Value)>, GoldenError> {
    let mut runs = Vec::new();
    if let Some(baseline) = golden.get("baseline") {
        runs.push((model.plan(None)?, baseline));
    }
    for plan in golden["plans"].as_array().into_iter().flatten() {
        let line = notation(&plan["steps"]).ok_or(GoldenError::Field("steps"))?;
        runs.push((model.plan(Some(&line))?, plan));
    }
    for case in golden["cases"].as_array().into_iter().flatten() {
        let line = case["plan"].as_str().ok_or(GoldenError::Field("plan"))?;
        runs.push((model.plan(Some(line))?, case));
    }
    refuse_if!(runs.is_empty(), GoldenError::Field("runs"));
    Ok(runs)
}

/// Steps as a golden has them (`[0, [1, 2], 3]`) in the one-line notation.
fn notation(steps: &Value) -> Option<String> {
    let block = |block: &Value| block.as_u64().map(|block| block.to_string());
    let step = |step: &Value| match step.as_array() {
        None => block(step),
        Some(group) => {
            let blocks: Option<Vec<String>> = group.iter().map(block).collect();
            Some(format!("({})", blocks?.join(",")))
        }
    };
    let steps: Option<Vec<String>> = steps.as_array()?.iter().map(step).collect();
    Some(steps?.join(","))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_read_as_a_line() {
        assert_eq!(notation(&json!([0, [1, 2], 3])).as_deref(), Some("0,(1,2),3"));
        assert_eq!(notation(&json!([0, "x"])), None);
        assert_eq!(notation(&json!(null)), None);
    }

    #[test]
    fn only_runs_of_a_model_are_goldens() {
        assert_eq!(model_of(&json!({"model": "m", "baseline": {}})), Some("m"));
        assert_eq!(model_of(&json!({"model": "m", "cases": []})), Some("m"));
        assert_eq!(model_of(&json!({"model": "m", "logit_lens": []})), None);
        assert_eq!(model_of(&json!([1, 2])), None);
    }
}
