//! Errors of a plan. Each is one sentence that says what to write instead.

use std::fmt;

use super::{MAX_REPEAT, MAX_RUNS};

/// Why a line is not a plan of this model. Characters are counted from 1; `blocks` is the number
/// of blocks the model stores.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the plan is empty: name the blocks to run, in order, such as `{}` ({})", ExamplePlan(*.blocks), Blocks(*.blocks))]
    Empty { blocks: usize },
    #[error("the plan has `{found}` at character {at} where {expected} should stand ({})", Blocks(*.blocks))]
    Unexpected { found: String, at: usize, expected: &'static str, blocks: usize },
    #[error("the plan ends where {expected} should stand ({})", Blocks(*.blocks))]
    Ended { expected: &'static str, blocks: usize },
    #[error("the plan runs block {block}{}, which this model does not have: {}", AtCharacter(*.at), Blocks(*.blocks))]
    NoSuchBlock { block: String, at: Option<usize>, blocks: usize },
    #[error("the plan's group{} is empty: name the blocks to run in parallel, such as `(1,2)`", AtCharacter(*.at))]
    EmptyGroup { at: Option<usize> },
    #[error("the plan's group that opens at character {at} is not closed: end it with `)`")]
    OpenGroup { at: usize },
    #[error("the plan has a repeat of x{count} at character {at}: write x1 to x{MAX_REPEAT}")]
    RepeatCount { count: String, at: usize },
    #[error(
        "the plan repeats the range `{range}` at character {at}, which could mean two plans. Write the range \
         again, repeat each block (`{}`), or run the range in parallel (`({range})x{count}`)",
        EachRepeated { range, count }
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
    #[error("the plan switches head {head} of block {block} off, which is not there: {}", HeadNumbers(*.heads))]
    NoSuchHead { head: String, block: usize, heads: usize },
    #[error("the plan asks for {runs} block runs: at most {MAX_RUNS} are run in one plan")]
    TooLong { runs: usize },
    #[error(
        "`{line}` is not a plan: name one of {} or write the blocks to run, such as `0-3,5,4`",
        STRATEGIES
    )]
    UnknownStrategy { line: String },
    #[error("`{name}` is not written as `{form}` with whole numbers")]
    StrategyForm { name: String, form: &'static str },
    #[error("`{strategy}` keeps {kept} of the model's {runs} block runs at its ends and leaves none between: {}", Largest(*.runs))]
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

/// The named strategies as they are written.
const STRATEGIES: &str = "`skip:s`, `repeat:s`, `reverse:s`, `shuffle:s:seed`, `parallel:s`, `loop:s:R`, `drop:i`, `swap:i`, `head:i:h`";

struct AtCharacter(Option<usize>);

impl fmt::Display for AtCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |at| write!(f, " at character {at}"))
    }
}

struct Blocks(usize);

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => write!(f, "this model has no blocks"),
            1 => write!(f, "this model's only block is 0"),
            blocks => write!(f, "this model's blocks are 0 to {}", blocks - 1),
        }
    }
}

struct HeadNumbers(usize);

impl fmt::Display for HeadNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => write!(f, "its only head is 0"),
            heads => write!(f, "heads are 0 to {}", heads.saturating_sub(1)),
        }
    }
}

struct ExamplePlan(usize);

impl fmt::Display for ExamplePlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 | 1 => write!(f, "0"),
            blocks => write!(f, "0-{}", blocks - 1),
        }
    }
}

struct EachRepeated<'a> {
    range: &'a str,
    count: &'a str,
}

impl fmt::Display for EachRepeated<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.range.split_once('-').unwrap_or((self.range, ""));
        write!(f, "{first}x{count},…,{last}x{count}", count = self.count)
    }
}

/// The largest `s` that leaves a middle: `T - 2s - 1 >= 1`.
struct Largest(usize);

impl fmt::Display for Largest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 | 1 => write!(f, "this model has too few blocks for any s"),
            2 | 3 => write!(f, "s can only be 0 here"),
            runs => write!(f, "s is at most {} here", (runs - 2) / 2),
        }
    }
}
