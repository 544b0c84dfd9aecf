//! Memory is bounded whatever is asked: sequences go through in packs, and where even one sequence
//! would keep too much at once, the plans go through in groups, whose shared prefixes are computed
//! again.

use std::ops::Range;

use super::Schedule;
use crate::plan::Plan;

/// Tokens a pack holds at most (at least one sequence).
const PACK_ROWS: usize = 4096;

/// Plans that go through together, and the packs they go through in.
pub struct PlanGroup {
    pub plans: Range<usize>,
    pub schedule: Schedule,
    /// For each node, whether a plan ends there.
    pub is_end: Vec<bool>,
    pub room: PackRoom,
    /// Sequences that go through together.
    pub packs: Vec<Range<usize>>,
}

/// How many tokens and sequences fit into memory at once under one schedule.
#[derive(Clone, Copy, Debug)]
pub struct PackRoom {
    /// Tokens.
    pub rows: usize,
    pub sequences: usize,
}

/// Cuts plans in halves until the longest sequence has room, then packs as many sequences together
/// as have.
pub fn groups(
    lengths: &[usize],
    plans: &[Plan],
    room: &dyn Fn(&Schedule, &[bool]) -> PackRoom,
) -> Vec<PlanGroup> {
    let mut groups = Vec::new();
    cut(lengths, plans, 0..plans.len(), room, &mut groups);
    groups
}

fn cut(
    lengths: &[usize],
    plans: &[Plan],
    range: Range<usize>,
    room: &dyn Fn(&Schedule, &[bool]) -> PackRoom,
    groups: &mut Vec<PlanGroup>,
) {
    let schedule = Schedule::new(&plans[range.clone()]);
    let mut is_end = vec![false; schedule.nodes.len()];
    for path in &schedule.paths {
        is_end[path[path.len() - 1]] = true;
    }
    let here = room(&schedule, &is_end);
    let longest = lengths.iter().copied().max().unwrap_or(0);
    if (longest > here.rows || here.sequences == 0) && range.len() > 1 {
        let middle = range.start + range.len() / 2;
        cut(lengths, plans, range.start..middle, room, groups);
        cut(lengths, plans, middle..range.end, room, groups);
        return;
    }
    let mut packs: Vec<Range<usize>> = Vec::new();
    let mut rows = usize::MAX;
    for (i, &length) in lengths.iter().enumerate() {
        rows = rows.saturating_add(length);
        match packs.last_mut() {
            Some(pack) if rows <= PACK_ROWS.min(here.rows) && pack.len() < here.sequences => {
                pack.end = i + 1;
            }
            _ => {
                packs.push(i..i + 1);
                rows = length;
            }
        }
    }
    groups.push(PlanGroup { plans: range, schedule, is_end, room: here, packs });
}
