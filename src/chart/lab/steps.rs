//! Names of a stream's states: before the first step, and after each.

use crate::plan::{MAX_RUNS, Plan};
use crate::study::geometry::Geometry;

/// More states than this are thinned out: an eye cannot tell them apart, nor a page draw them.
const MOST: usize = 128;

/// `[S + 1]` `emb`, then every step as the notation writes it.
pub fn names(geometry: &Geometry) -> Vec<String> {
    let states = geometry.cosine_map.len();
    // A report's plan was checked when it ran; here only its steps' names are wanted.
    let plan = Plan::parse(&geometry.plan, &[MAX_RUNS - 1]).ok();
    let mut names = vec!["emb".to_owned()];
    let steps = plan.iter().flat_map(Plan::steps);
    names.extend(steps.map(|step| {
        Plan::new(vec![step.clone()], MAX_RUNS)
            .map_or_else(|_| "group".to_owned(), |plan| plan.to_string())
    }));
    if names.len() != states {
        names = (0..states).map(|i| format!("state {i}")).collect();
    }
    names
}

/// The states that are drawn.
pub fn drawn(states: usize) -> Vec<usize> {
    let every = states.div_ceil(MOST).max(1);
    (0..states).step_by(every).collect()
}

/// Names of the two plot areas.
pub const SIDES: [&str; 2] = ["original order", "this plan"];
