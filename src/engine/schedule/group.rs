//! Memory is bounded whatever is asked: sequences go through in packs, and where even one sequence
//! would keep too much at once, the plans go through in groups, whose shared prefixes are computed
//! again.

use std::ops::Range;

use super::Schedule;
use crate::plan::Plan;

/// Tokens a pack holds at most (at least one sequence).
const PACK_ROWS: usize = 4096;

/// Plans that go through together.
pub struct PlanGroup {
    pub plans: Range<usize>,
    pub schedule: Schedule,
    /// For each node, whether a plan ends there.
    pub is_end: Vec<bool>,
    pub room: PackRoom,
}

/// How many tokens and sequences fit into memory at once under one schedule.
#[derive(Clone, Copy, Debug)]
pub struct PackRoom {
    /// Tokens.
    pub rows: usize,
    pub sequences: usize,
}

/// Cuts plans in halves until a sequence of `longest` tokens has room.
pub fn groups(
    longest: usize,
    plans: &[Plan],
    room: &dyn Fn(&Schedule, &[bool]) -> PackRoom,
) -> Vec<PlanGroup> {
    let mut groups = Vec::new();
    cut(longest, plans, 0..plans.len(), room, &mut groups);
    groups
}

fn cut(
    longest: usize,
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
    let room_here = room(&schedule, &is_end);
    if (longest > room_here.rows || room_here.sequences == 0) && range.len() > 1 {
        let middle = range.start + range.len() / 2;
        cut(longest, plans, range.start..middle, room, groups);
        cut(longest, plans, middle..range.end, room, groups);
        return;
    }
    groups.push(PlanGroup { plans: range, schedule, is_end, room: room_here });
}

impl PackRoom {
    /// Packs as many sequences of these lengths together as have room.
    pub fn packs(self, lengths: &[usize]) -> Vec<Range<usize>> {
        let mut packs: Vec<Range<usize>> = Vec::new();
        let mut rows = usize::MAX;
        for (i, &length) in lengths.iter().enumerate() {
            rows = rows.saturating_add(length);
            match packs.last_mut() {
                Some(pack) if rows <= PACK_ROWS.min(self.rows) && pack.len() < self.sequences => {
                    pack.end = i + 1;
                }
                _ => {
                    packs.push(i..i + 1);
                    rows = length;
                }
            }
        }
        packs
    }
}
