//! Streams read by the whole vocabulary: plain sums in f64 over logits that have come back.

use crate::engine::backend::{VocabularyPart, VocabularyRows};

/// Logits `[read][V]` of a part to what
/// [`Output::Vocabulary`](crate::engine::backend::Output::Vocabulary) gives of its streams.
pub fn vocabulary(logits: &[Vec<f32>], part: &VocabularyPart, rows: &VocabularyRows) -> Vec<f32> {
    let f = rows.followed_count();
    let mut numbers = Vec::new();
    for (own, (&reference, stream)) in
        logits.iter().zip(part.references.iter().zip(part.streams.clone()))
    {
        let (log_sum, logs) = log_softmax(own);
        let (_, logs_of_reference) = log_softmax(&logits[reference]);
        let entropy: f64 = logs.iter().map(|x| -x.exp() * x).sum();
        let pairs = logs_of_reference.iter().zip(&logs);
        let kl: f64 = pairs.map(|(from, x)| from.exp() * (from - x)).sum();
        numbers.extend([log_sum, entropy, kl].map(|x| x as f32));

        let mut order: Vec<usize> = (0..own.len()).collect();
        order.sort_by(|&a, &b| own[b].total_cmp(&own[a]).then(a.cmp(&b)));
        numbers.extend(order[..rows.top].iter().flat_map(|&id| [id as f32, logs[id] as f32]));
        for &id in &rows.followed[stream * f..][..f] {
            let above = order.iter().take_while(|&&other| other != id as usize).count();
            numbers.extend([above as f32 + 1.0, logs[id as usize] as f32]);
        }
    }
    numbers
}

/// `ln sum exp`, and every logit less it.
fn log_softmax(logits: &[f32]) -> (f64, Vec<f64>) {
    let largest = logits.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
    let exp = |&x: &f32| f64::from(x - largest).exp();
    let log_sum = f64::from(largest) + logits.iter().map(exp).sum::<f64>().ln();
    let logs = logits.iter().map(|&x| f64::from(x) - log_sum);
    (log_sum, logs.collect())
}
