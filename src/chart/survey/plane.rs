//! The trade-off plane (Theorem 3): what a model adds in diversity it mostly pays for in bias.

use super::TableCell::Number;
use super::{FigureDraft, KnownCell, Panel, Plot, Point, Table, Theme};
use super::{extent, heights, mean, model_marks, model_pens};
use crate::chart::Named;
use crate::chart::number::{percent, short};
use crate::chart::plot::Axis;
use crate::measure::tradeoff::Tradeoff;
use crate::study::survey::Survey;

pub(super) fn figure(survey: &Survey, all: &[KnownCell<'_>], theme: &Theme) -> FigureDraft {
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
        let series = model_marks(survey, all, theme, |cell| {
            let [bias, diversity] = of(cell);
            let [x, y, omega] = [bias, diversity, cell.found.tradeoff.omega].map(short);
            let text = format!("{}\nbias {x}, diversity {y}, Ω {omega}", cell.place());
            Some(Point::new(bias, diversity, text))
        });
        let x = Axis::log("bias, squared logits", all.iter().map(|cell| of(cell)[0]));
        Panel::new(*name, x, Axis::log("", heights(&series)), series)
    });
    let share = |of: fn(&Tradeoff) -> [f64; 2]| {
        let shares = all.iter().map(|cell| match of(&cell.found.tradeoff) {
            [part, whole] if whole > 0.0 => part / whole,
            _ => 0.0,
        });
        percent(mean(shares).unwrap_or(0.0))
    };
    let (shared, offset) =
        (share(|t| [t.omega, t.bias]), share(|t| [t.offset_diversity(), t.omega]));
    let residues: [fn(&Tradeoff) -> f64; 3] =
        [Tradeoff::bias_residue, Tradeoff::diversity_residue, Tradeoff::mse_residue];
    let [bias, diversity, mse] = residues
        .map(|of| short(all.iter().map(|cell| of(&cell.found.tradeoff).abs()).fold(0.0, f64::max)));
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
        title: format!("Ω, which bias and diversity share, is {shared} of the bias on average"),
        words: [
            format!(
                "If Ω rises, bias and diversity rise equally. The paper's printed terms are off by up to {bias} squared logits in bias, {diversity} in diversity and {mse} in their difference, the MSE."
            ),
            format!(
                "{}. Both axes are logarithmic; points at 0 are left out. These are whole logits: {offset} of Ω is the components' offset, which moves no probability.",
                extent(survey)
            ),
        ],
        table,
        plot: Plot::new(panels.collect(), model_pens(survey, theme), 2),
    }
}
