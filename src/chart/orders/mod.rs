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

pub use quantity::Quantity;

use super::number::{counted, short};
use super::plot::Point as Place;
use super::{Column, Figure, Table, TableCell, Theme};
use crate::measure::interval::Mean;
use crate::study::orders::{Orders, Sweep, SweepPoint};

/// The pictures this sweep has points for, in one quantity.
pub fn sweep_figures(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Vec<Figure> {
    let all = [
        neighbours::figure(orders, quantity, column, theme),
        heads::figure(orders, quantity, column, theme),
        family::figure(orders, quantity, column, theme),
        loops::figure(orders, quantity, column, theme),
    ];
    all.into_iter().flatten().collect()
}

/// A point with the number it is drawn at.
struct SweepSpot<'a> {
    point: &'a SweepPoint,
    value: Mean,
}

/// The points of one sweep that have this quantity.
fn spots<'a>(
    orders: &'a Orders,
    sweep: Sweep,
    quantity: Quantity,
    column: Column,
) -> Vec<SweepSpot<'a>> {
    orders
        .points
        .iter()
        .filter(|point| point.sweep == sweep)
        .filter_map(|point| {
            let value = quantity.of(&point.measures, column)?;
            Some(SweepSpot { point, value })
        })
        .collect()
}

impl SweepSpot<'_> {
    /// `reverse:2`; of several shuffles the first.
    fn plan<'a>(&self, orders: &'a Orders) -> &'a str {
        let first = self.point.variants.first();
        first.and_then(|&i| orders.variants.get(i)).map_or("", |variant| &variant.name)
    }

    /// What pointing at it says.
    fn name(&self, orders: &Orders, quantity: Quantity) -> String {
        let several = match self.point.variants.len() {
            0 | 1 => String::new(),
            n => format!(" and {} more seeds", n - 1),
        };
        let plan = self.plan(orders);
        format!("{plan}{several}\n{} {}", quantity.word(), interval(&self.value))
    }

    /// As one place of a chart, `x` to the right.
    fn place(&self, orders: &Orders, x: f64, quantity: Quantity) -> Place {
        Place {
            interval: Some([self.value.low, self.value.high]),
            plan: Some(self.plan(orders).to_owned()),
            ..Place::new(x, self.value.mean, self.name(orders, quantity))
        }
    }
}

/// `0.912 (0.85 to 0.95)`.
fn interval(mean: &Mean) -> String {
    format!("{} ({} to {})", short(mean.mean), short(mean.low), short(mean.high))
}

/// All that a curve's axis has to hold.
fn reach<'a>(spots: impl Iterator<Item = &'a SweepSpot<'a>>) -> impl Iterator<Item = f64> {
    spots.flat_map(|spot| [spot.value.low, spot.value.mean, spot.value.high])
}

/// Do two intervals leave no doubt which number is larger?
fn apart(a: &Mean, b: &Mean) -> bool {
    a.low > b.high || b.low > a.high
}

/// Says that no other `part` moves the quantity more, where the farthest spot lies apart from every other.
fn lead_note(part: &str, farthest: &SweepSpot<'_>, spots: &[SweepSpot<'_>]) -> String {
    let mut others = spots.iter().filter(|spot| spot.point != farthest.point);
    match others.all(|other| apart(&farthest.value, &other.value)) {
        true => format!(": no other {part} moves it more"),
        false => String::new(),
    }
}

/// Says where the intervals are and what they are of: `has_bars`, or in the table alone.
fn rows_note(orders: &Orders, has_bars: bool) -> String {
    let rows = if orders.rows < orders.rows_asked {
        format!("{} of the {} asked for", counted(orders.rows, "row"), orders.rows_asked)
    } else {
        counted(orders.rows, "row")
    };
    let intervals = if has_bars { "Bars are" } else { "The table has" };
    format!("{intervals} 95 % intervals over {rows} of “{}”.", orders.task)
}

/// The points' numbers in every quantity they have, with their plans.
fn table(orders: &Orders, sweeps: &[Sweep], quantity: Quantity, column: Column) -> Table {
    let name = quantity.axis(column);
    let headers = vec![
        "plan".to_owned(),
        name,
        "from".to_owned(),
        "to".to_owned(),
        "plans in the mean".to_owned(),
    ];
    let row = |plan: &str, value: Mean, n: usize| {
        vec![
            TableCell::Plan(plan.to_owned()),
            TableCell::Number(value.mean),
            TableCell::Number(value.low),
            TableCell::Number(value.high),
            TableCell::Count(n),
        ]
    };
    let original = quantity
        .of(&orders.original.measures, column)
        .map(|value| row(&orders.original.plan, value, 1));
    let points = sweeps
        .iter()
        .flat_map(|&sweep| spots(orders, sweep, quantity, column))
        .map(|spot| row(spot.plan(orders), spot.value, spot.point.variants.len()));
    Table { headers, rows: original.into_iter().chain(points).collect() }
}
