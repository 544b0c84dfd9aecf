//! Where every residual stream of a schedule lies: slots of one buffer, used again when free.

use std::collections::HashSet;

use super::Schedule;
use crate::plan::BlockRun;

/// One block run on one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StreamStep {
    pub node: usize,
    /// Which of its step's runs this is.
    pub run: usize,
    pub slot_in: usize,
    pub slot_out: usize,
    /// Nothing was added to `slot_out` yet.
    pub is_first: bool,
    /// Blocks of its step: each counts `1 / share`.
    pub share: usize,
    /// Where its attention's and its MLP's member at the sequences' last tokens are kept: the first
    /// of P kept rows each, one a sequence; `None`: nowhere. See [`Program::keep`].
    pub kept: Option<[usize; 2]>,
}

/// One block run on several streams at once: the rows of its matrix products.
#[derive(Clone, Debug)]
pub struct BlockCall {
    pub run: BlockRun,
    pub steps: Vec<StreamStep>,
    /// Nodes whose step is complete after this call, and the slots of their streams.
    pub complete: Vec<(usize, usize)>,
}

/// A schedule's block runs as calls on a device, and how many streams it holds at once.
#[derive(Clone, Debug)]
pub struct Program {
    pub calls: Vec<BlockCall>,
    /// The embedding's stream lies in slot 0.
    pub slots: usize,
}

impl Program {
    /// Calls of at most `most` streams, in the schedule's order.
    pub fn new(schedule: &Schedule, most: usize) -> Self {
        let nodes = &schedule.nodes;
        let mut slot: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut left: Vec<usize> = nodes.iter().map(|node| node.runs.len()).collect();
        let mut children: Vec<usize> = nodes.iter().map(|node| node.children).collect();
        let (mut free, mut slots) = (Vec::new(), 1);
        slot[0] = Some(0);
        let mut calls = Vec::new();
        for batch in &schedule.batches {
            let mut rest = batch.nodes.as_slice();
            while !rest.is_empty() {
                let (now, later) = rest.split_at(call_length(rest, most.max(1)));
                rest = later;
                let mut steps = Vec::with_capacity(now.len());
                let mut complete = Vec::new();
                for &(node, run) in now {
                    let share = nodes[node].runs.len();
                    let is_first = left[node] == share;
                    let slot_out = *slot[node].get_or_insert_with(|| {
                        free.pop().unwrap_or_else(|| {
                            slots += 1;
                            slots - 1
                        })
                    });
                    left[node] -= 1;
                    if left[node] == 0 {
                        complete.push((node, slot_out));
                    }
                    steps.push(StreamStep {
                        node,
                        run,
                        slot_in: slot[nodes[node].parent].unwrap_or_default(),
                        slot_out,
                        is_first,
                        share,
                        kept: None,
                    });
                }
                // Freed only now: a call must not write a stream that it reads.
                for &(node, own) in &complete {
                    let parent = nodes[node].parent;
                    children[parent] -= 1;
                    if children[parent] == 0 {
                        free.extend(slot[parent]);
                    }
                    if nodes[node].children == 0 {
                        free.push(own);
                    }
                }
                calls.push(BlockCall { run: batch.run, steps, complete });
            }
        }
        Self { calls, slots }
    }

    /// Says where members are kept: `places(node, run)`.
    pub fn keep(&mut self, places: &dyn Fn(usize, usize) -> [usize; 2]) {
        for step in self.calls.iter_mut().flat_map(|call| &mut call.steps) {
            step.kept = Some(places(step.node, step.run));
        }
    }
}

/// At most `most`, and no node twice: a parallel step may run one block twice, and both runs add to
/// one stream.
fn call_length(nodes: &[(usize, usize)], most: usize) -> usize {
    let mut seen = HashSet::new();
    let fits = nodes.iter().take(most).take_while(|(node, _)| seen.insert(*node));
    fits.count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    fn programs(most: usize) -> Vec<(Schedule, Program)> {
        let sweeps: [&[&str]; 4] = [
            &["0-11", "1-11", "0,2-11", "11-0", "0-3"],
            &["0,(1-3)x3,4", "0,(1,1,2),4", "0,(2-3),1"],
            &["(3,3)"],
            &["3a,3m,3", "3,3a,(4a,5m)"],
        ];
        let order: Vec<usize> = (0..12).collect();
        let plan = |line: &&str| Plan::parse(line, &order).expect(line);
        sweeps
            .iter()
            .map(|lines| Schedule::new(&lines.iter().map(plan).collect::<Vec<_>>()))
            .map(|schedule| {
                let program = Program::new(&schedule, most);
                (schedule, program)
            })
            .collect()
    }

    /// Counts the streams that exist at once while whole batches run: a node's from its first block run until
    /// its last child is complete.
    fn most_needed(schedule: &Schedule) -> usize {
        let nodes = &schedule.nodes;
        let mut children: Vec<usize> = nodes.iter().map(|node| node.children).collect();
        let mut left: Vec<usize> = nodes.iter().map(|node| node.runs.len()).collect();
        let (mut live, mut peak) = (1, 1);
        for batch in &schedule.batches {
            let mut freed = 0;
            for &(node, _) in &batch.nodes {
                live += usize::from(left[node] == nodes[node].runs.len());
                left[node] -= 1;
                if left[node] == 0 {
                    let parent = nodes[node].parent;
                    children[parent] -= 1;
                    freed += usize::from(children[parent] == 0);
                    freed += usize::from(nodes[node].children == 0);
                }
            }
            peak = peak.max(live);
            live -= freed;
        }
        peak
    }

    #[test]
    fn no_call_writes_what_it_reads_or_the_same_twice() {
        for most in [1, 2, 100] {
            for (schedule, program) in programs(most) {
                for call in &program.calls {
                    let ins: HashSet<_> = call.steps.iter().map(|step| step.slot_in).collect();
                    let outs: HashSet<_> = call.steps.iter().map(|step| step.slot_out).collect();
                    assert!(ins.is_disjoint(&outs));
                    assert_eq!(outs.len(), call.steps.len());
                    assert!(call.steps.len() <= most);
                }
                assert!(program.slots <= schedule.peak_streams(), "{most}");
                assert!(schedule.peak_streams() <= most_needed(&schedule), "{most}");
                let runs: usize = program.calls.iter().map(|call| call.steps.len()).sum();
                assert_eq!(runs, schedule.block_runs());
            }
        }
    }

    /// Plays the program with sets of block runs for streams.
    #[test]
    fn every_node_holds_its_own_stream_when_it_is_complete() {
        for (schedule, program) in programs(2) {
            let path = |mut node: usize| {
                let mut runs = Vec::new();
                while node != 0 {
                    runs.extend(schedule.nodes[node].runs.iter().rev().copied());
                    node = schedule.nodes[node].parent;
                }
                runs.reverse();
                runs
            };
            let mut streams: Vec<Vec<BlockRun>> = vec![Vec::new(); program.slots];
            for call in &program.calls {
                for step in &call.steps {
                    let mut stream = streams[step.slot_in].clone();
                    if !step.is_first {
                        stream = streams[step.slot_out].clone();
                    }
                    stream.push(call.run);
                    streams[step.slot_out] = stream;
                }
                for &(node, slot) in &call.complete {
                    let (mut found, mut expected) = (streams[slot].clone(), path(node));
                    found.sort();
                    expected.sort();
                    assert_eq!(found, expected);
                }
            }
        }
    }
}
