//! Accuracy against how hard the rows are, a panel a task and a line a model: where depth is needed.

use super::{
    Figure, FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, TableCell, Theme,
};
use super::{cells, extent, headers, mean, model_pen};
use crate::chart::number::{self, percent};
use crate::chart::plot::{Axis, Pen};
use crate::measure::interval::Mean;
use crate::study::survey::{LevelAccuracy, Survey, counted};

/// Models stand beside each other at a level, so that every interval is seen; all of them nearer to it than
/// to the next.
const SHIFT: f64 = 0.08;
const WIDEST: f64 = 0.8;

pub(super) fn figure(survey: &Survey, theme: &Theme) -> Figure {
    let all: Vec<KnownCell<'_>> =
        cells(survey).filter(|cell| !cell.found.levels.is_empty()).collect();
    let tasks = (0..survey.tasks.len()).filter(|task| all.iter().any(|cell| cell.task == *task));
    let panels = tasks.map(|task| panel(survey, task, &all, theme)).collect();
    let models = (0..survey.models.len()).filter(|m| all.iter().any(|cell| cell.model == *m));
    let legend = models.map(|model| model_pen(survey, model, theme, Line::Solid));
    let chance = Pen::new("chance", theme.quiet, Line::Dotted, Mark::None);
    FigureDraft {
        key: "levels",
        title: title(survey, &all),
        words: [
            format!(
                "Rows of a task are as hard as its axis says; bars are Wilson's 95 % intervals.{}",
                below_chance(&all)
            ),
            format!("{}.", extent(survey)),
        ],
        table: table(survey, &all),
        plot: Plot::new(panels, legend.chain([chance]).collect(), 2),
    }
    .figure(theme)
}

fn noun(survey: &Survey, task: usize) -> &str {
    survey.tasks[task].levels.as_deref().unwrap_or("level")
}

fn panel(survey: &Survey, task: usize, all: &[KnownCell<'_>], theme: &Theme) -> Panel {
    let own: Vec<&KnownCell<'_>> = all.iter().filter(|cell| cell.task == task).collect();
    let apart = SHIFT.min(WIDEST / own.len() as f64);
    let series = own.iter().enumerate().map(|(at, cell)| {
        let shift = (at as f64 - (own.len() as f64 - 1.0) / 2.0) * apart;
        let points = cell.found.levels.iter().map(|of| {
            let right = of.accuracy();
            let name = format!(
                "{} on {}, {}\n{} of {} right, {}",
                survey.models[cell.model].name,
                survey.tasks[task].name,
                said(survey, task, of.level),
                of.correct,
                of.rows,
                percent(right.mean)
            );
            // Rounded, so that no platform writes another last digit.
            let x = (1000.0 * (of.level as f64 + shift)).round() / 1000.0;
            Point { interval: Some([right.low, right.high]), ..Point::new(x, right.mean, name) }
        });
        let pen = model_pen(survey, cell.model, theme, Line::Solid);
        Series::new(pen, points.collect())
    });
    let levels = || own.iter().flat_map(|cell| &cell.found.levels);
    let places = levels().map(|of| of.level as f64);
    let (low, high) =
        places.fold((f64::MAX, f64::MIN), |(low, high), level| (low.min(level), high.max(level)));
    let panel = Panel::new(
        format!("{}: share of right answers", survey.tasks[task].name),
        Axis::whole(noun(survey, task), low - 0.5, high + 0.5),
        Axis::over("", [0.0, 1.0].into_iter()),
        series.collect(),
    );
    match mean(own.iter().map(|cell| cell.found.chance)) {
        Some(chance) if chance > 0.0 => panel.level(chance, theme.quiet, Line::Dotted),
        _ => panel,
    }
}

/// "9 digits"; "level 3" where the survey does not say what is counted.
fn said(survey: &Survey, task: usize, level: usize) -> String {
    match &survey.tasks[task].levels {
        Some(noun) => counted(level, noun),
        None => format!("level {level}"),
    }
}

/// How many curves fall from a task's first level to its last, beyond their intervals, and how many rise.
fn title(survey: &Survey, all: &[KnownCell<'_>]) -> String {
    let ends: Vec<_> = all
        .iter()
        .filter_map(|cell| match &cell.found.levels[..] {
            [first, .., last] => Some((cell, [first, last].map(|of| (*of, of.accuracy())))),
            _ => None,
        })
        .collect();
    let falls = |[first, last]: &[(LevelAccuracy, Mean); 2]| last.1.high < first.1.low;
    let rises = |[first, last]: &[(LevelAccuracy, Mean); 2]| first.1.high < last.1.low;
    let falling: Vec<_> = ends.iter().filter(|(_, ends)| falls(ends)).collect();
    let rising = ends.iter().filter(|(_, ends)| rises(ends)).count();
    let fall = |[first, last]: &[(LevelAccuracy, Mean); 2]| first.1.mean - last.1.mean;
    let Some((cell, [first, last])) =
        falling.iter().max_by(|a, b| fall(&a.1).total_cmp(&fall(&b.1)))
    else {
        return "No model falls beyond the intervals from a task's first level to its last"
            .to_owned();
    };
    let rise = match rising {
        0 => String::new(),
        n => format!(" and {n} rise"),
    };
    format!(
        "From a task's first level to its last, {} of {} fall beyond their intervals{rise}: {} on “{}” from {} at {} to {} at {}",
        falling.len(),
        number::counted(ends.len(), "curve"),
        survey.models[cell.model].name,
        survey.tasks[cell.task].name,
        percent(first.1.mean),
        said(survey, cell.task, first.0.level),
        percent(last.1.mean),
        said(survey, cell.task, last.0.level),
    )
}

/// Where a model is wrong more often than guessing, which the picture shows and no curve says.
fn below_chance(all: &[KnownCell<'_>]) -> String {
    let levels = all
        .iter()
        .flat_map(|cell| cell.found.levels.iter().map(|of| of.accuracy().high < cell.found.chance));
    let below: Vec<bool> = levels.collect();
    match below.iter().filter(|is| **is).count() {
        0 => String::new(),
        n => format!(" {n} of {} points lie below chance beyond their intervals.", below.len()),
    }
}

fn table(survey: &Survey, all: &[KnownCell<'_>]) -> Table {
    let mut sorted: Vec<&KnownCell<'_>> = all.iter().collect();
    sorted.sort_by_key(|cell| (cell.task, cell.model));
    let rows = sorted.into_iter().flat_map(|cell| {
        cell.found.levels.iter().map(|of| {
            let right = of.accuracy();
            vec![
                TableCell::Text(survey.tasks[cell.task].name.clone()),
                TableCell::Text(survey.models[cell.model].name.clone()),
                TableCell::Count(of.level),
                TableCell::Text(noun(survey, cell.task).to_owned()),
                TableCell::Count(of.rows),
                TableCell::Count(of.correct),
                TableCell::Number(right.mean),
                TableCell::Number(right.low),
                TableCell::Number(right.high),
            ]
        })
    });
    Table {
        headers: headers(&[
            "task", "model", "level", "of", "rows", "right", "accuracy", "from", "to",
        ]),
        rows: rows.collect(),
    }
}
