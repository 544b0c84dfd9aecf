//! Which of the program's own tasks a model cannot be asked, found without a run.

use serde::{Deserialize, Serialize};

use super::{LoadedModel, StudyError};
use crate::task::built_in::BuiltInTask;
use crate::task::item::Item;

/// A task that a model cannot be asked, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskRefusal {
    pub task: BuiltInTask,
    /// The error's own words.
    pub reason: String,
}

/// Lists the built-in tasks that this model cannot be asked. Reads a few questions of each with its tokenizer.
pub fn task_refusals(model: &LoadedModel) -> Vec<TaskRefusal> {
    let refused = BuiltInTask::all().filter_map(|task| {
        let error = task_refusal(model, task)?;
        Some(TaskRefusal { task, reason: error.to_string() })
    });
    refused.collect()
}

/// Says why this model cannot be asked this task.
pub(in crate::study) fn task_refusal(model: &LoadedModel, task: BuiltInTask) -> Option<StudyError> {
    task.probe().into_iter().find_map(|item| match &item {
        Item::Option { prompt, options, answer } => prompt_refusal(model, prompt, options, *answer),
        _ => None,
    })
}

/// Says why this model cannot be asked this question: a word that it does not know, or an option that is not one
/// token.
pub(in crate::study) fn prompt_refusal(
    model: &LoadedModel,
    prompt: &str,
    options: &[String],
    answer: usize,
) -> Option<StudyError> {
    check(model, prompt, options, answer).err()
}

fn check(
    model: &LoadedModel,
    prompt: &str,
    options: &[String],
    answer: usize,
) -> Result<(), StudyError> {
    // Unknown words are one token: options of them would be called equal.
    let tokenizer = model.tokenizer()?;
    if let Some(unknown) = &model.unknown {
        let (ids, pieces) = (tokenizer.encode(prompt)?, tokenizer.pieces(prompt)?);
        let mut words = ids.iter().zip(pieces);
        if let Some((_, word)) = words.find(|(id, _)| **id == unknown.id) {
            return Err(StudyError::UnknownWord { word });
        }
    }
    model.question(prompt, options, answer).map(|_| ())
}
