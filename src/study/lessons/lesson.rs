//! Contents of a lesson's file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::{Predicate, StepAsk};

/// One lesson, as its file has it. Every text has a key for translators: the lesson's id, the step's, the
/// option's, and the field's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lesson {
    pub id: String,
    pub title: String,
    pub minutes: u32,
    /// Ids of the lessons that come before.
    #[serde(default)]
    pub needs: Vec<String>,
    /// A belief that many hold before the lesson.
    pub belief: String,
    /// The lesson's result to remember, in one sentence.
    pub takeaway: String,
    /// The catalogue's model that it is written for; a reader may put any other in its place.
    pub model: String,
    pub teacher: TeacherNotes,
    /// The prompt of the steps that name none of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<LessonPrompt>,
    #[serde(rename = "step")]
    pub steps: Vec<LessonStep>,
}

/// For who stands in front of a class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TeacherNotes {
    /// Answers that pupils give.
    pub heard: Vec<String>,
    /// Questions to ask back.
    pub ask_back: Vec<String>,
}

/// A prompt with options and a right answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonPrompt {
    pub text: String,
    pub options: Vec<String>,
    /// Index of the right option.
    pub answer: usize,
    /// The prompt for a model that reads plain English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<Box<LessonPrompt>>,
}

/// One screen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonStep {
    /// Once in its lesson.
    pub id: String,
    /// The set-up. Fields in braces are of what `before` found: `{before.vote.1m:2}`.
    pub say: String,
    /// The question; fields as in the set-up.
    pub ask: String,
    #[serde(rename = "option")]
    pub options: Vec<LessonOption>,
    /// The catalogue's model that this step is written for, where it is not the lesson's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The run before the question is asked, where the set-up names fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<StepAsk>,
    /// The premise that makes the set-up true of a model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<LessonPremise>,
    /// The run once the reader has predicted.
    #[serde(rename = "do")]
    pub action: StepAsk,
    /// The result in words. Fields in braces are of what `do` found, and with `before.` of what `before` did.
    pub reveal: String,
    /// A conclusion that the run does not allow.
    pub caveat: String,
    #[serde(default, skip_serializing_if = "LessonMarks::is_empty")]
    pub marks: LessonMarks,
    /// Blocks of the model that it is written for, by the names that its plans and texts use (`<late>`,
    /// `{place.late}`); in a model of another depth, the blocks at the same share of the way.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub places: BTreeMap<String, usize>,
    /// Other words of the step, for a model that reads plain English.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plain: Option<PlainStep>,
    /// Does the step leave its question open on the model that it is written for?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

/// A prediction that the reader may choose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonOption {
    /// Once in its step.
    pub id: String,
    pub text: String,
    /// When is it right?
    pub holds: Predicate,
    /// A belief of those who choose it; an option that is wrong on the model that the step is written for has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub belief: Option<String>,
    /// The run's words on it where it holds, and also where it does not if there is no `but`; fields as in the
    /// reveal.
    pub why: String,
    /// The run's words on it where it does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub but: Option<String>,
}

/// Texts and places of a step, each in place of the one of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlainStep {
    pub say: Option<String>,
    pub ask: Option<String>,
    pub reveal: Option<String>,
    pub caveat: Option<String>,
    /// Blocks of the model that the step is written for, in place of those of these names.
    pub places: BTreeMap<String, usize>,
    /// By the options' ids.
    pub option: BTreeMap<String, PlainOption>,
}

/// Texts of an option, each in place of the one of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlainOption {
    pub text: Option<String>,
    pub belief: Option<String>,
    pub why: Option<String>,
    pub but: Option<String>,
}

/// A premise of a step on the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LessonPremise {
    /// On fields of what ran before the question.
    pub holds: Predicate,
    /// Part of a sentence on a model of which it does not hold: what that model lacks.
    pub lacking: String,
}

/// Marks of a question and its picture: on parts of the model and on words, never on parts of the page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LessonMarks {
    /// `embedding`, `3a`, `3m`.
    pub members: Vec<String>,
    /// Stored blocks.
    pub blocks: Vec<usize>,
    /// Stored blocks, as places of the step: `late`, `late..last`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<String>,
    /// Tokens of the prompt.
    pub tokens: Vec<String>,
}

impl LessonMarks {
    /// A prompt's words, each with whether it is pointed at: of words that stand in it twice, the last.
    pub fn in_prompt<'a>(&self, prompt: &'a str) -> Vec<(&'a str, bool)> {
        let mut words: Vec<(&str, bool)> = prompt.split(' ').map(|word| (word, false)).collect();
        for token in &self.tokens {
            if let Some(last) = words.iter_mut().rfind(|(word, _)| word == token) {
                last.1 = true;
            }
        }
        words
    }

    /// The stored blocks that are pointed at: by themselves, or with one of their members.
    pub fn all_blocks(&self) -> BTreeSet<usize> {
        let members = self.members.iter();
        let of_members = members.filter_map(|name| name.trim_end_matches(['a', 'm']).parse().ok());
        self.blocks.iter().copied().chain(of_members).collect()
    }

    /// Is nothing pointed at?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Lesson {
    /// The model that a step is written for.
    pub fn model_of<'a>(&'a self, step: &'a LessonStep) -> &'a str {
        step.model.as_deref().unwrap_or(&self.model)
    }
}

impl LessonStep {
    /// The prompt that its question is about, where that is one prompt.
    pub fn prompt<'a>(&'a self, lesson: Option<&'a LessonPrompt>) -> Option<&'a LessonPrompt> {
        self.action.prompt(lesson)
    }

    /// Does the model that is taught with run in it? Else its models are named in the file, or there are none.
    pub fn runs_taught(&self) -> bool {
        let mut asks = self.before.iter().chain([&self.action]);
        asks.any(StepAsk::runs_taught)
    }
}
