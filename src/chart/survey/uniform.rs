//! How far the paper's MSE is from the uniform constant: the more members divide the logits, the
//! nearer.

use super::{
    Figure, FigureDraft, KnownCell, Line, Panel, Plot, Point, Series, Table, TableCell, Theme,
};
use super::{cells, extent, headers, mean, model_pen, task_names};
use crate::chart::number::short;
use crate::chart::plot::Axis;
use crate::study::survey::Survey;

/// A distance.
type UniformOf<'a> = &'a dyn Fn(&KnownCell<'_>) -> f64;

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let all: Vec<KnownCell<'_>> = cells(survey).collect();
    let paper =
        |cell: &KnownCell<'_>| 100.0 * (cell.found.averages.paper.mse - cell.found.uniform).abs();
    let own = |cell: &KnownCell<'_>| {
        100.0 * (cell.found.averages.probability.total.mse - cell.found.uniform).abs()
    };
    let forms: [(&str, UniformOf<'_>); 2] = [
        ("|MSE − uniform| × 100, as the paper prints MSE", &paper),
        ("the same of probabilities", &own),
    ];
    let panels = forms.iter().map(|(name, of)| {
        let series: Vec<Series> = (0..survey.models.len())
            .map(|model| {
                let points = all.iter().filter(|cell| cell.model == model).map(|cell| {
                    let y = of(cell);
                    let text = format!(
                        "{} on {}\n{} from {}",
                        survey.models[model].name,
                        survey.tasks[cell.task].name,
                        short(y),
                        short(100.0 * cell.found.uniform)
                    );
                    Point::new(cell.task as f64, y, text)
                });
                Series::new(model_pen(survey, model, theme, Line::None), points.collect())
            })
            .collect();
        let reach: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.y)).collect();
        Panel::new(
            (*name).to_owned(),
            Axis::category("", task_names(survey)),
            Axis::log("", reach.into_iter()),
            series,
        )
    });
    let panels: Vec<Panel> = panels.collect();
    let distances = (0..survey.models.len()).filter_map(|model| {
        let of = all.iter().filter(|cell| cell.model == model);
        Some((model, mean(of.map(&paper))?))
    });
    let members = |(model, _): &(usize, f64)| survey.models[*model].members.len();
    let mut distances: Vec<(usize, f64)> = distances.collect();
    distances.sort_by_key(members);
    let said = |found: &(usize, f64)| {
        let name = &survey.models[found.0].name;
        format!("{} for {name} ({} members)", short(found.1), members(found))
    };
    let ends = match &distances[..] {
        [] => String::new(),
        [only] => said(only),
        [first, .., last] => format!("{}, {}", said(first), said(last)),
    };
    let title =
        format!("The paper's MSE × 100 differs from the uniform constant by {ends} on average");
    let rows = all.iter().map(|cell| {
        vec![
            TableCell::Text(survey.tasks[cell.task].name.clone()),
            TableCell::Text(survey.models[cell.model].name.clone()),
            TableCell::Count(survey.models[cell.model].members.len()),
            TableCell::Number(100.0 * cell.found.uniform),
            TableCell::Number(100.0 * cell.found.averages.paper.mse),
            TableCell::Number(paper(cell)),
            TableCell::Number(own(cell)),
        ]
    });
    FigureDraft {
        key: "uniform",
        title,
        words: [
            "Eq. 14 divides the logits by the number of members, which pulls its MSE to (K − 1)/K² whatever the model knows.".to_owned(),
            format!("{}; × 100 on a logarithmic scale.", extent(survey)),
        ],
        table: Table {
            headers: headers(&[
                "task", "model", "members", "uniform x100", "paper mse x100", "paper distance x100", "probability distance x100",
            ]),
            rows: rows.collect(),
        },
        plot: Plot::new(panels, (0..survey.models.len()).map(|m| model_pen(survey, m, theme, Line::None)).collect(), 2),
    }
    .figure(theme)
}
