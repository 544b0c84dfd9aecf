//! The tokens of the whole vocabulary that a member's vote raises most, and those that it lowers most.

use super::member_title;
use crate::chart::inside::seen;
use crate::chart::number::{short, signed};
use crate::chart::plot::{Axis, Line, MarkShape, Panel, Plot, Point, Series};
use crate::chart::strokes::kind_pen;
use crate::chart::{Figure, FigureDraft, Table, TableCell, Theme};
use crate::study::member::{MemberAccount, TokenVote};
use crate::study::report::Lens;

const PLOT: u32 = 150;

pub(super) fn figure(lens: &Lens, account: &MemberAccount, theme: &Theme) -> Figure {
    let pen = kind_pen(lens.members[account.index].kind, theme);
    let sides = [("raises most", &account.raises), ("lowers most", &account.lowers)];
    // One scale for both, so that they can be held against each other.
    let all = || sides.iter().flat_map(|(_, tokens)| tokens.iter());
    let reach: Vec<f64> = all().map(|token| f64::from(token.vote)).collect();
    let panels = sides.iter().map(|(what, tokens)| {
        let points = tokens.iter().enumerate().map(|(x, token)| {
            let vote = f64::from(token.vote);
            let text = format!("“{}”, token {}\n{}", named(token), token.id, signed(vote));
            Point::new(x as f64, vote, text)
        });
        let points: Vec<Point> = points.collect();
        let series = vec![
            Series::bars(MarkShape::PaleBars, pen.clone(), points.clone()),
            Series::new(pen.clone(), points),
        ];
        let names = tokens.iter().map(named).collect();
        let axis = Axis::category("tokens", names);
        let up = Axis::from_zero("", reach.iter().copied());
        let panel = Panel::new(format!("{what} (logits)"), axis, up, series);
        panel.tall(PLOT).level(0.0, theme.ink, Line::Solid)
    });
    let rows = sides.iter().flat_map(|(what, tokens)| {
        tokens.iter().map(|token| {
            vec![
                TableCell::Text((*what).to_owned()),
                TableCell::Text(named(token)),
                TableCell::Count(token.id as usize),
                TableCell::Number(f64::from(token.vote)),
            ]
        })
    });
    let title = match (account.raises.first(), account.lowers.first()) {
        (Some(raised), Some(lowered)) => format!(
            "{} raises “{}” most and lowers “{}” most",
            member_title(lens, account),
            named(raised),
            named(lowered)
        ),
        _ => "No token was read".to_owned(),
    };
    let headers = ["side", "token", "id", "vote (logits)"];
    FigureDraft {
        key: "member-writes",
        title,
        words: [
            format!(
                "Over all {} tokens of the vocabulary it adds {} on average: only what differs from that moves an answer.",
                account.vocabulary,
                short(account.mean_vote)
            ),
            "Each number is read through the final norm at this run's own scale, so that the strokes' add up to the model's \
             logits; a token high up need not be one that the stroke is about."
                .to_owned(),
        ],
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(panels.collect(), Vec::new(), 2),
    }
    .figure(theme)
}

/// A token as it is quoted, or its id.
fn named(token: &TokenVote) -> String {
    match &token.text {
        Some(text) if !text.is_empty() => seen(text),
        _ => token.id.to_string(),
    }
}
