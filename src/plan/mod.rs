//! The order in which blocks run.
//!
//! A [`Plan`] is a list of [`Step`]s over a model's stored blocks. It is read from and
//! printed as one line (`0-3,(4-7)x3,9,8,10-11`); a [`Strategy`] is a named plan of *Transformer
//! Layers as Painters* (`reverse:2`, `shuffle:2:0`, …).

mod error;
mod heads;
mod notation;
mod print;
mod shuffle;
mod strategy;

pub use error::PlanError;
pub use heads::HeadsOff;
pub use strategy::Strategy;

/// The most a block or a group can be repeated by one `x`, and the most rounds of `loop:s:R`.
pub const MAX_REPEAT: usize = 64;

/// The most block runs in one plan: far above any order of interest (128 blocks run 32 times
/// each), low enough that a mistyped line cannot ask for hours of work.
pub const MAX_RUNS: usize = 4096;

/// Which half of a block runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    Both,
    Attention,
    Mlp,
}

impl Half {
    /// Whether attention runs.
    pub fn has_attention(self) -> bool {
        self != Self::Mlp
    }

    /// Whether the MLP runs.
    pub fn has_mlp(self) -> bool {
        self != Self::Attention
    }
}

/// One block, or one half of it, with heads that are switched off. `index` counts the model's stored
/// blocks from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockRun {
    pub index: usize,
    pub half: Half,
    /// None where only the MLP runs.
    pub heads_off: HeadsOff,
}

impl BlockRun {
    /// Both halves of block `index`.
    pub fn whole(index: usize) -> Self {
        BlockRun { index, half: Half::Both, heads_off: HeadsOff::NONE }
    }
}

/// One step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// `h <- h + f_l(h)`.
    Block(BlockRun),
    /// `h <- h + mean_l f_l(h)`: all on the same input. Never empty. Members count `z / n`.
    Parallel(Vec<BlockRun>),
}

impl Step {
    /// Both halves of block `index`.
    pub fn block(index: usize) -> Self {
        Step::Block(BlockRun::whole(index))
    }

    /// The blocks this step runs: one, or a group's in order.
    pub fn block_runs(&self) -> &[BlockRun] {
        match self {
            Step::Block(run) => std::slice::from_ref(run),
            Step::Parallel(group) => group,
        }
    }
}

/// The steps to run, in order, every index checked against the model. Never empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Plan {
    steps: Vec<Step>,
}

impl Plan {
    /// A plan over a model of `blocks` stored blocks.
    ///
    /// # Errors
    /// No steps, an empty group, an index of `blocks` or more, or more than [`MAX_RUNS`] runs.
    pub fn new(steps: Vec<Step>, blocks: usize) -> Result<Self, PlanError> {
        refuse_if!(steps.is_empty(), PlanError::Empty { blocks });
        if steps.iter().any(|step| step.block_runs().is_empty()) {
            return Err(PlanError::EmptyGroup { at: None });
        }
        let runs = steps.iter().map(|step| step.block_runs().len()).sum();
        refuse_if!(runs > MAX_RUNS, PlanError::TooLong { runs });
        let plan = Plan { steps };
        let missing = plan.block_runs().find(|run| run.index >= blocks);
        match missing {
            Some(run) => {
                Err(PlanError::NoSuchBlock { block: run.index.to_string(), at: None, blocks })
            }
            None => Ok(plan),
        }
    }

    /// The plan a model runs by itself. `order` is [`ModelShape::order`](crate::model::ModelShape::order):
    /// `0,1,2,…`, or `0,0,1,1,…` where blocks are shared.
    ///
    /// # Errors
    /// An empty order.
    pub fn whole(order: &[usize]) -> Result<Self, PlanError> {
        Plan::new(order.iter().map(|&index| Step::block(index)).collect(), stored_blocks(order))
    }

    /// Reads a line: the notation of docs/definitions.md, section 7, or the name of a [`Strategy`]
    /// (`reverse:2`).
    ///
    /// `order` is the model's own order of its stored blocks. The notation's numbers are stored
    /// blocks; a strategy's numbers are positions in `order`.
    ///
    /// # Errors
    /// One sentence that names the place and the piece of the line, and the model's blocks.
    pub fn parse(line: &str, order: &[usize]) -> Result<Self, PlanError> {
        if line.trim_start().starts_with(|c: char| c.is_alphabetic()) {
            return Strategy::parse(line)?.plan(order);
        }
        notation::parse(line, stored_blocks(order))
    }

    /// Checks that every head that the plan switches off exists in its block. `heads` returns the number
    /// of query heads of a stored block.
    ///
    /// # Errors
    /// A block lacks a head; the error names the first one.
    pub fn check_heads(&self, heads: impl Fn(usize) -> usize) -> Result<(), PlanError> {
        for run in self.block_runs() {
            let count = heads(run.index);
            if let Some(head) = run.heads_off.iter().find(|&head| head >= count) {
                return Err(PlanError::NoSuchHead {
                    head: head.to_string(),
                    block: run.index,
                    heads: count,
                });
            }
        }
        Ok(())
    }

    /// Returns the plan with one head of its `attention`-th attention run switched: off if it was on, on if
    /// it was off. `None` where no such attention runs, and for a head past [`HeadsOff::MOST`].
    #[must_use]
    pub fn with_head_switched(&self, attention: usize, head: usize) -> Option<Self> {
        let mut steps = self.steps.clone();
        let runs = steps.iter_mut().flat_map(|step| match step {
            Step::Block(run) => std::slice::from_mut(run),
            Step::Parallel(runs) => runs.as_mut_slice(),
        });
        let run = runs.filter(|run| run.half.has_attention()).nth(attention)?;
        run.heads_off = run.heads_off.toggled(head)?;
        Some(Self { steps })
    }

    /// At least one step.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Every block run in the order its members are recorded, a group's blocks one after another.
    pub fn block_runs(&self) -> impl Iterator<Item = BlockRun> + '_ {
        self.steps.iter().flat_map(|step| step.block_runs().iter().copied())
    }
}

impl std::fmt::Display for Plan {
    /// The shortest readable line; [`Plan::parse`] reads it back to an equal plan.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        print::print(&self.steps, f)
    }
}

/// How many stored blocks an order speaks of: a model's own order names every one of them.
fn stored_blocks(order: &[usize]) -> usize {
    order.iter().max().map_or(0, |last| last + 1)
}
