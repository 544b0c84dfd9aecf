//! Theorem 5: the terms of the information along the stream.

use super::{COPULA, Estimator, FigureDraft, Scene, VOTES, first, plot};
use crate::chart::Table;
use crate::chart::TableCell::Number;
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Series};
use crate::measure::ensemble::Ensemble;
use crate::measure::information::votes::{Correction, estimate};

/// Relevancy, redundancy, conditional redundancy, diversity, joint.
type GrowthTerms = [f64; 5];

/// Steps smaller than this are the seven digits of a file.
const ROUNDING: f64 = 1e-6;

pub(super) fn sketch(scene: &Scene<'_>) -> Result<FigureDraft, String> {
    let (of, curve) = match scene.choice() {
        0 => stream(scene, COPULA)?,
        1 => stream(scene, VOTES)?,
        2 => made(None),
        3 => made(Some(200)),
        _ => made(Some(40)),
    };
    let theme = scene.theme;
    let pens = [
        Pen::new("relevancy", theme.attention, Line::Solid, Mark::Circle),
        Pen::new("redundancy", theme.mlp, Line::Dashed, Mark::Square),
        Pen::new("conditional redundancy", theme.diversity, Line::Dotted, Mark::Diamond),
        Pen::new("diversity, the two's balance", theme.quiet, Line::Dashed, Mark::Triangle),
        Pen::new("I(U;Y)", theme.ink, Line::Thick, Mark::None),
    ];
    let series = pens.iter().enumerate().map(|(term, pen)| {
        let said = |n, bits| format!("first {n} members\n{} {} bits", pen.name, short(bits));
        Series::along(pen, 1, curve.iter().map(|terms| terms[term]), said)
    });
    let falls = |term: usize| {
        let steps = curve.windows(2);
        steps.filter(|two| two[1][term] < two[0][term] - ROUNDING).count()
    };
    let (grown, balance, joint) = (falls(0) + falls(1) + falls(2), falls(3), falls(4));
    let steps = curve.len() - 1;
    let x = Axis::counts("members so far", curve.len());
    let panel = Panel::from_zero("bits about the answer", x, series.collect());
    let times = |n: usize| match n {
        0 => "never".to_owned(),
        1 => "once".to_owned(),
        n => format!("{n} times"),
    };
    let balance = times(balance);
    Ok(FigureDraft {
        key: "theorem-5",
        title: match grown {
            0 => format!(
                "None of the three terms falls in {steps} steps; their balance falls {balance}"
            ),
            n => format!(
                "The three terms should never fall, and their estimates do {} in {steps} steps",
                times(n)
            ),
        },
        words: [
            of,
            if joint == 0 {
                "I(U;Y) never falls, as the chain rule says.".to_owned()
            } else {
                format!("The estimate of I(U;Y) falls {}, which no information does.", times(joint))
            },
        ],
        table: Table::of(
            curve.iter().zip(1..),
            &[
                ("members", &|(_, members)| first(*members)),
                ("relevancy", &|(terms, _)| Number(terms[0])),
                ("redundancy", &|(terms, _)| Number(terms[1])),
                ("conditional redundancy", &|(terms, _)| Number(terms[2])),
                ("diversity", &|(terms, _)| Number(terms[3])),
                ("I(U;Y)", &|(terms, _)| Number(terms[4])),
            ],
        ),
        plot: plot(vec![panel], pens.to_vec()),
    })
}

fn stream(scene: &Scene<'_>, by: Estimator) -> Result<(String, Vec<GrowthTerms>), String> {
    let (words, curve) = scene.curve(by)?;
    let curve = curve.iter().map(|point| {
        let diversity = point.conditional_redundancy - point.redundancy;
        [point.relevancy, point.redundancy, point.conditional_redundancy, diversity, point.joint]
    });
    Ok((words, curve.collect()))
}

/// All outcomes for `None`, else so many rows drawn.
fn made(rows: Option<usize>) -> (String, Vec<GrowthTerms>) {
    const SEED: u32 = 5;
    const ALL: usize = 65_536;
    let ensemble = Ensemble { options: 2, right: vec![0.75; 6], together: 0.5 };
    let (all, correction, counted) = match rows {
        None => (
            ensemble.exact(ALL),
            Correction::None,
            format!("{ALL} rows hold every outcome as often as it happens"),
        ),
        Some(rows) => (
            ensemble.drawn(rows, SEED),
            Correction::MillerMadow,
            format!("{rows} rows drawn from seed {SEED}, counted (Miller-Madow)"),
        ),
    };
    let curve = (1..=6).map(|members| {
        let terms = estimate(&all.votes[..members], &all.answers, 2, correction);
        [
            terms.relevancy,
            terms.redundancy,
            terms.conditional_redundancy,
            terms.diversity(),
            terms.joint,
        ]
    });
    let words =
        format!("Made up: six members in pairs that share a secret every second time; {counted}.");
    (words, curve.collect())
}
