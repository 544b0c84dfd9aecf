//! Fig. 4: how much of bias and diversity each kind of member brings.

use super::{
    Figure, FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, TableCell, Theme,
};
use super::{cells, extent, headers, mean};
use crate::chart::Column;
use crate::chart::number::percent;
use crate::chart::plot::{Axis, MarkShape, Pen};
use crate::chart::strokes::{kind_name, kinds};
use crate::engine::MemberKind;
use crate::measure::decomposition::{ColumnNumbers, Share};
use crate::study::report::Averages;
use crate::study::survey::Survey;

pub(super) const KEY: &str = "fig-4-shares";

type Whole = fn(&ColumnNumbers) -> f64;
type SharePart = fn(&Share) -> f64;
type Pick = for<'a> fn(&'a KnownCell<'_>) -> &'a ColumnNumbers;
type SharePanel = (&'static str, Pick, SharePart, Whole);
const PANELS: [SharePanel; 4] = [
    (
        "share of bias, shares among the options",
        |c| &c.found.averages.probability,
        |s| s.bias,
        |c| c.total.bias,
    ),
    (
        "share of diversity, shares among the options",
        |c| &c.found.averages.probability,
        |s| s.diversity,
        |c| c.total.diversity,
    ),
    ("share of bias, centred logits", |c| &c.found.averages.centred, |s| s.bias, |c| c.total.bias),
    (
        "share of diversity, centred logits",
        |c| &c.found.averages.centred,
        |s| s.diversity,
        |c| c.total.diversity,
    ),
];

/// The logits' other part and their whole, which stand in the table: the paper's Fig. 4 has the bias of
/// probabilities and the diversity of whole logits.
const BESIDE: [SharePanel; 4] = [
    ("share of bias, offset", |c| &c.found.averages.offset, |s| s.bias, |c| c.total.bias),
    (
        "share of diversity, offset",
        |c| &c.found.averages.offset,
        |s| s.diversity,
        |c| c.total.diversity,
    ),
    ("share of bias, whole logits", |c| &c.found.averages.logit, |s| s.bias, |c| c.total.bias),
    (
        "share of diversity, whole logits",
        |c| &c.found.averages.logit,
        |s| s.diversity,
        |c| c.total.diversity,
    ),
];

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let all: Vec<KnownCell<'_>> = cells(survey).collect();
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
    let share = |model: usize, pick: Pick, kind: MemberKind, part: SharePart, whole: Whole| {
        if kind == MemberKind::Bias && !has_bias(model) {
            return None;
        }
        let of = all.iter().filter(|cell| cell.model == model);
        mean(of.filter_map(|cell| {
            let mut kinds = pick(cell).by_kind;
            let whole = whole(pick(cell));
            (whole > 0.0).then(|| part(kinds.of_mut(kind)) / whole)
        }))
    };
    let mut rows = Vec::new();
    let mut panels = Vec::new();
    for (index, (name, pick, part, whole)) in PANELS.into_iter().chain(BESIDE).enumerate() {
        let mut series = Vec::new();
        for (pen, kind) in pens.iter().zip(kinds.clone()) {
            let called = kind_name(kind);
            let mut points = Vec::new();
            for (x, &model) in models.iter().enumerate() {
                let Some(y) = share(model, pick, kind, part, whole) else {
                    continue;
                };
                points.push(Point::new(
                    x as f64,
                    y,
                    format!("{}, {called}\n{}", names[x], percent(y)),
                ));
                rows.push(vec![
                    TableCell::Text(names[x].clone()),
                    TableCell::Text(name.to_owned()),
                    TableCell::Text(called.to_owned()),
                    TableCell::Number(y),
                ]);
            }
            series.push(Series::bars(MarkShape::Bars, pen.clone(), points));
        }
        if index < PANELS.len() {
            panels.push(Panel::new(
                name.to_owned(),
                Axis::category("", names.clone()),
                Axis::over("", [0.0, 1.0].into_iter()),
                series,
            ));
        }
    }
    let diversity = PANELS[1];
    let mlp = mean(
        models
            .iter()
            .filter_map(|&m| share(m, diversity.1, MemberKind::Mlp, diversity.2, diversity.3)),
    );
    let attention =
        mean(models.iter().filter_map(|&m| {
            share(m, diversity.1, MemberKind::Attention, diversity.2, diversity.3)
        }));
    let title = match (mlp, attention) {
        (Some(mlp), Some(attention)) => format!(
            "Of the diversity of {} {} comes from MLPs, {} from attention",
            Column::Probability.label(),
            percent(mlp),
            percent(attention)
        ),
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
                offset_share(&all)
            ),
        ],
        table: Table {
            headers: headers(&["model", "share of", "kind", "share"]),
            rows,
        },
        plot: Plot::new(panels, pens, 2),
    }
    .figure(theme)
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
