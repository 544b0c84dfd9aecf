//! Coupling by how far apart two steps are, beside chance.

use super::names::said;
use super::{FigureDraft, Table, TableCell, map::StepMap};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{Figure, Theme};
use crate::study::coupling::CouplingMetric;

pub(super) fn figure(map: &StepMap, theme: &Theme) -> Option<Figure> {
    let means = map.by_distance();
    let (first, last) = (means.first()?, means.last()?);
    let each = Pen::new("a pair of steps", theme.quiet, Line::None, Mark::Dot).faint();
    let mean = Pen::new("mean of the pairs", theme.ink, Line::Solid, Mark::Circle);
    let chance = Pen::new("chance", theme.mse, Line::Dashed, Mark::None);
    let pairs = map.pairs().map(|([i, j], x)| {
        let name = format!(
            "{} in the basis of {}\n{}",
            map.name(i),
            map.name(j),
            short(x)
        );
        Point::new(i.abs_diff(j) as f64, x, name)
    });
    let pairs: Vec<Point> = pairs.collect();
    let points = means.iter().map(|&(apart, x)| {
        Point::new(
            apart as f64,
            x,
            format!("{apart} steps apart\nmean {}", short(x)),
        )
    });
    let values = pairs.iter().map(|point| point.y).chain([map.chance]);
    let panel = Panel::new(
        format!("coupling, K = {}", map.k),
        Axis::whole("steps apart", 0.5, last.0.max(2) as f64 + 0.5),
        Axis::from_zero("", values),
        vec![
            Series::new(each.clone(), pairs),
            Series::new(mean.clone(), points.collect()),
        ],
    )
    .tall(200)
    .level(map.chance, theme.mse, Line::Dashed);
    let above = means.iter().filter(|(_, x)| *x > map.chance).count();
    let headers = [
        "steps apart",
        "mean coupling",
        "least",
        "most",
        "pairs",
        "chance",
    ];
    let rows = means.iter().map(|&(apart, x)| {
        let own = map.pairs().filter(|([i, j], _)| i.abs_diff(*j) == apart);
        let (low, high, count) = own.fold(
            (f64::INFINITY, f64::NEG_INFINITY, 0),
            |(low, high, count), (_, x)| (x.min(low), x.max(high), count + 1),
        );
        vec![
            TableCell::Count(apart),
            TableCell::Number(x),
            TableCell::Number(low),
            TableCell::Number(high),
            TableCell::Count(count),
            TableCell::Number(map.chance),
        ]
    });
    let title = if means.len() == 1 {
        format!(
            "Neighbours couple at {}; chance is {}",
            short(first.1),
            short(map.chance)
        )
    } else {
        let how = if first.1 > last.1 {
            "falls"
        } else {
            "does not fall"
        };
        format!(
            "Coupling {how} with distance: {} at 1 step, {} at {}; chance is {}",
            short(first.1),
            short(last.1),
            last.0,
            short(map.chance)
        )
    };
    let draft = FigureDraft {
        key: "coupling-distance",
        title,
        words: [
            format!(
                "At {above} of {} distances the mean lies above chance; over all pairs it is {}.",
                means.len(),
                said(map.all)
            ),
            match map.metric {
                CouplingMetric::OffDiagonal => {
                    "Chance is exact where all entries of A are alike in size; a pair is one number, and scatters about it."
                }
                CouplingMetric::Singular => {
                    "By this metric unrelated directions couple at about 0; a pair is one number, and scatters about it."
                }
            }
            .to_owned(),
        ],
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(vec![panel], vec![each, mean, chance], 1),
    };
    Some(draft.figure(theme))
}
