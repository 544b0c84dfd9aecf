//! What every stroke adds to the right answer against the others.

use super::beyond::{option_beyond, verdict};
use super::number::{probability, signed};
use super::plot::{Line, Plot};
use super::strokes::{self, answered, option_name};
use super::{Column, Figure, FigureDraft, Table, TableCell, Theme};
use crate::study::report::Lens;

/// Of the plot area, in CSS pixels.
pub(super) const PLOT: u32 = 190;

pub(super) fn figure(lens: &Lens, column: Column, theme: &Theme) -> Figure {
    let votes = strokes::votes(lens, column);
    let names = strokes::names(&lens.members);
    let drawn = quantity(column, lens.logits.len());
    let hover = names.iter().zip(&votes);
    let hover = hover.map(|(name, vote)| format!("{name}\n{drawn}: {}", signed(*vote)));
    let panel =
        strokes::panel(&lens.members, theme, format!("{drawn}, each stroke alone"), &votes, None);
    let mut plot = Plot {
        hover: Some(hover.collect()),
        ..Plot::new(
            vec![panel.tall(PLOT).level(0.0, theme.ink, Line::Solid)],
            strokes::kind_pens(&lens.members, theme),
            1,
        )
    };
    strokes::lead(&mut plot, &lens.members);
    FigureDraft {
        key: "votes",
        title: title(lens, &names, &votes),
        words: words(lens, &votes, column),
        table: table(lens, &votes, &drawn),
        plot,
    }
    .figure(theme)
}

/// What a vote is, as an axis says it.
pub(super) fn quantity(column: Column, options: usize) -> String {
    let of = if column == Column::Logit { "logit" } else { "p" };
    if options == 2 {
        format!("{of}(right) − {of}(other)")
    } else {
        format!("{of}(right) − mean {of}(others)")
    }
}

fn title(lens: &Lens, names: &[String], votes: &[f64]) -> String {
    let loudest = loudest(votes);
    let who = capital(&names[loudest]);
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
        "{pro} of {count} put {right} above {others} and {contra} below, the loudest by {most}.",
        count = strokes::count(&lens.members),
        others = others(lens.logits.len()),
        right = option_name(lens, lens.answer),
        most = signed(votes[loudest]),
    );
    let answer = option_name(lens, answered(lens));
    let verdict = verdict(lens);
    let second = if column == Column::Logit {
        let margin = strokes::margin(
            &lens.logits.iter().map(|&x| f64::from(x)).collect::<Vec<_>>(),
            lens.answer,
        );
        format!("The bars add up to {}, and the model answers {answer}, {verdict}.", signed(margin))
    } else {
        let k = answered(lens);
        let beyond = lens.vocabulary.as_ref().map(|vocabulary| option_beyond(vocabulary, k));
        let beyond = beyond.map_or_else(String::new, |beyond| format!(" ({beyond} of all tokens)"));
        format!(
            "Each bar is what the stroke would answer alone; all of them together give {answer} {} among the options{beyond}, \
             {verdict}.",
            probability(lens.probabilities[k])
        )
    };
    [first, second]
}

/// The options that a vote holds the right one against.
pub(super) fn others(options: usize) -> &'static str {
    if options == 2 { "the other option" } else { "the mean of the others" }
}

fn table(lens: &Lens, votes: &[f64], drawn: &str) -> Table {
    let mut headers = vec!["stroke".to_owned(), format!("vote, {drawn}")];
    headers.extend((0..lens.logits.len()).map(|k| format!("logit of {}", option_name(lens, k))));
    let rows = strokes::cells(&lens.members)
        .into_iter()
        .zip(votes)
        .zip(&lens.member_logits)
        .map(|((name, vote), row)| {
            let mut cells = vec![name, TableCell::Number(*vote)];
            cells.extend(row.iter().map(|&u| TableCell::Number(f64::from(u))));
            cells
        })
        .collect();
    Table { headers, rows }
}

pub(super) fn loudest(votes: &[f64]) -> usize {
    (1..votes.len()).fold(0, |best, i| if votes[i].abs() > votes[best].abs() { i } else { best })
}

/// First letter large, for the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars
        .next()
        .map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}
