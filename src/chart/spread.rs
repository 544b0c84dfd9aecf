//! Bias and diversity of every stroke, attention and MLP apart.

use serde_json::{Value, json};

use super::number::{percent, short};
use super::strokes::{self, stroke_name};
use super::votes::capital;
use super::{Cell, Column, Figure, Table, Theme, frame};
use crate::engine::MemberKind;
use crate::study::report::Lens;

const PLOT: u32 = 120;
const GAP: u32 = 44;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> Figure {
    let bias = column.member_bias(lens);
    let diversity = column.member_diversity(lens);
    let title = title(lens, &bias, diversity);
    let words = words(lens, column, &bias, diversity);
    let names = strokes::names(lens);
    let total = column.total(lens);

    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["formatter"] = json!("{b0}\nbias {c0}\ndiversity {c2}");
    option["axisPointer"] = json!({ "link": [{ "xAxisIndex": "all" }] });
    option["legend"] = frame::kind_legend(theme);
    option["grid"] = json!([
        frame::grid(frame::TOP, PLOT),
        frame::grid(frame::TOP + PLOT + GAP, PLOT)
    ]);
    option["xAxis"] = json!([
        frame::stroke_axis(lens, theme, 0, false),
        frame::stroke_axis(lens, theme, 1, true)
    ]);
    option["yAxis"] = json!([
        frame::value_axis(
            theme,
            0,
            &format!(
                "bias ({}), line: mean {}",
                column.error_unit(),
                short(total.bias)
            ),
            true
        ),
        frame::value_axis(
            theme,
            1,
            &format!(
                "diversity ({}), line: mean {}",
                column.diversity_unit(),
                short(total.diversity)
            ),
            true
        ),
    ]);
    let mut series = vec![
        json!({ "type": "bar", "name": "bias", "data": frame::named(&names, &bias), "barWidth": "38%", "barMaxWidth": 14,
                "itemStyle": { "color": theme.bias, "opacity": 0.55 },
                "markLine": frame::level(theme, total.bias, "solid") }),
        frame::marks(lens, theme, &bias, 0),
        json!({ "type": "bar", "name": "diversity", "data": frame::named(&names, diversity), "barWidth": "38%",
                "barMaxWidth": 14, "xAxisIndex": 1, "yAxisIndex": 1,
                "itemStyle": { "color": "transparent", "borderColor": theme.diversity, "borderType": "dashed", "borderWidth": 1.5 },
                "markLine": frame::level(theme, total.diversity, "dashed") }),
        frame::marks(lens, theme, diversity, 1),
    ];
    series.extend(frame::kind_entries(theme));
    option["series"] = Value::Array(series);

    let table = table(lens, column, &names, &bias, diversity);
    Figure {
        key: "spread",
        title,
        words,
        height: frame::TOP + 2 * PLOT + GAP + 30,
        option,
        table,
    }
}

/// Who makes the diversity: the kind with most of it, and where in depth that kind makes it.
fn title(lens: &Lens, bias: &[f64], diversity: &[f64]) -> String {
    let total: f64 = diversity.iter().sum();
    // A spread under a thousandth of the error is nothing to point at.
    if total <= 1e-3 * bias.iter().sum::<f64>() {
        return "The strokes hardly disagree".to_owned();
    }
    let [(kind, share), (second, _), ..] = kinds_by_share(lens, diversity);
    // Under three fifths there is no one kind to point at.
    if share < 0.6 {
        return capital(&format!(
            "{} and {} share the diversity",
            who(kind),
            who(second)
        ));
    }
    if matches!(kind, MemberKind::Embedding | MemberKind::Bias) {
        return format!("Most of the diversity is {}'s", who(kind));
    }
    match (leading_third(lens, diversity, kind), kind) {
        (Some(third), MemberKind::Attention) => {
            format!("Diversity comes from the {third} attention")
        }
        (Some(third), _) => format!("Diversity comes from the {third} MLPs"),
        (None, _) => format!("Diversity comes from {}, at every depth", who(kind)),
    }
}

fn words(lens: &Lens, column: Column, bias: &[f64], diversity: &[f64]) -> [String; 2] {
    let [(kind, share), ..] = kinds_by_share(lens, diversity);
    let most = extreme(diversity, |a, b| a > b);
    let first = format!(
        "{} of the diversity is made by {}; the stroke farthest from the others is {} ({}).",
        percent(share),
        who(kind),
        stroke_name(lens, most),
        short(diversity[most]),
    );
    let low = extreme(bias, |a, b| a < b);
    let high = extreme(bias, |a, b| a > b);
    let unit = if column == Column::Paper {
        " in the paper's × 100"
    } else {
        ""
    };
    let second = format!(
        "{} comes nearest to the right answer alone (bias {}) and {} misses it most ({}){unit}.",
        capital(&stroke_name(lens, low)),
        short(bias[low]),
        stroke_name(lens, high),
        short(bias[high]),
    );
    [first, second]
}

fn table(lens: &Lens, column: Column, names: &[String], bias: &[f64], diversity: &[f64]) -> Table {
    let headers = vec![
        "stroke".to_owned(),
        "kind".to_owned(),
        format!("bias ({})", column.error_unit()),
        format!("diversity ({})", column.diversity_unit()),
    ];
    let kind = |kind: MemberKind| match kind {
        MemberKind::Embedding => "embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "MLP",
        MemberKind::Bias => "bias",
    };
    let rows = (0..names.len())
        .map(|i| {
            vec![
                Cell::Text(names[i].clone()),
                Cell::Text(kind(lens.members[i].kind).to_owned()),
                Cell::Number(bias[i]),
                Cell::Number(diversity[i]),
            ]
        })
        .collect();
    Table { headers, rows }
}

/// The kinds with their shares of the sum, largest first.
fn kinds_by_share(lens: &Lens, values: &[f64]) -> [(MemberKind, f64); 4] {
    let total: f64 = values.iter().sum();
    let share = |kind: MemberKind| {
        let own = lens
            .members
            .iter()
            .zip(values)
            .filter(|(m, _)| m.kind == kind);
        let sum: f64 = own.map(|(_, v)| v).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let kinds = [
        MemberKind::Embedding,
        MemberKind::Attention,
        MemberKind::Mlp,
        MemberKind::Bias,
    ];
    let mut shares = kinds.map(|kind| (kind, share(kind)));
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares
}

fn who(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Embedding => "the embedding",
        MemberKind::Attention => "attention",
        MemberKind::Mlp => "the MLPs",
        MemberKind::Bias => "the read-out's bias",
    }
}

/// Which third of the depth holds at least half of a kind's sum, if one does and there are thirds.
fn leading_third(lens: &Lens, values: &[f64], kind: MemberKind) -> Option<&'static str> {
    let own: Vec<f64> = lens
        .members
        .iter()
        .zip(values)
        .filter(|(m, _)| m.kind == kind)
        .map(|(_, v)| *v)
        .collect();
    if own.len() < 3 {
        return None;
    }
    let total: f64 = own.iter().sum();
    let mut thirds = [0.0; 3];
    for (i, value) in own.iter().enumerate() {
        thirds[3 * i / own.len()] += value;
    }
    let best = (1..3).fold(0, |best, i| if thirds[i] > thirds[best] { i } else { best });
    (thirds[best] >= 0.5 * total).then(|| ["early", "middle", "late"][best])
}

fn extreme(values: &[f64], better: impl Fn(f64, f64) -> bool) -> usize {
    (1..values.len()).fold(0, |best, i| {
        if better(values[i], values[best]) {
            i
        } else {
            best
        }
    })
}
