//! Over tasks: the paper's curves are medians of normalised scores (its section 2).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Measures, Orders, Sweep};
use crate::measure::interval::Mean;

/// A sweep's point over several tasks: medians of the tasks' means, without intervals (there are
/// as many values as tasks).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Median {
    pub sweep: Sweep,
    /// As [`SweepPoint::at`](super::SweepPoint::at).
    pub at: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub middle: Option<usize>,
    /// Tasks it is over; those of the normalised score may be fewer.
    pub tasks: usize,
    pub accuracy: f64,
    /// Over the tasks whose original is above chance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalised: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kl: Option<f64>,
    /// Over the tasks that have one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_word: Option<f64>,
}

/// One for each point that every task has; none for fewer than two tasks.
pub fn medians(orders: &[Orders]) -> Vec<Median> {
    if orders.len() < 2 {
        return Vec::new();
    }
    let mut points = BTreeMap::new();
    for point in orders.iter().flat_map(|orders| &orders.points) {
        points
            .entry((point.sweep, point.at, point.head, point.rounds))
            .or_insert_with(Vec::new)
            .push(point);
    }
    points
        .into_iter()
        .filter(|(_, of)| of.len() == orders.len())
        .map(|((sweep, at, head, rounds), of)| {
            let over = |mean: fn(&Measures) -> Option<Mean>| {
                median(of.iter().filter_map(|point| Some(mean(&point.measures)?.mean)).collect())
            };
            Median {
                sweep,
                at,
                head,
                rounds,
                middle: of[0].middle,
                tasks: of.len(),
                accuracy: over(|measures| Some(measures.accuracy)).unwrap_or_default(),
                normalised: over(|measures| measures.normalised),
                kl: over(|measures| measures.kl),
                first_word: over(|measures| measures.first_word),
            }
        })
        .collect()
}

/// Returns the median; of an even number of values, the mean of the two in the middle.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let (n, half) = (values.len(), values.len() / 2);
    match n {
        0 => None,
        n if n % 2 == 1 => Some(values[half]),
        _ => Some((values[half - 1] + values[half]) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), Some(2.5));
    }
}
