//! Fig. 3: accuracy against -MSE, -bias and diversity along the models' streams.

use super::TableCell::{self, Count, Number, Text};
use super::{FigureDraft, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use crate::chart::Named;
use crate::chart::number::{counted, fixed, short};
use crate::chart::plot::{Axis, Pen};
use crate::measure::correlation::SIGNIFICANT;
use crate::study::survey::{Coefficient, ColumnCorrelations, Correlated, Pair, Survey};

const COLUMNS: Named<fn(&Correlated) -> &ColumnCorrelations, 4> = [
    ("probability", |c| &c.probability),
    ("logit", |c| &c.logit),
    ("centred", |c| &c.centred),
    ("paper", |c| &c.paper),
];
const QUANTITIES: Named<fn(&ColumnCorrelations) -> &Pair, 3> =
    [("−MSE", |c| &c.minus_mse), ("−bias", |c| &c.minus_bias), ("diversity", |c| &c.diversity)];
const KINDS: Named<fn(&Pair) -> Option<Coefficient>, 2> =
    [("Pearson", |p| p.pearson), ("Spearman", |p| p.spearman)];

pub(super) fn figure(survey: &Survey, theme: &Theme) -> FigureDraft {
    let all = &survey.correlations;
    let names: Vec<String> = all.iter().map(|one| name(survey, one)).collect();
    let pens = [
        Pen::new("−MSE", theme.mse, Line::None, Mark::Square),
        Pen::new("−bias", theme.bias, Line::None, Mark::Circle),
        Pen::new("diversity", theme.diversity, Line::None, Mark::Diamond),
    ];
    let mut panels = Vec::new();
    // The default column and the paper's own.
    for (column, columns) in [COLUMNS[0], COLUMNS[3]] {
        for (kind, coefficient) in KINDS {
            let series = pens.iter().zip(QUANTITIES).map(|(pen, (quantity, pair))| {
                let points = all.iter().enumerate().filter_map(|(x, one)| {
                    let found = coefficient(pair(columns(one)))?;
                    let models = counted(one.models, "model");
                    let significance = match (one.task, found.p) {
                        (None, _) => format!(", mean over {}", counted(found.n, "task")),
                        (_, Some(p)) if p < 0.001 => format!(", p < 0.001 of {models}"),
                        (_, Some(p)) => format!(", p = {} of {models}", short(p)),
                        (_, None) => format!(", {}", counted(found.n, "junction point")),
                    };
                    let text =
                        format!("{}: {quantity}\nr = {}{significance}", names[x], short(found.r));
                    Some(Point {
                        hollow: found.p.is_none_or(|p| p >= SIGNIFICANT),
                        ..Point::new(x as f64, found.r, text)
                    })
                });
                Series::new(pen.clone(), points)
            });
            panels.push(Panel::new(
                format!("{kind}'s r with the share right among the options, {column} column"),
                Axis::category("", names.clone()),
                Axis::over("", [-1.0, 1.0]),
                series.collect(),
            ));
        }
    }
    let mean = all.iter().find(|one| one.task.is_none());
    let found: Vec<String> = mean.map_or_else(Vec::new, |mean| {
        let each = QUANTITIES.iter().filter_map(|(name, pair)| {
            Some(format!("{name} {}", fixed(pair(&mean.probability).pearson?.r, 2)))
        });
        each.collect()
    });
    let title = match found.is_empty() {
        false => format!("Mean correlation with accuracy along the stream: {}", found.join(", ")),
        true => "No curve of this survey varies enough to correlate".to_owned(),
    };
    if all.is_empty() {
        panels.clear();
    }
    FigureDraft {
        key: "fig-3-correlation",
        title,
        words: [
            "Accuracy is the share right among the options. Each curve of a model is standardised by itself. Then all junction points of the model are pooled. Filled marks have p < 0.05.".to_owned(),
            "Junction points of one model depend on each other, so p compares the models' own coefficients, from three models on. Means over tasks are by Fisher's z and have no p.".to_owned(),
        ],
        table: table(survey, all),
        plot: Plot::new(panels, pens.to_vec(), 2),
    }
}

fn name(survey: &Survey, one: &Correlated) -> String {
    one.task.map_or("Avg.".to_owned(), |task| survey.tasks[task].name.clone())
}

fn table(survey: &Survey, all: &[Correlated]) -> Table {
    let of_each = all.iter().flat_map(|one| {
        COLUMNS.into_iter().flat_map(move |(column, columns)| {
            QUANTITIES.into_iter().flat_map(move |(quantity, pair)| {
                let found =
                    KINDS.map(|(kind, coefficient)| (kind, coefficient(pair(columns(one)))));
                found
                    .into_iter()
                    .filter_map(move |(kind, found)| Some((one, [column, quantity, kind], found?)))
            })
        })
    });
    Table::of(
        of_each,
        &[
            ("task", &|(one, ..)| Text(name(survey, one))),
            ("column", &|(_, [column, ..], _)| Text((*column).to_owned())),
            ("accuracy against", &|(_, [_, quantity, _], _)| Text(quantity.replace('−', "-"))),
            ("coefficient", &|(_, [.., kind], _)| Text((*kind).to_owned())),
            ("r", &|(.., found)| Number(found.r)),
            ("p", &|(.., found)| TableCell::known(found.p)),
            ("n", &|(.., found)| Count(found.n)),
            ("models", &|(one, ..)| Count(one.models)),
        ],
    )
}
