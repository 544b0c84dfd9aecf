//! The way of every token through the stream, on the plane its last states spread over most.

use super::steps::{SIDES, drawn, names};
use crate::chart::TableCell::{self, Number, Text};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{FigureDraft, Table, Theme};
use crate::study::geometry::Geometry;
use crate::study::report::Lab;

const PLOT: u32 = 290;

pub(super) fn figure(lab: &Lab, theme: &Theme) -> FigureDraft {
    let [own, yours] = &lab.geometry;
    let tokens = tokens(lab);
    let pens = [
        Pen::new("another token", theme.quiet, Line::Solid, Mark::Dot).faint(),
        Pen::new("the token that answers", theme.ink, Line::Solid, Mark::Dot),
        Pen::new("embedding", theme.embedding, Line::None, Mark::Diamond),
        Pen::new("last state", theme.quiet, Line::None, Mark::Circle),
    ];
    let sides = || lab.geometry.iter().zip(SIDES);
    let headers = ["order", "token", "after", "1st direction", "2nd direction"];
    FigureDraft {
        key: "trajectories",
        title: title(own, yours),
        words: words(own, yours),
        table: Table::new(headers, sides().flat_map(|(g, side)| rows(g, side, &tokens))),
        plot: Plot::new(
            sides().map(|(g, side)| panel(g, side, &tokens, &pens)).collect(),
            [2, 3, 1].map(|pen| pens[pen].clone()).to_vec(),
            2,
        ),
    }
}

fn word(tokens: &[String], t: usize) -> &str {
    tokens.get(t).map_or("token", String::as_str)
}

fn panel(
    geometry: &Geometry,
    side: &str,
    tokens: &[String],
    [token, answering, start, end]: &[Pen; 4],
) -> Panel {
    let paths = &geometry.trajectories.tokens;
    let states = names(geometry);
    let way = |(t, path): (usize, &Vec<[f64; 2]>)| {
        let pen = if t + 1 == paths.len() { answering } else { token };
        let points = drawn(path.len()).into_iter().map(|i| {
            let after = states.get(i).map_or("", String::as_str);
            let text = format!("{side}: “{}” after {after}", word(tokens, t));
            Point::new(path[i][0], path[i][1], text)
        });
        Series::new(pen.clone(), points)
    };
    let ends = |pen: &Pen, of: fn(&[[f64; 2]]) -> Option<&[f64; 2]>| {
        let points = paths.iter().enumerate().filter_map(|(t, path)| {
            let [x, y] = of(path)?;
            let text = format!("{side}: “{}”, {}", word(tokens, t), pen.name);
            Some(Point::new(*x, *y, text))
        });
        Series::new(pen.clone(), points)
    };
    let mut series: Vec<Series> = paths.iter().enumerate().map(way).collect();
    series.push(ends(start, |path| path.first()));
    series.push(ends(end, |path| path.last()));
    let [first, second] = geometry.trajectories.explained;
    let all = |i: usize| paths.iter().flatten().map(move |place| place[i]);
    Panel::new(
        format!("{side}: 2nd direction ({})", percent(second)),
        Axis::over(format!("1st direction ({})", percent(first)), all(0)),
        Axis::over("", all(1)),
        series,
    )
    .tall(PLOT)
}

fn rows(geometry: &Geometry, side: &str, tokens: &[String]) -> Vec<Vec<TableCell>> {
    let states = names(geometry);
    let paths = geometry.trajectories.tokens.iter().enumerate();
    let rows = paths.flat_map(|(t, path)| path.iter().enumerate().map(move |(i, at)| (t, i, at)));
    rows.map(|(t, i, [x, y])| {
        let after = states.get(i).cloned().unwrap_or_default();
        let [side, word] = [side, word(tokens, t)].map(|text| Text(text.to_owned()));
        vec![side, word, Text(after), Number(*x), Number(*y)]
    })
    .collect()
}

/// The prompt's tokens as they are read.
fn tokens(lab: &Lab) -> Vec<String> {
    let lens = &lab.original;
    match (&lens.prompt, &lens.tokens) {
        (_, Some(tokens)) => tokens.iter().map(|token| token.trim().to_owned()).collect(),
        _ => lens.token_ids.iter().map(u32::to_string).collect(),
    }
}

fn title(own: &Geometry, yours: &Geometry) -> String {
    let (Some(a), Some(b)) = (own.line_shape_score, yours.line_shape_score) else {
        return "The trajectory of every token".to_owned();
    };
    if own.plan == yours.plan {
        return format!(
            "With steps of one length, the trajectory is {} times as long as a straight line",
            short(a)
        );
    }
    let than = if (a - b).abs() < 0.005 * a {
        "as straight as in the original order"
    } else if b < a {
        "straighter than in the original order"
    } else {
        "less straight than in the original order"
    };
    format!("Under this plan the trajectory is {than}")
}

fn words(own: &Geometry, yours: &Geometry) -> [String; 2] {
    let said = |of: fn(&Geometry) -> Option<f64>| {
        [own, yours].map(|one| of(one).map_or_else(|| "not defined".to_owned(), short))
    };
    let ([a, b], [c, d]) = (said(|one| one.line_shape_score), said(|one| one.expodistance));
    [
        format!(
            "Line-shape score of the token that answers (1 is a straight line): {a} in the original order, {b} under this plan."
        ),
        format!(
            "Expodistance, how unevenly its state grows: {c} and {d}. Each plane is fitted to its own trajectory, so \
             do not compare places between the two."
        ),
    ]
}
