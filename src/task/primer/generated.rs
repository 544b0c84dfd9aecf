//! The ten tasks that rows are drawn of, and what a row is.

use super::{AskKind, Dice, Exercise};
use super::{fact, follows, last, mood, often, quiz, same, sense, sum, topic};
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
        self.facts().about
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
    about: &'static str,
    /// K
    options: usize,
    pub levels: usize,
    /// The thing that its levels count: how many at level 0, one of them, and several.
    pub counted: (usize, &'static str, &'static str),
    /// Draws an exercise at a level, clamped to the last.
    pub draw: fn(usize, AskKind, &mut Dice) -> Exercise,
}

/// In the order of [`GeneratedTask::ALL`].
static FACTS: [TaskFacts; 10] = [
    TaskFacts {
        name: "topic",
        about: "which of four topics most words come from",
        options: 4,
        levels: 3,
        counted: (0, "stray word", "stray words"),
        draw: |level, _, dice| topic::topic(level, dice),
    },
    TaskFacts {
        name: "quiz",
        about: "which of the things A to D is of the category asked for",
        options: 4,
        levels: 3,
        counted: (2, "thing", "things"),
        draw: quiz::quiz,
    },
    TaskFacts {
        name: "fact",
        about: "whether a claim about who does what holds",
        options: 2,
        levels: 4,
        counted: (1, "hop", "hops"),
        draw: fact::fact,
    },
    TaskFacts {
        name: "often",
        about: "whether somebody always, sometimes or never does a thing",
        options: 3,
        levels: 4,
        counted: (2, "day", "days"),
        draw: |level, _, dice| often::often(level, dice),
    },
    TaskFacts {
        name: "same",
        about: "whether two sentences mean the same",
        options: 2,
        levels: 3,
        counted: (1, "clause", "clauses"),
        draw: |level, _, dice| same::same(level, dice),
    },
    TaskFacts {
        name: "follows",
        about: "whether a general sentence follows",
        options: 2,
        levels: 4,
        counted: (2, "fact", "facts"),
        draw: follows::follows,
    },
    TaskFacts {
        name: "mood",
        about: "whether a thing is good or bad, through who says and who denies it",
        options: 2,
        levels: 7,
        counted: (0, "negation", "negations"),
        draw: |level, _, dice| mood::mood(level, dice),
    },
    TaskFacts {
        name: "sense",
        about: "whether a word has the same sense twice",
        options: 2,
        levels: 3,
        counted: (1, "ambiguous word", "ambiguous words"),
        draw: |level, _, dice| sense::sense(level, dice),
    },
    TaskFacts {
        name: "sum",
        about: "the last digit of a sum",
        options: 10,
        levels: 8,
        counted: (2, "digit", "digits"),
        draw: |level, _, dice| sum::sum(level, dice),
    },
    TaskFacts {
        name: "last",
        about: "who is last in a line that is told in pieces",
        options: 4,
        levels: 3,
        counted: (1, "hop", "hops"),
        draw: |level, _, dice| last::last(level, dice),
    },
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
