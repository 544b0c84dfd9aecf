//! Batches of training rows, drawn by number: batch `n` is the same however training got there.

use super::TrainError;
use crate::task::minilang::{self, DataSplit, Dice, Drill, GeneratedTask, LEVELS, words::EOS};

/// The answer counts fully in the loss, every other token this much: most of a prompt cannot be
/// foreseen, and its noise drowned the answers at a tenth.
const OTHER_TOKENS: f32 = 0.05;

/// Rows one after the other, without padding. N tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrainingBatch {
    /// [N]
    pub tokens: Vec<u32>,
    /// [N] the token that comes next; the end token after the answer.
    pub targets: Vec<u32>,
    /// [N]
    pub weights: Vec<f32>,
    /// Where each row starts, and the end: one more than there are rows.
    pub starts: Vec<usize>,
}

impl TrainingBatch {
    pub fn of(rows: &[Drill]) -> Result<TrainingBatch, TrainError> {
        let mut batch = TrainingBatch {
            starts: vec![0],
            ..TrainingBatch::default()
        };
        for Drill { row, counted } in rows {
            let text = format!("{}{}", row.prompt, row.options[row.answer]);
            let ids = minilang::encode(&text).ok_or(TrainError::Word { text })?;
            batch.tokens.extend(&ids);
            batch.targets.extend(&ids[1..]);
            batch.targets.push(EOS);
            batch
                .weights
                .extend(std::iter::repeat_n(OTHER_TOKENS, ids.len()));
            let (start, end) = (batch.starts[batch.starts.len() - 1], batch.tokens.len());
            batch.weights[end - 2] = 1.0;
            // Word w is token w + 1, foreseen at token w.
            counted
                .iter()
                .for_each(|word| batch.weights[start + word] = 1.0);
            batch.starts.push(end);
        }
        Ok(batch)
    }
}

/// Draws `count` training rows for batch number `step`. `progress` runs from 0 to 1 over the
/// training: level k of the tasks is let in at k tenths, and from then on most rows are of the
/// hardest level let in.
pub fn draw(seed: u64, step: u64, progress: f64, count: usize) -> Vec<Drill> {
    let mut dice = Dice::new(seed, step);
    let hardest = ((progress * 10.0) as usize).min(LEVELS - 1);
    // Of the tasks that have drills: two in five at first, then one in five.
    let drills = if progress < 0.3 { 40 } else { 20 };
    (0..count)
        .map(|n| {
            let task = GeneratedTask::ALL[(step as usize * count + n) % GeneratedTask::ALL.len()];
            let level = if dice.below(10) < 6 {
                hardest
            } else {
                dice.below(hardest + 1)
            };
            let drilled = if dice.below(100) < drills {
                minilang::drill(task, level, &mut dice)
            } else {
                None
            };
            drilled.unwrap_or_else(|| Drill {
                row: minilang::row(task, level, DataSplit::Training, &mut dice),
                counted: Vec::new(),
            })
        })
        .collect()
}
