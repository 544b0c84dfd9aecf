//! The named orders of *Transformer Layers as Painters* (docs/definitions.md, section 7).
//!
//! A strategy acts on the positions of the model's own order (T block runs), which are the stored
//! blocks themselves but for models that run a block twice. `s` cuts the ends as the paper's code
//! does: the first `s + 1` and the last `s` runs stay, the `T - 2s - 1` between are the middle.

use std::fmt;

use super::notation::shortened;
use super::shuffle::shuffle;
use super::{BlockRun, HeadsOff, MAX_REPEAT, Plan, PlanError, Step, stored_blocks};

/// The named orders as they are written.
pub(super) const FORMS: [&str; 9] = [
    "skip:s",
    "repeat:s",
    "reverse:s",
    "shuffle:s:seed",
    "parallel:s",
    "loop:s:R",
    "drop:i",
    "swap:i",
    "head:i:h",
];

/// A named order. `s` is the last of the first runs that stay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// `skip:s`: the middle is left out.
    Skip { s: usize },
    /// `repeat:s`: block run `T / 2` in place of each of the middle.
    Repeat { s: usize },
    /// `reverse:s`: the middle, last first.
    Reverse { s: usize },
    /// `shuffle:s:seed`: the middle as CPython's `random.shuffle` leaves it.
    Shuffle { s: usize, seed: u64 },
    /// `parallel:s`: the middle side by side.
    Parallel { s: usize },
    /// `loop:s:R`: the middle side by side, `rounds` times.
    Loop { s: usize, rounds: usize },
    /// `drop:i`: all but one.
    Drop { position: usize },
    /// `swap:i`: one and the next exchanged.
    Swap { position: usize },
    /// `head:i:h`: one query head of one run switched off.
    Head { position: usize, head: usize },
}

impl Strategy {
    /// Reads `reverse:2`, `shuffle:2:0`, ….
    ///
    /// # Errors
    /// An unknown name, or numbers that are not what the name takes.
    pub fn parse(line: &str) -> Result<Self, PlanError> {
        let mut parts = line.trim().split(':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let numbers: Vec<Option<u64>> = parts.map(|part| part.parse().ok()).collect();
        let is_named = |form: &&&str| form.split(':').next() == Some(name);
        let Some(&form) = FORMS.iter().find(is_named) else {
            return Err(PlanError::UnknownStrategy { line: shortened(line.trim()) });
        };
        let wrong = PlanError::StrategyForm { name: shortened(line.trim()), form };
        // Past every model's size: an error at `plan`, with the model's own size in it.
        let size = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        Ok(match (name, numbers.as_slice()) {
            ("skip", &[Some(s)]) => Strategy::Skip { s: size(s) },
            ("repeat", &[Some(s)]) => Strategy::Repeat { s: size(s) },
            ("reverse", &[Some(s)]) => Strategy::Reverse { s: size(s) },
            ("shuffle", &[Some(s), Some(seed)]) => Strategy::Shuffle { s: size(s), seed },
            ("parallel", &[Some(s)]) => Strategy::Parallel { s: size(s) },
            ("loop", &[Some(s), Some(rounds)]) => {
                Strategy::Loop { s: size(s), rounds: size(rounds) }
            }
            ("drop", &[Some(position)]) => Strategy::Drop { position: size(position) },
            ("swap", &[Some(position)]) => Strategy::Swap { position: size(position) },
            ("head", &[Some(position), Some(head)]) => {
                Strategy::Head { position: size(position), head: size(head) }
            }
            _ => return Err(wrong),
        })
    }

    /// The steps on a model that runs its stored blocks in `order`.
    ///
    /// # Errors
    /// `s` leaves no middle, a position past the last, no rounds or more than [`MAX_REPEAT`], or
    /// nothing left to run.
    pub fn plan(&self, order: &[usize]) -> Result<Plan, PlanError> {
        let block = |&index: &usize| Step::block(index);
        let steps: Vec<Step> = match *self {
            Strategy::Skip { s } => {
                let ends = self.cut(order, s)?;
                ends.first.iter().chain(ends.last).map(block).collect()
            }
            Strategy::Repeat { s } => {
                let ends = self.cut(order, s)?;
                let centre = vec![order[order.len() / 2]; ends.middle.len()];
                ends.around(centre.iter().map(block))
            }
            Strategy::Reverse { s } => {
                let ends = self.cut(order, s)?;
                ends.around(ends.middle.iter().rev().map(block))
            }
            Strategy::Shuffle { s, seed } => {
                let ends = self.cut(order, s)?;
                let mut middle = ends.middle.to_vec();
                shuffle(&mut middle, seed);
                ends.around(middle.iter().map(block))
            }
            Strategy::Parallel { s } => self.cut(order, s)?.side_by_side(1),
            Strategy::Loop { s, rounds } => {
                if !(1..=MAX_REPEAT).contains(&rounds) {
                    return Err(PlanError::Rounds { strategy: self.to_string() });
                }
                self.cut(order, s)?.side_by_side(rounds)
            }
            Strategy::Drop { position } => {
                self.check(position, order.len())?;
                refuse_if!(order.len() == 1, PlanError::NothingLeft { strategy: self.to_string() });
                order[..position].iter().chain(&order[position + 1..]).map(block).collect()
            }
            Strategy::Swap { position } => {
                self.check(position, order.len())?;
                self.check(position + 1, order.len())?;
                let mut order = order.to_vec();
                order.swap(position, position + 1);
                order.iter().map(block).collect()
            }
            Strategy::Head { position, head } => {
                self.check(position, order.len())?;
                let mut steps: Vec<Step> = order.iter().map(block).collect();
                let past = || PlanError::NoSuchHead {
                    head: head.to_string(),
                    block: order[position],
                    heads: HeadsOff::MOST,
                };
                steps[position] = Step::Block(BlockRun {
                    heads_off: HeadsOff::NONE.and(head).ok_or_else(past)?,
                    ..BlockRun::whole(order[position])
                });
                steps
            }
        };
        Plan::new(steps, stored_blocks(order))
    }

    fn cut<'a>(&self, order: &'a [usize], s: usize) -> Result<Cut<'a>, PlanError> {
        let runs = order.len();
        // T - 2s - 1 >= 1, without overflow.
        if runs < 2 || s > (runs - 2) / 2 {
            let kept = s.saturating_mul(2).saturating_add(1);
            return Err(PlanError::NoMiddle { strategy: self.to_string(), kept, runs });
        }
        let (first, rest) = order.split_at(s + 1);
        let (middle, last) = rest.split_at(rest.len() - s);
        Ok(Cut { first, middle, last })
    }

    fn check(&self, position: usize, runs: usize) -> Result<(), PlanError> {
        if position < runs {
            return Ok(());
        }
        Err(PlanError::NoSuchPosition { strategy: self.to_string(), position, runs })
    }
}

impl fmt::Display for Strategy {
    /// As [`Strategy::parse`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Strategy::Skip { s } => write!(f, "skip:{s}"),
            Strategy::Repeat { s } => write!(f, "repeat:{s}"),
            Strategy::Reverse { s } => write!(f, "reverse:{s}"),
            Strategy::Shuffle { s, seed } => write!(f, "shuffle:{s}:{seed}"),
            Strategy::Parallel { s } => write!(f, "parallel:{s}"),
            Strategy::Loop { s, rounds } => write!(f, "loop:{s}:{rounds}"),
            Strategy::Drop { position } => write!(f, "drop:{position}"),
            Strategy::Swap { position } => write!(f, "swap:{position}"),
            Strategy::Head { position, head } => write!(f, "head:{position}:{head}"),
        }
    }
}

/// An order cut by `s`: the middle has at least one run.
struct Cut<'a> {
    /// [s + 1]
    first: &'a [usize],
    /// [T - 2s - 1]
    middle: &'a [usize],
    /// [s]
    last: &'a [usize],
}

impl Cut<'_> {
    /// Both ends as they were, `middle` between them.
    fn around(&self, middle: impl Iterator<Item = Step>) -> Vec<Step> {
        let block = |&index: &usize| Step::block(index);
        self.first.iter().map(block).chain(middle).chain(self.last.iter().map(block)).collect()
    }

    fn side_by_side(&self, rounds: usize) -> Vec<Step> {
        let group = Step::Parallel(self.middle.iter().copied().map(BlockRun::whole).collect());
        self.around(vec![group; rounds].into_iter())
    }
}
