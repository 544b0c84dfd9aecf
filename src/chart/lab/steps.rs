//! Names of a stream's states: before the first step, and after each.

use crate::chart::inside::stream_names;
use crate::study::geometry::Geometry;

/// More states than this are thinned out: an eye cannot tell them apart, nor a page draw them.
const MOST: usize = 128;

/// `[S + 1]` `emb`, then every step as the notation writes it.
pub fn names(geometry: &Geometry) -> Vec<String> {
    let states = geometry.cosine_map.len();
    match stream_names(&geometry.plan) {
        names if names.len() == states => names,
        _ => (0..states).map(|i| format!("state {i}")).collect(),
    }
}

/// The states that are drawn.
pub fn drawn(states: usize) -> Vec<usize> {
    let every = states.div_ceil(MOST).max(1);
    (0..states).step_by(every).collect()
}

/// Names of the two plot areas.
pub const SIDES: [&str; 2] = ["original order", "this plan"];
