//! Fields of linearised blocks.

use super::{FieldFound, known, mean_of, no_field, number, word};
use crate::measure::interval::Mean;
use crate::study::coupling::{
    CouplingMetric, MeanMap, Relation, RelationTo, ScatterPoint, TaskCoupling, usual_top,
};
use crate::study::lessons::LessonError;

pub fn field(coupling: &TaskCoupling, order: &[usize], parts: &[&str]) -> FieldFound {
    let k = usual_top(&coupling.top);
    let map = known(coupling.depth_wise.get(&k), "its width has no leading directions")?;
    let steps = coupling.steps.len();
    match *parts {
        ["k"] => number(k as f64),
        ["rows"] => number(coupling.rows as f64),
        ["steps"] => number(steps as f64),
        ["chance"] => number(1.0 - map.chance.off_diagonal),
        ["coupling", "all"] => average(map, steps, |i, j| i != j),
        ["coupling", "twins"] => {
            average(map, steps, |i, j| i.abs_diff(j) == 1 && order.get(i) == order.get(j))
        }
        ["coupling", "others"] => {
            average(map, steps, |i, j| i.abs_diff(j) == 1 && order.get(i) != order.get(j))
        }
        ["coupling", distance] => {
            let distance: usize = distance.parse().map_err(|_| no_field(parts))?;
            average(map, steps, |i, j| i.abs_diff(j) == distance)
        }
        ["above_chance", distance] => {
            let distance: usize = distance.parse().map_err(|_| no_field(parts))?;
            let pairs = pairs(map, steps, |i, j| i.abs_diff(j) == distance)?;
            let line = 1.0 - map.chance.off_diagonal;
            let above = pairs.iter().filter(|pair| **pair > line).count();
            number(100.0 * above as f64 / pairs.len() as f64)
        }
        ["line"] => mean(coupling.line_shape_score, "its stream never moves"),
        ["walk"] => number((steps as f64).sqrt()),
        ["line_share"] => {
            let scale = 100.0 / (steps as f64).sqrt();
            let scaled = coupling.line_shape_score.map(|line| line.map(|x| scale * x));
            mean(scaled, "its stream never moves")
        }
        ["end_cosine"] => {
            let last = coupling.linearised.cosine.last().copied().flatten();
            mean(last, "its linearised stream is nothing")
        }
        ["swap_r" | "swap_r_without" | "swap_r_kept" | "swap_point"] => swaps(coupling, parts[0]),
        _ => Err(no_field(parts)),
    }
}

fn mean(mean: Option<Mean>, otherwise: &str) -> FieldFound {
    mean_of(known(mean, otherwise)?, 1.0)
}

/// Couplings of the pairs of places that `is_wanted` names.
fn pairs(
    map: &MeanMap,
    steps: usize,
    is_wanted: impl Fn(usize, usize) -> bool,
) -> Result<Vec<f64>, LessonError> {
    let all = (0..steps).flat_map(|i| (0..steps).map(move |j| (i, j)));
    let wanted = all.filter(|&(i, j)| is_wanted(i, j));
    let pairs: Vec<f64> = wanted
        .filter_map(|(i, j)| Some(1.0 - map.off_diagonal.get(i)?.get(j)?.as_ref()?.mean))
        .collect();
    refuse_if!(pairs.is_empty(), LessonError::lacking("it has no such pair of blocks"));
    Ok(pairs)
}

fn average(map: &MeanMap, steps: usize, is_wanted: impl Fn(usize, usize) -> bool) -> FieldFound {
    let pairs = pairs(map, steps, is_wanted)?;
    number(pairs.iter().sum::<f64>() / pairs.len() as f64)
}

/// Neighbours' coupling against what exchanging them costs.
pub(crate) fn swap_relation(found: &TaskCoupling) -> Option<&Relation> {
    let k = usual_top(&found.top);
    let is_it = |relation: &&Relation| {
        relation.to == RelationTo::SwapMargin
            && relation.k == k
            && relation.metric == CouplingMetric::OffDiagonal
    };
    found.relations.iter().find(is_it)
}

/// The correlation without the point that most of it rests on, and that point.
pub(crate) fn weightiest(relation: &Relation) -> Option<(f64, &ScatterPoint)> {
    let (point, rest) = relation.all.weightiest(&relation.left_out)?;
    Some((rest.r, relation.points.get(point)?))
}

/// That relation with and without the point that matters most.
fn swaps(coupling: &TaskCoupling, what: &str) -> FieldFound {
    let too_few = "it has too few neighbours to compare";
    let relation = known(swap_relation(coupling), too_few)?;
    let r = known(relation.all.pearson, too_few)?.r;
    refuse_if!(r == 0.0, LessonError::lacking("its neighbours have no correlation"));
    let (rest, point) = known(weightiest(relation), too_few)?;
    match what {
        "swap_r" => number(r),
        "swap_r_without" => number(rest),
        // Per cent; less than nothing where the sign turns.
        "swap_r_kept" => number(100.0 * rest / r),
        _ => word(point.name.clone()),
    }
}
