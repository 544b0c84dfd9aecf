//! MSE = bias - diversity over the first n strokes.

use serde_json::{Value, json};

use super::frame::Dash;
use super::number::{ordinal, percent, rounded, short};
use super::strokes::{self, answered, option_name, stroke_name};
use super::votes::capital;
use super::{Cell, Column, Figure, Identity, Table, Theme, frame};
use crate::measure::decomposition::{Triple, uniform_mse};
use crate::study::report::Lens;

const PLOT: u32 = 220;
/// The paper's column has two units, so two plot areas.
const PAPER_PLOT: u32 = 150;
const GAP: u32 = 44;
/// The curves and how each is drawn.
const CURVES: [(&str, Dash); 3] = [
    ("MSE", Dash::Thick),
    ("bias", Dash::Solid),
    ("diversity", Dash::Dashed),
];
/// Legend name of the MSE of a uniform answer, `(K-1)/K²`.
const UNIFORM: &str = "uniform answer";

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> Figure {
    let depths = column.by_depth(lens);
    let title = title(lens);
    let words = words(lens, column, &depths);
    let names = strokes::names(lens);
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["axisPointer"] =
        json!({ "type": "line", "lineStyle": { "color": theme.quiet, "width": 1 } });
    option["legend"] = frame::curve_legend(theme, &CURVES);
    let height = if column == Column::Paper {
        two_units(&mut option, lens, theme, column, &names, &depths);
        frame::TOP + 2 * PAPER_PLOT + GAP + 30
    } else {
        one_unit(&mut option, lens, theme, column, &names, &depths);
        frame::TOP + PLOT + 30
    };
    let table = table(lens, column, &names, &depths);
    Figure {
        key: "running",
        title,
        words,
        height,
        option,
        table,
    }
}

/// One plot area: the strip between MSE and bias is the diversity, tinted so that it can be seen.
fn one_unit(
    option: &mut Value,
    lens: &Lens,
    theme: &Theme,
    column: Column,
    names: &[String],
    depths: &[Triple],
) {
    let (mse, _, diversity) = curves(depths);
    option["tooltip"]["formatter"] = json!("up to {b0}\nMSE {c0}\nbias {c1}\ndiversity {c2}");
    option["grid"] = json!([frame::grid(frame::TOP, PLOT)]);
    option["xAxis"] = json!([frame::stroke_axis(lens, theme, 0, true)]);
    option["yAxis"] = json!([frame::value_axis(
        theme,
        0,
        &format!("mean over the first n strokes ({})", column.error_unit()),
        true
    )]);
    let strip = |name: &str, values: &[f64], opacity: f64| {
        json!({ "type": "line", "name": name, "stack": "strip", "data": values.iter().map(|x| rounded(*x)).collect::<Vec<_>>(),
                "symbol": "none", "silent": true, "lineStyle": { "width": 0 }, "z": 1,
                "areaStyle": { "color": theme.diversity, "opacity": opacity } })
    };
    let [mse_line, bias_line, diversity_line] = three_curves(lens, theme, names, depths, 0);
    option["series"] = json!([
        mse_line,
        bias_line,
        diversity_line,
        strip("below the strip", &mse, 0.0),
        strip("the strip", &diversity, 0.14),
    ]);
}

/// The paper's numbers: MSE and bias × 100 beside the uniform value, diversity in its own unit below.
fn two_units(
    option: &mut Value,
    lens: &Lens,
    theme: &Theme,
    column: Column,
    names: &[String],
    depths: &[Triple],
) {
    let uniform = 100.0 * uniform_mse(lens.logits.len());
    option["tooltip"]["formatter"] =
        json!("up to {b0}\n{a0} {c0}\n{a1} {c1}\n{a2} {c2}\n{a3} {c3}");
    option["axisPointer"] = json!({ "link": [{ "xAxisIndex": "all" }] });
    option["grid"] = json!([
        frame::grid(frame::TOP, PAPER_PLOT),
        frame::grid(frame::TOP + PAPER_PLOT + GAP, PAPER_PLOT)
    ]);
    option["xAxis"] = json!([
        frame::stroke_axis(lens, theme, 0, false),
        frame::stroke_axis(lens, theme, 1, true)
    ]);
    option["yAxis"] = json!([
        frame::value_axis(
            theme,
            0,
            &format!("MSE and bias ({})", column.error_unit()),
            false
        ),
        frame::value_axis(
            theme,
            1,
            &format!("diversity ({})", column.diversity_unit()),
            true
        ),
    ]);
    // A curve and not a level line: the axis makes room for curves only.
    let level = frame::named(names, &vec![uniform; names.len()]);
    let mut level = line(UNIFORM, level, theme.quiet, "dotted", 1, 0);
    level["silent"] = json!(true);
    option["legend"] = frame::curve_legend(
        theme,
        &[CURVES[0], CURVES[1], CURVES[2], (UNIFORM, Dash::Dotted)],
    );
    let [mse_line, bias_line, diversity_line] = three_curves(lens, theme, names, depths, 1);
    option["series"] = json!([mse_line, bias_line, diversity_line, level]);
}

/// MSE, bias and diversity; the last in the plot `diversity_grid`.
fn three_curves(
    lens: &Lens,
    theme: &Theme,
    names: &[String],
    depths: &[Triple],
    diversity_grid: usize,
) -> [Value; 3] {
    let (mse, bias, diversity) = curves(depths);
    let named = |values: &[f64]| frame::named(names, values);
    [
        with_settling(
            line("MSE", named(&mse), theme.mse, "solid", 4, 0),
            lens,
            theme,
        ),
        line("bias", named(&bias), theme.bias, "solid", 2, 0),
        line(
            "diversity",
            named(&diversity),
            theme.diversity,
            "dashed",
            2,
            diversity_grid,
        ),
    ]
}

fn line(name: &str, data: Vec<Value>, colour: &str, dash: &str, width: u32, grid: usize) -> Value {
    json!({
        "type": "line", "name": name, "data": data, "xAxisIndex": grid, "yAxisIndex": grid,
        "symbol": "none", "z": 3,
        "itemStyle": { "color": colour }, "lineStyle": { "color": colour, "type": dash, "width": width },
    })
}

/// A check mark where the running sum becomes right for good.
fn with_settling(mut line: Value, lens: &Lens, theme: &Theme) -> Value {
    let data: Vec<Value> = settled(lens)
        .map(|i| json!({ "coord": [i, line["data"][i]["value"].clone()] }))
        .into_iter()
        .collect();
    // MSE mostly falls, so there is room above it on its right and below it on its left.
    let early = settled(lens).is_some_and(|i| 3 * i < lens.members.len());
    line["markPoint"] = json!({
        "silent": true, "animation": false, "symbol": "circle", "symbolSize": 9,
        "itemStyle": { "color": theme.paper, "borderColor": theme.ink, "borderWidth": 2 },
        "label": { "show": true, "formatter": "✓ right from here", "color": theme.ink, "fontSize": 12,
                   "position": if early { "right" } else { "left" }, "distance": 6,
                   "offset": if early { [0, -14] } else { [0, 14] },
                   // A halo keeps the words apart from what they cross.
                   "textBorderColor": theme.paper, "textBorderWidth": 3 },
        "data": data,
    });
    line
}

fn curves(depths: &[Triple]) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let pick = |f: fn(&Triple) -> f64| depths.iter().map(f).collect();
    (pick(|t| t.mse), pick(|t| t.bias), pick(|t| t.diversity))
}

/// The first stroke from which the running sum's answer is right to the end.
fn settled(lens: &Lens) -> Option<usize> {
    let depths = &lens.decomposition.by_depth;
    let wrong_at = depths.iter().rposition(|depth| !depth.correct);
    match wrong_at {
        None => Some(0),
        Some(last) if last + 1 < depths.len() => Some(last + 1),
        Some(_) => None,
    }
}

fn title(lens: &Lens) -> String {
    let right = option_name(lens, lens.answer);
    match settled(lens) {
        Some(0) => format!("The sum says {right} from the embedding on"),
        Some(i) => format!(
            "The sum says {right} for good from {} on",
            stroke_name(lens, i)
        ),
        None => {
            let ever = lens
                .decomposition
                .by_depth
                .iter()
                .rposition(|depth| depth.correct);
            let answer = option_name(lens, answered(lens));
            match ever {
                Some(i) => format!(
                    "The sum says {right} up to {} and ends at {answer}",
                    stroke_name(lens, i)
                ),
                None => format!("The sum never says {right}; it ends at {answer}"),
            }
        }
    }
}

fn words(lens: &Lens, column: Column, depths: &[Triple]) -> [String; 2] {
    let last = depths[depths.len() - 1];
    let sum = Identity::of(lens, column);
    let first = if sum.holds {
        format!(
            "After all {}, MSE {} = bias {} − diversity {}: disagreement takes {} off the average stroke's error.",
            strokes::count(lens),
            sum.mse,
            sum.bias,
            sum.diversity,
            percent(if last.bias > 0.0 {
                last.diversity / last.bias
            } else {
                0.0
            }),
        )
    } else {
        let uniform = 100.0 * uniform_mse(lens.logits.len());
        format!(
            "The paper's MSE ends at {}, {} from the {} of a uniform answer, because its formula divides the logits by \
             the {}.",
            sum.mse,
            short((last.mse - uniform).abs()),
            short(uniform),
            strokes::count(lens),
        )
    };
    let falls = steepest_fall(depths);
    let second = match falls {
        Some((i, by)) => format!(
            "MSE falls most at {}, the {} stroke (by {}).",
            stroke_name(lens, i),
            ordinal(i + 1),
            short(by)
        ),
        None => format!("No stroke after {} lowers MSE.", stroke_name(lens, 0)),
    };
    [first, capital(&second)]
}

fn steepest_fall(depths: &[Triple]) -> Option<(usize, f64)> {
    (1..depths.len())
        .map(|i| (i, depths[i - 1].mse - depths[i].mse))
        .filter(|(_, by)| *by > 0.0)
        .fold(None, |best: Option<(usize, f64)>, next| match best {
            Some(b) if b.1 >= next.1 => Some(b),
            _ => Some(next),
        })
}

fn table(lens: &Lens, column: Column, names: &[String], depths: &[Triple]) -> Table {
    let headers = vec![
        "strokes".to_owned(),
        "last stroke".to_owned(),
        format!("MSE ({})", column.error_unit()),
        format!("bias ({})", column.error_unit()),
        format!("diversity ({})", column.diversity_unit()),
        "right so far".to_owned(),
    ];
    let rows = depths
        .iter()
        .enumerate()
        .map(|(i, t)| {
            vec![
                Cell::Count(i + 1),
                Cell::Text(names[i].clone()),
                Cell::Number(t.mse),
                Cell::Number(t.bias),
                Cell::Number(t.diversity),
                Cell::Check(lens.decomposition.by_depth[i].correct),
            ]
        })
        .collect();
    Table { headers, rows }
}
