//! The trade-off plane (Theorem 3): what a model adds in diversity it mostly pays for in bias.

use super::TableCell::Number;
use super::{Figure, FigureDraft, KnownCell, Panel, Plot, Point, Table, Theme};
use super::{cells, extent, heights, model_marks, model_pens};
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
        let series = model_marks(survey, &all, theme, |cell| {
            let [bias, diversity] = of(cell);
            let text = format!(
                "{} on {}\nbias {}, diversity {}, Ω {}",
                cell.model_name,
                cell.task_name,
                short(bias),
                short(diversity),
                short(cell.found.tradeoff.omega)
            );
            Some(Point::new(bias, diversity, text))
        });
        let x = Axis::log("bias, squared logits", all.iter().map(|cell| of(cell)[0]));
        Panel::new(*name, x, Axis::log("", heights(&series)), series)
    });
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
    let table = Table::of(
        all.iter().map(|cell| (cell, &cell.found.tradeoff)),
        &[
            ("task", &|(cell, _)| cell.task()),
            ("model", &|(cell, _)| cell.model()),
            ("bias", &|(_, t)| Number(t.bias)),
            ("diversity", &|(_, t)| Number(t.diversity)),
            ("mse", &|(_, t)| Number(t.mse)),
            ("mean bias squared", &|(_, t)| Number(t.bias_bar_squared)),
            ("mean variance", &|(_, t)| Number(t.var_bar)),
            ("mean covariance", &|(_, t)| Number(t.cov_bar)),
            ("omega", &|(_, t)| Number(t.omega)),
            ("offset diversity in omega", &|(_, t)| Number(t.offset_diversity())),
            ("target variance", &|(_, t)| Number(t.target_variance)),
            ("target covariance", &|(_, t)| Number(t.target_covariance)),
            ("printed bias", &|(_, t)| Number(t.paper_bias())),
            ("printed omega", &|(_, t)| Number(t.paper_omega)),
            ("printed diversity", &|(_, t)| Number(t.paper_diversity)),
            ("bias residue", &|(_, t)| Number(t.bias_residue())),
            ("diversity residue", &|(_, t)| Number(t.diversity_residue())),
        ],
    );
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
        table,
        plot: Plot::new(panels.collect(), model_pens(survey, theme), 2),
    }
    .figure(theme)
}
