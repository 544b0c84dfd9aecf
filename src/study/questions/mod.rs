//! The eight questions of *Transformer Layers as Painters* (its sections 3.1 to 3.8), put to
//! whatever model is loaded: the reader predicts, the model is swept, and the answer is worked out
//! from the numbers. Nothing of it is known before.

mod answer;
mod pool;

pub use answer::{Answer, Verdict, answer};

use crate::study::orders::{Extent, Sweep};
use crate::task::minilang::GeneratedTask;

/// One of the eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PaperQuestion {
    /// `3.1` to `3.8` in the paper.
    pub section: u8,
    pub ask: &'static str,
    /// How it is asked of the model, in one sentence.
    pub how: &'static str,
    /// What the reader may predict. [`Answer::choice`] is an index of these.
    pub choices: &'static [&'static str],
    /// Which of them the paper found, on models of 32 blocks and more.
    pub paper: usize,
    /// The orders it takes.
    pub sweeps: &'static [Sweep],
}

/// Tasks that go by the meaning of words.
pub const BY_MEANING: [GeneratedTask; 2] = [GeneratedTask::Topic, GeneratedTask::Same];
/// Tasks that go step by step.
pub const BY_STEPS: [GeneratedTask; 2] = [GeneratedTask::Sum, GeneratedTask::Last];

/// All tasks that the questions are asked on.
pub const TASKS: [GeneratedTask; 4] = [
    GeneratedTask::Topic,
    GeneratedTask::Same,
    GeneratedTask::Sum,
    GeneratedTask::Last,
];

/// Rows a task, and how far the sweeps go: enough for intervals one can tell apart, little enough
/// to wait for.
pub const ROWS: usize = 32;
/// Seeds and rounds of the sweeps.
pub const EXTENT: Extent = Extent {
    seeds: 3,
    rounds: 5,
    heads: 0,
};

/// In the paper's order.
pub const ALL: [PaperQuestion; 8] = [
    PaperQuestion {
        section: 1,
        ask: "Do painters speak the same language?",
        how: "Leave out one block at a time: does the next one understand what the one before it left?",
        choices: &[
            "In the middle yes, at the ends no",
            "Everywhere alike",
            "At the ends yes, in the middle no",
        ],
        paper: 0,
        sweeps: &[Sweep::Drop],
    },
    PaperQuestion {
        section: 2,
        ask: "Are all the painters necessary?",
        how: "Leave out a few blocks in the middle, all at once.",
        choices: &[
            "No: without a few, most is kept",
            "Yes: without a few, most is lost",
        ],
        paper: 0,
        sweeps: &[Sweep::Skip],
    },
    PaperQuestion {
        section: 3,
        ask: "Are the middle painters all doing the same thing?",
        how: "Let the centre block stand in for each block of the middle.",
        choices: &[
            "No: the centre cannot stand in for the others",
            "Yes: the centre can stand in for the others",
        ],
        paper: 0,
        sweeps: &[Sweep::Skip, Sweep::Repeat],
    },
    PaperQuestion {
        section: 4,
        ask: "Does the order of the painters matter?",
        how: "Reverse the middle, and shuffle it.",
        choices: &[
            "Somewhat: something is lost, and something kept",
            "Not at all",
            "Everything hangs on it",
        ],
        paper: 0,
        sweeps: &[Sweep::Skip, Sweep::Reverse, Sweep::Shuffle],
    },
    PaperQuestion {
        section: 5,
        ask: "Can the painters work side by side?",
        how: "Run the middle on one input and average, beside leaving the middle out.",
        choices: &[
            "Yes: better than leaving them out",
            "No: no better than leaving them out",
        ],
        paper: 0,
        sweeps: &[Sweep::Skip, Sweep::Parallel],
    },
    PaperQuestion {
        section: 6,
        ask: "Does order matter more for some tasks?",
        how: "Reverse the middle, on tasks that go by meaning (topic, same) and tasks that go by steps (sum, last).",
        choices: &[
            "More for tasks that go by steps",
            "More for tasks that go by meaning",
            "Alike for both",
        ],
        paper: 0,
        sweeps: &[Sweep::Reverse],
    },
    PaperQuestion {
        section: 7,
        ask: "Does a second look help painters side by side?",
        how: "Run the middle side by side three times over, beside once.",
        choices: &["Yes: three rounds beat one", "No: three rounds do not help"],
        paper: 0,
        sweeps: &[Sweep::Loop],
    },
    PaperQuestion {
        section: 8,
        ask: "Which change harms least, and which most?",
        how: "All of them on the same middle.",
        choices: &[
            "Shuffling or looping least, repeating most",
            "Skipping least",
            "Another order of harm",
        ],
        paper: 0,
        sweeps: &Sweep::FAMILY,
    },
];

#[cfg(test)]
mod tests;
