//! A relation's points without those taken away, and its coefficients with and without each of the others.

use std::collections::BTreeSet;

use super::Table;
use super::TableCell::{self, Check, Number, Text};
use super::names::relation_word;
use super::relation::quantity;
use crate::chart::Theme;
use crate::chart::number::{ends, fixed, probability};
use crate::chart::plot::{Axis, Line, Panel, Pen, Point, Series};
use crate::measure::correlation::{Correlation, FEWEST};
use crate::measure::scatter::Together;
use crate::study::coupling::{Relation, RelationTo, ScatterPoint};

const PLOT: u32 = 260;

/// A correlation of which less than this share is left without a point is that point's.
const ONE_POINTS: f64 = 0.35;

/// Names the points.
fn many(to: RelationTo) -> &'static str {
    match to {
        RelationTo::SwapAccuracy | RelationTo::SwapMargin => "pairs",
        RelationTo::DropAccuracy | RelationTo::DropMargin => "steps",
        _ => "models",
    }
}

const PEARSON: fn(&Together) -> Option<Correlation> = |both| both.pearson;
const SPEARMAN: fn(&Together) -> Option<Correlation> = |both| both.spearman;

/// `p = 0.03`, `p < 0.001`; of three points that they cannot be significant.
fn chance_of(found: Correlation) -> String {
    let p = probability(found.p);
    let p = if p.starts_with('<') { format!("p {p}") } else { format!("p = {p}") };
    if found.n > 3 { p } else { format!("{p}: three points cannot be significant") }
}

/// The points that are not taken away, with their coefficients.
pub struct Left<'a> {
    points: Vec<&'a ScatterPoint>,
    taken: usize,
    all: Together,
    /// Without each of them in turn.
    left_out: Vec<Together>,
}

impl<'a> Left<'a> {
    pub fn of(relation: &'a Relation, out: &BTreeSet<String>) -> Self {
        let points: Vec<&ScatterPoint> =
            relation.points.iter().filter(|point| !out.contains(&point.name)).collect();
        let taken = relation.points.len() - points.len();
        let coordinates = |of: fn(&ScatterPoint) -> f64| {
            points.iter().map(|point| of(point)).collect::<Vec<f64>>()
        };
        let (x, y) = (coordinates(|point| point.x), coordinates(|point| point.y));
        let (all, left_out) = if taken == 0 {
            (relation.all, relation.left_out.clone())
        } else {
            let together = relation.together();
            (together(&x, &y), Together::each_left_out(&x, &y, together))
        };
        Self { points, taken, all, left_out }
    }

    /// The point that most of Pearson's coefficient rests on, and the coefficient without it.
    fn weightiest(&self) -> Option<(&'a ScatterPoint, Correlation)> {
        let (point, without) = self.all.weightiest(&self.left_out)?;
        Some((self.points[point], without))
    }

    pub fn title(&self, to: RelationTo) -> String {
        let Some(all) = self.all.pearson else {
            return "Too few points, or all alike, for a correlation".to_owned();
        };
        let against = match to {
            RelationTo::SwapAccuracy | RelationTo::SwapMargin => "the cost of a swap",
            RelationTo::DropAccuracy | RelationTo::DropMargin => "the cost of a step's absence",
            RelationTo::MeanSwapAccuracy | RelationTo::MeanSwapMargin => "the mean cost of a swap",
            RelationTo::MeanDropAccuracy | RelationTo::MeanDropMargin => {
                "the mean cost of a step's absence"
            }
            other => relation_word(other),
        };
        let (r, n, many, chance) = (fixed(all.r, 2), all.n, many(to), chance_of(all));
        let whole = format!("Coupling against {against}: r = {r} over {n} {many} ({chance})");
        let Some((point, without)) = self.weightiest() else {
            return whole;
        };
        let made = if all.r * without.r < 0.0 {
            ": one point turns it"
        } else if without.r.abs() < ONE_POINTS * all.r.abs() {
            ": one point made it"
        } else {
            ""
        };
        format!("{whole}; without {} it is {}{made}", point.name, fixed(without.r, 2))
    }

    pub fn words(&self, relation: &Relation) -> [String; 2] {
        let rank = self.all.spearman.map_or_else(
            || "Spearman's rank correlation is not defined.".to_owned(),
            |all| {
                format!("Spearman's rank correlation is {} ({}).", fixed(all.r, 2), chance_of(all))
            },
        );
        let range = |of: fn(&Together) -> Option<Correlation>| {
            let each = self.left_out.iter().filter_map(of).map(|one| one.r);
            let [low, high] = ends(each)?.map(|r| fixed(r, 2));
            Some(format!("{low} to {high}"))
        };
        let ranges = match (range(PEARSON), range(SPEARMAN)) {
            (Some(pearson), Some(spearman)) => format!(
                "With each point left out in turn, Pearson's r runs from {pearson}, Spearman's from {spearman}."
            ),
            _ => "There are too few points to leave one out.".to_owned(),
        };
        let task = relation.task.as_ref().map_or_else(String::new, |task| format!(" Of “{task}”."));
        let in_order = match relation.in_order && self.points.len() >= FEWEST {
            true => {
                " Neighbours in the order are alike, so p is computed as if there were fewer points."
            }
            false => "",
        };
        let taken = match self.taken {
            0 => String::new(),
            1 => " 1 point is taken away.".to_owned(),
            n => format!(" {n} points are taken away."),
        };
        [
            format!("{rank}{task}{taken}"),
            format!(
                "{ranges} A correlation is no explanation, and one over a dozen points can be one point's.{in_order}"
            ),
        ]
    }

    /// Draws the coefficients without each point in turn.
    pub fn without(&self, theme: &Theme, [pearson, spearman]: [&Pen; 2]) -> Panel {
        let curve = |pen: &Pen, of: fn(&Together) -> Option<Correlation>| {
            let each = self.points.iter().zip(&self.left_out).enumerate();
            let points = each.filter_map(|(n, (point, together))| {
                let found = of(together)?;
                let r = format!("{} {}, {}", pen.name, fixed(found.r, 2), chance_of(found));
                let name = format!("without {}\n{r}", point.name);
                Some(Point {
                    hollow: !found.is_significant(),
                    ..Point::new(n as f64, found.r, name)
                })
            });
            Series::new(pen.clone(), points)
        };
        let names = self.points.iter().map(|point| point.name.clone());
        let panel = Panel::new(
            "r without one point (hollow: p ≥ 0.05; dashed: of all)",
            Axis::category("without", names.collect()),
            Axis::Linear { name: String::new(), low: -1.0, high: 1.0, step: 0.5 },
            vec![curve(pearson, PEARSON), curve(spearman, SPEARMAN)],
        )
        .tall(PLOT)
        .level(0.0, theme.quiet, Line::Solid);
        match self.all.pearson {
            Some(all) => panel.level(all.r, pearson.colour, Line::Dashed),
            None => panel,
        }
    }

    pub fn table(&self, relation: &Relation, out: &BTreeSet<String>) -> Table {
        let rows = relation.points.iter().map(|point| {
            let place = self.points.iter().position(|one| std::ptr::eq(*one, point));
            let without = place.and_then(|place| self.left_out.get(place));
            (point, without.and_then(PEARSON), without.and_then(SPEARMAN))
        });
        Table::of(
            rows,
            &[
                ("point", &|(point, ..)| Text(point.name.clone())),
                ("coupling", &|(point, ..)| Number(point.x)),
                (&quantity(relation.to), &|(point, ..)| Number(point.y)),
                ("in", &|(point, ..)| Check(!out.contains(&point.name))),
                ("Pearson's r without it", &|(_, found, _)| {
                    TableCell::known(found.map(|one| one.r))
                }),
                ("p", &|(_, found, _)| TableCell::known(found.map(|one| one.p))),
                ("Spearman's without it", &|(.., found)| TableCell::known(found.map(|one| one.r))),
                ("p", &|(.., found)| TableCell::known(found.map(|one| one.p))),
            ],
        )
    }
}
