//! Panels as one ECharts option.

use serde_json::{Value, json};

use super::{ABOVE, Axis, BELOW, ENTRY, HEIGHT, Line, Mark, Pen, Plot, Room, Series};
use crate::chart::Theme;
use crate::chart::frame;
use crate::chart::number::rounded;

impl Plot {
    /// `summary` is what a screen reader says.
    pub fn option(&self, theme: &Theme, room: Room, summary: &str) -> Value {
        let columns = room.columns.max(1);
        let mut option = frame::base(theme, summary);
        option["tooltip"]["trigger"] = json!("item");
        option["tooltip"]["formatter"] = json!("{b}");
        let width = 100.0 / columns as f64;
        let (mut grids, mut xs, mut ys, mut titles) = (vec![], vec![], vec![], vec![]);
        let mut series: Vec<Value> = self.legend.iter().map(|pen| entry(theme, pen)).collect();
        for (i, panel) in self.panels.iter().enumerate() {
            let row = u32::try_from(i / columns).unwrap_or(0);
            let top = self.top(room) + row * (ABOVE + HEIGHT + BELOW) + ABOVE;
            let left = (i % columns) as f64 * width;
            let share = |x: f64| format!("{}%", rounded(x));
            grids.push(json!({
                "left": share(left + 0.14 * width), "width": share(0.83 * width),
                "top": top, "height": HEIGHT, "outerBoundsMode": "none",
            }));
            titles.push(json!({
                "text": panel.name, "left": share(left + 0.01 * width), "top": top - ABOVE + 6,
                "padding": 0, "textStyle": { "color": theme.ink, "fontSize": 12, "fontWeight": "normal" },
            }));
            xs.push(axis(theme, &panel.x, i, true));
            ys.push(axis(theme, &panel.y, i, false));
            series.extend(panel.series.iter().map(|one| drawn(theme, one, i)));
        }
        option["title"] = json!(titles);
        option["grid"] = json!(grids);
        option["xAxis"] = json!(xs);
        option["yAxis"] = json!(ys);
        option["legend"] = json!({
            "data": self.legend.iter().map(named).collect::<Vec<_>>(),
            "top": 2, "left": 0, "itemWidth": 26, "itemHeight": 10, "itemGap": 14, "selectedMode": false,
            "lineHeight": ENTRY,
            "textStyle": { "color": theme.ink, "fontSize": 12 },
        });
        option["series"] = json!(series);
        option
    }
}

fn axis(theme: &Theme, axis: &Axis, grid: usize, across: bool) -> Value {
    let mut value = json!({
        "gridIndex": grid,
        "axisLabel": { "color": theme.quiet, "fontSize": 11, "hideOverlap": true },
        "axisTick": { "show": false },
        "axisLine": { "show": across, "onZero": false, "lineStyle": { "color": theme.quiet } },
        "splitLine": { "show": !across, "lineStyle": { "color": theme.hairline } },
    });
    if across {
        value["name"] = json!(axis.name());
        value["nameLocation"] = json!("middle");
        value["nameGap"] = json!(26);
        value["nameTextStyle"] = json!({ "color": theme.ink, "fontSize": 11 });
    }
    match axis {
        Axis::Linear {
            low, high, step, ..
        } => {
            value["type"] = json!("value");
            value["min"] = json!(low);
            value["max"] = json!(high);
            value["interval"] = json!(step);
        }
        Axis::Log { low, high, .. } => {
            value["type"] = json!("log");
            value["min"] = json!(low);
            value["max"] = json!(high);
        }
        Axis::Category { names, .. } => {
            value["type"] = json!("category");
            value["data"] = json!(names);
            value["axisLabel"]["rotate"] = json!(if names.len() > 4 { 30 } else { 0 });
        }
    }
    value
}

/// A legend's entry; a curve without marks is shown without the dot that ECharts would put on it.
fn named(pen: &Pen) -> Value {
    let icon = match (pen.mark, pen.line) {
        (Mark::None, Line::Thick) => "path://M0 0h26v4h-26z",
        (Mark::None, Line::Solid) => "path://M0 0h26v2h-26z",
        (Mark::None, Line::Dashed) => "path://M0 0h7v2h-7zM9.5 0h7v2h-7zM19 0h7v2h-7z",
        (Mark::None, Line::Dotted) => {
            "path://M0 0h2v2h-2zM6 0h2v2h-2zM12 0h2v2h-2zM18 0h2v2h-2zM24 0h2v2h-2z"
        }
        _ => return json!({ "name": pen.name }),
    };
    json!({ "name": pen.name, "icon": icon })
}

/// An empty series that gives the legend its entry.
fn entry(theme: &Theme, pen: &Pen) -> Value {
    let mut entry = drawn(theme, &Series::new(pen.clone(), Vec::new()), 0);
    entry["type"] = json!("line");
    entry
}

fn drawn(theme: &Theme, series: &Series, grid: usize) -> Value {
    let pen = &series.pen;
    let data: Vec<Value> = series
        .points
        .iter()
        .map(|point| {
            let mut data =
                json!({ "name": point.name, "value": [rounded(point.x), rounded(point.y)] });
            if point.hollow {
                let colour = pen.colour;
                data["itemStyle"] =
                    json!({ "color": theme.paper, "borderColor": colour, "borderWidth": 1.5 });
            }
            data
        })
        .collect();
    let (dash, width) = match pen.line {
        Line::None => ("solid", 0.0),
        Line::Thick => ("solid", 3.0),
        Line::Solid => ("solid", 1.5),
        Line::Dashed => ("dashed", 1.5),
        Line::Dotted => ("dotted", 1.5),
    };
    let symbol = match pen.mark {
        Mark::None => "none",
        Mark::Circle => "circle",
        Mark::Square => "rect",
        Mark::Diamond => "diamond",
        Mark::Triangle => "triangle",
        Mark::Level => "path://M0 0h20v3h-20z",
    };
    let mut drawn = json!({
        "type": if series.bars { "bar" } else { "line" },
        "name": pen.name, "data": data, "xAxisIndex": grid, "yAxisIndex": grid,
        "itemStyle": { "color": pen.colour },
    });
    if series.bars {
        drawn["stack"] = json!(format!("panel {grid}"));
        drawn["barMaxWidth"] = json!(44);
    } else {
        drawn["symbol"] = json!(symbol);
        drawn["symbolSize"] = if pen.mark == Mark::Level {
            json!([20, 3])
        } else {
            json!(7)
        };
        drawn["lineStyle"] = json!({ "color": pen.colour, "type": dash, "width": width });
    }
    drawn
}
