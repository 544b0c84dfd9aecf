//! The identity in probabilities beside the columns that the paper prints: MSE = bias - diversity in
//! the one, and not in the other.

use super::TableCell::{Number, Text};
use super::{FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use super::{model_marks, model_pens, task_names};
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

pub(super) fn figure(survey: &Survey, all: &[KnownCell<'_>], theme: &Theme) -> FigureDraft {
    let residue = |t: &Triple| t.bias - t.diversity - t.mse;
    let level = Pen::new("MSE", theme.mse, Line::None, Mark::Level);
    let panels = COLUMNS.iter().map(|(name, column)| {
        let levels = all.iter().map(|cell| {
            let mse = column(cell).mse;
            Point::new(cell.task as f64, mse, format!("MSE {}", short(mse)))
        });
        let mut series = vec![Series::new(level.clone(), levels)];
        series.extend(model_marks(survey, all, theme, |cell| {
            let t = column(cell);
            let ([mse, bias, diversity], place) = (t.numbers().map(short), cell.place());
            let text = format!("{place}\nbias {bias} − diversity {diversity} against MSE {mse}");
            Some(Point::new(cell.task as f64, t.bias - t.diversity, text))
        }));
        let panel = format!("bias − diversity (level: MSE), {name} column");
        Panel::from_zero(panel, Axis::category("", task_names(survey)), series)
    });
    let [shares, centred, whole, paper] = [COLUMNS[0], COLUMNS[1], BESIDE[1], COLUMNS[2]]
        .map(|(_, of)| short(all.iter().map(|cell| residue(&of(cell)).abs()).fold(0.0, f64::max)));
    let rows = all.iter().flat_map(|cell| {
        COLUMNS.into_iter().chain(BESIDE).map(move |(name, column)| (cell, name, column(cell)))
    });
    let table = Table::of(
        rows,
        &[
            ("task", &|(cell, ..)| cell.task()),
            ("model", &|(cell, ..)| cell.model()),
            ("column", &|(_, name, _)| Text((*name).to_owned())),
            ("mse", &|(.., t)| Number(t.mse)),
            ("bias", &|(.., t)| Number(t.bias)),
            ("diversity", &|(.., t)| Number(t.diversity)),
            ("bias - diversity - mse", &|(.., t)| Number(residue(t))),
        ],
    );
    let legend = model_pens(survey, theme).into_iter().chain([level.clone()]).collect();
    FigureDraft {
        key: "identity",
        title: format!(
            "In {} bias − diversity is the MSE; in the paper's columns it misses by up to {paper}",
            Column::Probability.label()
        ),
        words: [
            format!(
                "Among shares the identity holds within {shares}, among centred logits within {centred}, among whole logits within {whole}."
            ),
            "The paper takes MSE and bias from shares (Eq. 14) and diversity from raw logits (Eq. 8).".to_owned(),
        ],
        table,
        plot: Plot::new(panels.collect(), legend, 3),
    }
}
