//! Assembles a report's coupling from the Jacobians that are known.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::jacobians::{JacobianPlace, Jacobians};
use super::wish::CouplingWish;
use super::{
    Aligned, Coupling, DepthWise, MisCoupling, StepPair, TokenMap, TokenPaths, TokenPositions,
    TokenWise,
};
use crate::measure::coupling::{BothMetrics, SHOWN, Undefined, chance, coupling};
use crate::measure::trajectory::{expodistance, line_shape_score, path};
use crate::plan::{Plan, Step};
use crate::study::{LoadedModel, StudyError};
use atelier_kernels::linear::principal::paths;

/// Numbers of A that a report carries at most.
const ALIGNED: usize = 1 << 18;

/// All but what the run itself knows.
pub fn assembled(
    wish: &CouplingWish,
    jacobians: &Jacobians,
    streams: &[Rc<[f32]>],
    model: &LoadedModel,
) -> Result<Coupling, StudyError> {
    let width = model.shape().width;
    let steps = wish.plan.steps();
    let depth: Vec<JacobianPlace> = (0..steps.len()).map(|step| jacobians.at_last(step)).collect();
    let depth_wise = wish.top.iter().map(|&k| {
        let map = map(jacobians, &depth, &depth, k);
        let one = DepthWise {
            coupling: BothMetrics {
                off_diagonal: coupling(&map.off_diagonal),
                singular: coupling(&map.singular),
            },
            chance: chance(k),
            map,
        };
        (k, one)
    });
    let spectrum = depth.iter().map(|&place| {
        let known = jacobians.number(place).map(|number| &jacobians.all[number]);
        known.and_then(|known| known.spectrum.clone()).unwrap_or_default()
    });
    let tokens = streams.first().map_or(0, |stream| stream.len() / width.max(1));
    let last = path(streams, width, tokens.saturating_sub(1));
    Ok(Coupling {
        plan: wish.plan.to_string(),
        steps: steps.iter().map(|step| name(step, model)).collect(),
        top: wish.top.clone(),
        spectrum: spectrum.collect(),
        depth_wise: depth_wise.collect::<BTreeMap<_, _>>(),
        aligned: aligned(wish, jacobians, &depth),
        token_wise: token_wise(wish, jacobians, steps.len()),
        trajectories: trajectories(streams, width)?,
        line_shape_score: line_shape_score(&last),
        expodistance: expodistance(&last),
        ..Coupling::default()
    })
}

/// A step in the one-line notation.
fn name(step: &Step, model: &LoadedModel) -> String {
    let blocks = model.shape().blocks.len();
    // It is of a plan of this model.
    Plan::new(vec![step.clone()], blocks).map_or_else(|_| String::new(), |plan| plan.to_string())
}

fn map(
    jacobians: &Jacobians,
    rows: &[JacobianPlace],
    columns: &[JacobianPlace],
    k: usize,
) -> MisCoupling {
    let known = |place: &JacobianPlace| {
        jacobians.number(*place).map(|number| (number, &jacobians.all[number]))
    };
    let rows: Vec<_> = rows.iter().filter_map(known).collect();
    let columns: Vec<_> = columns.iter().filter_map(known).collect();
    let why_row: Vec<Option<Undefined>> = rows.iter().map(|(_, row)| row.why_row()).collect();
    let why_column: Vec<Option<Undefined>> =
        columns.iter().map(|(_, column)| column.why_column(k)).collect();
    let mut found = MisCoupling::default();
    for ((_, row), why) in rows.iter().zip(&why_row) {
        let (mut off_diagonal, mut singular) = (Vec::new(), Vec::new());
        for ((column, _), why_not) in columns.iter().zip(&why_column) {
            let both = match (why, why_not, row.aligned.get(column)) {
                (None, None, Some(pair)) => pair.mis_coupling(k),
                _ => BothMetrics::default(),
            };
            off_diagonal.push(both.off_diagonal);
            singular.push(both.singular);
        }
        found.off_diagonal.push(off_diagonal);
        found.singular.push(singular);
    }
    let of_any = |why: Vec<Option<Undefined>>| match why.iter().any(Option::is_some) {
        true => why,
        false => Vec::new(),
    };
    (found.why_row, found.why_column) = (of_any(why_row), of_any(why_column));
    found
}

fn aligned(wish: &CouplingWish, jacobians: &Jacobians, depth: &[JacobianPlace]) -> Option<Aligned> {
    let k = wish.top.iter().copied().rfind(|&k| k <= SHOWN)?;
    if depth.len() * depth.len() * k * k > ALIGNED {
        return None;
    }
    let numbers: Vec<usize> = depth.iter().filter_map(|&place| jacobians.number(place)).collect();
    let pair = |row: usize, column: usize| -> Option<Vec<Vec<f32>>> {
        let (own, basis) = (&jacobians.all[row], &jacobians.all[column]);
        if own.why_row().or(basis.why_column(k)).is_some() {
            return None;
        }
        let rows = own.aligned.get(&column)?.shown.corner(k);
        Some(rows.map(|row| row.iter().copied().map(five_digits).collect()).collect())
    };
    let row = |&row: &usize| numbers.iter().map(|&column| pair(row, column)).collect();
    Some(Aligned { k, pairs: numbers.iter().map(row).collect() })
}

fn five_digits(x: f64) -> f32 {
    if x == 0.0 || !x.is_finite() {
        return 0.0;
    }
    let scale = 10.0_f64.powi(4 - x.abs().log10().floor() as i32);
    ((x * scale).round() / scale) as f32
}

fn token_wise(wish: &CouplingWish, jacobians: &Jacobians, steps: usize) -> Option<TokenWise> {
    if wish.tokens.is_empty() {
        return None;
    }
    let k = wish.token_top();
    let mut found = TokenWise { k, same: None, fixed_input: None, fixed_output: None };
    for positions in wish.tokens.maps() {
        let pair = |[a, b]: [usize; 2]| {
            let [rows, columns] = [a, b].map(|step| JacobianPlace::each(step, &positions));
            let gap = columns.iter().map(|&place| {
                let known = &jacobians.all[jacobians.number(place)?];
                known.leading.as_ref()?.gap(k)
            });
            StepPair { steps: [a, b], gap: gap.collect(), map: map(jacobians, &rows, &columns, k) }
        };
        let pairs = wish.tokens.pairs(steps).into_iter().map(pair).collect();
        let known = match positions {
            TokenPositions::Same { .. } => &mut found.same,
            TokenPositions::Input { .. } => &mut found.fixed_input,
            TokenPositions::Output { .. } => &mut found.fixed_output,
        };
        *known = Some(TokenMap { positions, pairs });
    }
    Some(found)
}

fn trajectories(streams: &[Rc<[f32]>], width: usize) -> Result<TokenPaths, StudyError> {
    let (plane, tokens) = paths(streams, width).ok_or(StudyError::NoPlane)?;
    let states = (0..streams.len()).map(|depth| tokens.iter().map(|path| path[depth]).collect());
    Ok(TokenPaths { explained_variance_ratio: plane.explained, states: states.collect() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_five_digits() {
        assert_eq!(five_digits(123.456_789), 123.46);
        assert_eq!(five_digits(-0.000_123_456_7), -0.000_123_46);
        assert_eq!(five_digits(0.0), 0.0);
    }
}
