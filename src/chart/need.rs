//! Vote and need: what a part says directly, against what the answer loses without it.

use super::number::{counted, percent, short, signed};
use super::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use super::{Figure, FigureDraft, Table, TableCell, Theme};
use crate::engine::MemberKind;
use crate::study::need::{Need, NeedPart};

const PLOT: u32 = 300;

/// The picture of one task.
pub fn need_figure(need: &Need, theme: &Theme) -> Option<Figure> {
    let far = |part: &&NeedPart| part.loss.mean;
    let dearest = need.parts.iter().max_by(|a, b| far(a).total_cmp(&far(b)))?;
    let of = |kind: MemberKind, is_head: bool| {
        let parts = need.parts.iter();
        parts.filter(move |part| part.kind == kind && part.head.is_some() == is_head)
    };
    let groups = [
        (
            Pen::new("MLP", theme.mlp, Line::None, Mark::Square),
            of(MemberKind::Mlp, false).collect(),
        ),
        (
            Pen::new("attention", theme.attention, Line::None, Mark::Circle),
            of(MemberKind::Attention, false).collect::<Vec<_>>(),
        ),
        (
            Pen::new("one head", theme.attention, Line::None, Mark::Dot).faint(),
            of(MemberKind::Attention, true).collect(),
        ),
    ];
    let series = groups.into_iter().map(|(pen, parts)| {
        let points = parts.into_iter().map(|part| Point {
            interval: part.loss.interval().filter(|_| part.head.is_none()),
            plan: Some(part.plan.clone()),
            ..Point::new(
                part.vote.mean,
                part.loss.mean,
                format!(
                    "{}\nvote {}, loss {}, right among the options without it {}",
                    name(part),
                    signed(part.vote.mean),
                    signed(part.loss.mean),
                    percent(part.accuracy.mean)
                ),
            )
        });
        Series::new(pen, points.collect())
    });
    let series: Vec<Series> = series.collect();
    let legend = series.iter().map(|one| one.pen.clone()).collect();
    let (votes, losses) = (
        need.parts.iter().map(|part| part.vote.mean),
        need.parts.iter().flat_map(|part| match part.head {
            Some(_) => [part.loss.mean; 2],
            None => part.loss.interval().unwrap_or([part.loss.mean; 2]),
        }),
    );
    let panel = Panel::new(
        "need: what the lead of the right option loses without the part, logits",
        Axis::from_zero("direct vote for the right option against the others, logits", votes),
        Axis::from_zero("", losses),
        series,
    )
    .tall(PLOT)
    .level(0.0, theme.quiet, Line::Solid);
    let headers =
        ["without", "plan", "direct vote", "loss", "from", "to", "right among the options"];
    let rows = need.parts.iter().map(|part| {
        vec![
            TableCell::Text(name(part)),
            TableCell::Plan(part.plan.clone()),
            TableCell::Number(part.vote.mean),
            TableCell::Number(part.loss.mean),
            TableCell::Number(part.loss.low),
            TableCell::Number(part.loss.high),
            TableCell::Number(part.accuracy.mean),
        ]
    });
    let together = need.rank_correlation.map_or_else(String::new, |r| {
        format!(" Over all parts the rank correlation of vote and need is {}.", short(r))
    });
    // A head's point has no bar.
    let has_bar = |part: &NeedPart| part.head.is_none() && part.loss.has_interval();
    let bars = if need.parts.iter().any(has_bar) { "; bars are 95 % intervals" } else { "" };
    let draft = FigureDraft {
        key: "need",
        title: title(need, dearest),
        words: [
            format!(
                "{} of “{}”, {} right among the options as the model is{bars}.{together}",
                counted(need.rows, "row"),
                need.task,
                percent(need.accuracy.mean)
            ),
            "A vote is what a part says directly; a need is what nothing else makes up for when it is gone. Neither is \
             importance."
                .to_owned(),
        ],
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(vec![panel], legend, 1),
    };
    Some(draft.figure(theme))
}

/// Which part is dearest to lose, where its interval lies above every other's: in logits, since a share of right
/// answers may call another part dearest.
fn title(need: &Need, dearest: &NeedPart) -> String {
    let loss = |part: &NeedPart| short(part.loss.mean);
    let rivals = need.parts.iter().filter(|part| !std::ptr::eq(*part, dearest));
    let second = rivals.max_by(|a, b| a.loss.high.total_cmp(&b.loss.high));
    match second {
        _ if need.parts.iter().all(|part| part.loss.low <= 0.0) => {
            "In logits of the lead, no part is surely needed".to_owned()
        }
        Some(second) if second.loss.high >= dearest.loss.low => format!(
            "In logits of the lead, no part is clearly dearest to lose: {} {}, {} {}",
            name(dearest),
            loss(dearest),
            name(second),
            loss(second)
        ),
        _ => format!(
            "In logits of the lead, {} is dearest to lose: {}, with a vote of {}",
            name(dearest),
            loss(dearest),
            signed(dearest.vote.mean)
        ),
    }
}

/// `block 3's MLP`, `head 2 of block 3`.
#[cfg(feature = "cli")]
pub fn part_name(part: &NeedPart) -> String {
    name(part)
}

fn name(part: &NeedPart) -> String {
    let again =
        if part.run == part.block { String::new() } else { format!(" (place {})", part.run) };
    let block = part.block;
    match (part.kind, part.head) {
        (_, Some(head)) => format!("head {head} of block {block}{again}"),
        (MemberKind::Mlp, None) => format!("block {block}'s MLP{again}"),
        (_, None) => format!("block {block}'s attention{again}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LIGHT;
    use crate::measure::interval::Mean;

    fn around(mean: f64) -> Mean {
        Mean { mean, low: mean - 0.5, high: mean + 0.5 }
    }

    /// Returns the picture of MLPs whose absence loses so much.
    fn figure(losses: &[Mean], rows: usize) -> Figure {
        let part = |(block, loss): (usize, &Mean)| NeedPart {
            kind: MemberKind::Mlp,
            run: block,
            block,
            head: None,
            plan: format!("drop:{block}"),
            vote: around(0.25),
            loss: *loss,
            accuracy: around(0.5),
        };
        let need = Need {
            task: "sum".into(),
            rows,
            resamples: 1000,
            seed: 0,
            accuracy: around(0.9),
            lead: around(12.0),
            rank_correlation: None,
            parts: losses.iter().enumerate().map(part).collect(),
        };
        need_figure(&need, &LIGHT).expect("parts")
    }

    /// Returns the heading of parts that lose so much, 0.5 logits to either side.
    fn heading(losses: &[f64]) -> String {
        let losses: Vec<Mean> = losses.iter().map(|loss| around(*loss)).collect();
        figure(&losses, 12).title
    }

    #[test]
    fn the_dearest_part_is_called_so_only_where_its_interval_lies_above_all_others() {
        assert_eq!(
            heading(&[1.0, 11.0, 9.9]),
            "In logits of the lead, block 1's MLP is dearest to lose: 11.0, with a vote of +0.250"
        );
        assert_eq!(
            heading(&[1.0, 11.0, 10.5]),
            "In logits of the lead, no part is clearly dearest to lose: block 1's MLP 11.0, block 2's MLP 10.5"
        );
        assert_eq!(heading(&[0.4, 0.1]), "In logits of the lead, no part is surely needed");
    }

    #[test]
    fn a_part_is_surely_needed_though_another_has_the_larger_mean() {
        let unsure = Mean { mean: 1.2, low: -0.1, high: 2.5 };
        let sure = Mean { mean: 1.0, low: 0.8, high: 1.2 };
        assert_eq!(
            figure(&[unsure, sure], 12).title,
            "In logits of the lead, no part is clearly dearest to lose: block 0's MLP 1.20, block 1's MLP 1.00"
        );
    }

    #[test]
    fn bars_are_named_where_an_interval_exists() {
        assert_eq!(
            figure(&[around(1.0)], 12).words[0],
            "12 rows of “sum”, 90 % right among the options as the model is; bars are 95 % intervals."
        );
        assert_eq!(
            figure(&[Mean::without_interval(1.0)], 1).words[0],
            "1 row of “sum”, 90 % right among the options as the model is."
        );
    }
}
