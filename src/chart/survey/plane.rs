//! The trade-off plane (Theorem 3): what a model adds in diversity it mostly pays for in bias.

use super::{
    Figure, FigureDraft, KnownCell, Line, Panel, Plot, Point, Series, Table, TableCell, Theme,
};
use super::{cells, extent, headers, model_pen};
use crate::chart::Named;
use crate::chart::number::{percent, short};
use crate::chart::plot::Axis;
use crate::measure::tradeoff::Tradeoff;
use crate::study::survey::Survey;

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let all: Vec<KnownCell<'_>> = cells(survey).collect();
    let corrected =
        |cell: &KnownCell<'_>| [cell.found.tradeoff.bias, cell.found.tradeoff.diversity];
    let printed = |cell: &KnownCell<'_>| {
        [cell.found.tradeoff.paper_bias(), cell.found.tradeoff.paper_diversity]
    };
    let forms: Named<fn(&KnownCell<'_>) -> [f64; 2], 2> = [
        ("diversity against bias, corrected: exact", corrected),
        ("the same as the paper prints the terms", printed),
    ];
    let panels = forms.iter().map(|(name, of)| {
        let series: Vec<Series> = (0..survey.models.len())
            .map(|model| {
                let points = all.iter().filter(|cell| cell.model == model).map(|cell| {
                    let [bias, diversity] = of(cell);
                    let text = format!(
                        "{} on {}\nbias {}, diversity {}, Ω {}",
                        survey.models[model].name,
                        survey.tasks[cell.task].name,
                        short(bias),
                        short(diversity),
                        short(cell.found.tradeoff.omega)
                    );
                    Point::new(bias, diversity, text)
                });
                Series::new(model_pen(survey, model, theme, Line::None), points.collect())
            })
            .collect();
        let reach = |of: fn(&Point) -> f64| -> Vec<f64> {
            series.iter().flat_map(|s| s.points.iter().map(of)).collect()
        };
        Panel::new(
            (*name).to_owned(),
            Axis::log("bias, squared logits", reach(|p| p.x).into_iter()),
            Axis::log("", reach(|p| p.y).into_iter()),
            series,
        )
    });
    let panels: Vec<Panel> = panels.collect();
    let shared = super::mean(all.iter().map(|cell| {
        let t = &cell.found.tradeoff;
        if t.bias > 0.0 { t.omega / t.bias } else { 0.0 }
    }));
    let offset = super::mean(all.iter().map(|cell| {
        let t = &cell.found.tradeoff;
        if t.omega > 0.0 { t.offset_diversity() / t.omega } else { 0.0 }
    }));
    let worst = |residue: fn(&Tradeoff) -> f64| {
        all.iter().map(|cell| residue(&cell.found.tradeoff).abs()).fold(0.0, f64::max)
    };
    let rows = all.iter().map(|cell| {
        let t = &cell.found.tradeoff;
        let mut row = vec![
            TableCell::Text(survey.tasks[cell.task].name.clone()),
            TableCell::Text(survey.models[cell.model].name.clone()),
        ];
        let numbers = [
            t.bias,
            t.diversity,
            t.mse,
            t.bias_bar_squared,
            t.var_bar,
            t.cov_bar,
            t.omega,
            t.offset_diversity(),
            t.target_variance,
            t.target_covariance,
            t.paper_bias(),
            t.paper_omega,
            t.paper_diversity,
            t.bias_residue(),
            t.diversity_residue(),
        ];
        row.extend(numbers.map(TableCell::Number));
        row
    });
    FigureDraft {
        key: "tradeoff",
        title: format!(
            "Ω, which bias and diversity share, is {} of the bias on average",
            percent(shared.unwrap_or(0.0))
        ),
        words: [
            format!(
                "If Ω rises, bias and diversity rise equally. The paper's printed terms are off by up to {} squared logits in bias, {} in diversity and {} in their difference, the MSE.",
                short(worst(Tradeoff::bias_residue)),
                short(worst(Tradeoff::diversity_residue)),
                short(worst(Tradeoff::mse_residue))
            ),
            format!(
                "{}. Both axes are logarithmic; points at 0 are left out. These are whole logits: {} of Ω is the components' offset, which moves no probability.",
                extent(survey),
                percent(offset.unwrap_or(0.0))
            ),
        ],
        table: Table {
            headers: headers(&[
                "task", "model", "bias", "diversity", "mse", "mean bias squared", "mean variance", "mean covariance",
                "omega", "offset diversity in omega", "target variance", "target covariance", "printed bias", "printed omega", "printed diversity",
                "bias residue", "diversity residue",
            ]),
            rows: rows.collect(),
        },
        plot: Plot::new(panels, (0..survey.models.len()).map(|m| model_pen(survey, m, theme, Line::None)).collect(), 2),
    }
    .figure(theme)
}
