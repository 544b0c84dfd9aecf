//! What the three figures have in common: margins, axes, tooltip, legend.

use serde_json::{Value, json};

use super::Theme;
use super::strokes::labels;
use super::theme::mark;
use crate::engine::MemberKind;
use crate::study::report::Lens;

/// CSS pixels from the figure's left edge to its plot area, the same in every figure.
pub const LEFT: u32 = 60;
/// CSS pixels from the plot area to the figure's right edge.
pub const RIGHT: u32 = 16;
/// Room above the first plot area for the legend and the axis' name.
pub(super) const TOP: u32 = 60;

/// Size of text in charts, in CSS pixels.
const TEXT: u32 = 12;

/// The option every figure starts from. `summary` is what a screen reader says of the picture.
pub(super) fn base(theme: &Theme, summary: &str) -> Value {
    json!({
        // The first drawing is still; changes show what moved.
        "animationDuration": 0,
        "animationDurationUpdate": 200,
        "textStyle": { "color": theme.ink, "fontSize": TEXT },
        "aria": { "enabled": true, "label": { "description": summary } },
        "tooltip": {
            "trigger": "axis",
            // Drawn in the picture: HTML tooltips need inline styles, which the page forbids.
            "renderMode": "richText",
            "confine": true,
            "backgroundColor": theme.paper,
            "borderColor": theme.quiet,
            "borderWidth": 1,
            "textStyle": { "color": theme.ink, "fontSize": TEXT + 1 },
            "axisPointer": { "type": "shadow", "shadowStyle": { "color": theme.ink, "opacity": 0.06 } },
        },
    })
}

/// A plot area from `top`, `height` pixels tall.
pub(super) fn grid(top: u32, height: u32) -> Value {
    json!({ "left": LEFT, "right": RIGHT, "top": top, "height": height, "outerBoundsMode": "none" })
}

/// The strokes in order. `shown` says whether this plot area carries the labels.
pub(super) fn stroke_axis(lens: &Lens, theme: &Theme, grid: usize, shown: bool) -> Value {
    json!({
        "type": "category",
        "gridIndex": grid,
        "data": labels(lens),
        "axisLine": { "onZero": false, "lineStyle": { "color": theme.quiet } },
        "axisTick": { "show": false },
        "axisLabel": { "show": shown, "color": theme.quiet, "fontSize": TEXT, "hideOverlap": true },
    })
}

/// A quantity with its unit, named above the axis.
pub(super) fn value_axis(theme: &Theme, grid: usize, name: &str, from_zero: bool) -> Value {
    json!({
        "type": "value",
        "gridIndex": grid,
        "name": name,
        "nameLocation": "end",
        "nameGap": 13,
        "nameTextStyle": { "color": theme.ink, "align": "left", "fontSize": TEXT, "padding": [0, 0, 0, 8 - i64::from(LEFT)] },
        "scale": !from_zero,
        "splitNumber": 4,
        "axisLabel": { "color": theme.quiet, "fontSize": TEXT },
        "splitLine": { "lineStyle": { "color": theme.hairline } },
    })
}

/// A quantity to the right, in whole steps, with its name below.
pub(super) fn number_axis(
    theme: &Theme,
    grid: usize,
    name: &str,
    [from, to]: [f64; 2],
    least_step: f64,
) -> Value {
    json!({
        "type": "value",
        "gridIndex": grid,
        "min": from,
        "max": to,
        "minInterval": least_step,
        "name": name,
        "nameLocation": "middle",
        "nameGap": 28,
        "nameTextStyle": { "color": theme.ink, "fontSize": TEXT },
        "axisLine": { "onZero": false, "lineStyle": { "color": theme.quiet } },
        "axisTick": { "show": false },
        "axisLabel": { "color": theme.quiet, "fontSize": TEXT, "hideOverlap": true,
                       // Half a step of room at either end is no place, nor is the room after the last.
                       "showMinLabel": from.fract() == 0.0, "showMaxLabel": false },
        "splitLine": { "show": false },
    })
}

/// A quantity with its unit over the whole of `values` and no line of its own: whiskers that left
/// the plot area would not be drawn at all.
pub(super) fn spread_axis(
    theme: &Theme,
    grid: usize,
    name: &str,
    values: impl Iterator<Item = f64>,
) -> Value {
    let mut axis = value_axis(theme, grid, name, false);
    axis["axisLine"] = json!({ "show": false, "onZero": false });
    axis["axisTick"] = json!({ "show": false });
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| {
        (low.min(x), high.max(x))
    });
    if low < high {
        let step = tidy_step((high - low) / 4.0);
        axis["min"] = json!(super::number::rounded((low / step).floor() * step));
        axis["max"] = json!(super::number::rounded((high / step).ceil() * step));
        axis["interval"] = json!(super::number::rounded(step));
    }
    axis
}

/// 1, 2 or 5 times a power of ten, not below `least`.
fn tidy_step(least: f64) -> f64 {
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|n| n * power)
        .find(|step| *step >= least)
        .unwrap_or(least)
}

/// The legend of kinds; its entries are the empty series of [`kind_entries`].
pub(super) fn kind_legend(theme: &Theme) -> Value {
    let names = ["embedding", "attention", "MLP"];
    legend(theme, json!(names), 10)
}

/// The legend of curves: each its stroke as it is drawn, without the dot ECharts would put on it.
pub(super) fn curve_legend(theme: &Theme, curves: &[(&str, Dash)]) -> Value {
    let entry = |(name, dash): &(&str, Dash)| {
        let icon = match dash {
            Dash::Thick => "path://M0 0h30v4h-30z",
            Dash::Solid => "path://M0 0h30v2h-30z",
            Dash::Dashed => "path://M0 0h8v2h-8zM11 0h8v2h-8zM22 0h8v2h-8z",
            Dash::Dotted => {
                "path://M0 0h2v2h-2zM7 0h2v2h-2zM14 0h2v2h-2zM21 0h2v2h-2zM28 0h2v2h-2z"
            }
        };
        json!({ "name": name, "icon": icon })
    };
    legend(theme, curves.iter().map(entry).collect(), 30)
}

/// The legend of curves that have marks: each its line and mark as ECharts draws them.
pub(super) fn mark_legend(theme: &Theme, names: &[&str]) -> Value {
    legend(theme, json!(names), 26)
}

/// How a curve is drawn.
#[derive(Clone, Copy)]
pub(super) enum Dash {
    Thick,
    Solid,
    Dashed,
    Dotted,
}

fn legend(theme: &Theme, data: Value, width: u32) -> Value {
    json!({
        "data": data,
        "top": 2,
        "right": RIGHT,
        "itemWidth": width,
        "itemHeight": 10,
        "itemGap": 14,
        "selectedMode": false,
        "textStyle": { "color": theme.ink, "fontSize": TEXT },
    })
}

/// Marks at the values' ends, in the kind's colour and shape.
pub(super) fn marks(lens: &Lens, theme: &Theme, values: &[f64], grid: usize) -> Value {
    // Marks shrink where there are many, and never below what can be told apart.
    let size = if lens.members.len() > 70 { 5 } else { 8 };
    let data: Vec<Value> = lens
        .members
        .iter()
        .zip(values)
        .map(|(member, value)| {
            json!({
                "value": super::number::rounded(*value),
                "symbol": mark(member.kind),
                "itemStyle": { "color": theme.of(member.kind) },
            })
        })
        .collect();
    json!({
        "type": "scatter",
        "name": "kind",
        "xAxisIndex": grid,
        "yAxisIndex": grid,
        "symbolSize": size,
        "data": data,
        "z": 3,
        "silent": true,
    })
}

/// Empty series that give the legend one entry a kind.
pub(super) fn kind_entries(theme: &Theme) -> [Value; 3] {
    [
        (MemberKind::Embedding, "embedding"),
        (MemberKind::Attention, "attention"),
        (MemberKind::Mlp, "MLP"),
    ]
    .map(|(kind, name)| {
        json!({
            "type": "scatter",
            "name": name,
            "symbol": mark(kind),
            "itemStyle": { "color": theme.of(kind) },
            "data": [],
        })
    })
}

/// Values with their strokes' names, for tooltips: six digits, what a 32-bit run can vouch for.
pub(super) fn named(names: &[String], values: &[f64]) -> Vec<Value> {
    names
        .iter()
        .zip(values)
        .map(|(name, x)| json!({ "name": name, "value": super::number::rounded(*x) }))
        .collect()
}

/// A level line across a plot area; what it stands for is said in the axis' name.
pub(super) fn level(theme: &Theme, value: f64, dash: &str) -> Value {
    json!({
        "silent": true,
        "symbol": "none",
        "animation": false,
        // Otherwise ECharts rounds the level to two decimals.
        "precision": 12,
        "label": { "show": false },
        "lineStyle": { "color": theme.ink, "type": dash, "width": 1 },
        "data": [{ "yAxis": super::number::rounded(value) }],
    })
}
