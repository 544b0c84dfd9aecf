//! Theorem 2: diversity against bias, below the line where they are equal.

use super::{FigureDraft, KnownCell, Scene, missing, plot, widths};
use crate::chart::Table;
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Point, Series, heights};
use crate::chart::strokes::{kind_name, kind_pen, kinds};
use crate::study::survey::Sample;

/// A pen's index, what a point is of, bias, diversity.
type Seen = (usize, String, f64, f64);

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let theme = scene.theme;
    let (seen, is_of_kinds) = match scene.choice() {
        0 => (samples(scene, |sample| sample.probability), false),
        1 => (by_kind(scene), true),
        2 => (by_member(scene), true),
        _ => (samples(scene, |sample| sample.paper), false),
    };
    refuse_if!(seen.is_empty(), missing(scene, "rows in this report"));
    let has_bias = seen.iter().any(|(pen, ..)| *pen == 3);
    let pens: Vec<Pen> = match is_of_kinds {
        true => kinds(has_bias).map(|kind| kind_pen(kind, theme)).collect(),
        false => vec![Pen::new("a row", theme.diversity, Line::None, Mark::Circle)],
    };
    let above =
        seen.iter().filter(|(.., bias, diversity)| *diversity > bias * (1.0 + 1e-6)).count();
    let biases = || seen.iter().map(|(.., bias, _)| *bias).filter(|bias| *bias > 0.0);
    let (low, high) = (biases().fold(f64::INFINITY, f64::min), biases().fold(0.0, f64::max));
    let line = Pen::new("diversity = bias", theme.quiet, Line::Dashed, Mark::None);
    let ends = [low, high].map(|x| Point::new(x, x, format!("both {}", short(x))));
    let mut series = vec![Series::new(line.clone(), ends)];
    for (index, pen) in pens.iter().enumerate() {
        let own = seen.iter().filter(|(kind, ..)| *kind == index);
        let points = own.map(|(_, name, bias, diversity)| {
            let text = format!("{name}\nbias {}, diversity {}", short(*bias), short(*diversity));
            Point::new(*bias, *diversity, text)
        });
        series.push(Series::new(pen.clone(), points));
    }
    let (x, y) = (Axis::log("bias", widths(&series)), Axis::log("", heights(&series)));
    let panel = Panel::new("diversity against bias", x, y, series);
    let model = scene.model_name();
    let lowest = seen
        .iter()
        .filter(|(.., bias, diversity)| diversity > bias)
        .min_by(|a, b| a.2.total_cmp(&b.2));
    Ok(FigureDraft {
        key: "theorem-2",
        title: match above {
            0 => format!(
                "No diversity is above its bias: all {} points are on or below the line",
                seen.len()
            ),
            n => format!("{n} of {} points have more diversity than bias", seen.len()),
        },
        words: [
            match scene.choice() {
                1 => format!("{model}, a point a kind and task, means over all rows."),
                2 => format!("{model}, a point a member and task, means over all rows."),
                _ => format!("{model}, a point a sampled row."),
            },
            lowest.map_or_else(
                || "Both axes are logarithmic; points at 0 are left out.".to_owned(),
                |(_, name, bias, diversity)| {
                    let [bias, diversity] = [*bias, *diversity].map(short);
                    format!("{name}: bias {bias}, and diversity {diversity} all the same.")
                },
            ),
        ],
        table: Table::of(
            &seen,
            &[
                ("what", &|(_, name, ..)| Text(name.replace('\n', ", "))),
                ("bias", &|(_, _, bias, _)| Number(*bias)),
                ("diversity", &|(.., diversity)| Number(*diversity)),
            ],
        ),
        plot: plot(vec![panel], pens.into_iter().chain([line]).collect()),
    })
}

fn samples(scene: &Scene<'_>, column: fn(&Sample) -> [f64; 3]) -> Vec<Seen> {
    let mut seen = Vec::new();
    for KnownCell { task_name: task, found, .. } in scene.cells() {
        for sample in &found.samples {
            let [_, bias, diversity] = column(sample);
            seen.push((0, format!("{task}, row {}", sample.row), bias, diversity));
        }
    }
    seen
}

/// Means over a kind's own members.
fn by_kind(scene: &Scene<'_>) -> Vec<Seen> {
    let mut seen = Vec::new();
    for KnownCell { task_name: task, found, .. } in scene.cells() {
        let members = found.averages.by_depth.len() as f64;
        let kinds = found.averages.probability.by_kind;
        let there = kinds.shares().enumerate().filter(|(_, (_, share))| share.count > 0);
        seen.extend(there.map(|(index, (kind, share))| {
            let own = members / share.count as f64;
            let name = format!("{task}, {}", kind_name(kind));
            (index, name, share.bias * own, share.diversity * own)
        }));
    }
    seen
}

fn by_member(scene: &Scene<'_>) -> Vec<Seen> {
    let mut seen = Vec::new();
    let members = &scene.survey.models[scene.model].members;
    for KnownCell { task_name: task, found, .. } in scene.cells() {
        let column = &found.averages.probability;
        let numbers = column.member_bias.iter().zip(&column.member_diversity);
        for (member, (bias, diversity)) in members.iter().zip(numbers) {
            let index = kinds(true).position(|kind| kind == member.kind).unwrap_or_default();
            let kind = kind_name(member.kind);
            let block = member.block.map_or_else(String::new, |block| format!(" of block {block}"));
            seen.push((index, format!("{task}, {kind}{block}"), *bias, *diversity));
        }
    }
    seen
}
