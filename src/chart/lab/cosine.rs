//! Which states of the stream point the same way (Fig. 3): of one prompt before and after, and over a task's rows.

use super::steps::{SIDES, drawn, names};
use crate::chart::TableCell::{self, Number, Text};
use crate::chart::number::{counted, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp};
use crate::chart::{Figure, FigureDraft, Table, Theme};
use crate::study::geometry::Geometry;
use crate::study::orders::Orders;

const PLOT: u32 = 300;
/// Height of one map over rows, CSS pixels: a wall reads its names.
const ROWS_PLOT: u32 = 480;
/// States alike by more than this count as one kind in the sentence.
const ALIKE: f64 = 0.9;

pub(super) fn figure(geometry: &[Geometry; 2]) -> FigureDraft {
    let sides = geometry.iter().zip(SIDES);
    let all = geometry.iter().flat_map(|g| g.cosine_map.iter().flatten());
    FigureDraft {
        key: "cosine",
        title: title(&geometry[1]),
        words: [
            format!("In the original order {}.", said(&geometry[0])),
            format!("Under this plan {}.", said(&geometry[1])),
        ],
        table: Table::new(
            ["order", "state", "and", "cosine"],
            sides.clone().flat_map(|(g, side)| rows(g, side)),
        ),
        plot: Plot {
            ramp: Some(Ramp::over("cosine", all.copied())),
            ..Plot::new(sides.map(|(g, side)| panel(g, side)).collect(), Vec::new(), 2)
        },
    }
}

/// The map over a task's rows, in the original order; `None` where the sweep has none.
pub fn states_figure(orders: &Orders, theme: &Theme) -> Option<Figure> {
    let mut all = orders.geometry.iter();
    let geometry = all.find(|geometry| geometry.plan == orders.original.plan)?;
    let ramp = Ramp::over("cosine", geometry.cosine_map.iter().flatten().copied());
    let draft = FigureDraft {
        key: "states",
        title: title(geometry),
        words: [
            format!("In the original order {}.", said(geometry)),
            format!(
                "A cosine is that of all tokens' states, the mean over {} of “{}”.",
                counted(geometry.prompts, "row"),
                orders.task
            ),
        ],
        table: Table::new(["order", "state", "and", "cosine"], rows(geometry, SIDES[0])),
        plot: Plot::map(panel(geometry, SIDES[0]).tall(ROWS_PLOT), ramp),
    };
    Some(draft.figure(theme))
}

fn panel(geometry: &Geometry, side: &str) -> Panel {
    let all = names(geometry);
    let states = drawn(geometry.cosine_map.len());
    let axis = |name: &str| Axis::category(name, states.iter().map(|&i| all[i].clone()).collect());
    let mut patches = Vec::new();
    for (y, &a) in states.iter().enumerate() {
        for (x, &b) in states.iter().enumerate() {
            let value = geometry.cosine_map[a][b];
            let name = format!("{side}: {} and {}\ncosine {}", all[a], all[b], short(value));
            patches.push(Patch::new([x, y], value, name));
        }
    }
    let name = format!("{side}: cosine of the stream after one step and another");
    Panel::map(name, axis("after block"), axis(""), patches).tall(PLOT)
}

fn rows(geometry: &Geometry, side: &str) -> Vec<Vec<TableCell>> {
    let all = names(geometry);
    let states = drawn(geometry.cosine_map.len());
    let mut rows = Vec::new();
    for (i, &a) in states.iter().enumerate() {
        for &b in &states[i + 1..] {
            let [one, other] = [a, b].map(|state| Text(all[state].clone()));
            let cosine = Number(geometry.cosine_map[a][b]);
            rows.push(vec![Text(side.to_owned()), one, other, cosine]);
        }
    }
    rows
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
        0 => format!("no two states in a row have a cosine of {ALIKE} or more"),
        n => format!(
            "{} states in a row, {} to {}, have a cosine of {ALIKE} or more with each other",
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
        "Every step turns the residual stream".to_owned()
    } else if last - first + 1 == names.len() {
        "The residual stream keeps its direction from end to end".to_owned()
    } else {
        let [first, last] = [first, last].map(|state| place(&names[state]));
        format!("From {first} to {last} the residual stream keeps its direction")
    }
}

fn place(name: &str) -> String {
    match name {
        "emb" => "the embedding".to_owned(),
        block if block.starts_with(|c: char| c.is_ascii_digit()) => format!("block {block}"),
        other => other.to_owned(),
    }
}
