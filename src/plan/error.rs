//! Errors of a plan. Each is one sentence that says what to write instead.

use super::strategy::FORMS;
use super::{MAX_REPEAT, MAX_RUNS};

/// Why a line is not a plan of this model. Characters are counted from 1; `blocks` is the number
/// of blocks the model stores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the plan is empty: name the blocks to run, in order, such as `{}` ({})", example_plan(*.blocks), block_numbers(*.blocks))]
    Empty { blocks: usize },
    #[error("the plan has `{found}` at character {at} where {expected} should stand ({})", block_numbers(*.blocks))]
    Unexpected { found: String, at: usize, expected: &'static str, blocks: usize },
    #[error("the plan ends where {expected} should stand ({})", block_numbers(*.blocks))]
    Ended { expected: &'static str, blocks: usize },
    #[error("the plan runs block {block}{}, which this model does not have: {}", at_character(*.at), block_numbers(*.blocks))]
    NoSuchBlock { block: String, at: Option<usize>, blocks: usize },
    #[error("the plan's group{} is empty: name the blocks to run in parallel, such as `(1,2)`", at_character(*.at))]
    EmptyGroup { at: Option<usize> },
    #[error("the plan's group that opens at character {at} is not closed: end it with `)`")]
    OpenGroup { at: usize },
    #[error("the plan has a repeat of x{count} at character {at}: write x1 to x{MAX_REPEAT}")]
    RepeatCount { count: String, at: usize },
    #[error(
        "the plan repeats the range `{range}` at character {at}, which could mean two plans. Write the range \
         again, repeat each block (`{}`), or run the range in parallel (`({range})x{count}`)",
        each_repeated(range, count)
    )]
    RepeatedRange { range: String, count: String, at: usize },
    #[error(
        "the plan switches heads of the range `{range}` off at character {at}: write the blocks one by \
         one, such as `{}~h0`",
        range.split('-').next().unwrap_or_default()
    )]
    HeadsOfRange { range: String, at: usize },
    #[error(
        "the plan switches a head of block {block}'s MLP off at character {at}, which has none: write \
         `{block}~h0` or `{block}a~h0`"
    )]
    HeadsOfMlp { block: usize, at: usize },
    #[error(
        "the plan switches head {head} of block {block} off: a plan speaks of heads 0 to {}",
        super::HeadsOff::MOST - 1
    )]
    HeadPastAll { head: String, block: usize },
    #[error("the plan switches head {head} of block {block} off, which is not there: {}", head_numbers(*.heads))]
    NoSuchHead { head: String, block: usize, heads: usize },
    #[error("the plan asks for {runs} block runs: at most {MAX_RUNS} are run in one plan")]
    TooLong { runs: usize },
    #[error(
        "`{line}` is not a plan: name one of {} or write the blocks to run, such as `0-3,5,4`",
        FORMS.map(|form| format!("`{form}`")).join(", ")
    )]
    UnknownStrategy { line: String },
    #[error("`{name}` is not written as `{form}` with whole numbers")]
    StrategyForm { name: String, form: &'static str },
    #[error("`{strategy}` keeps {kept} of the model's {runs} block runs at its ends and leaves none between: {}", largest_ends(*.runs))]
    NoMiddle { strategy: String, kept: usize, runs: usize },
    #[error(
        "`{strategy}` speaks of block run {position}, but the model runs {runs}, counted from 0"
    )]
    NoSuchPosition { strategy: String, position: usize, runs: usize },
    #[error("`{strategy}` runs its group too few or too many times: R is from 1 to {MAX_REPEAT}")]
    Rounds { strategy: String },
    #[error("`{strategy}` leaves nothing to run: the model has a single block run")]
    NothingLeft { strategy: String },
}

fn at_character(at: Option<usize>) -> String {
    at.map_or_else(String::new, |at| format!(" at character {at}"))
}

fn block_numbers(blocks: usize) -> String {
    match blocks {
        0 => "this model has no blocks".to_owned(),
        1 => "this model's only block is 0".to_owned(),
        blocks => format!("this model's blocks are 0 to {}", blocks - 1),
    }
}

fn head_numbers(heads: usize) -> String {
    match heads {
        1 => "its only head is 0".to_owned(),
        heads => format!("heads are 0 to {}", heads.saturating_sub(1)),
    }
}

fn example_plan(blocks: usize) -> String {
    match blocks {
        0 | 1 => "0".to_owned(),
        blocks => format!("0-{}", blocks - 1),
    }
}

fn each_repeated(range: &str, count: &str) -> String {
    let (first, last) = range.split_once('-').unwrap_or((range, ""));
    format!("{first}x{count},…,{last}x{count}")
}

/// Says the largest `s` that leaves a middle: `T - 2s - 1 >= 1`.
fn largest_ends(runs: usize) -> String {
    match runs {
        0 | 1 => "this model has too few blocks for any s".to_owned(),
        2 | 3 => "s can only be 0 here".to_owned(),
        runs => format!("s is at most {} here", (runs - 2) / 2),
    }
}
