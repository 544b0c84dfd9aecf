//! Fig. 4: how much of bias and diversity each kind of member brings.

use super::TableCell::{Number, Text};
use super::{FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use super::{extent, mean};
use crate::chart::number::percent;
use crate::chart::plot::{Axis, MarkShape, Pen};
use crate::chart::strokes::{kind_name, kinds};
use crate::chart::{Column, Named};
use crate::engine::MemberKind;
use crate::measure::decomposition::{ColumnNumbers, Share, Triple};
use crate::study::report::Averages;
use crate::study::survey::Survey;

pub(super) const KEY: &str = "fig-4-shares";

type ColumnOf = fn(&Averages) -> &ColumnNumbers;

/// Columns in the units of their numbers. The last two, the logits' other part and their whole, stand in the table:
/// the paper's Fig. 4 has the bias of probabilities and the diversity of whole logits.
const COLUMNS: Named<ColumnOf, 4> = [
    ("shares among the options", |averages| &averages.probability),
    ("centred logits", |averages| &averages.centred),
    ("offset", |averages| &averages.offset),
    ("whole logits", |averages| &averages.logit),
];
/// Columns that are drawn.
const DRAWN: usize = 2;

/// A kind's part of a quantity, and the whole.
type PartAndWhole = fn(&Share, &Triple) -> [f64; 2];
const DIVERSITY: PartAndWhole = |part, whole| [part.diversity, whole.diversity];
const QUANTITIES: Named<PartAndWhole, 2> =
    [("bias", |part, whole| [part.bias, whole.bias]), ("diversity", DIVERSITY)];

pub(super) fn figure(survey: &Survey, all: &[KnownCell<'_>], theme: &Theme) -> FigureDraft {
    let models: Vec<usize> =
        (0..survey.models.len()).filter(|&m| all.iter().any(|cell| cell.model == m)).collect();
    let names: Vec<String> = models.iter().map(|&m| survey.models[m].name.clone()).collect();
    let has_bias = |model: usize| {
        let members = &survey.models[model].members;
        members.iter().any(|member| member.kind == MemberKind::Bias)
    };
    let kinds = kinds(models.iter().any(|&model| has_bias(model)));
    let pens: Vec<Pen> = kinds
        .clone()
        .map(|kind| Pen::new(kind_name(kind), theme.of(kind), Line::None, Mark::Square))
        .collect();
    let share = |model: usize, column: ColumnOf, kind: MemberKind, quantity: PartAndWhole| {
        if kind == MemberKind::Bias && !has_bias(model) {
            return None;
        }
        let of = all.iter().filter(|cell| cell.model == model);
        mean(of.filter_map(|cell| {
            let ColumnNumbers { mut by_kind, ref total, .. } = *column(&cell.found.averages);
            let [part, whole] = quantity(by_kind.of_mut(kind), total);
            (whole > 0.0).then(|| part / whole)
        }))
    };
    let (mut panels, mut rows) = (Vec::new(), Vec::new());
    for (index, (unit, column)) in COLUMNS.into_iter().enumerate() {
        for (quantity, of) in QUANTITIES {
            let name = format!("share of {quantity}, {unit}");
            let mut series = Vec::new();
            for (pen, kind) in pens.iter().zip(kinds.clone()) {
                let called = kind_name(kind);
                let shares =
                    models.iter().zip(&names).enumerate().filter_map(|(x, (&model, own))| {
                        Some((x, own, share(model, column, kind, of)?))
                    });
                let shares: Vec<_> = shares.collect();
                let points = shares.iter().map(|(x, own, y)| {
                    Point::new(*x as f64, *y, format!("{own}, {called}\n{}", percent(*y)))
                });
                series.push(Series::bars(MarkShape::Bars, pen.clone(), points));
                rows.extend(shares.iter().map(|(_, own, y)| {
                    let [model, kind] = [own.as_str(), called].map(str::to_owned);
                    vec![Text(model), Text(name.clone()), Text(kind), Number(*y)]
                }));
            }
            if index < DRAWN {
                let (x, y) = (Axis::category("", names.clone()), Axis::over("", [0.0, 1.0]));
                panels.push(Panel::new(name, x, y, series));
            }
        }
    }
    let mean_share = |kind: MemberKind| {
        mean(models.iter().filter_map(|&model| share(model, COLUMNS[0].1, kind, DIVERSITY)))
    };
    let title = match (mean_share(MemberKind::Mlp), mean_share(MemberKind::Attention)) {
        (Some(mlp), Some(attention)) => {
            let [mlp, attention] = [mlp, attention].map(percent);
            let column = Column::Probability.label();
            format!(
                "Of the diversity of {column} {mlp} comes from MLPs, {attention} from attention"
            )
        }
        _ => "Shares of the kinds".to_owned(),
    };
    FigureDraft {
        key: KEY,
        title,
        words: [
            "Each share is summed over a kind's components and divided by the whole (Eqs. 9 and 10), then averaged over tasks.".to_owned(),
            format!(
                "{}; a kind with more components has more of the bias. {}",
                extent(survey),
                offset_share(all)
            ),
        ],
        table: Table::new(["model", "share of", "kind", "share"], rows),
        plot: Plot::new(panels, pens, 2),
    }
}

/// Says how much of the whole logits' diversity moves no probability.
fn offset_share(all: &[KnownCell<'_>]) -> String {
    let shares = all.iter().filter_map(|cell| {
        let Averages { logit, offset, .. } = &cell.found.averages;
        let whole = logit.total.diversity;
        (whole > 0.0).then(|| offset.total.diversity / whole)
    });
    mean(shares).map_or_else(String::new, |share| {
        format!(
            "Of the whole logits' diversity {} comes from the offset, on average. The offset moves no probability; its shares are in the table.",
            percent(share)
        )
    })
}
