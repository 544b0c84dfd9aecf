//! What every stroke adds to the right answer against the others.

use serde_json::{Value, json};

use super::number::{probability, rounded, signed};
use super::strokes::{self, answered, option_name, stroke_name};
use super::{Cell, Column, Figure, Table, Theme, frame};
use crate::study::report::Lens;

const PLOT: u32 = 190;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> Figure {
    let votes = strokes::votes(lens, column);
    let title = title(lens, &votes);
    let words = words(lens, &votes, column);
    let names = strokes::names(lens);

    let bars: Vec<Value> = names
        .iter()
        .zip(&lens.members)
        .zip(&votes)
        .map(|((name, member), vote)| {
            json!({ "name": name, "value": rounded(*vote), "itemStyle": { "color": theme.of(member.kind) } })
        })
        .collect();
    let unit = if column == Column::Logit {
        "logits"
    } else {
        "probability"
    };
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["formatter"] = json!(format!("{{b0}}\n{{c0}} {unit}"));
    option["legend"] = frame::kind_legend(theme);
    option["grid"] = json!([frame::grid(frame::TOP, PLOT)]);
    option["xAxis"] = json!([frame::stroke_axis(lens, theme, 0, true)]);
    option["yAxis"] = json!([frame::value_axis(
        theme,
        0,
        &format!("for the right answer ({unit})"),
        true
    )]);
    let mut series = vec![
        json!({ "type": "bar", "name": "vote", "data": bars, "barWidth": "38%", "barMaxWidth": 14,
                "itemStyle": { "opacity": 0.75 },
                "markLine": { "silent": true, "symbol": "none", "animation": false, "label": { "show": false },
                              "lineStyle": { "color": theme.ink, "type": "solid", "width": 1 }, "data": [{ "yAxis": 0 }] } }),
        frame::marks(lens, theme, &votes, 0),
    ];
    series.extend(frame::kind_entries(theme));
    option["series"] = Value::Array(series);

    let table = table(lens, &names, &votes, unit);
    Figure {
        key: "votes",
        title,
        words,
        height: frame::TOP + PLOT + 30,
        option,
        table,
    }
}

fn title(lens: &Lens, votes: &[f64]) -> String {
    let loudest = loudest(votes);
    let who = capital(&stroke_name(lens, loudest));
    let right = option_name(lens, lens.answer);
    if votes[loudest] >= 0.0 {
        format!("{who} votes loudest, for the right answer {right}")
    } else {
        format!("{who} votes loudest, against the right answer {right}")
    }
}

fn words(lens: &Lens, votes: &[f64], column: Column) -> [String; 2] {
    let pro = votes.iter().filter(|v| **v > 0.0).count();
    let contra = votes.iter().filter(|v| **v < 0.0).count();
    let loudest = loudest(votes);
    let first = format!(
        "{pro} of {count} vote for {right} and {contra} against it, the loudest by {most}.",
        count = strokes::count(lens),
        right = option_name(lens, lens.answer),
        most = signed(votes[loudest]),
    );
    let answer = option_name(lens, answered(lens));
    let verdict = if lens.correct {
        "which is right"
    } else {
        "which is wrong"
    };
    let second = if column == Column::Logit {
        let margin = strokes::margin(
            &lens
                .logits
                .iter()
                .map(|&x| f64::from(x))
                .collect::<Vec<_>>(),
            lens.answer,
        );
        format!(
            "The bars add up to {}, and the model answers {answer}, {verdict}.",
            signed(margin)
        )
    } else {
        let p = lens.probabilities[answered(lens)];
        format!(
            "Each bar is what the stroke would answer alone; all of them together answer {answer} with probability {}, \
             {verdict}.",
            probability(p)
        )
    };
    [first, second]
}

fn table(lens: &Lens, names: &[String], votes: &[f64], unit: &str) -> Table {
    let mut headers = vec![
        "stroke".to_owned(),
        format!("vote for the right answer ({unit})"),
    ];
    headers.extend((0..lens.logits.len()).map(|k| format!("logit of {}", option_name(lens, k))));
    let rows = names
        .iter()
        .zip(votes)
        .zip(&lens.member_logits)
        .map(|((name, vote), row)| {
            let mut cells = vec![Cell::Text(name.clone()), Cell::Number(*vote)];
            cells.extend(row.iter().map(|&u| Cell::Number(f64::from(u))));
            cells
        })
        .collect();
    Table { headers, rows }
}

fn loudest(votes: &[f64]) -> usize {
    (1..votes.len()).fold(0, |best, i| {
        if votes[i].abs() > votes[best].abs() {
            i
        } else {
            best
        }
    })
}

/// First letter large, for the start of a sentence.
pub(super) fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| {
        first.to_uppercase().collect::<String>() + chars.as_str()
    })
}
