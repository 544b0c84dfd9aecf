//! Prints a plan in the one-line notation.
//!
//! A plan is always printed the same way: equal neighbours as `x`, then whole blocks in ascending
//! order as ranges of two or more, in descending order of three or more (`9,8`, but `9-7`).

use std::fmt;

use super::{BlockRun, Half, MAX_REPEAT, Step};

/// Prints steps as `notation::parse` reads them.
pub(super) fn print(steps: &[Step], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str(&line(steps, MAX_REPEAT))
}

/// Steps in a line, at most `most_repeated` equal neighbours as one `x`. In a group `x` would stand for running
/// after one another, so none are.
fn line(steps: &[Step], most_repeated: usize) -> String {
    let mut items = Vec::new();
    // Whole blocks that stand alone, waiting to be merged into ranges.
    let mut single = Vec::new();
    for equal in steps.chunk_by(|a, b| a == b) {
        if let [Step::Block(run)] = equal
            && *run == BlockRun::whole(run.index)
        {
            single.push(run.index);
            continue;
        }
        push_ranges(&mut items, &mut single);
        for repeats in equal.chunks(most_repeated) {
            let step = match &repeats[0] {
                Step::Block(run) => block(*run),
                Step::Parallel(group) => {
                    let group: Vec<Step> = group.iter().copied().map(Step::Block).collect();
                    format!("({})", line(&group, 1))
                }
            };
            items.push(if repeats.len() == 1 { step } else { format!("{step}x{}", repeats.len()) });
        }
    }
    push_ranges(&mut items, &mut single);
    items.join(",")
}

fn block(run: BlockRun) -> String {
    let half = match run.half {
        Half::Both => "",
        Half::Attention => "a",
        Half::Mlp => "m",
    };
    if run.heads_off.is_empty() {
        format!("{}{half}", run.index)
    } else {
        format!("{}{half}~h{}", run.index, run.heads_off)
    }
}

/// Empties `indices`, no two neighbours equal, into `items`.
fn push_ranges(items: &mut Vec<String>, indices: &mut Vec<usize>) {
    let mut rest = std::mem::take(indices);
    while let Some(&first) = rest.first() {
        let up = rest.iter().enumerate().take_while(|&(n, &index)| index == first + n).count();
        let down = rest.iter().enumerate().take_while(|&(n, &index)| index + n == first).count();
        let taken = if up >= 2 {
            up
        } else if down >= 3 {
            down
        } else {
            1
        };
        items.push(if taken == 1 {
            first.to_string()
        } else {
            format!("{first}-{}", rest[taken - 1])
        });
        rest.drain(..taken);
    }
}
