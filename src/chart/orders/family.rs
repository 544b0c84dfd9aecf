//! The family of orders side by side: what becomes of a model when its middle is skipped, repeated,
//! reversed, shuffled, set side by side or looped (Fig. 11).

use super::neighbours::chance;
use super::{PlottedSweep, Quantity, SweepSpot, reach};
use crate::chart::number::{counted, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Series};
use crate::chart::votes::capital;
use crate::chart::{FigureDraft, Theme};
use crate::study::orders::{Orders, Sweep};

const PLOT: u32 = 260;
/// The paper's figure shows loops of three.
const ROUNDS: usize = 3;

pub(super) fn figure(sweep: &PlottedSweep<'_>, theme: &Theme) -> Option<FigureDraft> {
    let &PlottedSweep { orders, quantity, column, .. } = sweep;
    let own = quantity.of(&orders.original.measures, column)?;
    let curves: Vec<FamilyCurve<'_>> =
        Sweep::FAMILY.into_iter().filter_map(|kind| FamilyCurve::of(sweep, kind)).collect();
    if curves.is_empty() {
        return None;
    }
    let all = || curves.iter().flat_map(|curve| &curve.spots);
    let last = all().map(size).fold(0.0, f64::max);
    let drawn = curves.iter().enumerate().map(|(i, curve)| {
        // Beside each other, so that every interval is seen.
        let shift = (i as f64 - (curves.len() as f64 - 1.0) / 2.0) * 0.07;
        curve.drawn(orders, quantity, theme, shift)
    });
    let series: Vec<Series> = drawn.collect();
    let legend = series.iter().map(|one| one.pen.clone()).collect();
    let chance = chance(orders, quantity);
    let level = match chance {
        Some(_) => format!("line: original order {}, dots: chance", short(own.mean)),
        None => format!("line: original order {}", short(own.mean)),
    };
    let reach = reach(all()).chain([own.mean]).chain(chance);
    let mut panel = Panel::new(
        format!("{}, {level}", quantity.axis(orders.score, column)),
        Axis::whole("blocks in the middle", 0.0, last + 1.0),
        quantity.axis_over(reach),
        series,
    )
    .tall(PLOT)
    .level(own.mean, theme.ink, Line::Solid);
    if let Some(chance) = chance {
        panel = panel.level(chance, theme.quiet, Line::Dotted);
    }
    Some(FigureDraft {
        key: "family",
        title: title(&curves, sweep),
        words: words(sweep, &curves),
        table: sweep.table(&Sweep::FAMILY),
        plot: Plot::new(vec![panel], legend, 1),
    })
}

struct FamilyCurve<'a> {
    kind: Sweep,
    name: String,
    /// By size of the middle, smallest first; never none.
    spots: Vec<SweepSpot<'a>>,
}

fn size(spot: &SweepSpot<'_>) -> f64 {
    spot.point.middle.unwrap_or(0) as f64
}

impl<'a> FamilyCurve<'a> {
    fn of(sweep: &PlottedSweep<'a>, kind: Sweep) -> Option<Self> {
        let mut spots = sweep.spots(kind);
        let mut name = kind.name().to_owned();
        if kind == Sweep::Loop {
            // Three rounds, or as near as was run.
            let rounds = spots
                .iter()
                .filter_map(|spot| spot.point.rounds)
                .min_by_key(|rounds| (rounds.abs_diff(ROUNDS), *rounds))?;
            spots.retain(|spot| spot.point.rounds == Some(rounds));
            name = format!("loop ×{rounds}");
        }
        spots.sort_by(|a, b| size(a).total_cmp(&size(b)));
        (!spots.is_empty()).then_some(Self { kind, name, spots })
    }

    fn drawn(&self, orders: &Orders, quantity: Quantity, theme: &Theme, shift: f64) -> Series {
        let points = self.spots.iter().map(|spot| {
            let x = (1000.0 * (size(spot) + shift)).round() / 1000.0;
            spot.place(orders, x, quantity)
        });
        Series::new(self.pen(theme), points)
    }

    fn pen(&self, theme: &Theme) -> Pen {
        let (line, mark) = match self.kind {
            Sweep::Skip => (Line::Solid, Mark::Circle),
            Sweep::Repeat => (Line::Dashed, Mark::Square),
            Sweep::Reverse => (Line::Dotted, Mark::Triangle),
            Sweep::Shuffle => (Line::Solid, Mark::Diamond),
            Sweep::Parallel => (Line::Dashed, Mark::Nabla),
            _ => (Line::Solid, Mark::Ring),
        };
        Pen::new(&self.name, theme.strategy(self.kind), line, mark)
    }

    fn at(&self, middle: usize) -> Option<&SweepSpot<'a>> {
        self.spots.iter().find(|spot| spot.point.middle == Some(middle))
    }
}

/// The size at which most orders can be compared, the largest of equals: the harshest test.
fn shared_size(curves: &[FamilyCurve<'_>]) -> Option<usize> {
    let mut sizes: Vec<usize> =
        curves.iter().flat_map(|curve| &curve.spots).filter_map(|spot| spot.point.middle).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let count = |size: usize| curves.iter().filter(|curve| curve.at(size).is_some()).count();
    // In the middle of the curves: at the far end everything is broken alike.
    let most = sizes.iter().map(|&size| count(size)).max()?;
    sizes.retain(|&size| count(size) == most);
    sizes.get(sizes.len() / 2).copied()
}

/// The curves at one size, best first.
fn ranked<'c>(
    quantity: Quantity,
    curves: &'c [FamilyCurve<'_>],
    middle: usize,
) -> Vec<(&'c FamilyCurve<'c>, &'c SweepSpot<'c>)> {
    let mut ranked: Vec<_> =
        curves.iter().filter_map(|curve| Some((curve, curve.at(middle)?))).collect();
    let beats = |(_, a): &(_, &SweepSpot<'_>), (_, b): &(_, &SweepSpot<'_>)| {
        quantity.beats(a.value.mean, b.value.mean)
    };
    // A curve that beats the other stands first: false sorts before true.
    ranked.sort_by(|a, b| beats(b, a).cmp(&beats(a, b)));
    ranked
}

/// Which of two orders leaves more, where rows can tell them apart; of a single order, where it goes.
fn title(curves: &[FamilyCurve<'_>], sweep: &PlottedSweep<'_>) -> String {
    let quantity = sweep.quantity;
    if let [alone] = curves {
        return way(sweep.word(), alone);
    }
    // Without a size there is nothing to rank.
    let middle = shared_size(curves).unwrap_or_default();
    let blocks = counted(middle, "block");
    match ranked(quantity, curves, middle)[..] {
        [(only, _)] => way(sweep.word(), only),
        [(best, a), .., (worst, b)] => {
            let rows = sweep.won_and_lost(b, &sweep.variants(a));
            let (best, worst, word) = (&best.name, &worst.name, sweep.word());
            if !sweep.two_spots(a, b) {
                let rows =
                    rows.map_or(String::new(), |rows| format!(" ({worst} against {best}: {rows})"));
                return format!(
                    "With {blocks} in the middle, no order is surely ahead in {word}{rows}"
                );
            }
            let less = match quantity.good() {
                Some(_) => "harms less",
                None => "leaves more",
            };
            let rows = rows.map_or(String::new(), |rows| format!("; {rows}"));
            let [a, b] = [a, b].map(|spot| short(spot.value.mean));
            format!(
                "With {blocks} in the middle, {best} {less} ({word} {a}) than {worst} ({b}{rows})"
            )
        }
        [] => format!("{} under other plans", capital(sweep.word())),
    }
}

/// From its smallest middle to its largest.
fn way(word: &str, curve: &FamilyCurve<'_>) -> String {
    let FamilyCurve { name, spots, .. } = curve;
    let ends = [&spots[0], &spots[spots.len() - 1]];
    let [small, large] = ends.map(|spot| spot.point.middle.unwrap_or(0));
    let [a, b] = ends.map(|spot| short(spot.value.mean));
    let blocks = counted(small, "block");
    if small == large {
        return format!("With {blocks} in the middle, {name} leaves {word} at {a}");
    }
    format!("Under {name}, {word} goes from {a} ({blocks} in the middle) to {b} ({large})")
}

fn words(sweep: &PlottedSweep<'_>, curves: &[FamilyCurve<'_>]) -> [String; 2] {
    let shared = shared_size(curves).filter(|_| curves.len() > 1);
    let first = shared.map_or_else(String::new, |middle| {
        let ranked: Vec<String> = ranked(sweep.quantity, curves, middle)
            .into_iter()
            .map(|(curve, spot)| format!("{} {}", curve.name, short(spot.value.mean)))
            .collect();
        let blocks = counted(middle, "block");
        format!("In order, with {blocks} in the middle: {}.", ranked.join(", "))
    });
    let spots = curves.iter().flat_map(|curve| &curve.spots);
    [first, sweep.rows_note(true, spots)]
}
