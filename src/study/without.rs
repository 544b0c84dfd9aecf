//! A plan without one of its parts: a member, or one head of an attention.

use crate::engine::MemberKind;
use crate::model::ModelShape;
use crate::plan::{BlockRun, Half, HeadsOff, Plan, Step};

/// A part of a plan's run that can be left out, and the plan without it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanPart {
    /// Attention or MLP.
    pub kind: MemberKind,
    /// Which of the plan's block runs.
    pub run: usize,
    /// Which of the run's members.
    pub member: usize,
    /// A query head of the attention; `None` is the whole member.
    pub head: Option<usize>,
    pub without: Plan,
}

/// Lists the parts of a plan in the order in which they run: of each block run its attention, its MLP, then
/// every head that is on.
pub fn parts(plan: &Plan, shape: &ModelShape) -> Vec<PlanPart> {
    let mut parts = Vec::new();
    // The embedding is no block's.
    let (mut member, mut attention) = (1, 0);
    for (run, block_run) in plan.block_runs().enumerate() {
        let members = match block_run.half {
            Half::Both => &[MemberKind::Attention, MemberKind::Mlp][..],
            Half::Attention => &[MemberKind::Attention],
            Half::Mlp => &[MemberKind::Mlp],
        };
        for (&kind, member) in members.iter().zip(member..) {
            let part = |without| PlanPart { kind, run, member, head: None, without };
            parts.extend(without(plan, member).map(part));
        }
        if block_run.half.has_attention() {
            let block = shape.blocks.get(block_run.index);
            let heads = block.map_or(0, |block| block.attention.heads.min(HeadsOff::MOST));
            let heads_on = (0..heads).filter(|&head| !block_run.heads_off.contains(head));
            parts.extend(heads_on.filter_map(|head| {
                let without = plan.with_head_switched(attention, head)?;
                let kind = MemberKind::Attention;
                Some(PlanPart { kind, run, member, head: Some(head), without })
            }));
            attention += 1;
        }
        member += members.len();
    }
    parts
}

/// The plan that leaves member `index` out. `None` for the embedding and the bias, which are no block's, and
/// where nothing would be left to run.
pub fn without(plan: &Plan, index: usize) -> Option<Plan> {
    let mut next = 1;
    let mut is_found = false;
    let mut keep = |run: &BlockRun| -> Option<BlockRun> {
        let first = next;
        next += 1 + usize::from(run.half == Half::Both);
        if !(first..next).contains(&index) {
            return Some(*run);
        }
        is_found = true;
        // What is left of a whole block is its other half.
        let half = match (run.half, index - first) {
            (Half::Both, 0) => Half::Mlp,
            (Half::Both, _) => Half::Attention,
            _ => return None,
        };
        // Heads are the attention's.
        let heads_off = if half == Half::Mlp { HeadsOff::NONE } else { run.heads_off };
        Some(BlockRun { half, heads_off, ..*run })
    };
    let mut steps = Vec::new();
    for step in plan.steps() {
        let runs: Vec<BlockRun> = step.block_runs().iter().filter_map(&mut keep).collect();
        match (runs.as_slice(), step) {
            ([], _) => {}
            ([run], _) => steps.push(Step::Block(*run)),
            (_, _) => steps.push(Step::Parallel(runs)),
        }
    }
    let last = plan.block_runs().map(|run| run.index).max()?;
    // What is left runs no block that did not run before.
    let left = is_found.then(|| Plan::new(steps, last + 1).ok());
    left.flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{member_names, members};

    #[test]
    fn every_member_of_a_block_can_be_left_out_and_no_other_goes_with_it() {
        for line in ["0-3", "0,(1,2),3", "2,2,0a,1m", "0~h1,1", "(0a,1),1x2"] {
            let plan = Plan::parse(line, &[0, 1, 2, 3]).expect("a plan");
            let all = members(&plan, false);
            assert_eq!(without(&plan, 0), None, "{line}: the embedding");
            assert_eq!(without(&plan, all.len()), None, "{line}: past the end");
            for left_out in 1..all.len() {
                let found = without(&plan, left_out).expect("a shorter plan");
                let mut rest = all.clone();
                rest.remove(left_out);
                assert_eq!(members(&found, false), rest, "{line} without {left_out}");
                let read = Plan::parse(&found.to_string(), &[0, 1, 2, 3]);
                assert_eq!(read, Ok(found), "{line} without {left_out}");
            }
        }
    }

    #[test]
    fn what_runs_nothing_else_has_no_plan_without_it() {
        let plan = Plan::parse("0a", &[0, 1]).expect("a plan");
        assert_eq!(member_names(&members(&plan, false)), ["emb", "0a"]);
        assert_eq!(without(&plan, 1), None);
    }
}
