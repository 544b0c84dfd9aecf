//! The ways of all tokens through the depth, on the plane that their last states spread over most.

use super::TableCell::{Check, Count, Number, Text};
use super::names::{step_names, token};
use super::{FigureDraft, Table, Theme};
use crate::chart::number::{percent, short};
use crate::chart::plot::{Axis, Line, Panel, Pen, Plot, Point, Series, cut};
use crate::study::coupling::Coupling;

const PLOT: u32 = 420;
/// More tokens than this are not named beside their marks.
const NAMED: usize = 24;
/// More tokens than this are not drawn: the table has them.
const DRAWN: usize = 96;
const LETTERS: usize = 12;

/// `frame` is the number of steps after which the tokens stand where they are marked; without it, after
/// all of them.
pub(super) fn figure(coupling: &Coupling, frame: Option<usize>, theme: &Theme) -> FigureDraft {
    let paths = &coupling.trajectories;
    let depths = paths.states.len();
    let frame = frame.map(|frame| frame.min(depths.saturating_sub(1)));
    let marked = frame.unwrap_or(depths.saturating_sub(1));
    let tokens = paths.states.first().map_or(0, Vec::len);
    let steps = depth_names(coupling);
    let word = |t: usize| token(coupling, t);
    let place =
        |depth: usize, t: usize| paths.states.get(depth).and_then(|states| states.get(t)).copied();
    let mut series = Vec::new();
    for t in 0..tokens.min(DRAWN) {
        let pen = pen(&word(t), t, theme);
        let way = (0..depths).filter_map(|depth| {
            let [x, y] = place(depth, t)?;
            let at = steps.get(depth).map_or("", String::as_str);
            Some(Point::new(x, y, format!("“{}” ({t}) {at}", word(t))))
        });
        let line = Pen { mark: crate::chart::plot::Mark::Dot, ..pen.clone() };
        // In motion the way is behind what moves.
        let line = if frame.is_some() { line.faint() } else { line };
        series.push(Series::new(line, way));
    }
    for t in 0..tokens.min(DRAWN) {
        let pen = Pen { line: Line::None, ..pen(&word(t), t, theme) };
        let at = steps.get(marked).map_or("", String::as_str);
        let point = place(marked, t).map(|[x, y]| Point {
            label: (tokens <= NAMED).then(|| cut(&word(t), LETTERS)),
            ..Point::new(x, y, format!("“{}” ({t}) {at}", word(t)))
        });
        series.push(Series::new(pen, point));
    }
    let [first, second] = paths.explained_variance_ratio;
    // The same in every frame.
    let all = |i: usize| paths.states.iter().flatten().map(move |place| place[i]);
    let at = match frame {
        Some(frame) => steps.get(frame).cloned().unwrap_or_default(),
        None => "at every depth".to_owned(),
    };
    let panel = Panel::new(
        format!("{at}: 2nd direction ({})", percent(second)),
        Axis::over(format!("1st direction ({})", percent(first)), all(0)),
        Axis::over("", all(1)),
        series,
    )
    .tall(PLOT);
    // In every frame the whole ways, as they are drawn.
    let rows = paths.states.iter().enumerate().flat_map(|(depth, states)| {
        states.iter().enumerate().map(move |(t, place)| (t, depth, place))
    });
    FigureDraft {
        key: "coupling-paths",
        title: title(coupling, frame, &steps),
        words: words(coupling, tokens, [first, second]),
        table: Table::of(
            rows,
            &[
                ("position", &|(t, ..)| Count(*t)),
                ("token", &|(t, ..)| Text(word(*t))),
                ("state", &|(_, depth, _)| Text(steps.get(*depth).cloned().unwrap_or_default())),
                ("1st direction", &|(.., place)| Number(place[0])),
                ("2nd direction", &|(.., place)| Number(place[1])),
                ("marked", &|(_, depth, _)| Check(*depth == marked)),
            ],
        ),
        plot: Plot::new(vec![panel], Vec::new(), 1),
    }
}

/// A colour and a mark to each token, so that neighbours differ in both.
fn pen(word: &str, t: usize, theme: &Theme) -> Pen {
    theme.pen(t, format!("“{word}” ({t})"))
}

/// `[S + 1]` `before the first step`, `after step 3`.
fn depth_names(coupling: &Coupling) -> Vec<String> {
    let steps = step_names(&coupling.steps);
    let before = std::iter::once("before the first step".to_owned());
    before.chain(steps.into_iter().map(|step| format!("after step {step}"))).collect()
}

/// How far apart the tokens stand in the plane, on the average, after each step.
fn spread(states: &[[f64; 2]]) -> f64 {
    let n = states.len().max(1) as f64;
    let middle = [0, 1].map(|i| states.iter().map(|place| place[i]).sum::<f64>() / n);
    let square =
        |place: &[f64; 2]| [0, 1].map(|i| (place[i] - middle[i]).powi(2)).iter().sum::<f64>();
    (states.iter().map(square).sum::<f64>() / n).sqrt()
}

fn title(coupling: &Coupling, frame: Option<usize>, steps: &[String]) -> String {
    let states = &coupling.trajectories.states;
    let (Some(first), Some(last)) = (states.first(), states.last()) else {
        return "No state of any token".to_owned();
    };
    let (before, after) = (spread(first), spread(last));
    if let Some(frame) = frame {
        let now = states.get(frame).map_or(0.0, |states| spread(states));
        let at = steps.get(frame).map_or("", String::as_str);
        let [now, end] = [now, after].map(short);
        return format!("The tokens stand {now} apart {at}, and {end} at the end");
    }
    match (before > 0.0).then(|| after / before) {
        Some(times) if times.is_finite() => {
            let how = if times >= 1.0 { "fan out" } else { "draw together" };
            let [before, after] = [before, after].map(short);
            format!("On their way the tokens {how}: from {before} apart to {after}")
        }
        _ => format!("The tokens end {} apart", short(after)),
    }
}

fn words(coupling: &Coupling, tokens: usize, ratios: [f64; 2]) -> [String; 2] {
    let more = match tokens.checked_sub(DRAWN) {
        Some(more) if more > 0 => format!(" {more} more tokens are in the table alone."),
        _ => String::new(),
    };
    let last = coupling.token_ids.len().saturating_sub(1);
    let (word, [first, second]) = (token(coupling, last), ratios.map(percent));
    [
        format!(
            "Each line is one token's state before the first step and after each. The plane holds {first} and {second} of \
             what the last states differ by.{more}"
        ),
        format!(
            "“{word}” ({last}) is the one that answers; a plane fitted to the last states shows the end better than the beginning."
        ),
    ]
}
