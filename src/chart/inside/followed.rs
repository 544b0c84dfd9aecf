//! Words that are followed from stroke to stroke: probability and rank.

use super::{probability, word};
use crate::chart::leads::Leaders;
use crate::chart::number::{counted, percent, short};
use crate::chart::plot::{Axis, Panel, Plot, Point, Series, heights};
use crate::chart::{FigureDraft, Table, TableCell, Theme, strokes};
use crate::engine::{FollowedToken, VocabularyReading};
use crate::measure::decomposition::argmax;
use crate::measure::leads::changes;
use crate::study::report::Lens;

const PLOT: u32 = 150;
/// Smaller probabilities are drawn at this one.
const LEAST: f64 = 1e-6;

pub(super) fn figure(lens: &Lens, theme: &Theme) -> Option<FigureDraft> {
    let depths = lens.logit_lens_members.as_ref()?;
    let followed: Vec<String> =
        depths.first()?.followed.iter().map(|token| word(lens, token.id)).collect();
    if followed.is_empty() {
        return None;
    }
    let names = strokes::names(&lens.members);
    let series = |of: fn(&FollowedToken) -> f64| -> Vec<Series> {
        let one = |(n, word): (usize, &String)| {
            let points = depths.iter().enumerate().filter_map(|(i, depth)| {
                let token = depth.followed.get(n)?;
                let (share, rank, at) = (percent(probability(token)), token.rank, &names[i]);
                let name = format!("{word}, after {at}\n{share}, rank {rank}");
                Some(Point::new(i as f64, of(token), name))
            });
            // Not in a role's colour: a word has none.
            Series::new(theme.pen(n, word), points)
        };
        followed.iter().enumerate().map(one).collect()
    };
    let chances = series(|token| probability(token).max(LEAST));
    let ranks = series(|token| f64::from(token.rank));
    let pens = chances.iter().map(|one| one.pen.clone()).collect();
    let panel = |name: &str, series: Vec<Series>| {
        let y = Axis::log("", heights(&series).chain([1.0]));
        Panel::new(name, strokes::axis(&lens.members[..depths.len()]), y, series).tall(PLOT)
    };
    let panels = vec![panel("probability", chances), panel("rank, 1 is the likeliest", ranks)];
    let mut headers = vec!["after".to_owned()];
    headers
        .extend(followed.iter().flat_map(|word| [format!("p({word})"), format!("rank of {word}")]));
    let cells = strokes::cells(&lens.members).into_iter();
    let rows =
        depths.iter().zip(cells).map(|(depth, name)| {
            let mut row = vec![name];
            row.extend(depth.followed.iter().flat_map(|token| {
                [probability(token), f64::from(token.rank)].map(TableCell::Number)
            }));
            row
        });
    let (title, first) = leading(lens, &names, &followed);
    let mut plot = Plot { shared: true, ..Plot::new(panels, pens, 1) };
    strokes::link(&mut plot, &lens.members);
    Some(FigureDraft {
        key: "followed",
        title,
        words: [first, format!("Probabilities under {} are drawn there.", short(LEAST))],
        table: Table::new(headers, rows),
        plot,
    })
}

/// Returns who leads the followed words along the stream, and what the last of them ends at.
fn leading(lens: &Lens, names: &[String], followed: &[String]) -> (String, String) {
    let depths = lens.logit_lens_members.as_deref().unwrap_or_default();
    let leaders = changes(depths.iter().map(|depth| likeliest(&depth.followed)));
    let (Some(&(_, last)), Some(end)) = (leaders.last(), depths.last()) else {
        return Default::default();
    };
    let title = match followed {
        [only] => first_rank(depths, names, only),
        several => Leaders {
            scope: "Among the followed words",
            changes: leaders.iter().map(|&(from, n)| (from, format!("“{}”", several[n]))).collect(),
            depths: &names[..depths.len()],
            // The constant term, where a model has one, is no depth.
            last: (depths.len() == names.len()).then_some("the last component"),
        }
        .heading(),
    };
    let token = &end.followed[last];
    let first = format!(
        "At the end “{}” has {} of the whole vocabulary's probability and rank {}.",
        followed[last],
        percent(probability(token)),
        token.rank
    );
    (title, first)
}

/// Index of the likeliest of the followed words; the first of equals.
fn likeliest(tokens: &[FollowedToken]) -> usize {
    let logs: Vec<f64> = tokens.iter().map(|token| token.log_probability).collect();
    argmax(&logs)
}

/// Says where a single followed word is the likeliest of the whole vocabulary.
fn first_rank(depths: &[VocabularyReading], names: &[String], word: &str) -> String {
    let leads: Vec<bool> = depths.iter().map(|depth| depth.followed[0].rank == 1).collect();
    let count = leads.iter().filter(|leads| **leads).count();
    let scope = "In the whole vocabulary";
    match changes(leads)[..] {
        [(_, true)] => format!("{scope} “{word}” leads all the way"),
        [(_, false)] => format!("{scope} “{word}” never leads"),
        [(_, false), (from, true)] => {
            format!("{scope} “{word}” leads from {} to the end", names[from])
        }
        _ => format!("{scope} “{word}” leads after {count} of {}", counted(depths.len(), "depth")),
    }
}
