//! Sweeps had the model answered otherwise: every verdict on them must be somebody's.

use atelier::study::lessons::{ModelFound, PartFound};
use atelier::study::orders::{Orders, Sweep, SweepPoint};

/// Share of the rows that are right under an order, by the task's number and the point.
type SharesOf = Box<dyn Fn(usize, &SweepPoint) -> f64>;

/// Returns the sweep as other models would have answered it on the same rows.
pub fn others(models: &[ModelFound]) -> Vec<Vec<ModelFound>> {
    let [model] = models else { return Vec::new() };
    let PartFound::Sweeps(found) = &model.part else { return Vec::new() };
    let all = shares();
    let one = all.iter().map(|share| {
        let mut model = model.clone();
        model.part = PartFound::Sweeps(answered(found, share));
        vec![model]
    });
    one.collect()
}

fn shares() -> Vec<SharesOf> {
    let mut all: Vec<SharesOf> = Vec::new();
    for share in [0.0, 0.6, 1.0] {
        all.push(Box::new(move |_, _| share));
    }
    let two = |is: bool| if is { 1.0 } else { 0.0 };
    for kind in Sweep::FAMILY {
        all.push(Box::new(move |_, point| two(point.sweep == kind)));
        all.push(Box::new(move |_, point| two(point.sweep != kind)));
    }
    for is_first in [true, false] {
        all.push(Box::new(move |task, _| two((task < 2) == is_first)));
        all.push(Box::new(move |_, point| two((point.rounds == Some(1)) == is_first)));
        // Places of a model of twelve blocks.
        all.push(Box::new(move |_, point| two((3..10).contains(&point.at) == is_first)));
    }
    all.push(Box::new(|_, point| match point.sweep {
        Sweep::Repeat => 0.0,
        Sweep::Shuffle => 1.0,
        _ => 0.5,
    }));
    all
}

fn answered(found: &[Orders], share: &SharesOf) -> Vec<Orders> {
    let mut found = found.to_vec();
    for (task, orders) in found.iter_mut().enumerate() {
        // A model that is right in its own order, so that there is something to lose.
        let rows = orders.original.rows.correct.len();
        orders.original.rows.correct = vec![true; rows];
        orders.original.measures.accuracy.mean = 1.0;
        answer(orders, task, share);
    }
    found
}

fn answer(orders: &mut Orders, task: usize, share: &SharesOf) {
    for point in &orders.points {
        let share = share(task, point);
        for &variant in &point.variants {
            let correct = &mut orders.variants[variant].rows.correct;
            let right = (share * correct.len() as f64).round() as usize;
            for (row, is_right) in correct.iter_mut().enumerate() {
                *is_right = row < right;
            }
        }
    }
}
