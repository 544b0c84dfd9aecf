//! Theorem 1: bias - diversity against MSE, a point a row.

use super::tradeoff::ROUNDING;
use super::{FigureDraft, KnownCell, Scene, missing, plot, widths};
use crate::chart::TableCell::{Count, Number, Text};
use crate::chart::number::{counted, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series};
use crate::chart::{Named, Table};
use crate::study::survey::Sample;

const COLUMNS: Named<fn(&Sample) -> [f64; 3], 3> = [
    ("squared shares", |sample| sample.probability),
    ("squared centred logits", |sample| sample.centred),
    ("the paper's mixed columns", |sample| sample.paper),
];

/// The choice whose points are centred logits.
const LOGITS: usize = 1;
/// The choice whose MSE and bias are probabilities' and whose diversity is the logits'.
const MIXED: usize = 2;
/// The rounding of sums of a report in memory, as a share of its numbers.
const ALL_DIGITS: f64 = 1e-12;

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let choice = scene.choice().min(MIXED);
    let (unit, column) = COLUMNS[choice];
    let pens = [
        Pen::new("a row: bias − diversity", scene.theme.mse, Line::None, Mark::Circle),
        Pen::new("MSE itself", scene.theme.quiet, Line::Dashed, Mark::None),
    ];
    let (mut points, mut rows) = (Vec::new(), Vec::new());
    // The largest difference, and the largest as a share of its row's numbers.
    let (mut worst, mut worst_share) = (0.0_f64, 0.0_f64);
    // The largest among whole logits.
    let mut worst_whole = 0.0_f64;
    for KnownCell { task_name: task, found, .. } in scene.cells() {
        for sample in &found.samples {
            let [mse, bias, diversity] = column(sample);
            let residue = bias - diversity - mse;
            let sizes = mse.abs() + bias.abs() + diversity.abs();
            worst = worst.max(residue.abs());
            let [whole_mse, whole_bias, whole_diversity] = sample.logit;
            worst_whole = worst_whole.max((whole_bias - whole_diversity - whole_mse).abs());
            worst_share = worst_share.max(residue.abs() / sizes.max(f64::MIN_POSITIVE));
            let [a, b, c] = [bias, diversity, mse].map(short);
            let text = format!("{task}, row {}\n{a} − {b} against {c}", sample.row);
            points.push(Point::new(mse, bias - diversity, text));
            rows.push((task, sample.row, column(sample), residue));
        }
    }
    refuse_if!(points.is_empty(), missing(scene, "rows in this report"));
    let count = points.len();
    let far = points.iter().map(|point| point.x).fold(0.0, f64::max);
    let level = [0.0, far].map(|x| Point::new(x, x, format!("MSE {}", short(x))));
    let series = vec![Series::new(pens[1].clone(), level), Series::new(pens[0].clone(), points)];
    let x = Axis::from_zero(format!("MSE, {unit}"), widths(&series));
    let panel = Panel::from_zero(format!("bias − diversity, {unit}"), x, series);
    let of = format!("{}, {} of its tasks.", scene.model_name(), counted(count, "sampled row"));
    let [worst, whole] = [worst, worst_whole].map(short);
    Ok(FigureDraft {
        key: "theorem-1",
        title: match choice {
            MIXED => format!("Taken from two scales, bias − diversity misses the MSE by up to {worst}"),
            _ if worst_share <= ROUNDING => holds(count),
            _ => format!("In this report bias − diversity misses the MSE by up to {worst}"),
        },
        words: [
            match choice {
                LOGITS => format!(
                    "{of} Among whole logits, with the offset that moves no probability, the largest difference is {whole}."
                ),
                _ => of,
            },
            match choice {
                MIXED => "Diversity in squared logits is taken from a bias in squared shares: points leave the line, most of them below 0.".to_owned(),
                _ if worst_share <= ALL_DIGITS => {
                    format!("The largest difference is {worst}: what rounding leaves.")
                }
                _ if worst_share <= ROUNDING => {
                    format!("The largest difference is {worst}: the seven digits of the file.")
                }
                _ => "All three terms are in one unit, so the identity holds of any numbers: these do not belong together.".to_owned(),
            },
        ],
        table: Table::of(
            rows,
            &[
                ("task", &|(task, ..)| Text((*task).to_owned())),
                ("row", &|(_, row, ..)| Count(*row)),
                ("mse", &|(_, _, [mse, ..], _)| Number(*mse)),
                ("bias", &|(_, _, [_, bias, _], _)| Number(*bias)),
                ("diversity", &|(_, _, [.., diversity], _)| Number(*diversity)),
                ("bias - diversity", &|(_, _, [_, bias, diversity], _)| Number(bias - diversity)),
                ("difference", &|(.., residue)| Number(*residue)),
            ],
        ),
        plot: plot(vec![panel], pens.to_vec()),
    })
}

/// Says that the identity holds on so many rows.
fn holds(rows: usize) -> String {
    match rows {
        1 => "On the only row bias − diversity is the MSE".to_owned(),
        _ => format!("On every one of {rows} rows bias − diversity is the MSE"),
    }
}

#[cfg(test)]
mod tests {
    use super::holds;

    #[test]
    fn one_row_is_said_as_one() {
        assert_eq!(holds(1), "On the only row bias − diversity is the MSE");
        assert_eq!(holds(80), "On every one of 80 rows bias − diversity is the MSE");
    }
}
