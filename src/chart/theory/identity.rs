//! Theorem 1: bias - diversity against MSE, a point a row.

use super::{FigureDraft, Scene, headers, missing, plot, reach};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series};
use crate::chart::{Table, TableCell};
use crate::study::survey::Sample;

type SampleColumn = (&'static str, fn(&Sample) -> [f64; 3]);
const COLUMNS: [SampleColumn; 3] = [
    ("squared probabilities", |sample| sample.probability),
    ("squared logits", |sample| sample.logit),
    ("the paper's mixed columns", |sample| sample.paper),
];

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let (unit, column) = COLUMNS[scene.choice().min(2)];
    let pens = [
        Pen::new("a row: bias − diversity", scene.theme.mse, Line::None, Mark::Circle),
        Pen::new("MSE itself", scene.theme.quiet, Line::Dashed, Mark::None),
    ];
    let (mut points, mut rows, mut worst) = (Vec::new(), Vec::new(), 0.0_f64);
    for (task, found) in scene.cells() {
        let task = &scene.survey.tasks[task].name;
        for sample in &found.samples {
            let [mse, bias, diversity] = column(sample);
            let residue = bias - diversity - mse;
            worst = worst.max(residue.abs());
            let text = format!(
                "{task}, row {}\n{} − {} against {}",
                sample.row,
                short(bias),
                short(diversity),
                short(mse)
            );
            points.push(Point::new(mse, bias - diversity, text));
            rows.push(vec![
                TableCell::Text(task.clone()),
                TableCell::Count(sample.row),
                TableCell::Number(mse),
                TableCell::Number(bias),
                TableCell::Number(diversity),
                TableCell::Number(bias - diversity),
                TableCell::Number(residue),
            ]);
        }
    }
    if points.is_empty() {
        return Err(missing(scene, "rows in this report"));
    }
    let count = points.len();
    let far = points.iter().map(|point| point.x).fold(0.0, f64::max);
    let level = [0.0, far].map(|x| Point::new(x, x, format!("MSE {}", short(x))));
    let series =
        vec![Series::new(pens[1].clone(), level.to_vec()), Series::new(pens[0].clone(), points)];
    let holds = worst < 1e-4;
    let panel = Panel::new(
        format!("bias − diversity, {unit}"),
        Axis::from_zero(format!("MSE, {unit}"), reach(&series, |p| p.x).into_iter()),
        Axis::from_zero("", reach(&series, |p| p.y).into_iter()),
        series,
    );
    Ok(FigureDraft {
        key: "theorem-1",
        title: if holds {
            format!("On every one of {count} rows bias − diversity is the MSE")
        } else {
            format!(
                "Taken from two scales, bias − diversity misses the MSE by up to {}",
                short(worst)
            )
        },
        words: [
            format!("{}, {count} sampled rows of its tasks.", scene.model_name()),
            if holds {
                // A report in memory has all of its digits.
                let of = match worst < 1e-12 {
                    true => "what rounding leaves",
                    false => "the seven digits of the file",
                };
                format!("The largest difference is {}: {of}.", short(worst))
            } else {
                "Diversity in squared logits is taken from a bias in squared probabilities: points leave the line, most of them below 0.".to_owned()
            },
        ],
        table: Table {
            headers: headers(&[
                "task",
                "row",
                "mse",
                "bias",
                "diversity",
                "bias - diversity",
                "difference",
            ]),
            rows,
        },
        plot: plot(vec![panel], pens.to_vec()),
    })
}
