//! A sweep's pictures (*Transformer Layers as Painters*): dropped and swapped blocks (Fig. 2), the
//! family of orders (Fig. 11), the grid of loops (Fig. 10); and each head switched off.
//!
//! Every point is one of [`Orders::points`] and carries the plan it stands for, so that a click can
//! put that plan in the lab.

mod family;
mod heads;
mod loops;
mod neighbours;
mod quantity;
#[cfg(test)]
mod tests;

pub use quantity::Quantity;

use std::cell::OnceCell;

use super::number::{counted, interval, short};
use super::plot::{Patch, Point};
use super::{Column, Figure, Table, TableCell, Theme};
use crate::measure::interval::{Mean, Resamples};
use crate::study::orders::{Measures, Orders, Sweep, SweepPoint, Variant};

/// The pictures this sweep has points for, in one quantity.
pub fn sweep_figures(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Vec<Figure> {
    let sweep = PlottedSweep { orders, quantity, column, resamples: OnceCell::new() };
    let all = [
        neighbours::figure(&sweep, theme),
        heads::figure(&sweep),
        family::figure(&sweep, theme),
        loops::figure(&sweep),
    ];
    all.into_iter().flatten().map(|draft| draft.figure(theme)).collect()
}

/// A point with the number it is drawn at.
struct SweepSpot<'a> {
    point: &'a SweepPoint,
    value: Mean,
}

impl SweepSpot<'_> {
    /// `reverse:2`; of several shuffles the first.
    fn plan<'a>(&self, orders: &'a Orders) -> &'a str {
        let first = self.point.variants.first();
        first.and_then(|&i| orders.variants.get(i)).map_or("", |variant| &variant.name)
    }

    /// Names the part that is changed.
    fn part(&self) -> String {
        let SweepPoint { at, head, .. } = self.point;
        match self.point.sweep {
            Sweep::Heads => format!("head {} of block {at}", head.unwrap_or_default()),
            Sweep::Swap => format!("blocks {at} and {}", at + 1),
            _ => format!("block {at}"),
        }
    }

    /// Words shown under the pointer.
    fn name(&self, orders: &Orders, quantity: Quantity) -> String {
        let several = match self.point.variants.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more seeds", n - 1),
        };
        let plan = self.plan(orders);
        format!("{plan}{several}\n{} {}", quantity.word(), interval(&self.value))
    }

    /// Draws it as a cell of a map at these places.
    fn cell(
        &self,
        orders: &Orders,
        place: [usize; 2],
        quantity: Quantity,
        is_written: bool,
    ) -> Patch {
        let name = self.name(orders, quantity);
        Patch {
            text: is_written.then(|| short(self.value.mean)),
            plan: Some(self.plan(orders).to_owned()),
            ..Patch::new(place, quantity.shade(self.value.mean), name)
        }
    }

    /// As one place of a chart, `x` to the right.
    fn place(&self, orders: &Orders, x: f64, quantity: Quantity) -> Point {
        Point {
            interval: self.value.interval(),
            plan: Some(self.plan(orders).to_owned()),
            ..Point::new(x, self.value.mean, self.name(orders, quantity))
        }
    }
}

/// Returns the values that a curve's axis has to hold: the ends of every interval.
fn reach<'a>(spots: impl Iterator<Item = &'a SweepSpot<'a>>) -> impl Iterator<Item = f64> {
    spots.flat_map(|spot| ends(&spot.value))
}

/// A sweep, and what is plotted of it.
///
/// Two orders are sure to differ by the interval of their difference row by row. Where the report keeps no rows, a
/// change of accuracy is known by itself; of all else the interval is that of two numbers of different rows, which is
/// wider.
struct PlottedSweep<'a> {
    orders: &'a Orders,
    quantity: Quantity,
    column: Column,
    resamples: OnceCell<Resamples>,
}

impl<'a> PlottedSweep<'a> {
    /// The points of one kind that have this quantity.
    fn spots(&self, kind: Sweep) -> Vec<SweepSpot<'a>> {
        let points = self.orders.points.iter().filter(|point| point.sweep == kind);
        let spot = |point: &'a SweepPoint| {
            let value = self.quantity.of(&point.measures, self.column)?;
            Some(SweepSpot { point, value })
        };
        points.filter_map(spot).collect()
    }

    /// Says how orders are compared: nothing where the report keeps no rows.
    fn by_rows(&self) -> &'static str {
        let original: &[&Variant] = &[&self.orders.original];
        let is_paired = self.quantity.has_change() || self.difference([original; 2]).is_some();
        if is_paired { ", row by row" } else { "" }
    }

    /// The rows drawn again, once for all pairs.
    fn resamples(&self) -> &Resamples {
        let draw = || Resamples::new(self.orders.rows, quantity::RESAMPLES, self.orders.seed);
        self.resamples.get_or_init(draw)
    }

    /// The quantity in a heading.
    fn word(&self) -> &'static str {
        self.quantity.word_in(self.column)
    }

    fn two_spots(&self, a: &SweepSpot<'_>, b: &SweepSpot<'_>) -> bool {
        let [first, second] = [a, b].map(|spot| self.variants(spot));
        self.difference([&first, &second]).unwrap_or_else(|| a.value.less(b.value)).is_sure()
    }

    fn spot_and_own(&self, spot: &SweepSpot<'_>, own: Mean) -> bool {
        let variants = self.variants(spot);
        let paired = self.difference([&variants, &[&self.orders.original]]);
        let paired = paired.unwrap_or_else(|| match self.quantity.has_change() {
            true => spot.point.measures.change,
            false => spot.value.less(own),
        });
        paired.is_sure()
    }

    /// Says how many rows a spot loses against the model's own order and how many it wins; nothing where rows are
    /// not right or wrong.
    fn own_note(&self, spot: &SweepSpot<'_>) -> String {
        match self.won_and_lost(spot, &[&self.orders.original]) {
            Some(note) => format!(" ({note})"),
            None => String::new(),
        }
    }

    /// `6 rows lost, 0 won`, against other variants.
    fn won_and_lost(&self, spot: &SweepSpot<'_>, against: &[&Variant]) -> Option<String> {
        let variants = self.variants(spot);
        let [won, lost] = self.quantity.right_alone(self.orders, [&variants, against])?;
        Some(format!("{} lost, {won} won", counted(lost, "row")))
    }

    /// The spots that surely differ from the model's own order.
    fn sure<'s>(&self, spots: &'s [SweepSpot<'a>], own: Mean) -> Vec<&'s SweepSpot<'a>> {
        spots.iter().filter(|spot| self.spot_and_own(spot, own)).collect()
    }

    /// Names the part that moves the quantity farthest of the `sure` ones; that no other moves it more, where every
    /// other surely lies nearer to the model's own order; and where none is sure, which moves it most.
    fn title(&self, own: Mean, spots: &[SweepSpot<'_>], sure: &[&SweepSpot<'_>]) -> String {
        let word = self.word();
        let far = |spot: &SweepSpot<'_>| (spot.value.mean - own.mean).abs();
        let kind = spots.first().map(|spot| spot.point.sweep);
        let Some(spot) = sure.iter().max_by(|a, b| far(a).total_cmp(&far(b))) else {
            let single = match kind {
                Some(Sweep::Heads) => "head",
                Some(Sweep::Swap) => "block swapped",
                _ => "block left out",
            };
            let most = spots.iter().max_by(|a, b| far(a).total_cmp(&far(b)));
            let most = most.filter(|spot| far(spot) > 0.0).map_or_else(String::new, |spot| {
                format!("; {} moves it most{}", spot.part(), self.own_note(spot))
            });
            return format!("No single {single} surely moves {word}{most}");
        };
        let part = spot.part();
        let (start, part) = match kind {
            Some(Sweep::Heads) => (format!("Without {part}"), "head"),
            Some(Sweep::Swap) => (format!("With {part} swapped"), "pair"),
            _ => (format!("With {part} left out"), "block"),
        };
        let mut others = spots.iter().filter(|other| other.point != spot.point);
        let lead = match others.all(|other| self.is_nearer(other, spot, own)) {
            true => format!(": no other {part} moves it more"),
            false => String::new(),
        };
        let [with, without] = [own.mean, spot.value.mean].map(short);
        format!("{start}, {word} is {without} instead of {with}{}{lead}", self.own_note(spot))
    }

    /// Whether `near` surely lies nearer to the own order's mean than `far`.
    fn is_nearer(&self, near: &SweepSpot<'_>, far: &SweepSpot<'_>, own: Mean) -> bool {
        let [near_by, far_by] = [near, far].map(|spot| spot.value.mean - own.mean);
        // Values on opposite sides differ even where they lie equally far, so there the distances must.
        if near_by * far_by < 0.0 {
            return far_end(&near.value, own.mean) < near_end(&far.value, own.mean);
        }
        near_by.abs() < far_by.abs() && self.two_spots(far, near)
    }

    fn variants(&self, spot: &SweepSpot<'_>) -> Vec<&Variant> {
        spot.point.variants.iter().filter_map(|&i| self.orders.variants.get(i)).collect()
    }

    fn difference(&self, variants: [&[&Variant]; 2]) -> Option<Mean> {
        self.quantity.difference(self, variants)
    }

    /// Says what accuracy counts, where the intervals of these spots are and what they are of: `has_bars`, or in the table alone.
    fn rows_note<'s>(
        &self,
        has_bars: bool,
        mut spots: impl Iterator<Item = &'s SweepSpot<'s>>,
    ) -> String {
        let (orders, quantity) = (self.orders, self.quantity);
        let rows = if orders.rows < orders.rows_asked {
            format!("{} of the {} asked for", counted(orders.rows, "row"), orders.rows_asked)
        } else {
            counted(orders.rows, "row")
        };
        let meaning =
            quantity.meaning(orders.score) + &quantity.beyond_note(&orders.original.measures);
        if !spots.any(|spot| spot.value.has_interval()) {
            return format!("{meaning}Over {rows} of “{}”, without intervals.", orders.task);
        }
        let intervals = if has_bars { "Bars are" } else { "The table has" };
        format!("{meaning}{intervals} 95 % intervals over {rows} of “{}”.", orders.task)
    }

    /// The points' numbers in every quantity they have, with their plans.
    fn table(&self, kinds: &[Sweep]) -> Table {
        let &Self { orders, quantity, column, .. } = self;
        let beside = quantity.beside(&orders.original.measures, column);
        let mut headers = vec![
            "plan".to_owned(),
            quantity.axis(orders.score, column),
            "from".to_owned(),
            "to".to_owned(),
        ];
        headers.extend(beside.into_iter().map(|(name, _)| name));
        headers.push("plans in the mean".to_owned());

        let row = |plan: &str, measures: &Measures, n: usize| {
            let value = quantity.of(measures, column)?;
            let mut row = vec![TableCell::Plan(plan.to_owned())];
            row.extend([value.mean, value.low, value.high].map(TableCell::Number));
            let beside = quantity.beside(measures, column).into_iter();
            row.extend(beside.map(|(_, value)| TableCell::Number(value.mean)));
            row.push(TableCell::Count(n));
            Some(row)
        };
        let original = row(&orders.original.plan, &orders.original.measures, 1);
        let points = kinds.iter().flat_map(|&kind| self.spots(kind)).filter_map(|spot| {
            row(spot.plan(orders), &spot.point.measures, spot.point.variants.len())
        });
        Table::new(headers, original.into_iter().chain(points))
    }
}

/// Returns the largest distance from a number to a point of the interval.
fn far_end(value: &Mean, from: f64) -> f64 {
    (value.low - from).abs().max((value.high - from).abs())
}

/// Returns the smallest distance from a number to a point of the interval; 0 inside it.
fn near_end(value: &Mean, from: f64) -> f64 {
    (value.low - from).max(from - value.high).max(0.0)
}

/// Up to so many parts the ones that surely differ by chance are not worth a word.
const FEW_PARTS: usize = 10;

/// Says how many of so many parts would surely differ by chance: one in 20 by a 95 % interval. KL is exactly 0
/// where a part does nothing, so chance makes no difference of it.
fn chance_note(quantity: Quantity, parts: usize) -> String {
    if parts <= FEW_PARTS || quantity == Quantity::Kl {
        return String::new();
    }
    let by_chance = ((parts + 10) / 20).max(1);
    format!("; about {by_chance} of {parts} would by chance")
}

/// The mean and what is known of its interval.
fn ends(mean: &Mean) -> impl Iterator<Item = f64> + use<> {
    [mean.low, mean.mean, mean.high].into_iter().filter(|end| end.is_finite())
}
