//! Coupling against what it is to explain, with points that can be taken away.

use std::collections::BTreeSet;

use super::FigureDraft;
use super::left::Left;
use super::names::{metric_word, relation_word};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{Figure, Theme};
use crate::study::coupling::{Relation, RelationTo, ScatterPoint};

const PLOT: u32 = 260;
/// More points than this are not named beside their marks.
const NAMED: usize = 16;

/// Without the points that are `out`, by their names.
pub fn relation_figure(relation: &Relation, out: &BTreeSet<String>, theme: &Theme) -> Figure {
    let left = Left::of(relation, out);
    let kept = Pen::new("in", theme.ink, Line::None, Mark::Circle);
    let gone = Pen::new("taken away", theme.quiet, Line::None, Mark::Ring);
    let is_named = relation.points.len() <= NAMED;
    let point = |point: &ScatterPoint| {
        let (name, [x, y]) = (&point.name, [point.x, point.y].map(short));
        let text = format!("{name}\ncoupling {x}, {} {y}", quantity(relation.to));
        Point {
            pick: Some(name.clone()),
            label: is_named.then(|| name.clone()),
            ..Point::new(point.x, point.y, text)
        }
    };
    let of = |is_out: bool| {
        let own = relation.points.iter().filter(move |one| out.contains(&one.name) == is_out);
        own.map(point)
    };
    let scatter = Panel::new(
        quantity(relation.to),
        Axis::over(
            format!("coupling, K = {}, metric of {}", relation.k, metric_word(relation.metric)),
            relation.points.iter().map(|one| one.x),
        ),
        Axis::over("", relation.points.iter().map(|one| one.y)),
        vec![Series::new(kept.clone(), of(false)), Series::new(gone.clone(), of(true))],
    )
    .tall(PLOT);
    let (pearson, spearman) = (
        Pen::new("Pearson's r", theme.attention, Line::None, Mark::Diamond),
        Pen::new("Spearman's", theme.mlp, Line::None, Mark::Square),
    );
    let without = left.without(theme, [&pearson, &spearman]);
    let draft = FigureDraft {
        key: "coupling-relation",
        title: left.title(relation.to),
        words: left.words(relation),
        table: left.table(relation, out),
        plot: Plot::new(vec![scatter, without], vec![kept, gone, pearson, spearman], 2),
    };
    draft.figure(theme)
}

/// Names the quantity that the coupling is compared with, with its unit.
pub(super) fn quantity(to: RelationTo) -> String {
    let word = relation_word(to);
    match to {
        RelationTo::SwapMargin
        | RelationTo::DropMargin
        | RelationTo::MeanSwapMargin
        | RelationTo::MeanDropMargin => format!("{word}, logits"),
        _ => word.to_owned(),
    }
}
