//! Theorem 3: bias and diversity from their terms, as printed and corrected, beside what they are.

use super::{Scene, Sketch, headers, missing, pen, plot, reach};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Point, Series};
use crate::chart::{Cell, Table};
use crate::measure::tradeoff::Tradeoff;

type Value = fn(&Tradeoff) -> f64;

pub(super) fn sketch(scene: &Scene<'_>) -> Result<Sketch, String> {
    let theme = scene.theme;
    let pens = [
        pen("as the rows are", theme.quiet, Line::None, Mark::Level),
        pen("corrected terms", theme.diversity, Line::None, Mark::Circle),
        pen("terms as printed", theme.mlp, Line::None, Mark::Square),
    ];
    let share = scene.setting.clamp(0.0, 1.0);
    let found: Vec<(String, Tradeoff)> = scene
        .cells()
        .map(|(task, found)| {
            let name = scene.survey.tasks[task].name.clone();
            (name, found.tradeoff.towards_constant(share))
        })
        .collect();
    if found.is_empty() {
        return Err(missing(scene, "numbers in this report"));
    }
    // With its terms, the corrected form is what the rows are, by algebra; the level is summed from
    // other fields of the same file.
    let quantities: [(&str, [Value; 3]); 2] = [
        (
            "bias, squared logits",
            [
                |t| t.mse + t.diversity,
                |t| t.bias_bar_squared + t.omega + t.target_variance - 2.0 * t.target_covariance,
                |t| t.paper_bias,
            ],
        ),
        (
            "diversity, squared logits",
            [|t| t.bias - t.mse, |t| t.diversity, |t| t.paper_diversity],
        ),
    ];
    let names: Vec<String> = found.iter().map(|(name, _)| name.clone()).collect();
    let panels = quantities.iter().map(|(name, values)| {
        let series: Vec<Series> = pens
            .iter()
            .zip(values)
            .map(|(pen, value)| {
                let points = found.iter().enumerate().map(|(x, (task, t))| {
                    let text = format!("{task}, {}\n{}", pen.name, short(value(t)));
                    Point::new(x as f64, value(t), text)
                });
                Series::new(pen.clone(), points.collect())
            })
            .collect();
        Panel {
            name: (*name).to_owned(),
            x: Axis::category("", names.clone()),
            y: Axis::from_zero("", reach(&series, |p| p.y).into_iter()),
            series,
        }
    });
    let worst = |of: Value| found.iter().map(|(_, t)| of(t).abs()).fold(0.0, f64::max);
    let shared = found.iter().map(|(_, t)| t.omega / t.bias).sum::<f64>() / found.len() as f64;
    let rows = found.iter().map(|(task, t)| {
        let mut row = vec![Cell::Text(task.clone())];
        row.extend(
            [
                t.bias,
                t.paper_bias,
                t.bias_residue(),
                t.diversity,
                t.paper_diversity,
                t.diversity_residue(),
                t.omega,
            ]
            .map(Cell::Number),
        );
        row
    });
    let (bias, diversity) = (
        worst(Tradeoff::bias_residue),
        worst(Tradeoff::diversity_residue),
    );
    Ok(Sketch {
        key: "theorem-3",
        title: if bias < 1e-9 {
            format!(
                "For a target that is the same for all options the printed bias is right; its diversity is off by up to {}",
                short(diversity)
            )
        } else {
            format!(
                "The printed terms miss the bias by up to {}, the diversity by up to {}",
                short(bias),
                short(diversity)
            )
        },
        words: [
            format!("{}, means over all rows of each task.", scene.model_name()),
            format!(
                "Ω, the shared term, is {} of the bias on average.",
                percent(shared)
            ),
        ],
        table: Table {
            headers: headers(&[
                "task",
                "bias",
                "printed bias",
                "bias residue",
                "diversity",
                "printed diversity",
                "diversity residue",
                "omega",
            ]),
            rows: rows.collect(),
        },
        plot: plot(panels.collect(), pens.to_vec()),
    })
}
