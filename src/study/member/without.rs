//! A plan without one of its members.

use crate::plan::{BlockRun, Half, Plan, Step};

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
        Some(BlockRun { half, ..*run })
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
