//! Each block left out, each pair of neighbours exchanged (Fig. 2).

use serde_json::{Value, json};

use super::whisker::{Pen, curve, level};
use super::{Quantity, Spot, apart, interval, reach, rows_note, spots, table};
use crate::chart::frame::{self, Dash};
use crate::chart::number::short;
use crate::chart::{Column, Figure, Theme};
use crate::measure::interval::Mean;
use crate::study::orders::{Orders, Sweep};

const PLOT: u32 = 230;

pub(super) fn figure(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    let own = quantity.of(&orders.original.measures, column)?;
    let drops = spots(orders, Sweep::Drop, quantity, column);
    let swaps = spots(orders, Sweep::Swap, quantity, column);
    if drops.is_empty() && swaps.is_empty() {
        return None;
    }
    let title = title(quantity, &own, &drops, &swaps);
    let words = words(orders, quantity, &own, &drops, &swaps);
    // A swapped pair stands between its two blocks.
    let at = |spot: &Spot<'_>| match spot.point.sweep {
        Sweep::Swap => spot.point.at as f64 + 0.5,
        _ => spot.point.at as f64,
    };
    let last = drops.iter().chain(&swaps).map(at).fold(0.0, f64::max);
    let drawn = |name: &'static str, spots: &[Spot<'_>], colour, dash, symbol| {
        let data: Vec<Value> = spots
            .iter()
            .map(|spot| spot.data(orders, at(spot), quantity))
            .collect();
        let bars: Vec<(f64, Mean)> = spots.iter().map(|spot| (at(spot), spot.value)).collect();
        let pen = Pen {
            name,
            colour,
            dash,
            symbol,
        };
        curve(&pen, data, &bars)
    };
    let mut series = Vec::new();
    let mut entries = Vec::new();
    if !drops.is_empty() {
        series.push(drawn(DROP, &drops, theme.ink, Dash::Solid, "circle"));
        entries.push((DROP, Dash::Solid));
    }
    if !swaps.is_empty() {
        series.push(drawn(SWAP, &swaps, theme.quiet, Dash::Dashed, "diamond"));
        entries.push((SWAP, Dash::Dashed));
    }
    series.push(level(OWN, theme.ink, "solid", -0.5, last + 0.5, own.mean));
    if let Some(chance) = chance(orders, quantity) {
        entries.push((CHANCE, Dash::Dotted));
        series.push(level(
            CHANCE,
            theme.quiet,
            "dotted",
            -0.5,
            last + 0.5,
            chance,
        ));
    }
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["trigger"] = json!("item");
    option["tooltip"]["formatter"] = json!("{b}");
    option["legend"] = frame::curve_legend(theme, &entries);
    option["grid"] = json!([frame::grid(frame::TOP, PLOT)]);
    option["xAxis"] = json!([frame::number_axis(
        theme,
        0,
        "block",
        [-0.5, last + 0.5],
        1.0
    )]);
    let name = format!(
        "{}, line: own order {}",
        quantity.axis(column),
        short(own.mean)
    );
    let levels = [own.low, own.mean, own.high].into_iter();
    let reach = reach(drops.iter().chain(&swaps)).chain(levels);
    let reach = reach.chain(chance(orders, quantity));
    option["yAxis"] = json!([frame::spread_axis(theme, 0, &name, reach)]);
    option["series"] = Value::Array(series);
    Some(Figure {
        key: "neighbours",
        title,
        words,
        height: frame::TOP + PLOT + 50,
        option,
        table: table(orders, &[Sweep::Drop, Sweep::Swap], quantity, column),
    })
}

const DROP: &str = "block left out";
const SWAP: &str = "block and next swapped";
const OWN: &str = "own order";
const CHANCE: &str = "chance";

/// What always guessing would score, where that is what is plotted.
pub(super) fn chance(orders: &Orders, quantity: Quantity) -> Option<f64> {
    match quantity {
        Quantity::Accuracy => Some(orders.chance.max(orders.majority)),
        Quantity::Normalised => Some(0.0),
        _ => None,
    }
}

fn title(quantity: Quantity, own: &Mean, drops: &[Spot<'_>], swaps: &[Spot<'_>]) -> String {
    let (spots, verb) = if drops.is_empty() {
        (swaps, "swapped")
    } else {
        (drops, "left out")
    };
    let far = |spot: &Spot<'_>| (spot.value.mean - own.mean).abs();
    let farthest = spots
        .iter()
        .max_by(|a, b| far(a).total_cmp(&far(b)))
        .filter(|spot| apart(&spot.value, own));
    match farthest {
        Some(spot) => {
            let at = spot.point.at;
            let who = if verb == "swapped" {
                format!("blocks {at} and {}", at + 1)
            } else {
                format!("block {at}")
            };
            format!(
                "With {who} {verb}, {} is {} instead of {}: no other moves it more",
                quantity.word(),
                short(spot.value.mean),
                short(own.mean)
            )
        }
        None => format!(
            "No single block {verb} moves {} beyond its interval",
            quantity.word()
        ),
    }
}

fn words(
    orders: &Orders,
    quantity: Quantity,
    own: &Mean,
    drops: &[Spot<'_>],
    swaps: &[Spot<'_>],
) -> [String; 2] {
    let outside = |spots: &[Spot<'_>]| spots.iter().filter(|spot| apart(&spot.value, own)).count();
    let mut counted = Vec::new();
    if !drops.is_empty() {
        counted.push(format!("{} of {} drops", outside(drops), drops.len()));
    }
    if !swaps.is_empty() {
        counted.push(format!("{} of {} swaps", outside(swaps), swaps.len()));
    }
    let first = format!(
        "{} lie apart from the own order's {}.",
        counted.join(" and "),
        if own.high > own.low {
            interval(own)
        } else {
            format!("{} {}", quantity.word(), short(own.mean))
        },
    );
    [first, rows_note(orders)]
}
