//! Streams along a run's depth, read by the whole vocabulary: plain sums in f64 over logits that have
//! come back.

use crate::engine::backend::DepthRows;

/// Logits `[S][V]` to what [`Pass::give_depths`](crate::engine::backend::Pass::give_depths) gives.
pub fn depths(logits: &[Vec<f32>], rows: &DepthRows) -> Vec<f32> {
    let logs = |logits: &[f32]| -> (f64, Vec<f64>) {
        let largest = logits.iter().fold(f32::NEG_INFINITY, |max, &x| max.max(x));
        let exp = |&x: &f32| f64::from(x - largest).exp();
        let log_sum = f64::from(largest) + logits.iter().map(exp).sum::<f64>().ln();
        let logs = logits.iter().map(|&x| f64::from(x) - log_sum);
        (log_sum, logs.collect())
    };
    let mut numbers = Vec::new();
    for (own, &end) in logits.iter().zip(&rows.ends) {
        let ((log_sum, logs), (_, of_end)) = (logs(own), logs(&logits[end]));
        let entropy: f64 = logs.iter().map(|x| -x.exp() * x).sum();
        let pairs = of_end.iter().zip(&logs);
        let kl: f64 = pairs.map(|(end, x)| end.exp() * (end - x)).sum();
        numbers.extend([log_sum, entropy, kl].map(|x| x as f32));
        let mut order: Vec<usize> = (0..own.len()).collect();
        order.sort_by(|&a, &b| own[b].total_cmp(&own[a]).then(a.cmp(&b)));
        let top = order[..rows.top].iter();
        numbers.extend(top.flat_map(|&id| [id as f32, own[id]]));
        for &id in &rows.followed {
            let logit = own[id as usize];
            let above = own.iter().filter(|&&other| other > logit).count();
            numbers.extend([above as f32 + 1.0, logit]);
        }
    }
    numbers
}
