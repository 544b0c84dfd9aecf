//! The ten tasks that rows are drawn of, and what a row is.

use super::fact::fact;
use super::follows::follows;
use super::last::last;
use super::mood::mood;
use super::often::often;
use super::quiz::quiz;
use super::same::same;
use super::sense::sense;
use super::sum::sum;
use super::topic::topic;
use super::{AskKind, Dice, Exercise};
use crate::task::item::Item;

/// The ten tasks; the paper's data set that each has the shape of is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GeneratedTask {
    /// Which of four topics most words come from (AG News).
    Topic,
    /// Which of the things A to D is of the category asked for (ARC).
    Quiz,
    /// Whether a claim about who does what holds in the story (BoolQ).
    Fact,
    /// Whether somebody always, sometimes or never does a thing (MNLI).
    Often,
    /// Whether two sentences mean the same (QQP).
    Same,
    /// Whether a general sentence follows from particular ones (RTE).
    Follows,
    /// Whether something is good or bad, through who says and who denies it (SST-2).
    Mood,
    /// Whether a word has the same sense twice (WiC).
    Sense,
    /// The last digit of a sum (GSM8K).
    Sum,
    /// The last person in a line that is told in pieces (LAMBADA's last word).
    Last,
}

impl GeneratedTask {
    /// All ten, in order.
    pub const ALL: [GeneratedTask; 10] = [
        GeneratedTask::Topic,
        GeneratedTask::Quiz,
        GeneratedTask::Fact,
        GeneratedTask::Often,
        GeneratedTask::Same,
        GeneratedTask::Follows,
        GeneratedTask::Mood,
        GeneratedTask::Sense,
        GeneratedTask::Sum,
        GeneratedTask::Last,
    ];

    pub(super) fn facts(self) -> &'static TaskFacts {
        &FACTS[self as usize]
    }

    /// As the command line and files spell it.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// Its question, in a few words.
    pub fn about(self) -> &'static str {
        ABOUT[self as usize]
    }

    /// The task of this name.
    pub fn from_name(name: &str) -> Option<GeneratedTask> {
        GeneratedTask::ALL.into_iter().find(|task| task.name() == name)
    }

    /// 1/K, by its options.
    pub fn chance(self) -> f64 {
        1.0 / self.facts().options as f64
    }
}

/// Everything that sets a task apart.
pub(super) struct TaskFacts {
    name: &'static str,
    /// K
    options: usize,
    pub levels: usize,
    /// The things that its levels count, which are one without the s, and how many there are at level 0.
    pub counted: (usize, &'static str),
    /// Draws an exercise at a level, clamped to the last.
    pub draw: fn(usize, AskKind, &mut Dice) -> Exercise,
}

/// In the order of [`GeneratedTask::ALL`].
static FACTS: [TaskFacts; 10] = [
    TaskFacts { name: "topic", options: 4, levels: 3, counted: (0, "stray words"), draw: topic },
    TaskFacts { name: "quiz", options: 4, levels: 3, counted: (2, "things"), draw: quiz },
    TaskFacts { name: "fact", options: 2, levels: 4, counted: (1, "hops"), draw: fact },
    TaskFacts { name: "often", options: 3, levels: 4, counted: (2, "days"), draw: often },
    TaskFacts { name: "same", options: 2, levels: 3, counted: (1, "clauses"), draw: same },
    TaskFacts { name: "follows", options: 2, levels: 4, counted: (2, "facts"), draw: follows },
    TaskFacts { name: "mood", options: 2, levels: 7, counted: (0, "negations"), draw: mood },
    TaskFacts {
        name: "sense",
        options: 2,
        levels: 3,
        counted: (1, "ambiguous words"),
        draw: sense,
    },
    TaskFacts { name: "sum", options: 10, levels: 8, counted: (2, "digits"), draw: sum },
    TaskFacts { name: "last", options: 4, levels: 3, counted: (1, "hops"), draw: last },
];

/// In the order of [`GeneratedTask::ALL`].
const ABOUT: [&str; 10] = [
    "which of four topics most words come from",
    "which of the things A to D is of the category asked for",
    "whether a claim about who does what holds",
    "whether somebody always, sometimes or never does a thing",
    "whether two sentences mean the same",
    "whether a general sentence follows",
    "whether a thing is good or bad, through who says and who denies it",
    "whether a word has the same sense twice",
    "the last digit of a sum",
    "who is last in a line that is told in pieces",
];

/// A prompt with its options and the index of the right one. Every option begins with a space and
/// is one token after the prompt.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GeneratedRow {
    pub prompt: String,
    pub options: Vec<String>,
    pub answer: usize,
    /// How hard it is, in the task's own count: digits, hops, negations.
    pub level: usize,
}

impl From<GeneratedRow> for Item {
    fn from(row: GeneratedRow) -> Self {
        Item::Option { prompt: row.prompt, options: row.options, answer: row.answer }
    }
}
