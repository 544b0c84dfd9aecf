//! Theorems 4 to 8 along one model's stream: relevancy, redundancy and conditional redundancy, and
//! the error between its bounds; a figure an estimator.

use super::TableCell::{Count, Number, Text};
use super::cells;
use super::{FigureDraft, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use crate::chart::number::{counted, short};
use crate::chart::plot::{Axis, Pen};
use crate::study::survey::{Estimate, Information, InformationPoint, Survey};

type EstimateOf = fn(&Information) -> &Estimate;

const ESTIMATORS: [(&str, &str, EstimateOf); 2] = [
    ("information-votes", "counted votes (Miller-Madow)", |i| &i.votes),
    ("information-copula", "Gaussian copula", |i| &i.copula),
];

/// Bits under which a curve is no picture.
const NOTHING: f64 = 1e-9;

const TERMS: [fn(&InformationPoint) -> f64; 4] =
    [|p| p.relevancy, |p| p.redundancy, |p| p.conditional_redundancy, |p| p.joint];
const ERRORS: [fn(&InformationPoint) -> f64; 3] =
    [|p| p.error, |p| p.bounds.lower, |p| p.bounds.upper];

pub(super) fn figures(survey: &Survey, model: usize, theme: &Theme) -> Vec<FigureDraft> {
    let all = ESTIMATORS.iter();
    all.filter_map(|(key, name, of)| figure(survey, model, theme, key, name, *of)).collect()
}

fn figure(
    survey: &Survey,
    model: usize,
    theme: &Theme,
    key: &'static str,
    estimator: &str,
    of: EstimateOf,
) -> Option<FigureDraft> {
    let name = &survey.models[model].name;
    let terms = [
        Pen::new("relevancy", theme.attention, Line::Solid, Mark::Circle),
        Pen::new("redundancy", theme.mlp, Line::Dashed, Mark::Square),
        Pen::new("conditional redundancy", theme.diversity, Line::Dotted, Mark::Diamond),
        Pen::new("I(U;Y), their sum", theme.ink, Line::Thick, Mark::None),
    ];
    let errors = [
        Pen::new("error", theme.mse, Line::Thick, Mark::Circle),
        Pen::new("lower bound", theme.quiet, Line::Dashed, Mark::None),
        Pen::new("upper bound", theme.quiet, Line::Solid, Mark::None),
    ];
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    let (mut points, mut above, mut below, mut beyond) = (0, 0, 0, 0);
    let (mut stops, mut flat) = (Vec::new(), Vec::new());
    for cell in cells(survey).filter(|cell| cell.model == model) {
        let task = &survey.tasks[cell.task].name;
        let estimate = match &cell.found.information {
            Ok(information) => {
                let curve = &of(information).curve;
                beyond += curve.iter().filter(|p| p.joint > information.entropy).count();
                of(information)
            }
            Err(why) => {
                stops.push(format!("{task}: {why}"));
                continue;
            }
        };
        if let Some(why) = &estimate.stopped {
            stops.push(format!("{task}: {why}"));
        }
        let curve = &estimate.curve;
        if curve.is_empty() {
            continue;
        }
        points += curve.len();
        let broken = |bound: &str| {
            let breaks = curve.iter().filter(|p| p.breaks.as_deref() == Some(bound));
            breaks.count()
        };
        above += broken("upper");
        below += broken("lower");
        // Two lines on 0 are no picture; their numbers stay in the table.
        if curve.iter().all(|point| TERMS.iter().all(|term| term(point).abs() < NOTHING)) {
            flat.push(task.as_str());
        } else {
            let bounds = format!("{task}, error between its bounds");
            panels.push(panel(&format!("{task}, bits"), task, &terms, &TERMS, curve));
            panels.push(panel(&bounds, task, &errors, &ERRORS, curve));
        }
        rows.extend(curve.iter().map(|point| (task, point)));
    }
    if panels.is_empty() {
        return None;
    }
    let mut caveat = match stops.as_slice() {
        [] => "Every curve reaches the last component.".to_owned(),
        [first, rest @ ..] => {
            let end = if rest.is_empty() { "ends early or is" } else { "end early or are" };
            format!("{} {end} refused; {first}.", counted(rest.len() + 1, "curve"))
        }
    };
    if !flat.is_empty() {
        caveat += &format!(" Not drawn, since all their terms are 0: {}.", flat.join(", "));
    }
    if beyond > 0 {
        caveat += &format!(
            " I(U;Y) cannot be above H(Y). At {} its estimate is, and the bounds take H(Y) instead.",
            counted(beyond, "point")
        );
    }
    Some(FigureDraft {
        key,
        title: title(name, points, above, below),
        words: [
            format!(
                "Estimated by {estimator}; the paper names no estimator. Above the upper bound, the sum uses \
                 less of the components' information than it could, or the estimate is too high. Below the lower \
                 bound the estimate is too low."
            ),
            caveat,
        ],
        table: Table::of(
            rows,
            &[
                ("task", &|(task, _)| Text((*task).clone())),
                ("components", &|(_, point)| Count(point.members)),
                ("relevancy", &|(_, point)| Number(point.relevancy)),
                ("redundancy", &|(_, point)| Number(point.redundancy)),
                ("conditional redundancy", &|(_, point)| Number(point.conditional_redundancy)),
                ("I(U;Y)", &|(_, point)| Number(point.joint)),
                ("error", &|(_, point)| Number(point.error)),
                ("lower bound", &|(_, point)| Number(point.bounds.lower)),
                ("upper bound", &|(_, point)| Number(point.bounds.upper)),
                ("breaks", &|(_, point)| Text(point.breaks.clone().unwrap_or_default())),
            ],
        ),
        plot: Plot::new(panels, terms.iter().chain(&errors).cloned().collect(), 2),
    })
}

/// Says at how many of a model's junction points the error lies between its bounds, above and below.
fn title(model: &str, points: usize, above: usize, below: usize) -> String {
    let all = counted(points, "junction point");
    match (above, below) {
        (0, 0) if points == 1 => {
            format!("{model}: the error stays between its bounds at the only junction point")
        }
        (0, 0) => format!("{model}: the error stays between its bounds at all {all}"),
        (above, 0) => format!(
            "{model}: at {above} of {all} the error is above what the components' information allows"
        ),
        (above, below) => format!(
            "{model}: of {all} the error is above its upper bound at {above}, below its lower one at {below}"
        ),
    }
}

fn panel(
    name: &str,
    task: &str,
    pens: &[Pen],
    values: &[fn(&InformationPoint) -> f64],
    curve: &[InformationPoint],
) -> Panel {
    let series = pens.iter().zip(values).map(|(pen, value)| {
        let points = curve.iter().map(|point| {
            let (n, y) = (point.members, value(point));
            let text = format!("{task}, first {n} components\n{} {}", pen.name, short(y));
            Point { hollow: point.breaks.is_some(), ..Point::new(n as f64, y, text) }
        });
        Series::new(pen.clone(), points)
    });
    Panel::from_zero(name, Axis::counts("components so far", curve.len()), series.collect())
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn one_junction_point_is_said_as_one() {
        assert_eq!(
            [title("m", 1, 0, 0), title("m", 1, 1, 0), title("m", 9, 0, 0), title("m", 9, 2, 1)],
            [
                "m: the error stays between its bounds at the only junction point",
                "m: at 1 of 1 junction point the error is above what the components' information allows",
                "m: the error stays between its bounds at all 9 junction points",
                "m: of 9 junction points the error is above its upper bound at 2, below its lower one at 1",
            ]
        );
    }
}
