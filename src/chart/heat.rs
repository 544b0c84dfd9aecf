//! Heat maps: viridis, its scale, and the axes of a grid of cells.

use serde_json::{Value, json};

use super::Theme;
use super::number::short;

/// Viridis at nine places: even to the eye, safe for colour-blind readers and in grey.
const VIRIDIS: [&str; 9] = [
    "#440154", "#472d7b", "#3b528b", "#2c728e", "#21918c", "#28ae80", "#5ec962", "#addc30",
    "#fde725",
];

/// The range that the colours stand for.
pub(super) struct Ramp {
    pub low: f64,
    pub high: f64,
}

impl Ramp {
    /// From the smallest to the largest of these.
    pub fn over(values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
            (low.min(x), high.max(x))
        });
        if low < high {
            Self { low, high }
        } else {
            // One value everywhere still needs a range.
            let middle = if low.is_finite() { low } else { 0.0 };
            Self {
                low: middle - 0.5,
                high: middle + 0.5,
            }
        }
    }

    /// The colour that can be read on the colour of `x`.
    pub fn on(&self, x: f64) -> &'static str {
        if (x - self.low) / (self.high - self.low) < 0.6 {
            "#ffffff"
        } else {
            "#000000"
        }
    }
}

/// The scale above the map.
pub(super) fn scale(theme: &Theme, ramp: &Ramp, name: &str, series: &[usize]) -> Value {
    json!({
        "type": "continuous",
        "min": ramp.low,
        "max": ramp.high,
        "seriesIndex": series,
        "calculable": false,
        "hoverLink": false,
        "orient": "horizontal",
        "right": super::RIGHT,
        "top": 2,
        "itemWidth": 10,
        "itemHeight": 130,
        // Six digits of difference are below what colours can show.
        "precision": 6,
        "inRange": { "color": VIRIDIS },
        "text": [short(ramp.high), format!("{name}   {}", short(ramp.low))],
        "textStyle": { "color": theme.ink, "fontSize": 12 },
    })
}

/// An axis of named cells; the upright one has its name above.
pub(super) fn axis(theme: &Theme, grid: usize, name: &str, names: &[String], level: bool) -> Value {
    let mut axis = json!({
        "type": "category",
        "gridIndex": grid,
        "data": names,
        "name": name,
        "axisLine": { "show": false },
        "axisTick": { "show": false },
        "splitLine": { "show": false },
        "axisLabel": { "color": theme.quiet, "fontSize": 12, "hideOverlap": true },
    });
    if level {
        axis["nameLocation"] = json!("middle");
        axis["nameGap"] = json!(28);
        axis["nameTextStyle"] = json!({ "color": theme.ink, "fontSize": 12 });
    } else {
        axis["nameLocation"] = json!("end");
        axis["nameGap"] = json!(10);
        axis["nameTextStyle"] = json!({
            "color": theme.ink, "align": "left", "fontSize": 12, "padding": [0, 0, 0, 8 - i64::from(super::LEFT)],
        });
    }
    axis
}
