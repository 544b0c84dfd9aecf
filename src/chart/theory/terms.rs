//! Theorem 4: the terms of the information, and the error between its bounds.

use super::{COPULA, Estimator, FigureDraft, Scene, VOTES, plot};
use crate::chart::Table;
use crate::chart::TableCell::{Number, Text};
use crate::chart::number::{counted, percent, short};
use crate::chart::plot::{Axis, Line, Mark, MarkShape, Panel, Pen, Point, Series, heights};
use crate::measure::ensemble::{Ensemble, Rows, known};
use crate::measure::information::Bounds;
use crate::measure::information::votes::{Correction, estimate};

/// Terms of one group, from wherever.
struct Group {
    of: String,
    terms: [f64; 4],
    entropy: f64,
    bounds: Bounds,
    error: f64,
}

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let group = match scene.choice() {
        0 => kinds(scene, COPULA)?,
        1 => kinds(scene, VOTES)?,
        2 => made("two members, independent, three times in four right", 0.0),
        3 => copies(),
        _ => made("two halves of a secret: alone they know nothing, together all", 1.0),
    };
    let theme = scene.theme;
    // Differences of equal sums leave dust.
    let dusted = group.terms.map(|x| if x.abs() < 1e-12 { 0.0 } else { x });
    let [relevancy, redundancy, conditional, joint] = dusted;
    let bars = [
        ("relevancy", theme.attention, relevancy),
        ("conditional redundancy", theme.diversity, conditional),
        ("redundancy, taken off", theme.mlp, -redundancy),
        ("I(U;Y)", theme.ink, joint),
    ];
    let names = ["alone", "+ together", "− twice", "= in all"];
    let level = Pen::new("H(Y), all there is to know", theme.quiet, Line::Dashed, Mark::None);
    let bar = |(x, (name, colour, bits)): (usize, &(&'static str, &'static str, f64))| {
        let text = format!("{name}\n{} bits", short(*bits));
        let pen = Pen::new(*name, colour, Line::None, Mark::Square);
        Series::bars(MarkShape::Bars, pen, [Point::new(x as f64, *bits, text)])
    };
    let mut series: Vec<Series> = bars.iter().enumerate().map(bar).collect();
    let said = format!("H(Y)\n{} bits", short(group.entropy));
    let ends = [0.0, 3.0].map(|x| Point::new(x, group.entropy, said.clone()));
    series.push(Series::new(level.clone(), ends));
    let legend: Vec<_> = series.iter().map(|one| one.pen.clone()).collect();
    let x = Axis::category("", names.map(str::to_owned).to_vec());
    let terms = Panel::from_zero("bits about the answer", x, series);
    let marks = [
        ("lower bound", theme.quiet, Mark::Triangle, group.bounds.lower),
        ("error", theme.mse, Mark::Circle, group.error),
        ("upper bound", theme.quiet, Mark::Level, group.bounds.upper),
    ];
    let errors = marks.iter().enumerate().map(|(x, (name, colour, mark, y))| {
        let point = Point::new(x as f64, *y, format!("{name}\n{}", percent(*y)));
        Series::new(Pen::new(*name, colour, Line::None, *mark), [point])
    });
    let errors: Vec<Series> = errors.collect();
    let bounded = Panel::new(
        "share of wrong answers",
        Axis::category("", marks.map(|(name, ..)| name.to_owned()).to_vec()),
        Axis::from_zero("", heights(&errors).chain([0.2])),
        errors,
    );
    let residue = relevancy + conditional - redundancy - joint;
    let [a, b, c, sum] = [relevancy, conditional, redundancy, joint].map(short);
    let more = if joint > group.entropy + 1e-6 { ", more than the answer has" } else { "" };
    let verdict = match group.bounds.broken_by(group.error) {
        None => "The error is between its bounds.".to_owned(),
        Some(bound) => format!("The error breaks the {bound} bound."),
    };
    let rows = bars.map(|(name, _, bits)| (name, bits)).into_iter();
    let rows = rows.chain([("H(Y)", group.entropy)]).chain(marks.map(|(name, .., y)| (name, y)));
    Ok(FigureDraft {
        key: "theorem-4",
        title: format!("{a} + {b} − {c} = {sum} bits{more}"),
        words: [
            format!("{}.", group.of),
            format!("The terms add to the joint within {}. {verdict}", short(residue.abs())),
        ],
        table: Table::of(
            rows,
            &[
                ("term", &|(name, _)| Text((*name).to_owned())),
                ("value", &|(_, value)| Number(*value)),
            ],
        ),
        plot: plot(vec![terms, bounded], legend),
    })
}

fn kinds(scene: &Scene<'_>, (estimator, of): Estimator) -> Result<Group, String> {
    let (place, information) = scene.information()?;
    let estimate = of(information);
    let Some(point) = &estimate.kinds else {
        let why = estimate.kinds_refused.as_deref().unwrap_or("there is no estimate");
        return Err(format!("{place}: {why}."));
    };
    Ok(Group {
        of: format!(
            "{place}: embedding, attention and MLP, each summed; {}, {estimator}",
            counted(information.rows, "row")
        ),
        terms: [point.relevancy, point.redundancy, point.conditional_redundancy, point.joint],
        entropy: information.entropy,
        bounds: point.bounds,
        error: point.error,
    })
}

fn made(of: &str, together: f64) -> Group {
    let ensemble = Ensemble { options: 2, right: vec![0.75; 2], together };
    of_rows(of, &ensemble.exact(64))
}

fn copies() -> Group {
    let one = Ensemble { options: 2, right: vec![0.75], together: 0.0 };
    let mut rows = one.exact(64);
    rows.votes.push(rows.votes[0].clone());
    of_rows("one member twice: the copy is relevant, and redundant to the last bit", &rows)
}

fn of_rows(of: &str, rows: &Rows) -> Group {
    let terms = estimate(&rows.votes, &rows.answers, 2, Correction::None);
    // All that can happen, not a sample of it: nothing to correct for.
    let (_, entropy) = known(rows, 2);
    Group {
        of: format!("Made up: {of}; the error is the best rule's"),
        terms: [terms.relevancy, terms.redundancy, terms.conditional_redundancy, terms.joint],
        entropy,
        bounds: Bounds::of(entropy, terms.joint, 2),
        error: rows.best_error(rows.votes.len(), 2),
    }
}
