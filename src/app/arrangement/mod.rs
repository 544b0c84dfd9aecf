//! A plan as a row of tiles that can be moved about, bracketed and switched off.
//!
//! The plan's one line is the truth, in the link and for the worker; an [`Arrangement`] is what the
//! line looks like on the table. Every [`Edit`] gives a new arrangement whose plan can be run, or is
//! refused in a sentence, so no state in between has to be handled.

mod edit;
mod hand;
mod history;
mod offer;
mod votes;
mod words;

pub use edit::{Edit, Refusal};
pub use hand::{Act, Hand, Key};
pub use history::History;
pub use offer::{Named, Offer};
pub use votes::Votes;
pub use words::{edited, painter_name, spot_name};

use crate::plan::{BlockRun, Half, MAX_REPEAT, Plan, PlanError, Step};

/// One place in the row: a painter, or several side by side, once or a few times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Stays with the spot wherever it goes, so that the page moves its tile and the focus with it.
    pub id: u32,
    /// One, or the two or more of a group.
    pub painters: Vec<BlockRun>,
    /// `1..=MAX_REPEAT`
    pub repeats: usize,
}

impl Spot {
    pub fn is_group(&self) -> bool {
        self.painters.len() > 1
    }

    /// Block runs this spot asks for.
    pub fn runs(&self) -> usize {
        self.painters.len() * self.repeats
    }

    fn step(&self) -> Step {
        match self.painters.as_slice() {
            [painter] => Step::Block(*painter),
            group => Step::Parallel(group.to_vec()),
        }
    }
}

/// The row, over one model's blocks. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrangement {
    /// The model's own order of its stored blocks.
    order: Vec<usize>,
    spots: Vec<Spot>,
    /// The next id to give.
    next: u32,
}

/// The strokes of one painter: which members of a run its two halves wrote, over all repeats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strokes {
    pub attention: Vec<usize>,
    pub mlp: Vec<usize>,
}

impl Arrangement {
    /// Columns that the row's tiles take: a group takes two.
    pub fn columns(&self) -> usize {
        self.spots.iter().map(|spot| if spot.is_group() { 2 } else { 1 }).sum()
    }

    /// A plan's steps as spots; equal neighbours become repeats. A group of one is its block: both
    /// count its strokes once.
    pub fn of(plan: &Plan, order: &[usize]) -> Self {
        let equal = plan.steps().chunk_by(|a, b| a == b);
        let repeats = equal.flat_map(|equal| equal.chunks(MAX_REPEAT));
        let spot = |(id, repeats): (u32, &[Step])| Spot {
            id,
            painters: repeats[0].block_runs().to_vec(),
            repeats: repeats.len(),
        };
        let spots: Vec<Spot> = (0..).zip(repeats).map(spot).collect();
        let next = u32::try_from(spots.len()).unwrap_or(u32::MAX);
        Self { order: order.to_vec(), spots, next }
    }

    /// Another plan of the same model, its spots named after those of this one that they were. This
    /// very row where it is that plan already: two equal neighbours stay two tiles.
    pub fn following(&self, plan: &Plan) -> Self {
        if self.plan().is_ok_and(|own| own == *plan) {
            return self.clone();
        }
        let mut new = Self::of(plan, &self.order);
        let mut ids: Vec<Option<u32>> = vec![None; new.spots.len()];
        let mut old: Vec<Option<&Spot>> = self.spots.iter().map(Some).collect();
        let indices = |spot: &Spot| -> Vec<usize> {
            spot.painters.iter().map(|painter| painter.index).collect()
        };
        // What stayed the same first, then what was repeated, then what lost or won a half.
        let alike = |level: usize, a: &Spot, b: &Spot| match level {
            0 => a.painters == b.painters && a.repeats == b.repeats,
            1 => a.painters == b.painters,
            _ => indices(a) == indices(b),
        };
        for level in 0..3 {
            for (spot, id) in new.spots.iter().zip(&mut ids) {
                if id.is_some() {
                    continue;
                }
                let found =
                    old.iter_mut().find(|old| old.is_some_and(|old| alike(level, old, spot)));
                *id = found.and_then(Option::take).map(|old| old.id);
            }
        }
        let mut next = self.next;
        for (spot, id) in new.spots.iter_mut().zip(ids) {
            spot.id = id.unwrap_or_else(|| {
                next += 1;
                next - 1
            });
        }
        new.next = next;
        new
    }

    pub fn spots(&self) -> &[Spot] {
        &self.spots
    }

    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// Block runs in all.
    pub fn runs(&self) -> usize {
        self.spots.iter().map(Spot::runs).sum()
    }

    /// The plan that these spots are.
    ///
    /// # Errors
    /// None: an arrangement's own checks are those of a plan.
    pub fn plan(&self) -> Result<Plan, PlanError> {
        let steps = self.spots.iter().flat_map(|spot| vec![spot.step(); spot.repeats]).collect();
        let blocks = self.order.iter().max().map_or(0, |last| last + 1);
        Plan::new(steps, blocks)
    }

    /// The plan as the page keeps it: empty for the model's own order.
    pub fn line(&self) -> String {
        let Ok(plan) = self.plan() else {
            return String::new();
        };
        if Plan::whole(&self.order).is_ok_and(|whole| whole == plan) {
            String::new()
        } else {
            plan.to_string()
        }
    }

    /// `[spot][painter]` the members each painter wrote, as the engine numbers them: 0 is the
    /// embedding, then every block run's attention and MLP.
    pub fn strokes(&self) -> Vec<Vec<Strokes>> {
        let mut next = 1;
        let mut take = || {
            next += 1;
            next - 1
        };
        self.spots
            .iter()
            .map(|spot| {
                let mut strokes = vec![Strokes::default(); spot.painters.len()];
                for _ in 0..spot.repeats {
                    for (painter, strokes) in spot.painters.iter().zip(&mut strokes) {
                        if painter.half != Half::Mlp {
                            strokes.attention.push(take());
                        }
                        if painter.half != Half::Attention {
                            strokes.mlp.push(take());
                        }
                    }
                }
                strokes
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
