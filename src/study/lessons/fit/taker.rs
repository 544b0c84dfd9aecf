//! A model, with what it can be asked.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::study::LoadedModel;
use crate::study::lessons::LessonPrompt;
use crate::study::refusal::{prompt_refusal, task_refusal};
use crate::task::built_in::BuiltInTask;
use crate::task::plain::PlainTask;

/// A model that takes lessons. What it says to a task is kept: many steps ask the same ones.
pub struct LessonTaker<'a> {
    pub(super) model: &'a LoadedModel,
    refusals: RefCell<BTreeMap<BuiltInTask, Option<String>>>,
}

impl<'a> LessonTaker<'a> {
    /// Makes the taker of a model, which was asked no task yet.
    pub fn new(model: &'a LoadedModel) -> Self {
        Self { model, refusals: RefCell::default() }
    }

    /// Says why it cannot be asked this task.
    pub(super) fn task_refusal(&self, task: BuiltInTask) -> Option<String> {
        let mut refusals = self.refusals.borrow_mut();
        let refusal = || task_refusal(self.model, task).map(|error| error.to_string());
        refusals.entry(task).or_insert_with(refusal).clone()
    }

    /// Says why it cannot be asked this prompt.
    pub(super) fn prompt_refusal(&self, prompt: &LessonPrompt) -> Option<String> {
        let refusal = prompt_refusal(self.model, &prompt.text, &prompt.options, prompt.answer);
        refusal.map(|error| error.to_string())
    }
}

/// A model for which a step is made concrete.
#[derive(Clone, Copy)]
pub enum StepTaker<'a> {
    /// The model that it is written for.
    Written,
    /// A model of so many blocks that reads plain English wherever that is offered.
    Plain {
        blocks: usize,
    },
    Model(&'a LessonTaker<'a>),
}

impl StepTaker<'_> {
    /// Whether it is asked this prompt in plain English.
    pub fn reads(self, prompt: &LessonPrompt) -> bool {
        self.takes_plain(|model| model.prompt_refusal(prompt))
    }

    /// Whether it is asked this task in plain English.
    pub fn answers(self, task: PlainTask) -> bool {
        self.takes_plain(|model| model.task_refusal(BuiltInTask::Plain(task)))
    }

    fn takes_plain(self, refusal: impl FnOnce(&LessonTaker<'_>) -> Option<String>) -> bool {
        match self {
            Self::Written => false,
            Self::Plain { .. } => true,
            Self::Model(model) => refusal(model).is_none(),
        }
    }
}
