//! Right answers after every component, task by task, with the component that brings nearly all of them.

use super::PLOT;
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::percent;
use crate::chart::plot::{Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{FigureDraft, Table, Theme, strokes};
use crate::engine::{Member, member_names};
use crate::study::lessons::DepthAccuracy;

/// Draws a curve per task over the components of one model; the mark stands at the component that brings nearly all
/// right answers.
pub(super) fn figure(
    model: &str,
    members: &[Member],
    tasks: &[DepthAccuracy],
    theme: &Theme,
) -> Option<FigureDraft> {
    let (names, short_names) = (strokes::names(members), member_names(members));
    let reached = |task: &DepthAccuracy| {
        let component = task.reached.and_then(|at| short_names.get(at));
        component.map_or_else(|| "never".to_owned(), Clone::clone)
    };

    // 1. A curve per task, and its mark.
    let mut series: Vec<Series> = Vec::new();
    let mut legend = Vec::new();
    for (n, task) in tasks.iter().enumerate() {
        let pen = theme.pen(n, format!("{}: {}", task.task, reached(task)));
        let point = |i: usize, share: f64| {
            let name = names.get(i).map_or("", String::as_str);
            let text = format!("{} up to {name}\n{}", task.task, percent(share));
            Point::new(i as f64, 100.0 * share, text)
        };
        let points = task.accuracy.iter().enumerate().map(|(i, share)| point(i, *share));
        series.push(Series::new(Pen { mark: Mark::None, ..pen.clone() }, points));
        let mark = task.reached.and_then(|at| Some(point(at, *task.accuracy.get(at)?)));
        series.push(Series::new(Pen { line: Line::None, ..pen.clone() }, mark));
        legend.push(pen);
    }

    // 2. The first and the last answers, and the numbers.
    let known = || tasks.iter().filter_map(|task| Some((task.reached?, task)));
    let [first, last] = [known().map(|(at, _)| at).min()?, known().map(|(at, _)| at).max()?];
    let quoted = |at: usize| {
        let own = known().filter(|(own, _)| *own == at);
        own.map(|(_, task)| format!("“{}”", task.task)).collect::<Vec<_>>().join(", ")
    };
    let title = if first == last {
        format!("{model}: {} appear after the same component, {}", quoted(last), names.get(last)?)
    } else {
        let (after, at) = (names.get(last)?, names.get(first)?);
        let [last, first] = [last, first].map(quoted);
        format!("{model}: {last} appears last, after {after}; {first} first, after {at}")
    };
    let count = tasks.iter().map(|task| task.rows).min().unwrap_or_default();
    let rows = names.iter().enumerate().map(|(i, name)| {
        let shares = tasks.iter().map(|task| task.accuracy.get(i).copied().unwrap_or(f64::NAN));
        let shares = shares.map(|share| Number(100.0 * share));
        std::iter::once(Text(name.clone())).chain(shares).collect()
    });
    let mut headers = vec!["up to component".to_owned()];
    headers.extend(tasks.iter().map(|task| format!("{}, % right", task.task)));
    let name = "rows that the sum so far gets right, %";
    let panel = Panel {
        shaded: strokes::shaded(members),
        ..Panel::from_zero(name, strokes::axis(members), series)
    };
    Some(FigureDraft {
        key: "step-depths",
        title,
        words: [
            "A curve counts the rows that the sum of the first components gets right. Its mark is at the component \
             that brings nearly all of the model's right answers."
                .to_owned(),
            format!("n = {count} rows of each task."),
        ],
        table: Table::new(headers, rows),
        plot: Plot::new(vec![panel.tall(PLOT)], legend, 1),
    })
}
