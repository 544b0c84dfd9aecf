//! Curves of means with their intervals as upright bars: one series, no functions.

use serde_json::{Value, json};

use crate::chart::frame::Dash;
use crate::chart::number::rounded;
use crate::measure::interval::Mean;

/// How a curve is drawn.
pub struct Pen<'a> {
    pub name: &'a str,
    pub colour: &'a str,
    pub dash: Dash,
    pub symbol: &'a str,
}

/// A curve through `data` (points as [`super::Spot::data`] writes them) with a bar at each.
pub fn curve(pen: &Pen<'_>, data: Vec<Value>, intervals: &[(f64, Mean)]) -> Value {
    let bars: Vec<Value> = intervals
        .iter()
        .filter(|(_, mean)| mean.high > mean.low)
        .map(|(x, mean)| {
            json!([{ "coord": [x, rounded(mean.low)] }, { "coord": [x, rounded(mean.high)] }])
        })
        .collect();
    let (dash, width) = match pen.dash {
        Dash::Thick => ("solid", 3),
        Dash::Solid => ("solid", 2),
        Dash::Dashed => ("dashed", 2),
        Dash::Dotted => ("dotted", 2),
    };
    json!({
        "type": "line",
        "name": pen.name,
        "data": data,
        "symbol": pen.symbol,
        "symbolSize": 9,
        "cursor": "pointer",
        "itemStyle": { "color": pen.colour },
        "lineStyle": { "color": pen.colour, "type": dash, "width": width },
        "emphasis": { "scale": 1.6 },
        "markLine": {
            "silent": true, "symbol": "none", "animation": false, "precision": 12, "label": { "show": false },
            "lineStyle": { "color": pen.colour, "type": "solid", "width": 1, "opacity": 0.7 },
            "data": bars,
        },
    })
}

/// A level that the axis makes room for: the own order, or chance.
pub fn level(name: &str, colour: &str, dash: &str, from: f64, to: f64, value: f64) -> Value {
    json!({
        "type": "line", "name": name, "silent": true, "symbol": "none",
        "data": [[from, rounded(value)], [to, rounded(value)]],
        "itemStyle": { "color": colour },
        "lineStyle": { "color": colour, "type": dash, "width": 1 },
    })
}
