//! Accuracy on held-out rows, with the weights as they are shipped: rounded to half precision.

use half::f16;

use super::TrainError;
use super::network::Network;
use super::shape::Shape;
use crate::task::minilang::{self, GeneratedRow, GeneratedTask};

/// Parameters as a model file in half precision holds them.
pub fn rounded(parameters: &[f32]) -> Vec<f32> {
    parameters
        .iter()
        .map(|&parameter| f16::from_f32(parameter).to_f32())
        .collect()
}

/// The share of `rows` whose right option has the largest logit.
pub fn accuracy(
    shape: &Shape,
    parameters: &[f32],
    rows: &[GeneratedRow],
) -> Result<f64, TrainError> {
    let mut network = Network::new(*shape);
    let mut right = 0;
    for rows in rows.chunks(32) {
        let (mut tokens, mut starts) = (Vec::new(), vec![0]);
        for row in rows {
            let unknown = || TrainError::Word {
                text: row.prompt.clone(),
            };
            tokens.extend(minilang::encode(&row.prompt).ok_or_else(unknown)?);
            starts.push(tokens.len());
        }
        for (row, logits) in rows
            .iter()
            .zip(network.next_token_logits(parameters, &tokens, &starts))
        {
            let mut best = (f32::MIN, 0);
            for (option, text) in row.options.iter().enumerate() {
                let unknown = || TrainError::Word { text: text.clone() };
                let id = *minilang::encode(text)
                    .and_then(|ids| ids.last().copied())
                    .as_ref()
                    .ok_or_else(unknown)?;
                if logits[id as usize] > best.0 {
                    best = (logits[id as usize], option);
                }
            }
            right += usize::from(best.1 == row.answer);
        }
    }
    Ok(right as f64 / rows.len().max(1) as f64)
}

/// [`accuracy`] on `rows` held-out rows of every task, in the order of [`GeneratedTask::ALL`].
pub fn accuracies(
    shape: &Shape,
    parameters: &[f32],
    rows: usize,
    seed: u64,
) -> Result<Vec<(GeneratedTask, f64)>, TrainError> {
    let parameters = rounded(parameters);
    GeneratedTask::ALL
        .into_iter()
        .map(|task| {
            Ok((
                task,
                accuracy(shape, &parameters, &minilang::held_out(task, rows, seed))?,
            ))
        })
        .collect()
}
