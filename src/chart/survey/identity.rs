//! The identity in probabilities beside the columns that the paper prints: MSE = bias - diversity in
//! the one, and not in the other.

use super::{
    Figure, FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, TableCell, Theme,
};
use super::{cells, headers, model_pen, task_names};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Pen};
use crate::chart::{Column, Named};
use crate::measure::decomposition::Triple;
use crate::study::survey::Survey;

const COLUMNS: Named<fn(&KnownCell<'_>) -> Triple, 3> = [
    ("probability", |cell| cell.found.averages.probability.total),
    ("centred logit", |cell| cell.found.averages.centred.total),
    ("paper", |cell| cell.found.averages.paper),
];

/// Those that stand in the table alone.
const BESIDE: Named<fn(&KnownCell<'_>) -> Triple, 2> = [
    ("offset", |cell| cell.found.averages.offset.total),
    ("logit", |cell| cell.found.averages.logit.total),
];

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let all: Vec<KnownCell<'_>> = cells(survey).collect();
    let residue = |t: &Triple| t.bias - t.diversity - t.mse;
    let panels = COLUMNS.iter().map(|(name, column)| {
        let series: Vec<Series> = (0..survey.models.len())
            .map(|model| {
                let points = all.iter().filter(|cell| cell.model == model).map(|cell| {
                    let t = column(cell);
                    let text = format!(
                        "{} on {}\nbias {} − diversity {} against MSE {}",
                        survey.models[model].name,
                        survey.tasks[cell.task].name,
                        short(t.bias),
                        short(t.diversity),
                        short(t.mse)
                    );
                    Point::new(cell.task as f64, t.bias - t.diversity, text)
                });
                Series::new(model_pen(survey, model, theme, Line::None), points.collect())
            })
            .collect();
        let level = Pen::new("MSE", theme.mse, Line::None, Mark::Level);
        let levels = all.iter().map(|cell| {
            let mse = column(cell).mse;
            Point::new(cell.task as f64, mse, format!("MSE {}", short(mse)))
        });
        let mut series = series;
        series.insert(0, Series::new(level, levels.collect()));
        let reach: Vec<f64> = series.iter().flat_map(|s| s.points.iter().map(|p| p.y)).collect();
        Panel::new(
            format!("bias − diversity (level: MSE), {name} column"),
            Axis::category("", task_names(survey)),
            Axis::from_zero("", reach.into_iter()),
            series,
        )
    });
    let panels: Vec<Panel> = panels.collect();
    let worst = |column: fn(&KnownCell<'_>) -> Triple| {
        all.iter().map(|cell| residue(&column(cell)).abs()).fold(0.0, f64::max)
    };
    let legend = (0..survey.models.len()).map(|m| model_pen(survey, m, theme, Line::None));
    let level = Pen::new("MSE", theme.mse, Line::None, Mark::Level);
    let rows = all.iter().flat_map(|cell| {
        COLUMNS.into_iter().chain(BESIDE).map(|(name, column)| {
            let t = column(cell);
            vec![
                TableCell::Text(survey.tasks[cell.task].name.clone()),
                TableCell::Text(survey.models[cell.model].name.clone()),
                TableCell::Text(name.to_owned()),
                TableCell::Number(t.mse),
                TableCell::Number(t.bias),
                TableCell::Number(t.diversity),
                TableCell::Number(residue(&t)),
            ]
        })
    });
    FigureDraft {
        key: "identity",
        title: format!(
            "In {} bias − diversity is the MSE; in the paper's columns it misses by up to {}",
            Column::Probability.label(),
            short(worst(COLUMNS[2].1))
        ),
        words: [
            format!(
                "Among shares the identity holds within {}, among centred logits within {}, among whole logits within {}.",
                short(worst(COLUMNS[0].1)),
                short(worst(COLUMNS[1].1)),
                short(worst(BESIDE[1].1))
            ),
            "The paper takes MSE and bias from shares (Eq. 14) and diversity from raw logits (Eq. 8).".to_owned(),
        ],
        table: Table {
            headers: headers(&["task", "model", "column", "mse", "bias", "diversity", "bias - diversity - mse"]),
            rows: rows.collect(),
        },
        plot: Plot::new(panels, legend.chain([level]).collect(), 3),
    }
    .figure(theme)
}
