//! The tokens of the whole vocabulary that a member's vote raises most, and those that it lowers most.

use super::member_title;
use crate::chart::TableCell::{Count, Number, Text};
use crate::chart::inside::seen;
use crate::chart::number::{short, signed};
use crate::chart::plot::{Axis, Line, MarkShape, Panel, Plot, Point, Series};
use crate::chart::strokes::kind_pen;
use crate::chart::{FigureDraft, Table, Theme};
use crate::study::member::{MemberAccount, TokenVote};
use crate::study::report::Lens;

const PLOT: u32 = 150;

pub(super) fn figure(lens: &Lens, account: &MemberAccount, theme: &Theme) -> FigureDraft {
    let pen = kind_pen(lens.members[account.index].kind, theme);
    let sides = [("raises most", &account.raises), ("lowers most", &account.lowers)];
    // One scale for both, so that they can be held against each other.
    let all = || sides.iter().flat_map(|(_, tokens)| tokens.iter());
    let reach: Vec<f64> = all().map(|token| f64::from(token.vote)).collect();
    let panels = sides.iter().map(|(what, tokens)| {
        let points = tokens.iter().zip(named(tokens)).enumerate().map(|(x, (token, name))| {
            let vote = f64::from(token.vote);
            let text = format!("“{name}”, token {}\n{}", token.id, signed(vote));
            Point::new(x as f64, vote, text)
        });
        let points: Vec<Point> = points.collect();
        let series = vec![
            Series::bars(MarkShape::PaleBars, pen.clone(), points.clone()),
            Series::new(pen.clone(), points),
        ];
        let axis = Axis::category("tokens", named(tokens));
        let up = Axis::from_zero("", reach.iter().copied());
        let panel = Panel::new(format!("{what} (logits)"), axis, up, series);
        panel.tall(PLOT).level(0.0, theme.ink, Line::Solid)
    });
    let rows = sides.iter().flat_map(|(what, tokens)| {
        tokens.iter().zip(named(tokens)).map(|(token, name)| (*what, name, token))
    });
    let first = |tokens: &[TokenVote]| named(tokens).into_iter().next();
    let title = match (first(&account.raises), first(&account.lowers)) {
        (Some(raised), Some(lowered)) => format!(
            "{} raises “{raised}” most and lowers “{lowered}” most",
            member_title(lens, account),
        ),
        _ => "No token was read".to_owned(),
    };
    FigureDraft {
        key: "member-writes",
        title,
        words: [
            format!(
                "Over all {} tokens of the vocabulary it adds {} on average: only what differs from that moves an answer.",
                account.vocabulary,
                short(account.mean_vote)
            ),
            "Each number is decoded with the frozen final norm, so the components' numbers add up to the model's logits. A \
             component need not be about the tokens that it raises most."
                .to_owned(),
        ],
        table: Table::of(
            rows,
            &[
                ("side", &|(side, ..)| Text((*side).to_owned())),
                ("token", &|(_, name, _)| Text(name.clone())),
                ("id", &|(.., token)| Count(token.id as usize)),
                ("vote (logits)", &|(.., token)| Number(token.vote.into())),
            ],
        ),
        plot: Plot::new(panels.collect(), Vec::new(), 2),
    }
}

/// `[tokens]` tokens as they are quoted, or their ids; of two with one word, the space before it is drawn.
fn named(tokens: &[TokenVote]) -> Vec<String> {
    let name = |token: &TokenVote| match &token.text {
        Some(text) if !text.is_empty() => seen(text),
        _ => token.id.to_string(),
    };
    let names: Vec<String> = tokens.iter().map(name).collect();
    let spaced = |(token, name): (&TokenVote, &String)| {
        let is_twin = names.iter().filter(|other| *other == name).count() > 1;
        let has_space = token.text.as_ref().is_some_and(|text| text.starts_with(' '));
        if is_twin && has_space && !name.starts_with('␣') {
            format!("␣{name}")
        } else {
            name.clone()
        }
    };
    tokens.iter().zip(&names).map(spaced).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_tokens_of_one_word_are_told_apart_by_their_space() {
        let token = |text: &str| TokenVote { id: 0, text: Some(text.to_owned()), vote: 0.0 };
        let tokens = [" Italy", "Italy", " Rome", " "].map(token);
        assert_eq!(named(&tokens), ["␣Italy", "Italy", "Rome", "␣"]);
    }
}
