//! Theorems 7 and 8: what every further member adds, where members are independent given the answer
//! and where they are not.

use super::{FigureDraft, Scene, first, plot};
use crate::chart::Table;
use crate::chart::TableCell::Number;
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Series};
use crate::measure::ensemble::{Ensemble, growing, known, steps};
use crate::measure::information::Bounds;

fn curve(pen: &Pen, values: &[f64], unit: &str) -> Series {
    let said = |n, y| format!("member {n}\n{} {}{unit}", pen.name, short(y));
    Series::along(pen, 1, values.iter().copied(), said)
}

fn panel(name: &str, members: usize, series: Vec<Series>) -> Panel {
    Panel::from_zero(name, Axis::counts("members so far", members), series)
}

pub(super) fn information(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let together = scene.setting.clamp(0.0, 1.0);
    let ensemble = Ensemble { options: 2, right: vec![0.75; 6], together };
    let (joint, entropy) = known(&ensemble.exact(8192), 2);
    let gains = steps(&joint, 0.0);
    let theme = scene.theme;
    let pens = [
        Pen::new("I(U;Y)", theme.ink, Line::Thick, Mark::Circle),
        Pen::new("what the member adds", theme.attention, Line::Solid, Mark::Square),
        Pen::new("H(Y), all there is to know", theme.quiet, Line::Dashed, Mark::None),
    ];
    let limit = vec![entropy; joint.len()];
    let all = vec![curve(&pens[0], &joint, " bits"), curve(&pens[2], &limit, " bits")];
    let added = vec![curve(&pens[1], &gains, " bits")];
    Ok(FigureDraft {
        key: "theorem-7",
        title: match growing(&gains) {
            0 => "Every member adds less than the one before".to_owned(),
            1 => "One member adds more than the one before: the shape is lost".to_owned(),
            n => format!("{n} members add more than the one before: the shape is lost"),
        },
        words: [
            format!("Made up; pairs share a secret in {} of the rows.", percent(together)),
            format!(
                "Six members know {} of {} bits.",
                short(joint[joint.len() - 1]),
                short(entropy)
            ),
        ],
        table: Table::of(
            0..joint.len(),
            &[
                ("members", &|n| first(n + 1)),
                ("I(U;Y)", &|&n| Number(joint[n])),
                ("gain", &|&n| Number(gains[n])),
            ],
        ),
        plot: plot(
            vec![
                panel("information of the first members, bits", joint.len(), all),
                panel("what each member adds, bits", joint.len(), added),
            ],
            pens.to_vec(),
        ),
    })
}

pub(super) fn bounds(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let together = scene.setting.clamp(0.0, 1.0);
    let ensemble = Ensemble { options: 4, right: vec![0.625; 4], together };
    let rows = ensemble.exact(16384);
    let (joint, entropy) = known(&rows, 4);
    let bounds: Vec<Bounds> = joint.iter().map(|&bits| Bounds::of(entropy, bits, 4)).collect();
    let upper: Vec<f64> = bounds.iter().map(|b| b.upper).collect();
    let lower: Vec<f64> = bounds.iter().map(|b| b.lower).collect();
    let error: Vec<f64> = (1..=joint.len()).map(|members| rows.best_error(members, 4)).collect();
    let fall = |values: &[f64], start: f64| -> Vec<f64> {
        steps(values, start).into_iter().map(|step| -step).collect()
    };
    // Of nobody's votes: nothing known.
    let none = Bounds::of(entropy, 0.0, 4);
    let falls = [fall(&upper, none.upper), fall(&lower, none.lower)];
    let theme = scene.theme;
    let pens = [
        Pen::new("error of the best rule", theme.mse, Line::Thick, Mark::Circle),
        Pen::new("upper bound", theme.quiet, Line::Solid, Mark::Triangle),
        Pen::new("lower bound", theme.quiet, Line::Dashed, Mark::Diamond),
    ];
    let levels =
        vec![curve(&pens[0], &error, ""), curve(&pens[1], &upper, ""), curve(&pens[2], &lower, "")];
    let drops = vec![curve(&pens[1], &falls[0], ""), curve(&pens[2], &falls[1], "")];
    let [best, low, high] = [error[3], lower[3], upper[3]].map(percent);
    Ok(FigureDraft {
        key: "theorem-8",
        title: match growing(&falls[0]) {
            0 => "The bounds fall less with every member".to_owned(),
            1 => {
                "Once the upper bound falls more than the step before: the shape is lost".to_owned()
            }
            n => format!(
                "{n} times the upper bound falls more than the step before: the shape is lost"
            ),
        },
        words: [
            format!("Made up; pairs share a secret in {} of the rows.", percent(together)),
            format!(
                "Four members leave the best rule an error of {best}, between {low} and {high}."
            ),
        ],
        table: Table::of(
            0..joint.len(),
            &[
                ("members", &|n| first(n + 1)),
                ("error", &|&n| Number(error[n])),
                ("lower bound", &|&n| Number(lower[n])),
                ("upper bound", &|&n| Number(upper[n])),
                ("fall of the lower", &|&n| Number(falls[1][n])),
                ("fall of the upper", &|&n| Number(falls[0][n])),
            ],
        ),
        plot: plot(
            vec![
                panel("share of wrong answers", joint.len(), levels),
                panel("how much each member lowers the bounds", joint.len(), drops),
            ],
            pens.to_vec(),
        ),
    })
}
