//! Draws a plot as one ECharts option: no functions in it, so it is also a file one can keep.

use serde_json::{Value, json};

use super::escape::cut;
use super::labels::LABEL_SIZE;
use super::layout::{
    AXIS_LINE, AXIS_NAME, Area, ENTRY, LEFT, LETTERS, NAME, PlotLayout, RIGHT, Room, axis_name,
    texts,
};
use super::svg::SHADE;
use super::{Axis, Level, Line, Mark, MarkShape, Panel, Pen, Plot, Point, Ramp, Series};
use crate::chart::number::{rounded, short};
use crate::chart::{Figure, Theme};

/// Size of text in charts, in CSS pixels.
const TEXT: u32 = 12;

impl Figure {
    /// Returns the option that ECharts draws.
    pub fn option(&self) -> Value {
        self.plot.option(&self.theme, self.room, &self.summary())
    }
}

impl Plot {
    /// `summary` is what a screen reader says.
    fn option(&self, theme: &Theme, room: Room, summary: &str) -> Value {
        let layout = self.layout(room);
        let columns = room.columns.clamp(1, self.columns.max(1));
        let mut option = base(theme, summary);
        let (mut grids, mut xs, mut ys, mut titles) = (vec![], vec![], vec![], vec![]);
        let mut series: Vec<Value> = Vec::new();
        let mut maps = Vec::new();
        if let Some(hover) = &self.hover {
            option["tooltip"]["trigger"] = json!("axis");
            option["axisPointer"] = json!({ "link": [{ "xAxisIndex": "all" }] });
            series.extend(self.panels.first().map(|panel| spoken(hover, &self.picks, panel)));
        }
        for (i, panel) in self.panels.iter().enumerate() {
            let (area, text) = (&layout.areas[i], self.has_texts(i, columns));
            grids.push(grid(&layout, i, columns, room));
            let lines = u32::try_from(layout.names[i].len()).unwrap_or(1);
            let left = if columns == 1 { json!(8) } else { share(area.left - 52.0, room) };
            titles.push(json!({
                "text": layout.names[i].join("\n"), "left": left,
                "top": area.top - 6.0 - f64::from(NAME * lines), "padding": 0,
                "textStyle": { "color": theme.ink, "fontSize": TEXT, "fontWeight": "normal", "lineHeight": NAME },
            }));
            xs.push(level_axis(self, theme, panel, i, area.width, text));
            ys.push(upright_axis(theme, &panel.y, i));
            if !panel.patches.is_empty() {
                maps.push(series.len());
                series.push(patches(theme, panel, self.ramp.as_ref(), i));
            }
            if !panel.voids.is_empty() {
                series.push(voids(theme, panel, i));
            }
            series.extend(panel.series.iter().map(|one| drawn(theme, one, i)));
            series.extend(band(panel, i));
            series.extend(labelled(panel, area, i));
            if !panel.levels.is_empty() || panel.note.is_some() {
                series.push(pointed(theme, panel, i));
            }
        }
        series.extend(self.legend.iter().map(|pen| entry(theme, pen)));
        option["title"] = json!(titles);
        option["grid"] = json!(grids);
        option["xAxis"] = json!(xs);
        option["yAxis"] = json!(ys);
        option["legend"] = json!({
            "data": self.legend.iter().map(named).collect::<Vec<_>>(),
            "top": 2, "left": 0, "itemWidth": 26, "itemHeight": 10, "itemGap": 14, "selectedMode": false,
            "lineHeight": ENTRY,
            "textStyle": { "color": theme.ink, "fontSize": TEXT },
        });
        if let Some(ramp) = &self.ramp {
            option["visualMap"] = scale(theme, ramp, layout.ramp, &maps);
        }
        option["series"] = json!(series);
        option
    }
}

fn base(theme: &Theme, summary: &str) -> Value {
    json!({
        // The first drawing is still; changes show what moved.
        "animationDuration": 0,
        "animationDurationUpdate": 200,
        "textStyle": { "color": theme.ink, "fontSize": TEXT },
        "aria": { "enabled": true, "label": { "description": summary } },
        "tooltip": {
            "trigger": "item",
            // ECharts escapes what a template writes, even where nothing is HTML: the page puts a
            // function in its place that gives the name as it is.
            "formatter": "{b}",
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

fn share(pixels: f64, room: Room) -> Value {
    json!(format!("{}%", rounded(100.0 * pixels / f64::from(room.width))))
}

fn grid(layout: &PlotLayout, i: usize, columns: usize, room: Room) -> Value {
    let area = &layout.areas[i];
    if columns == 1 {
        json!({ "left": LEFT, "right": RIGHT, "top": area.top, "height": area.height, "outerBoundsMode": "none" })
    } else {
        json!({
            "left": share(area.left, room), "width": share(area.width, room),
            "top": area.top, "height": area.height, "outerBoundsMode": "none",
        })
    }
}

fn scaled(axis: &Axis) -> Value {
    match axis {
        Axis::Linear { low, high, step, .. } => {
            json!({ "type": "value", "min": low, "max": high, "interval": step })
        }
        Axis::Log { low, high, .. } => json!({ "type": "log", "min": low, "max": high }),
        Axis::Category { names, .. } => {
            let names: Vec<String> = names.iter().map(|name| cut(name, LETTERS)).collect();
            json!({ "type": "category", "data": names })
        }
    }
}

fn level_axis(
    plot: &Plot,
    theme: &Theme,
    panel: &Panel,
    grid: usize,
    width: f64,
    with_texts: bool,
) -> Value {
    let mut axis = scaled(&panel.x);
    let places = panel.x.names().is_some();
    axis["gridIndex"] = json!(grid);
    axis["axisLabel"] =
        json!({ "show": with_texts, "color": theme.quiet, "fontSize": 11, "hideOverlap": true });
    axis["axisTick"] = json!({ "show": true, "length": 4, "lineStyle": { "color": theme.quiet } });
    axis["axisLine"] =
        json!({ "show": true, "onZero": false, "lineStyle": { "color": theme.quiet } });
    axis["splitLine"] = json!({ "show": false });
    if places {
        let texts = texts(&panel.x, width, 10.0);
        axis["axisLabel"]["interval"] = json!(texts.every() - 1);
        // They have the room that was counted for them.
        axis["axisLabel"]["hideOverlap"] = json!(false);
        axis["axisLabel"]["rotate"] = json!(texts.turn());
        // Every place has its tick, though not every tick has room for its text.
        axis["axisTick"]["alignWithLabel"] = json!(true);
        axis["axisTick"]["interval"] = json!(0);
    }
    if !panel.shaded.is_empty() {
        let colour = |shaded: &bool| if *shaded { theme.ink } else { "transparent" };
        let colours: Vec<&str> = panel.shaded.iter().map(colour).collect();
        axis["splitArea"] = json!({
            "show": true, "interval": 0, "areaStyle": { "color": colours, "opacity": SHADE },
        });
    }
    if let Some(ticks) = panel.x.tick_values() {
        // ECharts would count from the axis' end, which may be half a place before the first.
        axis["axisLabel"]["customValues"] = json!(ticks);
        axis["axisTick"]["customValues"] = json!(ticks);
    }
    let name = axis_name(&panel.x, width);
    if with_texts && !name.is_empty() {
        axis["name"] = json!(name.join("\n"));
        axis["nameLocation"] = json!("middle");
        axis["nameGap"] = json!(plot.texts_height(panel, width) + 10);
        axis["nameTextStyle"] = json!({ "color": theme.ink, "fontSize": AXIS_NAME });
        // A line of its own height would move a name of one line.
        if name.len() > 1 {
            axis["nameTextStyle"]["lineHeight"] = json!(AXIS_LINE);
        }
    }
    axis
}

fn upright_axis(theme: &Theme, axis: &Axis, grid: usize) -> Value {
    let cells = axis.names().is_some();
    let mut value = scaled(axis);
    value["gridIndex"] = json!(grid);
    value["axisLabel"] = json!({ "color": theme.quiet, "fontSize": 11, "hideOverlap": true });
    value["axisTick"] = json!({ "show": false });
    value["axisLine"] = json!({ "show": false, "onZero": false });
    value["splitLine"] = json!({ "show": !cells, "lineStyle": { "color": theme.hairline } });
    if let Some(names) = axis.names() {
        value["data"] = names.iter().map(|name| cut(name, 9)).collect();
    }
    value
}

/// A legend's entry: a curve without marks is shown without the dot that ECharts would put on it, and
/// marks without a curve keep their shape.
fn named(pen: &Pen) -> Value {
    let icon = match (pen.mark, pen.line) {
        (Mark::None | Mark::Dot, Line::Thick) => "path://M0 0h26v4h-26z",
        (Mark::None | Mark::Dot, Line::Solid) => "path://M0 0h26v2h-26z",
        (Mark::None | Mark::Dot, Line::Dashed) => "path://M0 0h7v2h-7zM9.5 0h7v2h-7zM19 0h7v2h-7z",
        (Mark::None | Mark::Dot, Line::Dotted) => {
            "path://M0 0h2v2h-2zM6 0h2v2h-2zM12 0h2v2h-2zM18 0h2v2h-2zM24 0h2v2h-2z"
        }
        (Mark::None | Mark::Dot, Line::DashDotted) => {
            "path://M0 0h8v2h-8zM11 0h2v2h-2zM16 0h8v2h-8z"
        }
        (Mark::None | Mark::Dot, Line::LongDashed) => "path://M0 0h11v2h-11zM15 0h11v2h-11z",
        // The first series of that name may be of bars, which have no mark.
        (mark, Line::None) => {
            let style = json!({ "color": pen.colour, "opacity": 1 });
            // Paths keep their shape; ECharts' own marks would be stretched over a curve's length.
            let icon = match mark {
                Mark::Square => "path://M0 0h10v10h-10z",
                Mark::Diamond => "path://M5 0l5 5l-5 5l-5 -5z",
                Mark::Triangle => "path://M5 0l5 9h-10z",
                _ => symbol(mark),
            };
            return json!({ "name": pen.name, "icon": icon, "itemStyle": style });
        }
        _ => return json!({ "name": pen.name }),
    };
    json!({ "name": pen.name, "icon": icon })
}

fn symbol(mark: Mark) -> &'static str {
    match mark {
        Mark::None => "none",
        Mark::Circle | Mark::Ring | Mark::Dot => "circle",
        Mark::Square => "rect",
        Mark::Diamond => "diamond",
        Mark::Triangle => "triangle",
        Mark::Nabla => "path://M0 0h10l-5 9z",
        Mark::Level => "path://M0 0h20v3h-20z",
    }
}

/// An empty series that gives the legend its entry.
fn entry(theme: &Theme, pen: &Pen) -> Value {
    drawn(theme, &Series::new(pen.clone(), Vec::new()), 0)
}

/// Nothing to see, and what every place of the axis says when it is pointed at.
fn spoken(hover: &[String], picks: &[String], panel: &Panel) -> Value {
    let floor = match &panel.y {
        Axis::Linear { low, .. } | Axis::Log { low, .. } => *low,
        Axis::Category { .. } => 0.0,
    };
    let data = hover.iter().enumerate().map(|(x, text)| {
        let point = json!({ "name": text, "value": [x, floor] });
        offering(point, None, picks.get(x).map(String::as_str))
    });
    json!({
        "type": "line", "name": "said", "data": data.collect::<Vec<_>>(), "xAxisIndex": 0, "yAxisIndex": 0,
        "symbol": "none", "silent": true, "lineStyle": { "width": 0, "opacity": 0 }, "itemStyle": { "opacity": 0 },
    })
}

fn drawn(theme: &Theme, series: &Series, grid: usize) -> Value {
    let pen = &series.pen;
    let data: Vec<Value> = series
        .points
        .iter()
        .map(|point| {
            let mut data =
                json!({ "name": point.name, "value": [rounded(point.x), rounded(point.y)] });
            if point.hollow || pen.mark == Mark::Ring {
                data["itemStyle"] = ring(theme, pen);
            }
            if let Some(label) = &point.label {
                data["label"] = json!({
                    "show": true, "formatter": label, "position": "right", "color": pen.colour, "fontSize": 10,
                    "textBorderColor": theme.paper, "textBorderWidth": 3,
                });
            }
            offering(data, point.plan.as_deref(), point.pick.as_deref())
        })
        .collect();
    let mut drawn = json!({
        "type": if series.shape == MarkShape::Curve { "line" } else { "bar" },
        "name": pen.name, "data": data, "xAxisIndex": grid, "yAxisIndex": grid,
        "itemStyle": { "color": pen.colour },
    });
    if series.shape != MarkShape::Curve {
        drawn["stack"] = json!(format!("panel {grid}"));
        let is_full = matches!(series.shape, MarkShape::Bars | MarkShape::RoundBars);
        drawn["barMaxWidth"] = json!(if is_full { 44 } else { 14 });
        match series.shape {
            MarkShape::PaleBars => drawn["itemStyle"]["opacity"] = json!(0.6),
            MarkShape::HollowBars => {
                drawn["itemStyle"] = json!({
                    "color": "transparent", "borderColor": pen.colour, "borderType": "dashed", "borderWidth": 1.5,
                });
            }
            MarkShape::RoundBars => {
                drawn["barWidth"] = json!("60%");
                for (data, point) in
                    drawn["data"].as_array_mut().into_iter().flatten().zip(&series.points)
                {
                    let [above, below] = if point.y < 0.0 { [0, 22] } else { [22, 0] };
                    data["itemStyle"]["borderRadius"] = json!([above, above, below, below]);
                }
            }
            MarkShape::Bars | MarkShape::Curve => {}
        }
        return drawn;
    }
    drawn["symbol"] = json!(symbol(pen.mark));
    drawn["symbolSize"] = match pen.mark {
        Mark::Level => json!([20, 3]),
        Mark::Dot => json!(4),
        // What can be chosen is easier to hit.
        _ if series.points.iter().any(is_chosen_from) => json!(9),
        _ => json!(7),
    };
    let (dash, width) = (dash(pen.line), pen.line.width());
    drawn["lineStyle"] = json!({ "color": pen.colour, "type": dash, "width": width });
    if pen.mark == Mark::Ring {
        drawn["itemStyle"] = ring(theme, pen);
    }
    if pen.faint {
        drawn["itemStyle"]["opacity"] = json!(0.55);
        drawn["lineStyle"]["opacity"] = json!(0.55);
    }
    let bars = whiskers(&series.points);
    if !bars.is_empty() {
        drawn["cursor"] = json!("pointer");
        drawn["markLine"] = json!({
            "silent": true, "symbol": "none", "animation": false, "precision": 12, "label": { "show": false },
            "lineStyle": { "color": pen.colour, "type": "solid", "width": 1, "opacity": 0.7 },
            "data": bars,
        });
    }
    drawn
}

/// A mark with the plan and the choice that a click on it makes.
fn offering(mut mark: Value, plan: Option<&str>, pick: Option<&str>) -> Value {
    for (key, value) in [("plan", plan), ("pick", pick)] {
        if let Some(value) = value {
            mark[key] = json!(value);
        }
    }
    mark
}

/// A mark without its filling.
fn ring(theme: &Theme, pen: &Pen) -> Value {
    json!({ "color": theme.paper, "borderColor": pen.colour, "borderWidth": 1.5 })
}

fn dash(line: Line) -> Value {
    match line {
        Line::None | Line::Thick | Line::Solid => json!("solid"),
        Line::Dashed => json!("dashed"),
        Line::Dotted => json!("dotted"),
        Line::DashDotted => json!([8, 3, 1.5, 3]),
        Line::LongDashed => json!([14, 4]),
    }
}

fn is_chosen_from(point: &Point) -> bool {
    point.plan.is_some() || point.pick.is_some()
}

fn whiskers(points: &[Point]) -> Vec<Value> {
    let ends = points.iter().filter_map(|point| Some((point.x, point.interval?)));
    ends.filter(|(_, [low, high])| high > low)
        .map(|(x, [low, high])| json!([{ "coord": [x, rounded(low)] }, { "coord": [x, rounded(high)] }]))
        .collect()
}

/// Level lines and the note: they stand on a series of their own.
fn pointed(theme: &Theme, panel: &Panel, grid: usize) -> Value {
    let level = |level: &Level| {
        let dash = dash(level.line);
        json!({ "yAxis": rounded(level.value), "lineStyle": { "color": level.colour, "type": dash, "width": 1 } })
    };
    let mut series = json!({
        "type": "line", "name": "", "data": [], "xAxisIndex": grid, "yAxisIndex": grid, "silent": true,
        "markLine": {
            "silent": true, "symbol": "none", "animation": false,
            // Otherwise ECharts rounds the level to two decimals.
            "precision": 12,
            "label": { "show": false },
            "data": panel.levels.iter().map(level).collect::<Vec<_>>(),
        },
    });
    if let Some(note) = &panel.note {
        series["markPoint"] = json!({
            "silent": true, "animation": false, "symbol": "circle", "symbolSize": 9,
            "itemStyle": { "color": theme.paper, "borderColor": theme.ink, "borderWidth": 2 },
            "label": { "show": true, "formatter": note.text, "color": theme.ink, "fontSize": TEXT,
                       "position": if note.after { "right" } else { "left" }, "distance": 6,
                       "offset": if note.after { [0, -14] } else { [0, 14] },
                       // A halo keeps the words apart from what they cross.
                       "textBorderColor": theme.paper, "textBorderWidth": 3 },
            "data": [{ "coord": [note.x, rounded(note.y)] }],
        });
    }
    series
}

/// The labels, on a series of their own; `None` without any.
fn labelled(panel: &Panel, area: &Area, grid: usize) -> Option<Value> {
    let placed = panel.placed_labels(area);
    let data = placed.iter().map(|placed| {
        json!({
            "coord": [placed.label.x, rounded(placed.label.y)],
            "label": { "formatter": placed.label.text, "color": placed.label.colour, "offset": placed.offset },
        })
    });
    (!placed.is_empty()).then(|| {
        json!({
            "type": "line", "name": "", "data": [], "xAxisIndex": grid, "yAxisIndex": grid, "silent": true,
            "markPoint": {
                "silent": true, "animation": false,
                // Without a symbol there would be no label.
                "symbol": "circle", "symbolSize": 1, "itemStyle": { "color": "transparent" },
                "label": { "show": true, "position": "inside", "fontSize": LABEL_SIZE },
                "data": data.collect::<Vec<_>>(),
            },
        })
    })
}

/// The strip lies on what is below it, which is not seen.
fn band(panel: &Panel, grid: usize) -> Vec<Value> {
    let Some(band) = &panel.band else {
        return Vec::new();
    };
    let strip = |name: &str, opacity: f64, of: fn(&[f64; 2]) -> f64| {
        let data: Vec<f64> = band.ends.iter().map(|ends| rounded(of(ends))).collect();
        json!({
            "type": "line", "name": name, "stack": format!("strip {grid}"), "data": data,
            "xAxisIndex": grid, "yAxisIndex": grid, "symbol": "none", "silent": true,
            "lineStyle": { "width": 0 }, "z": 1,
            "areaStyle": { "color": band.colour, "opacity": opacity },
        })
    };
    vec![
        strip("below the strip", 0.0, |ends| ends[0]),
        strip("the strip", 0.14, |ends| ends[1] - ends[0]),
    ]
}

fn patches(theme: &Theme, panel: &Panel, ramp: Option<&Ramp>, grid: usize) -> Value {
    // Drawn last, a frame lies over its neighbours.
    let (framed, plain): (Vec<_>, Vec<_>) = panel.patches.iter().partition(|p| p.framed);
    let data = plain.into_iter().chain(framed).map(|patch| {
        let mut cell =
            json!({ "name": patch.name, "value": [patch.x, patch.y, rounded(patch.value)] });
        if let Some(text) = &patch.text {
            let on = ramp.map_or(theme.ink, |ramp| ramp.on(patch.value));
            cell["label"] = json!({ "show": true, "formatter": text, "color": on, "fontSize": 11 });
        }
        if patch.framed {
            cell["itemStyle"] = json!({ "borderColor": theme.ink, "borderWidth": 3 });
            cell["label"]["fontWeight"] = json!("bold");
        }
        offering(cell, patch.plan.as_deref(), panel.pick(patch.x, patch.y))
    });
    json!({
        "type": "heatmap", "name": panel.name, "xAxisIndex": grid, "yAxisIndex": grid,
        "data": data.collect::<Vec<_>>(),
    })
}

/// Cells without a value: crosses, for a map's colours stand for numbers.
fn voids(theme: &Theme, panel: &Panel, grid: usize) -> Value {
    let data = panel.voids.iter().map(|cell| {
        let mut data = json!({ "name": cell.name, "value": [cell.x, cell.y] });
        if cell.framed {
            data["itemStyle"] = json!({ "color": theme.ink });
        }
        offering(data, None, panel.pick(cell.x, cell.y))
    });
    json!({
        "type": "line", "name": "not defined", "xAxisIndex": grid, "yAxisIndex": grid,
        "data": data.collect::<Vec<_>>(), "symbol": "path://M1 0l4 4l4 -4l1 1l-4 4l4 4l-1 1l-4 -4l-4 4l-1 -1l4 -4l-4 -4z",
        "symbolSize": 11, "lineStyle": { "width": 0, "opacity": 0 }, "itemStyle": { "color": theme.quiet },
    })
}

/// The scale above the map.
fn scale(theme: &Theme, ramp: &Ramp, [top, length]: [f64; 2], series: &[usize]) -> Value {
    let colours = if ramp.from > ramp.low {
        json!(ramp.samples(65).collect::<Vec<_>>())
    } else {
        json!(ramp.colours)
    };
    json!({
        "type": "continuous",
        "min": ramp.low,
        "max": ramp.high,
        "seriesIndex": series,
        "calculable": false,
        "hoverLink": false,
        "orient": "horizontal",
        "left": 4,
        "top": top,
        "itemWidth": 10,
        "itemHeight": length,
        // Six digits of difference are below what colours can show.
        "precision": 6,
        "inRange": { "color": colours },
        "text": [short(ramp.high), ramp.before()],
        "textStyle": { "color": theme.ink, "fontSize": TEXT },
    })
}
