//! That drawn numbers are the report's own.

use atelier::chart::{Column, DARK, Quantity, sweep_figures};

use super::reports::sweep;
use crate::common::numbers;

#[test]
fn every_drawn_mean_is_one_of_the_reports() {
    let orders = sweep(6);
    let text = serde_json::to_value(&orders).expect("JSON");
    let mut known = Vec::new();
    numbers(&text, &mut known);
    for quantity in Quantity::ALL {
        for column in Column::ALL {
            for figure in sweep_figures(&orders, quantity, column, &DARK) {
                for panel in &figure.plot.panels {
                    let points = panel.series.iter().flat_map(|series| &series.points);
                    let ends = points.clone().filter_map(|point| point.interval).flatten();
                    let drawn = points
                        .map(|point| point.y)
                        .chain(ends)
                        .chain(panel.patches.iter().map(|patch| patch.value))
                        .chain(panel.levels.iter().map(|level| level.value));
                    for mut x in drawn {
                        if column == Column::Paper
                            && matches!(quantity, Quantity::Bias | Quantity::Mse)
                        {
                            x /= column.scale();
                        }
                        if quantity == Quantity::Kl {
                            x /= std::f64::consts::LOG2_E;
                        }
                        // A map's colours of perplexities are powers of ten.
                        let is_power = quantity == Quantity::Perplexity;
                        let near = |k: &f64| {
                            let off = (k - x).abs().min(match is_power {
                                true => (k.log10() - x).abs(),
                                false => f64::INFINITY,
                            });
                            off <= 1e-9 * x.abs().max(1e-9)
                        };
                        // Chance, on the normalised scale, is 0 by definition.
                        assert!(x == 0.0 || known.iter().any(near), "{} {x}", figure.key);
                    }
                }
            }
        }
    }
}

#[test]
fn every_point_of_a_sweep_carries_a_plan_of_the_report() {
    let orders = sweep(6);
    let known: Vec<&str> = orders.variants.iter().map(|one| one.name.as_str()).collect();
    for figure in sweep_figures(&orders, Quantity::Accuracy, Column::Probability, &DARK) {
        for panel in &figure.plot.panels {
            let points = panel.series.iter().flat_map(|series| &series.points);
            let plans = points.map(|point| &point.plan);
            for plan in plans.chain(panel.patches.iter().map(|patch| &patch.plan)) {
                let plan = plan.as_deref().expect("a plan");
                assert!(known.contains(&plan), "{plan}");
            }
        }
    }
}
