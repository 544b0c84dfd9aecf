//! How straight the last token's way is, and how evenly its state grows, beside a random walk's.

use super::TableCell::{self, Count, Text};
use super::names::said;
use super::{FigureDraft, Table, Theme};
use crate::chart::number::{mean, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series, heights};
use crate::measure::interval::Mean;
use crate::study::coupling::{Coupling, TaskCoupling};

const PLOT: u32 = 230;

/// One model's way.
pub(super) struct Straightness {
    pub name: String,
    /// In a sentence, at its beginning.
    whose: String,
    pub steps: usize,
    pub line: Option<Mean>,
    pub spread: Option<Mean>,
}

impl Straightness {
    pub fn of(name: &str, coupling: &Coupling) -> Self {
        let alone = |x: f64| Mean { mean: x, low: x, high: x };
        Self {
            name: name.to_owned(),
            whose: "The way".to_owned(),
            steps: coupling.steps.len(),
            line: coupling.line_shape_score.map(alone),
            spread: coupling.expodistance.map(alone),
        }
    }

    pub fn of_task(name: &str, task: &TaskCoupling) -> Self {
        Self {
            name: name.to_owned(),
            whose: format!("The mean way of {} rows of “{}”", task.rows, task.task),
            steps: task.steps.len(),
            line: task.line_shape_score,
            spread: task.expodistance,
        }
    }
}

/// A random walk's line-shape score after so many steps of one length in a space so wide that no two
/// steps have a direction in common.
fn walk(steps: usize) -> f64 {
    (steps as f64).sqrt()
}

/// The expodistance of that walk, begun one step from the origin: the squared length grows by one each
/// step, from 1.
fn walks_spread(steps: usize) -> Option<f64> {
    let growth: Vec<f64> = (1..=steps).map(|l| 0.5 * (1.0 + 1.0 / l as f64).ln()).collect();
    let middle = mean(growth.iter().copied())?;
    let variance = mean(growth.iter().map(|x| (x - middle).powi(2)))?;
    Some(variance.sqrt() / middle)
}

pub(super) fn figure(coupling: &Coupling, theme: &Theme) -> Option<FigureDraft> {
    drawn(&[Straightness::of("the last token's way", coupling)], theme)
}

pub(super) fn of_task(task: &TaskCoupling, theme: &Theme) -> Option<FigureDraft> {
    let name = format!("mean of {} rows of “{}”", task.rows, task.task);
    drawn(&[Straightness::of_task(&name, task)], theme)
}

pub(super) fn drawn(all: &[Straightness], theme: &Theme) -> Option<FigureDraft> {
    let steps = all.iter().map(|one| one.steps).max().filter(|&steps| steps > 0)?;
    let pen = |(n, one): (usize, &Straightness)| Pen {
        line: Line::None,
        ..theme.pen(n, one.name.as_str())
    };
    let pens: Vec<Pen> = all.iter().enumerate().map(pen).collect();
    let random = Pen::new("a random walk", theme.bias, Line::Dashed, Mark::None);
    let straight =
        Pen::new("a straight line, an even growth", theme.quiet, Line::Solid, Mark::None);
    let panel = |name: &str,
                 of: &dyn Fn(&Straightness) -> Option<Mean>,
                 walks: &dyn Fn(usize) -> Option<f64>,
                 level: f64| {
        let walk = (1..=steps).filter_map(|l| Some(Point::new(l as f64, walks(l)?, String::new())));
        let mut series = vec![Series::new(random.clone(), walk)];
        for (one, pen) in all.iter().zip(&pens) {
            let point = of(one).map(|mean| {
                let text = format!("{}, {} steps\n{}", one.name, one.steps, short(mean.mean));
                let interval = mean.interval().filter(|[low, high]| low < high);
                Point { interval, ..Point::new(one.steps as f64, mean.mean, text) }
            });
            series.push(Series::new(pen.clone(), point));
        }
        let x = Axis::whole("steps L", 0.0, steps as f64 + 1.0);
        let y = Axis::from_zero("", heights(&series).chain([level]));
        Panel::new(name, x, y, series).tall(PLOT).level(level, theme.quiet, Line::Solid)
    };
    let panels = vec![
        panel("line-shape score", &|one| one.line, &|l| Some(walk(l)), 1.0),
        panel("expodistance", &|one| one.spread, &walks_spread, 0.0),
    ];
    let table = Table::of(
        all,
        &[
            ("of", &|one| Text(one.name.clone())),
            ("steps", &|one| Count(one.steps)),
            ("line-shape score", &|one| TableCell::known(one.line.map(|line| line.mean))),
            ("from", &|one| TableCell::known(one.line.map(|line| line.low))),
            ("to", &|one| TableCell::known(one.line.map(|line| line.high))),
            ("a random walk's", &|one| TableCell::known(Some(walk(one.steps)))),
            ("expodistance", &|one| TableCell::known(one.spread.map(|spread| spread.mean))),
            ("from", &|one| TableCell::known(one.spread.map(|spread| spread.low))),
            ("to", &|one| TableCell::known(one.spread.map(|spread| spread.high))),
            ("a random walk's", &|one| TableCell::known(walks_spread(one.steps))),
        ],
    );
    let legend = pens.iter().cloned().chain([random, straight]).collect();
    Some(FigureDraft {
        key: "coupling-straightness",
        title: title(all),
        words: words(all),
        table,
        plot: Plot::new(panels, legend, 2),
    })
}

fn title(all: &[Straightness]) -> String {
    let [one] = all else {
        let scored = all.iter().filter_map(|one| Some((one, one.line?.mean)));
        let scored: Vec<(&Straightness, f64)> = scored.collect();
        let below = scored.iter().filter(|(one, line)| *line < walk(one.steps)).count();
        return format!("{below} of {} ways are straighter than a random walk", scored.len());
    };
    let by_chance = walk(one.steps);
    match one.line.map(|line| line.mean) {
        Some(line) => {
            let than = if (line - by_chance).abs() < 0.05 * by_chance {
                "as bent as"
            } else if line < by_chance {
                "straighter than"
            } else {
                "more bent than"
            };
            let (line, steps, by_chance) = (short(line), one.steps, short(by_chance));
            format!(
                "{} is {than} a random walk: it scores {line}, a walk of {steps} steps √{steps} = {by_chance}, a line 1",
                one.whose
            )
        }
        None => "The stream never moves, so its way has no shape".to_owned(),
    }
}

fn words(all: &[Straightness]) -> [String; 2] {
    let spread = match all {
        [one] => {
            let numbers = [one.spread.map(|spread| spread.mean), walks_spread(one.steps)];
            let [own, walks] = numbers.map(said);
            format!(" This way's is {own}, the walk's {walks}.")
        }
        _ => String::new(),
    };
    [
        "The line-shape score divides the number of steps by the length of their sum, with steps of equal \
         length. 1 is a straight line. L steps in unrelated directions score the square root of L."
            .to_owned(),
        format!(
            "The expodistance is the spread of the state's growth relative to its mean. 0 is an even exponential \
             growth. The walk takes equal steps at right angles, from one step off the origin.{spread}"
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walks_numbers() {
        assert_eq!(walk(9), 3.0);
        // One step grows as evenly as can be; two grow by ln 2 / 2 and ln 1.5 / 2.
        assert_eq!(walks_spread(1), Some(0.0));
        let (a, b) = (0.5 * 2.0_f64.ln(), 0.5 * 1.5_f64.ln());
        let expected = (a - b) / (a + b);
        assert!((walks_spread(2).expect("a number") - expected).abs() < 1e-12);
        assert_eq!(walks_spread(0), None);
    }
}
