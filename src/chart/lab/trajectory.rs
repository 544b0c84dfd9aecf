//! The way of every token through the stream, on the plane its last states spread over most.

use serde_json::{Value, json};

use super::steps::{SIDES, beside, drawn, names};
use crate::chart::number::{percent, rounded, short};
use crate::chart::{Cell, Figure, Table, Theme, frame};
use crate::study::geometry::Geometry;
use crate::study::report::Lab;

const TOP: u32 = 70;
const PLOT: u32 = 290;

pub(super) fn figure(lab: &Lab, theme: &Theme) -> Figure {
    let [own, yours] = &lab.geometry;
    let title = title(own, yours);
    let words = words(own, yours);
    let tokens = tokens(lab);
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["trigger"] = json!("item");
    option["tooltip"]["formatter"] = json!("{b}");
    option["grid"] = beside(TOP, PLOT);
    option["legend"] = frame::mark_legend(theme, &[START, END, LAST]);
    option["legend"]["itemWidth"] = json!(14);
    let (mut levels, mut uprights, mut series) = (Vec::new(), Vec::new(), Vec::new());
    let mut rows = Vec::new();
    for (side, geometry) in lab.geometry.iter().enumerate() {
        let paths = &geometry.trajectories.tokens;
        let [first, second] = geometry.trajectories.explained;
        let mut level = frame::value_axis(
            theme,
            side,
            &format!("1st direction ({})", percent(first)),
            false,
        );
        level["nameLocation"] = json!("middle");
        level["nameGap"] = json!(28);
        level["nameTextStyle"] = json!({ "color": theme.ink, "fontSize": 12 });
        level["axisLabel"]["hideOverlap"] = json!(true);
        let mut upright = frame::value_axis(
            theme,
            side,
            &format!("{}, 2nd direction ({})", SIDES[side], percent(second)),
            false,
        );
        for axis in [&mut level, &mut upright] {
            axis["splitLine"]["show"] = json!(false);
            axis["axisLine"] =
                json!({ "show": true, "onZero": false, "lineStyle": { "color": theme.hairline } });
            axis["axisTick"] = json!({ "show": false });
        }
        levels.push(level);
        if side == 1 {
            upright["nameTextStyle"]["padding"] = json!([0, 0, 0, 0]);
        }
        uprights.push(upright);
        let states = names(geometry);
        let token = |t: usize| tokens.get(t).map_or("token", String::as_str);
        for (t, path) in paths.iter().enumerate() {
            let answers = t + 1 == paths.len();
            let data: Vec<Value> = drawn(path.len())
                .into_iter()
                .map(|i| {
                    json!({
                        "name": format!("{}: “{}” after {}", SIDES[side], token(t), states.get(i).map_or("", String::as_str)),
                        "value": [rounded(path[i][0]), rounded(path[i][1])],
                    })
                })
                .collect();
            rows.extend(path.iter().enumerate().map(|(i, [x, y])| {
                vec![
                    Cell::Text(SIDES[side].to_owned()),
                    Cell::Text(token(t).to_owned()),
                    Cell::Text(states.get(i).cloned().unwrap_or_default()),
                    Cell::Number(*x),
                    Cell::Number(*y),
                ]
            }));
            let colour = if answers { theme.ink } else { theme.quiet };
            series.push(json!({
                "type": "line", "name": if answers { LAST } else { "token" }, "data": data,
                "xAxisIndex": side, "yAxisIndex": side, "symbol": "circle", "symbolSize": if answers { 5 } else { 3 },
                "z": if answers { 4 } else { 2 },
                "itemStyle": { "color": colour, "opacity": if answers { 1.0 } else { 0.5 } },
                "lineStyle": { "color": colour, "width": if answers { 2 } else { 1 }, "opacity": if answers { 1.0 } else { 0.5 } },
            }));
        }
        let ends = |name: &str,
                    symbol: &str,
                    colour: &str,
                    of: fn(&Vec<[f64; 2]>) -> Option<&[f64; 2]>| {
            let data: Vec<Value> = paths
                .iter()
                .enumerate()
                .filter_map(|(t, path)| {
                    let [x, y] = of(path)?;
                    Some(json!({
                        "name": format!("{}: “{}”, {name}", SIDES[side], token(t)),
                        "value": [rounded(*x), rounded(*y)],
                    }))
                })
                .collect();
            json!({
                "type": "scatter", "name": name, "data": data, "xAxisIndex": side, "yAxisIndex": side,
                "symbol": symbol, "symbolKeepAspect": true, "symbolSize": 8, "z": 3, "itemStyle": { "color": colour },
            })
        };
        series.push(ends(START, "diamond", theme.embedding, |path| path.first()));
        series.push(ends(END, "circle", theme.quiet, |path| path.last()));
    }
    option["xAxis"] = Value::Array(levels);
    option["yAxis"] = Value::Array(uprights);
    option["series"] = Value::Array(series);
    let headers = ["order", "token", "after", "1st direction", "2nd direction"].map(str::to_owned);
    Figure {
        key: "trajectories",
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

const START: &str = "embedding";
const END: &str = "last state";
const LAST: &str = "the token that answers";

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
        return "The way of every token through the stream".to_owned();
    };
    if own.plan == yours.plan {
        return format!(
            "In steps of one length, the way is {} times the straight line",
            short(a)
        );
    }
    let than = if (a - b).abs() < 0.005 * a {
        "as straight as in the model's own"
    } else if b < a {
        "straighter than in the model's own"
    } else {
        "less straight than in the model's own"
    };
    format!("The way through the stream in your order is {than}")
}

fn words(own: &Geometry, yours: &Geometry) -> [String; 2] {
    let said = |x: Option<f64>| x.map_or_else(|| "not defined".to_owned(), short);
    [
        format!(
            "Line-shape score of the token that answers (1 is a straight line): {} in the model's own order, {} in yours.",
            said(own.line_shape_score),
            said(yours.line_shape_score)
        ),
        format!(
            "Expodistance, how unevenly its state grows: {} and {}. The two planes are fitted apart, so places in one \
             cannot be held against places in the other.",
            said(own.expodistance),
            said(yours.expodistance)
        ),
    ]
}
