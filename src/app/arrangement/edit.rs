//! Edits that a reader can make to the row.

use super::{Arrangement, Spot};
use crate::plan::{Half, HeadsOff, MAX_REPEAT, MAX_RUNS, Plan, PlanError, Strategy};

/// One change. Spots and painters are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Take the spot at `from` and put it down so that it stands at `to`.
    Move {
        from: usize,
        to: usize,
    },
    /// Switch one stroke of a painter off, or on again.
    Toggle {
        spot: usize,
        painter: usize,
        half: Half,
    },
    /// Switch this half of every block off, from a spot on.
    SwitchOff {
        from: usize,
        half: Half,
    },
    /// Set neighbours to work side by side.
    Join {
        first: usize,
        last: usize,
    },
    /// Let a group work one after the other again.
    Dissolve {
        spot: usize,
    },
    /// Run a spot so many times in a row.
    Repeat {
        spot: usize,
        times: usize,
    },
    /// A copy of these spots, right behind them.
    Duplicate {
        first: usize,
        last: usize,
    },
    Remove {
        first: usize,
        last: usize,
    },
    /// A named order of the whole model, whatever the row was before.
    Strategy(Strategy),
    /// The model's own order.
    Reset,
}

/// Why an edit is not made, as one sentence for the reader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("The last block stays: a plan runs at least one block.")]
    Empty,
    #[error(
        "Block {block} has only this component left. Remove the tile to leave the whole block out."
    )]
    LastStroke { block: usize },
    #[error("A group needs two blocks: choose one more tile.")]
    GroupOfOne,
    #[error(
        "Block {block} is repeated: set its repeats to 1 before it runs in parallel with others."
    )]
    RepeatedInGroup { block: usize },
    #[error("A block cannot run {times} times: choose 1 to {MAX_REPEAT}.")]
    Repeats { times: usize },
    #[error("That would be {runs} block runs: at most {MAX_RUNS} are run in one plan.")]
    TooLong { runs: usize },
    #[error("There is no tile there.")]
    NoSuchSpot,
    #[error("That order does not exist on this model: {0}.")]
    Strategy(PlanError),
}

impl Arrangement {
    /// The row after an edit.
    ///
    /// # Errors
    /// A [`Refusal`], and nothing has changed.
    pub fn edited(&self, edit: Edit) -> Result<Self, Refusal> {
        let mut new = self.clone();
        match edit {
            Edit::Move { from, to } => {
                new.check(from)?;
                new.check(to)?;
                let spot = new.spots.remove(from);
                new.spots.insert(to, spot);
            }
            Edit::Toggle { spot, painter, half } => new.toggle(spot, painter, half)?,
            Edit::SwitchOff { from, half } => new.switch_off(from, half)?,
            Edit::Join { first, last } => new.join(first, last)?,
            Edit::Dissolve { spot } => new.dissolve(spot)?,
            Edit::Repeat { spot, times } => {
                new.check(spot)?;
                if !(1..=MAX_REPEAT).contains(&times) {
                    return Err(Refusal::Repeats { times });
                }
                new.spots[spot].repeats = times;
            }
            Edit::Duplicate { first, last } => {
                new.check(first.max(last))?;
                let mut copies = new.spots[first..=last].to_vec();
                for copy in &mut copies {
                    copy.id = new.fresh();
                }
                new.spots.splice(last + 1..last + 1, copies);
            }
            Edit::Remove { first, last } => {
                new.check(first.max(last))?;
                if last + 1 - first == new.spots.len() {
                    return Err(Refusal::Empty);
                }
                new.spots.drain(first..=last);
            }
            Edit::Strategy(strategy) => {
                let plan = strategy.plan(&self.order).map_err(Refusal::Strategy)?;
                new = self.following(&plan);
            }
            Edit::Reset => {
                if let Ok(original) = Plan::whole(&self.order) {
                    new = self.following(&original);
                }
            }
        }

        match new.runs() {
            runs if runs > MAX_RUNS => Err(Refusal::TooLong { runs }),
            _ => Ok(new),
        }
    }

    fn toggle(&mut self, spot: usize, painter: usize, half: Half) -> Result<(), Refusal> {
        let spot = self.spots.get_mut(spot).ok_or(Refusal::NoSuchSpot)?;
        let painter = spot.painters.get_mut(painter).ok_or(Refusal::NoSuchSpot)?;
        let other = other_half(half)?;
        painter.half = match painter.half {
            Half::Both => other,
            now if now == half => {
                return Err(Refusal::LastStroke { block: painter.index });
            }
            _ => Half::Both,
        };
        if painter.half == Half::Mlp {
            painter.heads_off = HeadsOff::NONE;
        }
        Ok(())
    }

    /// Blocks that ran this half alone are left out.
    fn switch_off(&mut self, from: usize, half: Half) -> Result<(), Refusal> {
        self.check(from)?;
        let other = other_half(half)?;
        for spot in &mut self.spots[from..] {
            spot.painters.retain(|painter| painter.half != half);
            for painter in &mut spot.painters {
                painter.half = other;
                if other == Half::Mlp {
                    painter.heads_off = HeadsOff::NONE;
                }
            }
        }
        self.spots.retain(|spot| !spot.painters.is_empty());
        if self.spots.is_empty() { Err(Refusal::Empty) } else { Ok(()) }
    }

    fn join(&mut self, first: usize, last: usize) -> Result<(), Refusal> {
        self.check(first.max(last))?;
        let joined = &self.spots[first..=last];
        if joined.len() < 2 {
            return Err(Refusal::GroupOfOne);
        }
        if let Some(repeated) = joined.iter().find(|spot| spot.repeats > 1) {
            let block = repeated.painters[0].index;
            return Err(Refusal::RepeatedInGroup { block });
        }
        let group = Spot {
            id: joined[0].id,
            painters: joined.iter().flat_map(|spot| spot.painters.clone()).collect(),
            repeats: 1,
        };
        self.spots.splice(first..=last, [group]);
        Ok(())
    }

    fn dissolve(&mut self, spot: usize) -> Result<(), Refusal> {
        self.check(spot)?;
        let Spot { id, painters, .. } = self.spots[spot].clone();
        if painters.len() < 2 {
            return Err(Refusal::GroupOfOne);
        }
        let singles: Vec<Spot> = painters
            .into_iter()
            .enumerate()
            .map(|(i, painter)| Spot {
                id: if i == 0 { id } else { self.fresh() },
                painters: vec![painter],
                repeats: 1,
            })
            .collect();
        self.spots.splice(spot..=spot, singles);
        Ok(())
    }

    fn check(&self, spot: usize) -> Result<(), Refusal> {
        if spot < self.spots.len() { Ok(()) } else { Err(Refusal::NoSuchSpot) }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }
}

/// Keeps the block's other half.
fn other_half(half: Half) -> Result<Half, Refusal> {
    match half {
        Half::Attention => Ok(Half::Mlp),
        Half::Mlp => Ok(Half::Attention),
        Half::Both => Err(Refusal::NoSuchSpot),
    }
}
