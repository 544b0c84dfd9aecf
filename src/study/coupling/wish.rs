//! The request for one prompt's coupling, checked before anything runs.

use super::{CouplingMethod, TokenPositions};
use crate::engine::EngineError;
use crate::model::ModelShape;
use crate::plan::Plan;
use crate::study::StudyError;

/// The sizes K where the reader names none; the paper names none either.
pub const DEFAULT_TOP: [usize; 3] = [4, 8, 16];
/// The K that is shown first: that of the maps between tokens if it is among those asked for, and what
/// pictures begin with.
pub const USUAL_TOP: usize = 8;
/// Steps of a plan whose pairs are compared at most.
pub const MAX_STEPS: usize = 128;
/// Positions of one map between tokens at most.
pub const MAX_POSITIONS: usize = 128;

/// A prompt's coupling, as it is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouplingWish {
    pub plan: Plan,
    /// Every K, ascending; see [`CouplingWish::tops`].
    pub top: Vec<usize>,
    pub tokens: TokenWish,
    /// `None`: what takes fewer products, and has room.
    pub method: Option<CouplingMethod>,
    /// Seed of a search's random start.
    pub seed: u32,
}

/// Maps between tokens: none where no positions are named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TokenWish {
    /// Pairs of places in the plan; empty for the middle step with itself and with the next.
    pub steps: Vec<[usize; 2]>,
    /// Positions compared at (t, t).
    pub same: Vec<usize>,
    /// `t_in`, and each `t_out`.
    pub input: Option<(usize, Vec<usize>)>,
    /// `t_out`, and each `t_in`.
    pub output: Option<(usize, Vec<usize>)>,
}

impl TokenWish {
    /// Are no tokens compared?
    pub fn is_empty(&self) -> bool {
        self.maps().is_empty()
    }

    /// The maps that are asked for.
    pub fn maps(&self) -> Vec<TokenPositions> {
        let same = (!self.same.is_empty()).then(|| TokenPositions::Same { t: self.same.clone() });
        let input = self.input.clone().map(|(t_in, t_out)| TokenPositions::Input { t_in, t_out });
        let output =
            self.output.clone().map(|(t_out, t_in)| TokenPositions::Output { t_out, t_in });
        [same, input, output].into_iter().flatten().collect()
    }

    /// The pairs of steps that are compared, of a plan of so many.
    pub fn pairs(&self, steps: usize) -> Vec<[usize; 2]> {
        if !self.steps.is_empty() {
            return self.steps.clone();
        }
        let middle = (steps / 2).saturating_sub(1);
        let mut pairs = vec![[middle, middle]];
        if middle + 1 < steps {
            pairs.push([middle, middle + 1]);
        }
        pairs
    }
}

impl CouplingWish {
    /// Asks for the coupling of `plan` at the last token alone, by the method that takes fewer products.
    pub fn of(plan: Plan, top: Vec<usize>) -> Self {
        Self { plan, top, tokens: TokenWish::default(), method: None, seed: 0 }
    }

    /// Every K as it was asked for, ascending and once each; without any, the usual ones that fit the width.
    ///
    /// # Errors
    /// 0, or more than the width.
    pub fn tops(asked: &[usize], width: usize) -> Result<Vec<usize>, StudyError> {
        let mut top = asked.to_vec();
        if top.is_empty() {
            top = DEFAULT_TOP.into_iter().filter(|&k| k <= width).collect();
            if top.is_empty() {
                top = vec![width];
            }
        }
        top.sort_unstable();
        top.dedup();
        match top.iter().find(|&&k| k == 0 || k > width) {
            Some(&k) => Err(StudyError::Top { k, width }),
            None => Ok(top),
        }
    }

    /// K of the maps between tokens.
    pub fn token_top(&self) -> usize {
        usual_top(&self.top)
    }

    /// Does all of it exist, on a prompt of so many tokens?
    ///
    /// # Errors
    /// The first thing that does not.
    pub fn check(&self, shape: &ModelShape, tokens: usize) -> Result<(), StudyError> {
        let steps = self.plan.steps().len();
        refuse_if!(steps > MAX_STEPS, StudyError::ManySteps { steps });
        Self::tops(&self.top, shape.width)?;
        let wish = &self.tokens;
        if let Some(&step) = wish.steps.iter().flatten().find(|&&step| step >= steps) {
            return Err(StudyError::NoStep { step, steps });
        }
        let maps = wish.maps().into_iter().map(|positions| positions.places());
        let maps: Vec<Vec<(usize, usize)>> = maps.collect();
        if let Some(many) = maps.iter().find(|places| places.len() > MAX_POSITIONS) {
            return Err(StudyError::ManyPositions { positions: many.len() });
        }
        let places = maps.concat();
        let last = places.iter().map(|&(t_in, t_out)| t_in.max(t_out)).max();
        if let Some(position) = last.filter(|&t| t >= tokens) {
            return Err(EngineError::Position { position, tokens }.into());
        }
        match places.into_iter().find(|(t_in, t_out)| t_in > t_out) {
            Some((t_in, t_out)) => Err(StudyError::LaterInput { t_in, t_out }),
            None => Ok(()),
        }
    }
}

/// Returns [`USUAL_TOP`] where it is among `top`, and the last K elsewhere.
pub fn usual_top(top: &[usize]) -> usize {
    let last = top.last().copied().unwrap_or(1);
    let is_there = top.contains(&USUAL_TOP);
    if is_there { USUAL_TOP } else { last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_steps() {
        let wish = TokenWish::default();
        assert_eq!(wish.pairs(12), [[5, 5], [5, 6]]);
        assert_eq!(wish.pairs(5), [[1, 1], [1, 2]]);
        assert_eq!(wish.pairs(2), [[0, 0], [0, 1]]);
        assert_eq!(wish.pairs(1), [[0, 0]]);
    }

    #[test]
    fn the_papers_sizes_that_fit() {
        let of = |asked: &[usize], width| CouplingWish::tops(asked, width).ok();
        assert_eq!(of(&[], 64), Some(vec![4, 8, 16]));
        assert_eq!(of(&[], 8), Some(vec![4, 8]));
        assert_eq!(of(&[], 2), Some(vec![2]));
        assert_eq!(of(&[8, 2, 8], 64), Some(vec![2, 8]));
        assert_eq!((of(&[0], 64), of(&[65], 64)), (None, None));
    }

    #[test]
    fn the_usual_size_or_the_last() {
        assert_eq!(usual_top(&[4, 8, 16]), 8);
        assert_eq!(usual_top(&[2, 4]), 4);
        assert_eq!(usual_top(&[]), 1);
    }
}
