//! A generated mini-language of ten tasks in the shapes the papers use, small enough to learn in
//! minutes and readable enough to put on a blackboard:
//!
//! ```text
//! mood : the soup is not really bad . it is                            -> positive
//! sum : 3 + 5 + 9 + 2 ends in                                          -> 9
//! last : kim came after ann . tom came before ann . who came last ?  -> kim
//! ```
//!
//! Everything is a word between spaces and every word is one token, so `prompt + " " + option`
//! always adds exactly one token. A row belongs to the held-out side when the FNV-1a hash of its
//! prompt falls in one tenth of all values, and to the training side otherwise: no prompt can be
//! on both sides, whatever the seeds.

mod dice;
mod fact;
mod follows;
mod last;
mod meaning;
mod often;
mod quiz;
mod sum;
mod telling;
mod tokenizer;
pub mod words;

pub use dice::Dice;
pub use tokenizer::{encode, tokenizer_json};

/// The ten tasks; the paper's data set that each has the shape of is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GeneratedTask {
    /// Which of four topics most words come from (AG News).
    Topic,
    /// Which of the things A to D is of the category asked for (ARC).
    Quiz,
    /// Whether a claim about who is where holds in the story (BoolQ).
    Fact,
    /// Whether somebody always, sometimes or never does a thing (MNLI).
    Often,
    /// Whether two sentences mean the same (QQP).
    Same,
    /// Whether a general sentence follows from particular ones (RTE).
    Follows,
    /// Whether a review is positive, through chains of `not` (SST-2).
    Mood,
    /// Whether a word has the same sense twice (WiC).
    Sense,
    /// The last digit of a sum (GSM8K).
    Sum,
    /// Whose name comes last in an order told in pieces (LAMBADA's last word).
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

    /// The word a row of this task begins with.
    pub fn name(self) -> &'static str {
        match self {
            GeneratedTask::Topic => "topic",
            GeneratedTask::Quiz => "quiz",
            GeneratedTask::Fact => "fact",
            GeneratedTask::Often => "often",
            GeneratedTask::Same => "same",
            GeneratedTask::Follows => "follows",
            GeneratedTask::Mood => "mood",
            GeneratedTask::Sense => "sense",
            GeneratedTask::Sum => "sum",
            GeneratedTask::Last => "last",
        }
    }

    /// Of the word that a row begins with.
    pub fn from_name(name: &str) -> Option<GeneratedTask> {
        GeneratedTask::ALL
            .into_iter()
            .find(|task| task.name() == name)
    }

    /// 1/K on the held-out rows.
    pub fn chance(self) -> f64 {
        match self {
            GeneratedTask::Topic | GeneratedTask::Quiz | GeneratedTask::Last => 0.25,
            GeneratedTask::Fact
            | GeneratedTask::Same
            | GeneratedTask::Follows
            | GeneratedTask::Mood
            | GeneratedTask::Sense => 0.5,
            GeneratedTask::Often => 1.0 / 3.0,
            GeneratedTask::Sum => 0.1,
        }
    }
}

/// A prompt with its options and the index of the right one. Every option begins with a space and
/// is one token after the prompt.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct GeneratedRow {
    pub prompt: String,
    pub options: Vec<String>,
    pub answer: usize,
}

/// Levels of difficulty: `0..LEVELS`. The held-out rows are of the last one.
pub const LEVELS: usize = 4;

/// Which rows a model may be trained on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataSplit {
    Training,
    HeldOut,
}

impl DataSplit {
    /// The side a prompt belongs to.
    pub fn of(prompt: &str) -> DataSplit {
        // FNV's low bits depend on few bytes; the high half decides.
        if (fnv(prompt) >> 32).is_multiple_of(10) {
            DataSplit::HeldOut
        } else {
            DataSplit::Training
        }
    }
}

/// FNV-1a.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// One row of `task` at `level` (clamped to the last), on the side asked for.
pub fn row(task: GeneratedTask, level: usize, split: DataSplit, dice: &mut Dice) -> GeneratedRow {
    on_side(split, || match task {
        GeneratedTask::Topic => meaning::topic(level, dice),
        GeneratedTask::Quiz => quiz::quiz(level, dice),
        GeneratedTask::Fact => fact::fact(level, dice),
        GeneratedTask::Often => often::often(level, dice),
        GeneratedTask::Same => meaning::same(level, dice),
        GeneratedTask::Follows => follows::follows(level, dice),
        GeneratedTask::Mood => meaning::mood(level, dice),
        GeneratedTask::Sense => meaning::sense(level, dice),
        GeneratedTask::Sum => sum::sum(level, dice),
        GeneratedTask::Last => last::last(level, dice),
    })
}

/// A row for training only. Besides its answer, the words at `counted` (0 is the prompt's first)
/// follow from what was said before them and count fully in the loss.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drill {
    pub row: GeneratedRow,
    pub counted: Vec<usize>,
}

/// A row that asks for a part of what `task` needs, with an answer that says more than yes or no
/// ("so tom is in the" -> " barn"). Two-option tasks that look something up in their story stay at
/// chance for millions of tokens without such help.
pub fn drill(task: GeneratedTask, level: usize, dice: &mut Dice) -> Option<Drill> {
    let draw: fn(usize, &mut Dice) -> Drill = match task {
        GeneratedTask::Quiz => quiz::quiz_drill,
        GeneratedTask::Fact => fact::fact_drill,
        GeneratedTask::Often => often::often_drill,
        GeneratedTask::Follows => follows::follows_drill,
        _ => return None,
    };
    loop {
        let drill = draw(level, dice);
        if drill.is_for_training() {
            return Some(drill);
        }
    }
}

impl Drill {
    /// Neither the whole prompt nor what precedes a counted word is a held-out prompt.
    fn is_for_training(&self) -> bool {
        let words: Vec<&str> = self.row.prompt.split(' ').collect();
        let ends = self.counted.iter().copied().chain([words.len()]);
        ends.into_iter()
            .all(|end| DataSplit::of(&words[..end].join(" ")) == DataSplit::Training)
    }
}

fn on_side(split: DataSplit, mut draw: impl FnMut() -> GeneratedRow) -> GeneratedRow {
    loop {
        let row = draw();
        if DataSplit::of(&row.prompt) == split {
            return row;
        }
    }
}

/// Seed of the held-out rows that the card's accuracies are of, and that sweeps run on.
pub const ROWS_SEED: u64 = 1;

/// Most rows that are drawn at once: more ask the same again and again.
pub const MOST_ROWS: usize = 1_000_000;

/// `count` held-out rows of the last level, the same for the same seed. Distinct as long as there
/// are enough of them: after a hundred draws in a row that were seen before, repeats are let in.
pub fn held_out(task: GeneratedTask, count: usize, seed: u64) -> Vec<GeneratedRow> {
    drawn(task, count, seed).collect()
}

/// The same, one after another; of those before only a hash is kept.
pub fn drawn(task: GeneratedTask, count: usize, seed: u64) -> impl Iterator<Item = GeneratedRow> {
    let mut dice = Dice::new(seed, task as u64);
    let mut seen = std::collections::HashSet::new();
    let mut next = move || {
        for _ in 0..100 {
            let row = row(task, LEVELS - 1, DataSplit::HeldOut, &mut dice);
            if seen.insert(fnv(&row.prompt)) {
                return row;
            }
        }
        let row = row(task, LEVELS - 1, DataSplit::HeldOut, &mut dice);
        seen.insert(fnv(&row.prompt));
        row
    };
    (0..count).map(move |_| next())
}

/// Options as they stand after a prompt: each with its leading space.
fn finish(prompt: String, options: &[&str], answer: usize) -> GeneratedRow {
    GeneratedRow {
        prompt,
        options: options.iter().map(|option| format!(" {option}")).collect(),
        answer,
    }
}

#[cfg(test)]
mod tests;
