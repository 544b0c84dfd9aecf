//! Fields of curves that need no model.

use super::{FieldFound, no_field, number};
use crate::measure::coupling::chance;
use crate::measure::ensemble::{Ensemble, growing, known, steps};
use crate::study::lessons::TheoryAsk;

/// Rows that made-up members are counted on.
const ROWS: usize = 8192;
/// How often each is right by itself.
const RIGHT: f64 = 0.75;
/// Members of the made-up ensemble.
const MEMBERS: usize = 6;

pub fn field(ask: TheoryAsk, parts: &[&str]) -> FieldFound {
    match (ask, parts) {
        (TheoryAsk::Voters { members }, ["members"]) => number(members as f64),
        // The error of one voter is the unit.
        (TheoryAsk::Voters { .. }, ["single"]) => number(1.0),
        (TheoryAsk::Voters { members }, ["error", percent]) => {
            // The variance of the mean of M values of variance 1 and this correlation.
            let correlation = percent.parse::<f64>().map_err(|_| no_field(parts))? / 100.0;
            number(correlation + (1.0 - correlation) / members.max(1) as f64)
        }
        (TheoryAsk::Gains { together }, _) => {
            let ensemble = Ensemble {
                options: 2,
                right: vec![RIGHT; MEMBERS],
                together: together.clamp(0.0, 1.0),
            };
            let (joint, _) = known(&ensemble.exact(ROWS), 2);
            let gains = steps(&joint, 0.0);
            match parts {
                ["growing"] => number(growing(&gains) as f64),
                ["bits"] => number(joint.last().copied().unwrap_or_default()),
                ["gain", n] => {
                    let at = n.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
                    let gain = at.and_then(|at| gains.get(at));
                    number(*gain.ok_or_else(|| no_field(parts))?)
                }
                _ => Err(no_field(parts)),
            }
        }
        (TheoryAsk::Bases { k }, ["k"]) => number(k as f64),
        // Of K times K comparisons all but K are of different directions.
        (TheoryAsk::Bases { k }, ["unlike"]) => number(1.0 - 1.0 / k.max(1) as f64),
        (TheoryAsk::Bases { k }, ["chance"]) => number(1.0 - chance(k).off_diagonal),
        _ => Err(no_field(parts)),
    }
}
