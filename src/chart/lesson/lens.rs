//! One prompt, as a lesson asks about it: votes before and after a change, and errors in their order.

use crate::chart::TableCell::{Number, Text};
use crate::chart::number::{counted, short, signed};
use crate::chart::plot::{Axis, Line, Mark, MarkShape, Panel, Pen, Plot, Point, Series};
use crate::chart::{FigureDraft, Table, Theme, strokes, votes};
use crate::engine::member_names;
use crate::study::lessons::{MOVED, moved_members};
use crate::study::report::Lens;

const PLOT: u32 = 210;

/// Draws every component's vote in two runs of one prompt, those apart that moved.
pub(super) fn moved_figure(before: &Lens, after: &Lens, theme: &Theme) -> FigureDraft {
    let names = strokes::names(&before.members);
    let (was, is) = (strokes::votes(before), strokes::votes(after));
    let moved = moved_members(before, after);
    let quantity = votes::quantity(before.logits.len());

    // 1. Both votes of every component; one that did not run again has the first alone.
    let places = places(before, after);
    let point = |i: usize, vote: f64, run: &str| {
        Point::new(i as f64, vote, format!("{}\n{run}: {}", names[i], signed(vote)))
    };
    let first = was.iter().enumerate().map(|(i, vote)| point(i, *vote, "before"));
    let again = |has_moved: bool| {
        let all = places.iter().enumerate().filter_map(|(i, place)| Some((i, is[(*place)?])));
        let marked = all.filter(|(i, _)| moved.contains(i) == has_moved);
        marked.map(|(i, vote)| point(i, vote, "after")).collect::<Vec<_>>()
    };
    let changed = format!("after, changed by more than {MOVED} logit");
    let pens = [
        Pen::new("before", theme.ink, Line::None, Mark::None),
        Pen::new(changed, theme.ink, Line::None, Mark::Square),
        Pen::new("after, changed by less", theme.quiet, Line::None, Mark::Circle),
    ];
    let [pen, far, near] = &pens;
    let series = vec![
        Series::bars(MarkShape::PaleBars, pen.clone(), first),
        Series::new(far.clone(), again(true)),
        Series::new(near.clone(), again(false)),
    ];

    // 2. What the plan changed, and what became of the sum.
    let change = PlanChange::of(before, after, &places);
    let [sum, rest] = [&was, &is].map(|votes| signed(votes.iter().sum()));
    let title = format!(
        "{} changed; the sum went from {sum} to {rest}",
        counted(moved.len(), change.noun()),
    );
    let rows = names.iter().enumerate().map(|(i, name)| {
        let after = places[i].map(|place| Number(is[place]));
        let after = after.unwrap_or_else(|| Text("left out".to_owned()));
        vec![Text(name.clone()), Number(was[i]), after]
    });
    let y = Axis::in_steps("", was.iter().chain(&is).copied().chain([0.0]), 6.0);
    let x = strokes::axis(&before.members);
    let panel = Panel {
        shaded: strokes::shaded(&before.members),
        ..Panel::new(quantity.clone(), x, y, series).tall(PLOT)
    };
    FigureDraft {
        key: "moved",
        title,
        words: change.words(&before.plan, &after.plan),
        table: Table::new(["component", &format!("before, {quantity}"), "after"], rows),
        plot: Plot::new(vec![panel.level(0.0, theme.ink, Line::Solid)], pens[1..].to_vec(), 1),
    }
}

/// Components left out by more than this many are counted, and not named.
const NAMED: usize = 2;

/// How a second run's components differ from the first run's.
struct PlanChange {
    /// Names of the components that ran only in the first.
    gone: Vec<String>,
    /// Number of components that ran only in the second.
    added: usize,
}

impl PlanChange {
    fn of(before: &Lens, after: &Lens, places: &[Option<usize>]) -> Self {
        let names = strokes::names(&before.members);
        let gone = places.iter().zip(names).filter(|(place, _)| place.is_none());
        let kept = places.iter().flatten().count();
        Self {
            gone: gone.map(|(_, name)| name).collect(),
            added: after.members.len().saturating_sub(kept),
        }
    }

    /// The votes that the title counts: those of the components that ran in both runs.
    fn noun(&self) -> &'static str {
        if self.gone.is_empty() { "vote" } else { "other vote" }
    }

    /// Says what bars and marks are, and why a vote changed.
    fn words(&self, before: &str, after: &str) -> [String; 2] {
        let marks = match self.gone.as_slice() {
            [] => format!("under the plan {after}"),
            gone if gone.len() > NAMED => format!("without {}", counted(gone.len(), "component")),
            gone => format!("without {}", gone.join(" and ")),
        };
        let first = format!("Bars are votes under the plan {before}, marks are votes {marks}.");
        let second = match (self.gone.is_empty(), self.added) {
            (false, 0) => {
                "Components whose votes changed had read what was left out, or what others made of it."
                    .to_owned()
            }
            (_, 0) => "Components whose votes changed had read another stream.".to_owned(),
            (_, added) => format!(
                "{} ran only under the second plan and have no mark.",
                counted(added, "component")
            ),
        };
        [first, second]
    }
}

/// `[M]` where each component of the first run stands in the second.
fn places(before: &Lens, after: &Lens) -> Vec<Option<usize>> {
    let after = member_names(&after.members);
    let names = member_names(&before.members);
    names.iter().map(|name| after.iter().position(|other| other == name)).collect()
}

/// Draws every component's own error, smallest first, with the error of their mean among them.
pub(super) fn ranked_figure(lens: &Lens, theme: &Theme) -> FigureDraft {
    let found = &lens.decomposition.probability;
    let errors = &found.member_bias;
    let (mse, bias) = (found.total.mse, found.total.bias);
    let names = strokes::names(&lens.members);
    let short_names = member_names(&lens.members);

    // 1. Components in the order of their errors.
    let mut order: Vec<usize> = (0..errors.len()).collect();
    order.sort_by(|a, b| errors[*a].total_cmp(&errors[*b]));
    let ranked: Vec<_> = order.iter().map(|&i| lens.members[i]).collect();
    let points = order.iter().enumerate().map(|(x, &i)| {
        Point::new(x as f64, errors[i], format!("{}\nerror {}", names[i], short(errors[i])))
    });
    let mut series = strokes::kind_marks(&ranked, theme, points.collect());
    let level = |name: &str, colour, line, value: f64| {
        let ends = [0.0, order.len().saturating_sub(1) as f64];
        let pen = Pen::new(format!("{name}: {}", short(value)), colour, line, Mark::None);
        let points = ends.map(|x| Point::new(x, value, pen.name.clone()));
        Series::new(pen, points)
    };
    series.push(level("error of their mean", theme.mse, Line::Thick, mse));
    series.push(level("mean of their errors (bias)", theme.bias, Line::Solid, bias));
    let legend = series.iter().map(|series| series.pen.clone()).collect();

    // 2. Where the mean stands.
    let beaten = errors.iter().filter(|error| **error > mse).count();
    let title = format!(
        "The mean's error, {}, is smaller than that of {beaten} of {}",
        short(mse),
        strokes::count(&lens.members),
    );
    let rows = order.iter().map(|&i| vec![Text(names[i].clone()), Number(errors[i])]);
    let x = order.iter().map(|&i| short_names[i].clone()).collect();
    let x = Axis::category("components, the smallest error first", x);
    let y = Axis::from_zero("", errors.iter().copied());
    let unit = "error of each component's own answer (mean squared error of shares)";
    FigureDraft {
        key: "ranked",
        title,
        words: [
            "Every mark is one component's own answer, read as if the model said nothing else."
                .to_owned(),
            "Components below the thick line answer better alone than their mean does.".to_owned(),
        ],
        table: Table::new(["component", "error (squared shares)"], rows),
        plot: Plot::new(vec![Panel::new(unit, x, y, series).tall(PLOT)], legend, 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LIGHT;
    use crate::study::report::Report;

    fn run() -> Lens {
        let text = include_str!("../../../public/examples/first.atelier.json");
        let report: Report = serde_json::from_str(text).expect("a report");
        report.lens.expect("a run")
    }

    #[test]
    fn what_moved_is_told_apart_from_what_stayed() {
        let before = run();
        let mut after = before.clone();
        // The first attention is gone, the last MLP votes otherwise.
        after.members.remove(1);
        after.member_logits.remove(1);
        let last = after.member_logits.len() - 1;
        after.member_logits[last][after.answer] += 4.0;
        let figure = moved_figure(&before, &after, &LIGHT);
        assert!(
            figure.title.starts_with("1 other vote changed; the sum went from"),
            "{}",
            figure.title
        );
        let counts: Vec<usize> =
            figure.plot.panels[0].series.iter().map(|series| series.points.len()).collect();
        assert_eq!(counts, [25, 1, 23]);
    }

    /// Plans that leave nothing out, repeat a block, or leave much out are told as what they are.
    #[test]
    fn what_moved_is_told_of_every_plan() {
        let before = run();
        let mut moved = before.clone();
        let last = moved.member_logits.len() - 1;
        moved.member_logits[last][moved.answer] += 4.0;
        moved.plan = "1,0,2-11".to_owned();
        let swapped = moved_figure(&before, &moved, &LIGHT);
        assert!(swapped.title.starts_with("1 vote changed; the sum"), "{}", swapped.title);
        assert!(swapped.words[0].ends_with("marks are votes under the plan 1,0,2-11."));
        assert!(swapped.words[1].contains("another stream"), "{}", swapped.words[1]);

        // A block that runs again.
        let mut repeated = before.clone();
        for i in 0..2 {
            repeated.members.push(before.members[last - 1 + i]);
            repeated.member_logits.push(before.member_logits[last - 1 + i].clone());
        }
        let repeated = moved_figure(&before, &repeated, &LIGHT);
        assert!(repeated.title.starts_with("0 votes changed"), "{}", repeated.title);
        assert_eq!(
            repeated.words[1],
            "2 components ran only under the second plan and have no mark."
        );

        // Two blocks left out: four components, which are counted.
        let mut short = before.clone();
        short.members.drain(1..5);
        short.member_logits.drain(1..5);
        let short = moved_figure(&before, &short, &LIGHT);
        assert!(short.title.starts_with("0 other votes changed"), "{}", short.title);
        assert!(short.words[0].ends_with("votes without 4 components."), "{}", short.words[0]);
    }

    #[test]
    fn the_mean_stands_among_the_errors() {
        let lens = run();
        let figure = ranked_figure(&lens, &LIGHT);
        let errors: Vec<f64> = figure
            .table
            .rows
            .iter()
            .map(|row| match row[1] {
                Number(error) => error,
                _ => f64::NAN,
            })
            .collect();
        assert!(errors.is_sorted() && errors.len() == 25);
        let mse = lens.decomposition.probability.total.mse;
        let beaten = errors.iter().filter(|error| **error > mse).count();
        assert!(
            figure.title.contains(&format!("of {beaten} of 25 components")),
            "{}",
            figure.title
        );
    }
}
