//! The lens's three pictures over many prompts of one plan: means over rows.

use super::TableCell::{Count, Number, Text};
use super::beyond::prompts_beyond;
use super::number::{percent, short};
use super::plot::{Axis, Line, Mark, Panel, Pen, Series};
use super::running::Running;
use super::spread::Spread;
use super::strokes;
use super::votes::{self, VoteBars, uncapital};
use super::{Column, Figure, FigureDraft, Table, Theme};
use crate::engine::Member;
use crate::measure::decomposition::{Triple, uniform_mse};
use crate::study::lens::BeyondMeans;
use crate::study::report::{Averages, Prompts};

/// Draws many prompts: figures with the keys of the lens's, in its order.
pub fn prompt_figures(prompts: &Prompts, column: Column, theme: &Theme) -> [Figure; 3] {
    let members = prompts.rows.first().map_or(&[][..], |row| &row.members);
    [
        votes(prompts, members, theme),
        spread(&prompts.averages, members, column, theme),
        running(prompts, members, column, theme),
    ]
    .map(|draft| draft.figure(theme))
}

/// Mean votes.
fn votes(prompts: &Prompts, members: &[Member], theme: &Theme) -> FigureDraft {
    // 1. Means over the rows. Rows may have different numbers of options; what is drawn is named for the most.
    let mut means = vec![0.0; members.len()];
    for row in &prompts.rows {
        for (mean, vote) in means.iter_mut().zip(strokes::votes(row)) {
            *mean += vote / prompts.rows.len() as f64;
        }
    }
    let options = prompts.rows.iter().map(|row| row.logits.len()).max().unwrap_or(2);
    let bars = VoteBars {
        members,
        votes: means,
        quantity: format!("mean of {}", votes::quantity(options)),
        groups: prompts.rows.first().map(strokes::groups).unwrap_or_default(),
    };

    // 2. What they say.
    let above = bars.votes.iter().filter(|vote| **vote > 0.0).count();
    let averages = &prompts.averages;
    let words = [
        format!(
            "A net vote is a component's vote for the right answer minus {}. Of {} mean net votes {above} are above 0.",
            votes::other_votes(options),
            members.len()
        ),
        format!(
            "All together they are right among the options on {} of {} prompts; always the most frequent answer: {}. {}",
            percent(averages.accuracy),
            averages.rows,
            percent(averages.majority),
            prompts_beyond(BeyondMeans::over(&prompts.rows))
        ),
    ];
    let rows = strokes::names(members).into_iter().zip(&bars.votes);
    let rows = rows.map(|(name, vote)| vec![Text(name), Number(*vote)]);
    let title = uncapital(&bars.title("the right answer"));
    FigureDraft {
        key: "votes",
        title: format!("Over {} prompts, {title}", averages.rows),
        table: Table::new(["component", &bars.quantity], rows),
        plot: bars.plot(None, theme),
        words,
    }
}

fn spread(averages: &Averages, members: &[Member], column: Column, theme: &Theme) -> FigureDraft {
    let (columns, triples) = (averages.columns(), averages.triples());
    Spread { members, column, columns, triples }.draft(theme)
}

fn running(prompts: &Prompts, members: &[Member], column: Column, theme: &Theme) -> FigureDraft {
    let averages = &prompts.averages;
    let depths: Vec<Triple> =
        averages.by_depth.iter().map(|depth| column.drawn(&depth.triples)).collect();
    let accuracy: Vec<f64> = averages.by_depth.iter().map(|depth| depth.accuracy).collect();
    let uniform = prompts.rows.iter().map(|row| uniform_mse(row.logits.len()));
    let mut plot = Running {
        members,
        column,
        depths: &depths,
        uniform: uniform.sum::<f64>() / prompts.rows.len().max(1) as f64,
    }
    .plot(theme);
    plot.panels.push(right(members, averages, &accuracy, theme));
    for (text, share) in plot.hover.iter_mut().flatten().zip(&accuracy) {
        *text += &format!("\nright among the options {}", percent(*share));
    }
    let [first, last] =
        [accuracy.first(), accuracy.last()].map(|share| percent(share.copied().unwrap_or(0.0)));
    let [mse, bias, diversity] = column.drawn(&averages.triples()).numbers().map(short);
    let of = if column == Column::Logit { ", in centred logits" } else { "" };
    let names = strokes::names(members);
    let rows = averages.by_depth.iter().zip(names).map(|(depth, name)| {
        (vec![Count(depth.members), Text(name)], &depth.triples, vec![Number(depth.accuracy)])
    });
    let headers: [&[&str]; 2] =
        [&["components", "last component"], &["share right among the options"]];
    FigureDraft {
        key: "running",
        title: format!(
            "Among the options the sum is right on {first} of the prompts after the first component, on {last} after all"
        ),
        words: [
            format!(
                "After all {}{of}, mean MSE is {mse}, mean bias {bias}, mean diversity {diversity}.",
                strokes::count(members)
            ),
            format!(
                "Means over {} prompts of one plan. {}",
                averages.rows,
                prompts_beyond(BeyondMeans::over(&prompts.rows))
            ),
        ],
        table: column.depth_table(headers, rows),
        plot,
    }
}

/// How many are right after every stroke.
fn right(members: &[Member], averages: &Averages, accuracy: &[f64], theme: &Theme) -> Panel {
    let pen = Pen::new("right among the options", theme.ink, Line::Solid, Mark::None);
    let said = |_, share| format!("right among the options {}", percent(share));
    Panel::new(
        "share of prompts right among the options so far, dots: most frequent answer",
        strokes::axis(members),
        Axis::over("", [0.0, 1.0]),
        vec![Series::along(&pen, 0, accuracy.iter().copied(), said)],
    )
    .tall(120)
    .level(averages.majority, theme.quiet, Line::Dotted)
}
