//! Accuracy against how hard the rows are, a panel a task and a line a model: where depth is needed.

use super::TableCell::{Count, Number, Text};
use super::{FigureDraft, KnownCell, Line, Mark, Panel, Plot, Point, Series, Table, Theme};
use super::{cells, extent, mean, model_pen};
use crate::chart::number::{self, ends, percent};
use crate::chart::plot::{Axis, Pen};
use crate::measure::interval::Mean;
use crate::study::survey::{LevelAccuracy, Survey, counted};

/// Models stand beside each other at a level, so that every interval is seen; all of them nearer to it than
/// to the next.
const SHIFT: f64 = 0.08;
const WIDEST: f64 = 0.8;

pub(super) fn figure(survey: &Survey, theme: &Theme) -> FigureDraft {
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
                "The axis says how hard a task's rows are; bars are Wilson's 95 % intervals.{}",
                below_chance(&all)
            ),
            format!("{}; accuracy is the share right among the options.", extent(survey)),
        ],
        table: table(survey, &all),
        plot: Plot::new(panels, legend.chain([chance]).collect(), 2),
    }
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
            let (place, level) = (cell.place(), said(survey, task, of.level));
            let shares = format!("{} of {} right among the options", of.correct, of.rows);
            let name = format!("{place}, {level}\n{shares}, {}", percent(right.mean));
            // Rounded, so that no platform writes another last digit.
            let x = (1000.0 * (of.level as f64 + shift)).round() / 1000.0;
            Point { interval: Some([right.low, right.high]), ..Point::new(x, right.mean, name) }
        });
        Series::new(model_pen(survey, cell.model, theme, Line::Solid), points)
    });
    let levels = || own.iter().flat_map(|cell| &cell.found.levels);
    let [low, high] = ends(levels().map(|of| of.level as f64)).unwrap_or_default();
    let panel = Panel::new(
        format!("{}: share right among the options", survey.tasks[task].name),
        Axis::whole(noun(survey, task), low - 0.5, high + 0.5),
        Axis::over("", [0.0, 1.0]),
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

/// A curve's first level and its last.
struct LevelEnds<'a> {
    cell: &'a KnownCell<'a>,
    levels: [LevelAccuracy; 2],
    accuracy: [Mean; 2],
}

impl<'a> LevelEnds<'a> {
    /// `None` of fewer than two levels.
    fn of(cell: &'a KnownCell<'a>) -> Option<Self> {
        match &cell.found.levels[..] {
            [first, .., last] => Some(Self {
                cell,
                levels: [*first, *last],
                accuracy: [first, last].map(LevelAccuracy::accuracy),
            }),
            _ => None,
        }
    }

    /// How far accuracy goes from the first level to the last.
    fn change(&self) -> f64 {
        self.accuracy[1].mean - self.accuracy[0].mean
    }

    /// Names the curve and both of its ends.
    fn sentence(&self, survey: &Survey) -> String {
        let [first, last] = [0, 1].map(|end| {
            let level = said(survey, self.cell.task, self.levels[end].level);
            format!("{} at {level}", percent(self.accuracy[end].mean))
        });
        let KnownCell { model_name, task_name, .. } = self.cell;
        format!("{model_name} on “{task_name}” from {first} to {last}")
    }
}

/// Says how many curves fall beyond their intervals and how many rise, and which goes farthest.
fn title(survey: &Survey, all: &[KnownCell<'_>]) -> String {
    let ends: Vec<LevelEnds<'_>> = all.iter().filter_map(LevelEnds::of).collect();
    let falling = |one: &&LevelEnds<'_>| one.accuracy[1].high < one.accuracy[0].low;
    let rising = |one: &&LevelEnds<'_>| one.accuracy[0].high < one.accuracy[1].low;
    let by_change = |a: &&LevelEnds<'_>, b: &&LevelEnds<'_>| a.change().total_cmp(&b.change());

    let moves =
        moves(ends.len(), ends.iter().filter(falling).count(), ends.iter().filter(rising).count());
    let fall = ends.iter().filter(falling).min_by(by_change).map(|one| ("fall", one));
    let farthest = fall.or_else(|| {
        let rise = ends.iter().filter(rising).max_by(by_change);
        rise.map(|one| ("rise", one))
    });
    match farthest {
        Some((kind, one)) => format!("{moves}; largest {kind}: {}", one.sentence(survey)),
        None => moves,
    }
}

/// Says how many of so many curves fall beyond their intervals, and how many rise.
fn moves(curves: usize, falling: usize, rising: usize) -> String {
    let all = number::counted(curves, "curve");
    let start = "From a task's first level to its last, accuracy";
    match (falling, rising) {
        (0, 0) => format!("{start} neither falls nor rises beyond the intervals in any curve"),
        (0, rising) => {
            format!("{start} falls beyond the intervals in no curve and rises in {rising} of {all}")
        }
        (falling, 0) => format!("{start} falls beyond the intervals in {falling} of {all}"),
        (falling, rising) => {
            format!(
                "{start} falls beyond the intervals in {falling} of {all} and rises in {rising}"
            )
        }
    }
}

/// Where a model is wrong more often than guessing, which the picture shows and no curve says.
fn below_chance(all: &[KnownCell<'_>]) -> String {
    let levels = all
        .iter()
        .flat_map(|cell| cell.found.levels.iter().map(|of| of.accuracy().high < cell.found.chance));
    let below: Vec<bool> = levels.collect();
    match below.iter().filter(|is| **is).count() {
        0 => String::new(),
        n => format!(
            " {n} of {} {} below chance beyond the intervals.",
            number::counted(below.len(), "point"),
            if n == 1 { "lies" } else { "lie" }
        ),
    }
}

fn table(survey: &Survey, all: &[KnownCell<'_>]) -> Table {
    let mut sorted: Vec<&KnownCell<'_>> = all.iter().collect();
    sorted.sort_by_key(|cell| (cell.task, cell.model));
    let rows =
        sorted.into_iter().flat_map(|cell| cell.found.levels.iter().map(move |of| (cell, of)));
    Table::of(
        rows,
        &[
            ("task", &|(cell, _)| cell.task()),
            ("model", &|(cell, _)| cell.model()),
            ("level", &|(_, of)| Count(of.level)),
            ("of", &|(cell, _)| Text(noun(survey, cell.task).to_owned())),
            ("rows", &|(_, of)| Count(of.rows)),
            ("right", &|(_, of)| Count(of.correct)),
            ("accuracy", &|(_, of)| Number(of.accuracy().mean)),
            ("from", &|(_, of)| Number(of.accuracy().low)),
            ("to", &|(_, of)| Number(of.accuracy().high)),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::moves;

    #[test]
    fn falls_and_rises_are_both_told() {
        let start = "From a task's first level to its last, accuracy";
        assert_eq!(
            [moves(5, 0, 0), moves(1, 1, 0), moves(5, 0, 2), moves(5, 3, 1)],
            [
                format!("{start} neither falls nor rises beyond the intervals in any curve"),
                format!("{start} falls beyond the intervals in 1 of 1 curve"),
                format!(
                    "{start} falls beyond the intervals in no curve and rises in 2 of 5 curves"
                ),
                format!("{start} falls beyond the intervals in 3 of 5 curves and rises in 1"),
            ]
        );
    }
}
