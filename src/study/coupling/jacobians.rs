//! Which Jacobians are needed, and which of them in whose basis.

use std::collections::HashMap;

use super::TokenPositions;
use super::wish::CouplingWish;
use crate::measure::coupling::{
    Alignment, BothMetrics, Jacobian, Leading, SHOWN, Spectrum, Undefined,
};
use crate::model::ModelShape;
use crate::plan::Half;

/// A step of the plan between two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JacobianPlace {
    pub step: usize,
    pub t_in: usize,
    pub t_out: usize,
}

impl JacobianPlace {
    /// Returns a step's Jacobians, one for each row or column of a map between tokens.
    pub fn each(step: usize, positions: &TokenPositions) -> Vec<Self> {
        let places = positions.places().into_iter();
        places.map(|(t_in, t_out)| Self { step, t_in, t_out }).collect()
    }
}

/// One Jacobian, and what is known of it so far.
pub struct KnownJacobian {
    pub place: JacobianPlace,
    /// Does the output's position see the input's?
    pub is_seen: bool,
    /// Leading vectors wanted.
    pub top: usize,
    /// Those in whose bases it is wanted, by their numbers, and how many vectors of each.
    pub bases: Vec<(usize, usize)>,
    pub whole: Option<Jacobian>,
    pub leading: Option<Leading>,
    pub spectrum: Option<Spectrum>,
    /// It in the basis of another.
    pub aligned: HashMap<usize, KnownPair>,
}

/// A Jacobian in the basis of another, as far as it is stored: whole matrices of so many pairs would not fit.
pub struct KnownPair {
    /// For every K that the basis has.
    mis_coupling: Vec<(usize, BothMetrics<Option<f64>>)>,
    /// As much as a report shows.
    pub shown: Alignment,
}

impl KnownPair {
    /// From `alignment` by the first `most` vectors of a basis, for each of `top` among them.
    pub fn new(alignment: &Alignment, own: &Leading, top: &[usize], most: usize) -> Self {
        let of = |&k: &usize| {
            // A search that came to the end of a Jacobian's rank knows fewer values than K: the
            // others are zero.
            let mut values = own.values(k);
            values.resize(k, 0.0);
            (k, alignment.mis_coupling(k, &values))
        };
        Self {
            mis_coupling: top.iter().filter(|&&k| k <= most).map(of).collect(),
            shown: alignment.first(SHOWN),
        }
    }

    /// Undefined for a K that the basis does not have.
    pub fn mis_coupling(&self, k: usize) -> BothMetrics<Option<f64>> {
        let found = self.mis_coupling.iter().find(|(top, _)| *top == k);
        found.map(|(_, both)| *both).unwrap_or_default()
    }
}

/// Every Jacobian that a [`CouplingWish`] needs, each once.
pub struct Jacobians {
    pub all: Vec<KnownJacobian>,
    numbers: HashMap<JacobianPlace, usize>,
    last: usize,
}

impl Jacobians {
    pub fn of(wish: &CouplingWish, shape: &ModelShape, tokens: usize) -> Self {
        let mut all =
            Self { all: Vec::new(), numbers: HashMap::new(), last: tokens.saturating_sub(1) };
        let steps = wish.plan.steps().len();
        let top = wish.top.last().copied().unwrap_or(1);
        let depth: Vec<JacobianPlace> = (0..steps).map(|step| all.at_last(step)).collect();
        all.need(wish, shape, &depth, &depth, top);
        let k = wish.token_top();
        for [a, b] in wish.tokens.pairs(steps) {
            for positions in wish.tokens.maps() {
                let [rows, columns] = [a, b].map(|step| JacobianPlace::each(step, &positions));
                all.need(wish, shape, &rows, &columns, k);
            }
        }
        all
    }

    pub fn at_last(&self, step: usize) -> JacobianPlace {
        JacobianPlace { step, t_in: self.last, t_out: self.last }
    }

    /// Its number.
    pub fn number(&self, place: JacobianPlace) -> Option<usize> {
        self.numbers.get(&place).copied()
    }

    /// Numbers of those of a step that are not known to be zero.
    pub fn of_step(&self, step: usize) -> Vec<usize> {
        let numbered = self.all.iter().enumerate();
        let of = numbered.filter(|(_, known)| known.place.step == step && known.is_seen);
        of.map(|(number, _)| number).collect()
    }

    /// Every row's Jacobian in every column's basis.
    fn need(
        &mut self,
        wish: &CouplingWish,
        shape: &ModelShape,
        rows: &[JacobianPlace],
        columns: &[JacobianPlace],
        k: usize,
    ) {
        let mut number = |place: &JacobianPlace| {
            let next = self.all.len();
            let number = *self.numbers.entry(*place).or_insert(next);
            if number == next {
                self.all.push(KnownJacobian {
                    place: *place,
                    is_seen: is_seen(wish, shape, *place),
                    top: k,
                    bases: Vec::new(),
                    whole: None,
                    leading: None,
                    spectrum: None,
                    aligned: HashMap::new(),
                });
            }
            let known = &mut self.all[number];
            known.top = known.top.max(k);
            number
        };
        let rows: Vec<usize> = rows.iter().map(&mut number).collect();
        let columns: Vec<usize> = columns.iter().map(&mut number).collect();
        for &row in &rows {
            for &column in &columns {
                let bases = &mut self.all[row].bases;
                match bases.iter_mut().find(|(basis, _)| *basis == column) {
                    Some((_, most)) => *most = k.max(*most),
                    None => bases.push((column, k)),
                }
            }
        }
    }
}

fn is_seen(wish: &CouplingWish, shape: &ModelShape, place: JacobianPlace) -> bool {
    let Some(distance) = place.t_out.checked_sub(place.t_in) else {
        return false;
    };
    let runs = wish.plan.steps()[place.step].block_runs();
    runs.iter().any(|run| {
        let window = shape.blocks[run.index].attention.window;
        // Where only MLPs run nothing looks back: what is seen of another token is zero.
        distance == 0 || run.half == Half::Mlp || window.is_none_or(|window| distance < window)
    })
}

impl KnownJacobian {
    /// Why it has no numbers as a row.
    pub fn why_row(&self) -> Option<Undefined> {
        if !self.is_seen {
            return Some(Undefined::Unseen);
        }
        let is_zero = self.leading.as_ref().is_none_or(Leading::is_zero);
        is_zero.then_some(Undefined::Zero)
    }

    /// Why it has none as a column, for K.
    pub fn why_column(&self, k: usize) -> Option<Undefined> {
        let short = || {
            let is_basis = self.leading.as_ref().is_some_and(|leading| leading.is_basis(k));
            (!is_basis).then_some(Undefined::Rank)
        };
        self.why_row().or_else(short)
    }
}
