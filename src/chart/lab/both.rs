//! Bias, diversity and MSE over the first n strokes, before and after.

use serde_json::{Value, json};

use crate::chart::frame::{self, Dash};
use crate::chart::number::{rounded, short};
use crate::chart::strokes::stroke_name;
use crate::chart::{Cell, Column, Figure, Table, Theme};
use crate::measure::decomposition::Triple;
use crate::study::report::Lab;
use crate::study::report::Lens;

const PLOT: u32 = 96;
const GAP: u32 = 44;

/// One of the three quantities and how it is drawn.
struct Curve {
    name: &'static str,
    dash: &'static str,
    width: u32,
    of: fn(&Triple) -> f64,
    colour: fn(&Theme) -> &'static str,
}

const CURVES: [Curve; 3] = [
    Curve {
        name: "bias",
        dash: "solid",
        width: 2,
        of: |t| t.bias,
        colour: |theme| theme.bias,
    },
    Curve {
        name: "diversity",
        dash: "dashed",
        width: 2,
        of: |t| t.diversity,
        colour: |theme| theme.diversity,
    },
    Curve {
        name: "MSE",
        dash: "solid",
        width: 4,
        of: |t| t.mse,
        colour: |theme| theme.mse,
    },
];

pub(super) fn figure(lab: &Lab, column: Column, theme: &Theme) -> Figure {
    let before = column.by_depth(&lab.original);
    let after = column.by_depth(&lab.arranged);
    let title = title(lab, column);
    let words = words(lab, column);
    let most = before.len().max(after.len());
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["trigger"] = json!("item");
    option["tooltip"]["formatter"] = json!("{b}");
    option["legend"] = frame::curve_legend(
        theme,
        &[("own order", Dash::Dotted), ("your order", Dash::Solid)],
    );
    let mut series = Vec::new();
    let (mut grids, mut levels, mut uprights) = (Vec::new(), Vec::new(), Vec::new());
    for (i, curve) in CURVES.iter().enumerate() {
        let top = frame::TOP + u32::try_from(i).unwrap_or(0) * (PLOT + GAP);
        grids.push(frame::grid(top, PLOT));
        let mut axis = frame::number_axis(
            theme,
            i,
            if i == 2 { "strokes so far" } else { "" },
            [0.0, (most + 1) as f64],
            1.0,
        );
        axis["axisLabel"]["show"] = json!(i == 2);
        levels.push(axis);
        let unit = if curve.name == "diversity" {
            column.diversity_unit()
        } else {
            column.error_unit()
        };
        uprights.push(frame::value_axis(
            theme,
            i,
            &format!("{} ({unit})", curve.name),
            true,
        ));
        let line = |name: &str, lens: &Lens, depths: &[Triple]| -> Value {
            let data: Vec<Value> = depths
                .iter()
                .enumerate()
                .map(|(n, t)| {
                    let value = (curve.of)(t);
                    json!({
                        "name": format!("{name}, up to {}\n{} {}", stroke_name(lens, n), curve.name, short(value)),
                        "value": [n + 1, rounded(value)],
                    })
                })
                .collect();
            let own = name == "own order";
            json!({
                "type": "line", "name": name, "data": data, "xAxisIndex": i, "yAxisIndex": i,
                "symbol": "circle", "symbolSize": if own { 3 } else { 5 },
                "itemStyle": { "color": (curve.colour)(theme), "opacity": if own { 0.75 } else { 1.0 } },
                "lineStyle": {
                    "color": (curve.colour)(theme), "opacity": if own { 0.75 } else { 1.0 },
                    "type": if own { "dotted" } else { curve.dash }, "width": if own { 2 } else { curve.width },
                },
            })
        };
        series.push(line("own order", &lab.original, &before));
        series.push(line("your order", &lab.arranged, &after));
    }
    option["grid"] = Value::Array(grids);
    option["xAxis"] = Value::Array(levels);
    option["yAxis"] = Value::Array(uprights);
    option["series"] = Value::Array(series);
    Figure {
        key: "both",
        title,
        words,
        height: frame::TOP + 3 * PLOT + 2 * GAP + 50,
        option,
        table: table(lab, column, &before, &after),
    }
}

fn title(lab: &Lab, column: Column) -> String {
    let (a, b) = (column.total(&lab.original), column.total(&lab.arranged));
    if lab.original.plan == lab.arranged.plan {
        return "The blocks stand in the model's own order".to_owned();
    }
    let way = |a: f64, b: f64| {
        // Rounding is no change.
        if (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) {
            None
        } else {
            Some(b > a)
        }
    };
    let bias = match way(a.bias, b.bias) {
        Some(true) => "misses more alone",
        Some(false) => "misses less alone",
        None => "misses as much alone",
    };
    let diversity = match way(a.diversity, b.diversity) {
        Some(true) => "disagrees more with the others",
        Some(false) => "disagrees less with the others",
        None => "disagrees as much with the others",
    };
    format!("In your order the average stroke {bias} and {diversity}")
}

fn words(lab: &Lab, column: Column) -> [String; 2] {
    let (a, b) = (column.total(&lab.original), column.total(&lab.arranged));
    let first = format!(
        "Bias goes from {} to {}, diversity from {} to {}, MSE from {} to {}.",
        short(a.bias),
        short(b.bias),
        short(a.diversity),
        short(b.diversity),
        short(a.mse),
        short(b.mse)
    );
    let second = format!(
        "The model's own order runs {} strokes and yours {}; KL between the two answers is {} nats.",
        lab.original.members.len(),
        lab.arranged.members.len(),
        short(lab.kl)
    );
    [first, second]
}

fn table(lab: &Lab, column: Column, before: &[Triple], after: &[Triple]) -> Table {
    let headers = vec![
        "order".to_owned(),
        "strokes".to_owned(),
        "last stroke".to_owned(),
        format!("MSE ({})", column.error_unit()),
        format!("bias ({})", column.error_unit()),
        format!("diversity ({})", column.diversity_unit()),
    ];
    let rows = |name: &'static str, lens: &Lens, depths: &[Triple]| -> Vec<Vec<Cell>> {
        depths
            .iter()
            .enumerate()
            .map(|(n, t)| {
                vec![
                    Cell::Text(name.to_owned()),
                    Cell::Count(n + 1),
                    Cell::Text(stroke_name(lens, n)),
                    Cell::Number(t.mse),
                    Cell::Number(t.bias),
                    Cell::Number(t.diversity),
                ]
            })
            .collect()
    };
    let mut all = rows("own", &lab.original, before);
    all.extend(rows("yours", &lab.arranged, after));
    Table { headers, rows: all }
}
