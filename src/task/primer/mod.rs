//! The primer: the ten tasks in English of a few hundred words, with levels at which depth shows.
//!
//! ```text
//! Ann denies that Ben says that the soup is not bad. So it is            -> bad
//! Ann sings. Kim paints. Ben copies Ann. Joe copies Kim. So Ben paints   -> not
//! The sum 3 + 5 + 9 + 2 ends in                                           -> 9
//! ```
//!
//! Every word is one token with the space before it, every punctuation mark one too. The scholars
//! (`atelier train` makes them) learn it.

mod claim;
mod dice;
mod exercise;
mod fact;
mod follows;
mod generated;
mod held_out;
mod kind_of;
mod last;
mod levels;
mod mood;
mod often;
mod quiz;
mod same;
mod sense;
pub mod shortcuts;
pub(super) mod split;
mod sum;
mod tokenizer;
mod topic;
pub mod words;

pub use dice::Dice;
pub use exercise::{AskKind, CountedText, Exercise, ExerciseAsk};
pub use generated::{GeneratedRow, GeneratedTask};
pub use held_out::{MOST_ROWS, ROWS_SEED, drawn, held_out};
pub use levels::{level_count, level_name, level_noun, level_of_count, level_range, levels};
pub use split::{DataSplit, fnv};
pub use tokenizer::{encode, pieces, tokenizer_json, vocabulary};

/// An exercise of `task` at `level` (clamped to the last), whichever side it belongs to.
fn draw(task: GeneratedTask, level: usize, kind: AskKind, dice: &mut Dice) -> Exercise {
    (task.facts().draw)(level, kind, dice)
}

/// One row, on the side asked for.
pub fn row(task: GeneratedTask, level: usize, split: DataSplit, dice: &mut Dice) -> GeneratedRow {
    loop {
        let mut exercise = draw(task, level, AskKind::Claimed, dice);
        exercise.asks.truncate(1);
        if exercise.side() == Some(split) {
            return exercise.row(level_count(task, level.min(levels(task) - 1)));
        }
    }
}

/// An exercise to learn from: none of its asks would be a held-out row.
pub fn lesson(task: GeneratedTask, level: usize, kind: AskKind, dice: &mut Dice) -> Exercise {
    loop {
        let exercise = draw(task, level, kind, dice);
        if exercise.side() == Some(DataSplit::Training) {
            return exercise;
        }
    }
}

#[cfg(test)]
mod tests;
