//! Which states of the stream point the same way (Fig. 3), before and after.

use serde_json::{Value, json};

use super::steps::{SIDES, beside, drawn, names};
use crate::chart::heat::{self, Ramp};
use crate::chart::number::{rounded, short};
use crate::chart::{Cell, Figure, Table, Theme, frame};
use crate::study::geometry::Geometry;

const TOP: u32 = 70;
const PLOT: u32 = 300;
/// States alike by more than this count as one kind in the sentence.
const ALIKE: f64 = 0.9;

pub(super) fn figure(geometry: &[Geometry; 2], theme: &Theme) -> Figure {
    let title = title(&geometry[1]);
    let words = words(geometry);
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["trigger"] = json!("item");
    option["tooltip"]["formatter"] = json!("{b}");
    option["grid"] = beside(TOP, PLOT);
    let all = geometry.iter().flat_map(|g| g.cosine_map.iter().flatten());
    let ramp = Ramp::over(all.copied());
    option["visualMap"] = heat::scale(theme, &ramp, "cosine", &[0, 1]);
    let (mut levels, mut uprights, mut series) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = Vec::new();
    for (side, geometry) in geometry.iter().enumerate() {
        let states = drawn(geometry.cosine_map.len());
        let all = names(geometry);
        let shown: Vec<String> = states.iter().map(|&i| all[i].clone()).collect();
        levels.push(heat::axis(theme, side, "after block", &shown, true));
        let mut upright = heat::axis(theme, side, SIDES[side], &shown, false);
        if side == 1 {
            upright["nameTextStyle"]["padding"] = json!([0, 0, 0, 0]);
            upright["nameTextStyle"]["align"] = json!("left");
        }
        uprights.push(upright);
        let mut data: Vec<Value> = Vec::new();
        for (y, &a) in states.iter().enumerate() {
            for (x, &b) in states.iter().enumerate() {
                let cosine = geometry.cosine_map[a][b];
                data.push(json!({
                    "name": format!("{}: {} and {}\ncosine {}", SIDES[side], all[a], all[b], short(cosine)),
                    "value": [x, y, rounded(cosine)],
                }));
                if b > a {
                    rows.push(vec![
                        Cell::Text(SIDES[side].to_owned()),
                        Cell::Text(all[a].clone()),
                        Cell::Text(all[b].clone()),
                        Cell::Number(cosine),
                    ]);
                }
            }
        }
        series.push(json!({
            "type": "heatmap", "name": SIDES[side], "xAxisIndex": side, "yAxisIndex": side, "data": data,
        }));
    }
    option["xAxis"] = Value::Array(levels);
    option["yAxis"] = Value::Array(uprights);
    option["series"] = Value::Array(series);
    let headers = ["order", "state", "and", "cosine"].map(str::to_owned);
    Figure {
        key: "cosine",
        title,
        words,
        height: TOP + PLOT + 50,
        option,
        table: Table {
            headers: headers.to_vec(),
            rows,
        },
    }
}

/// The longest run of neighbouring states that are all alike: `(first, last)`.
fn plateau(geometry: &Geometry) -> (usize, usize) {
    let map = &geometry.cosine_map;
    let mut best = (0, 0);
    let mut first = 0;
    for (last, row) in map.iter().enumerate() {
        // The map is symmetric.
        while row[first..last].iter().any(|&cosine| cosine < ALIKE) {
            first += 1;
        }
        if last - first > best.1 - best.0 {
            best = (first, last);
        }
    }
    best
}

fn said(geometry: &Geometry) -> String {
    let names = names(geometry);
    let (first, last) = plateau(geometry);
    match last - first {
        0 => format!("no two neighbouring states with a cosine of {ALIKE} or more"),
        n => format!(
            "{} neighbouring states, {} to {}, all within a cosine of {ALIKE}",
            n + 1,
            names[first],
            names[last]
        ),
    }
}

fn title(geometry: &Geometry) -> String {
    let (first, last) = plateau(geometry);
    let names = names(geometry);
    if last == first {
        "Every step turns the stream".to_owned()
    } else if last - first + 1 == names.len() {
        "The whole stream points one way".to_owned()
    } else {
        format!(
            "From {} to {} the stream points one way",
            place(&names[first]),
            place(&names[last])
        )
    }
}

fn place(name: &str) -> String {
    match name {
        "emb" => "the embedding".to_owned(),
        block if block.starts_with(|c: char| c.is_ascii_digit()) => format!("block {block}"),
        other => other.to_owned(),
    }
}

fn words(geometry: &[Geometry; 2]) -> [String; 2] {
    [
        format!("The model's own order has {}.", said(&geometry[0])),
        format!("Yours has {}.", said(&geometry[1])),
    ]
}
