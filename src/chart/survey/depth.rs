//! Fig. 6: accuracy and MSE of models against how deep they are read.

use super::{Figure, FigureDraft, Line, Panel, Plot, Point, Series, Table, TableCell, Theme};
use super::{cells, extent, headers, mean, model_pen};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Mark, Pen};
use crate::study::report::AverageDepth;
use crate::study::survey::Survey;

type DepthOf = fn(&AverageDepth) -> f64;

const QUANTITIES: [(&str, DepthOf); 3] = [
    ("accuracy, mean over tasks", |depth| depth.accuracy),
    ("MSE, squared probability, mean over tasks", |depth| depth.probability.mse),
    ("MSE × 100, as the paper prints it, mean over tasks", |depth| 100.0 * depth.paper.mse),
];

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let mut curves: Vec<(usize, Vec<[f64; 3]>)> = Vec::new();
    for model in 0..survey.models.len() {
        let of: Vec<_> = cells(survey).filter(|cell| cell.model == model).collect();
        let Some(first) = of.first() else { continue };
        let curve = (0..first.found.averages.by_depth.len()).map(|n| {
            QUANTITIES.map(|(_, value)| {
                let each = of.iter().map(|cell| value(&cell.found.averages.by_depth[n]));
                mean(each).unwrap_or(0.0)
            })
        });
        curves.push((model, curve.collect()));
    }
    let pen = |model: usize| Pen {
        mark: Mark::None,
        line: [Line::Solid, Line::Dashed, Line::Dotted, Line::Thick][model % 4],
        ..model_pen(survey, model, theme, Line::Solid)
    };
    let panels = QUANTITIES.iter().enumerate().map(|(q, (name, _))| {
        let series: Vec<Series> = curves
            .iter()
            .map(|(model, curve)| {
                let points = curve.iter().enumerate().map(|(n, values)| {
                    let depth = (n + 1) as f64 / curve.len() as f64;
                    let text = format!(
                        "{}, {} of {} members\n{}",
                        survey.models[*model].name,
                        n + 1,
                        curve.len(),
                        short(values[q])
                    );
                    Point::new(depth, values[q], text)
                });
                Series::new(pen(*model), points.collect())
            })
            .collect();
        let reach: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.y)).collect();
        Panel::new(
            (*name).to_owned(),
            Axis::over("share of the members read", [0.0, 1.0].into_iter()),
            Axis::over("", reach.into_iter()),
            series,
        )
    });
    let panels: Vec<Panel> = panels.collect();
    let best = curves
        .iter()
        .filter_map(|(model, curve)| Some((*model, curve.last()?[0])))
        .max_by(|a, b| a.1.total_cmp(&b.1));
    let title = best.map_or_else(String::new, |(model, accuracy)| {
        format!(
            "{} answers best over all tasks ({} right)",
            survey.models[model].name,
            crate::chart::number::percent(accuracy)
        )
    });
    let rows = curves.iter().flat_map(|(model, curve)| {
        curve.iter().enumerate().map(|(n, values)| {
            let mut row = vec![
                TableCell::Text(survey.models[*model].name.clone()),
                TableCell::Count(n + 1),
                TableCell::Count(curve.len()),
            ];
            row.extend(values.map(TableCell::Number));
            row
        })
    });
    FigureDraft {
        key: "fig-6-depth",
        title,
        words: [
            "Each model is read after every member, as a share of its own members.".to_owned(),
            format!("{}; tasks count the same whatever their rows.", extent(survey)),
        ],
        table: Table {
            headers: headers(&[
                "model",
                "members read",
                "members",
                "accuracy",
                "mse",
                "paper mse x100",
            ]),
            rows: rows.collect(),
        },
        plot: Plot::new(panels, curves.iter().map(|(model, _)| pen(*model)).collect(), 3),
    }
    .figure(theme)
}
