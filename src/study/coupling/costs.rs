//! Costs of leaving out a step and of exchanging two neighbours: the orders that measure them, and the numbers.

use super::Cost;
use crate::measure::interval::{Mean, Resamples, paired_rows};
use crate::plan::Plan;
use crate::study::StudyError;
use crate::study::orders::{Extent, Order, Orders, Sweep, Variant};

/// Lists the orders that leave out each step and exchange each two neighbours, where the plan is the model's own.
/// Another plan stands alone in the list: it is run for its answers.
///
/// # Errors
/// A plan that is none of a model of this order.
pub fn orders_of_costs(plan: &Plan, own: &[usize]) -> Result<Vec<Order>, StudyError> {
    if Plan::whole(own).ok().as_ref() != Some(plan) {
        return Ok(vec![Order::parse(&plan.to_string(), own)?]);
    }
    let sweeps: Vec<Sweep> = [Sweep::Drop, Sweep::Swap]
        .into_iter()
        .filter(|sweep| own.len() >= sweep.least_runs())
        .collect();
    Order::all(&sweeps, Extent::default(), own)
}

/// Share of right answers under this plan.
pub fn accuracy(orders: &Orders, plan: &str) -> Option<Mean> {
    let all = std::iter::once(&orders.original).chain(&orders.variants);
    let found = all.into_iter().find(|variant| variant.plan == plan);
    found.map(|variant| variant.measures.accuracy)
}

/// Returns the cost of leaving out each step and of exchanging each two neighbours, of a model with `steps` steps.
pub fn costs(orders: &Orders, steps: usize) -> Vec<Cost> {
    let resamples = Resamples::new(orders.rows, orders.resamples, orders.seed);
    let points = orders.points.iter().filter_map(|point| {
        let is_one = matches!(point.sweep, Sweep::Drop | Sweep::Swap) && point.at < steps;
        let variant = orders.variants.get(*point.variants.first()?)?;
        is_one.then(|| cost(orders, variant, point.at, &resamples))
    });
    points.collect()
}

fn cost(orders: &Orders, variant: &Variant, at: usize, resamples: &Resamples) -> Cost {
    let (before, after) = (&orders.original.rows, &variant.rows);
    let is_right = |right: &bool| f64::from(u8::from(*right));
    let pairs = before.correct.iter().zip(&after.correct);
    let right: Vec<f64> = pairs.map(|(a, b)| is_right(a) - is_right(b)).collect();
    let margins = before.margin.iter().zip(&after.margin);
    let margin: Vec<f64> = margins.map(|(a, b)| a - b).collect();
    Cost {
        order: variant.name.clone(),
        at,
        accuracy: paired_rows(&right),
        margin: resamples.mean(&margin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_own_order_is_taken_apart_and_any_other_is_run_as_it_is() {
        let names = |line: &str, own: &[usize]| -> Vec<String> {
            let plan = Plan::parse(line, own).expect(line);
            let orders = orders_of_costs(&plan, own).expect(line);
            orders.into_iter().map(|order| order.name).collect()
        };
        let all = ["drop:0", "drop:1", "drop:2", "swap:0", "swap:1"];
        assert_eq!(names("0-2", &[0, 1, 2]), all);
        assert_eq!(names("0,2", &[0, 1, 2]), ["0,2"]);
        // Of one block nothing can be left out.
        assert!(names("0", &[0]).is_empty());
    }
}
