//! In which order to run many plans so that shared work is done once.
//!
//! Plans form a trie: plans that begin alike share its first nodes, each of which is one step
//! applied to one residual stream. Every step is one or more block runs ([`Plan::block_runs`]);
//! the streams that wait for the same block form one [`Batch`]. Taking the lowest waiting block
//! first keeps a sweep layer-major: dropping each of L blocks costs L batches, not L².

pub mod group;
pub mod pack;
pub mod program;

use std::collections::BTreeMap;

use self::program::Program;
use crate::plan::{BlockRun, Plan, Step};

/// One step applied to the stream of `parent`. Node 0 is the embedding and has no step.
#[derive(Clone, Debug)]
pub struct Node {
    pub parent: usize,
    /// The block runs of this step; all read the parent's stream, each counts `1 / runs.len()`.
    pub runs: Vec<BlockRun>,
    /// Streams that still need this one.
    pub children: usize,
}

/// One block run, on the streams of the parents of `nodes`, all at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    pub run: BlockRun,
    /// Node, and which of its runs this is.
    pub nodes: Vec<(usize, usize)>,
}

/// The trie, the batches in order, and where each plan ends.
#[derive(Clone, Debug)]
pub struct Schedule {
    pub nodes: Vec<Node>,
    pub batches: Vec<Batch>,
    /// For each plan, its nodes from the embedding (node 0) to its last step.
    pub paths: Vec<Vec<usize>>,
}

impl Schedule {
    /// Makes the schedule of plans for one model, in the order in which their results are wanted.
    pub fn new(plans: &[Plan]) -> Self {
        let (nodes, paths) = trie(plans);
        let batches = batches(&nodes);
        Self { nodes, batches, paths }
    }

    /// The most residual streams that exist at once while the batches run in order.
    pub fn peak_streams(&self) -> usize {
        Program::new(self, usize::MAX).slots
    }

    /// Block runs that will be made, for one prompt.
    pub fn block_runs(&self) -> usize {
        self.batches.iter().map(|batch| batch.nodes.len()).sum()
    }
}

fn trie(plans: &[Plan]) -> (Vec<Node>, Vec<Vec<usize>>) {
    let mut nodes = vec![Node { parent: 0, runs: Vec::new(), children: 0 }];
    let mut child = BTreeMap::new();
    let paths = plans
        .iter()
        .map(|plan| {
            let mut path = vec![0];
            for step in plan.steps() {
                let parent = *path.last().unwrap_or(&0);
                let runs = match step {
                    Step::Block(run) => vec![*run],
                    Step::Parallel(runs) => runs.clone(),
                };
                let node = *child.entry((parent, runs)).or_insert_with_key(|(parent, runs)| {
                    nodes[*parent].children += 1;
                    nodes.push(Node { parent: *parent, runs: runs.clone(), children: 0 });
                    nodes.len() - 1
                });
                path.push(node);
            }
            path
        })
        .collect();
    (nodes, paths)
}

fn batches(nodes: &[Node]) -> Vec<Batch> {
    let mut children = vec![Vec::new(); nodes.len()];
    for (node, Node { parent, .. }) in nodes.iter().enumerate().skip(1) {
        children[*parent].push(node);
    }
    let mut left: Vec<usize> = nodes.iter().map(|node| node.runs.len()).collect();
    let mut waiting: BTreeMap<BlockRun, Vec<(usize, usize)>> = BTreeMap::new();
    let wait = |node: usize, waiting: &mut BTreeMap<BlockRun, Vec<(usize, usize)>>| {
        for &child in &children[node] {
            for (i, run) in nodes[child].runs.iter().enumerate() {
                waiting.entry(*run).or_default().push((child, i));
            }
        }
    };
    wait(0, &mut waiting);
    let mut batches = Vec::new();
    while let Some((run, members)) = waiting.pop_first() {
        for &(node, _) in &members {
            left[node] -= 1;
            if left[node] == 0 {
                wait(node, &mut waiting);
            }
        }
        batches.push(Batch { run, nodes: members });
    }
    batches
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(lines: &[&str]) -> Schedule {
        let plans: Vec<Plan> = lines
            .iter()
            .map(|line| Plan::parse(line, &(0..12).collect::<Vec<_>>()).expect(line))
            .collect();
        Schedule::new(&plans)
    }

    #[test]
    fn plans_that_begin_alike_share_their_prefix() {
        let schedule = schedule(&["0-3,4", "0-3,5", "0-3"]);
        assert_eq!(schedule.nodes.len(), 1 + 4 + 2);
        assert_eq!(schedule.paths[0][..5], schedule.paths[2][..]);
    }

    #[test]
    fn a_drop_sweep_is_one_batch_a_block() {
        let mut lines: Vec<String> =
            (1..11).map(|i| format!("0-{},{}-11", i - 1, i + 1).replace("0-0", "0")).collect();
        lines.extend(["1-11".into(), "0-10".into(), "0-11".into()]);
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let schedule = schedule(&lines);
        assert_eq!(schedule.batches.len(), 12);
        // Sharing prefixes: 12 for the original, and 11 - i after dropping block i.
        assert_eq!(schedule.block_runs(), 12 + (0..12).map(|i| 11 - i).sum::<usize>());
    }

    #[test]
    fn a_drop_sweep_keeps_a_stream_a_plan() {
        // The original's and each dropped one's, and the outputs of the batch that is being run.
        assert_eq!(schedule(&["0-11"]).peak_streams(), 2);
        assert_eq!(schedule(&["0,(1-3)"]).peak_streams(), 2);
        let three = schedule(&["0-11", "1-11", "0,2-11"]).peak_streams();
        assert!((3..=6).contains(&three), "{three}");
    }

    #[test]
    fn a_parallel_step_joins_the_batches_of_its_blocks() {
        let schedule = schedule(&["0,(1-3)", "0,1"]);
        let block_1 =
            schedule.batches.iter().find(|batch| batch.run.index == 1).expect("block 1 runs");
        assert_eq!(block_1.nodes.len(), 2);
        assert_eq!(schedule.block_runs(), 1 + 3 + 1);
    }
}
