//! Each head switched off, one at a time: block by head.

use super::{PlottedSweep, SweepSpot, chance_note};
use crate::chart::number::{interval, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot};
use crate::chart::{Figure, FigureDraft, Theme};
use crate::measure::interval::Mean;
use crate::study::orders::{Sweep, SweepPoint};

const CELL: u32 = 26;

pub(super) fn figure(sweep: &PlottedSweep<'_>, theme: &Theme) -> Option<Figure> {
    let &PlottedSweep { orders, quantity, column, .. } = sweep;
    let own = quantity.of(&orders.original.measures, column)?;
    let spots = sweep.spots(Sweep::Heads);
    let blocks = spots.iter().map(|spot| spot.point.at).max()? + 1;
    let heads = spots.iter().filter_map(|spot| spot.point.head).max()? + 1;
    let is_sure: Vec<bool> = spots.iter().map(|spot| sweep.spot_and_own(spot, own)).collect();
    let sure: Vec<&SweepSpot<'_>> =
        spots.iter().zip(&is_sure).filter_map(|(spot, is_sure)| is_sure.then_some(spot)).collect();
    let patches = spots.iter().zip(&is_sure).filter_map(|(spot, is_sure)| {
        let place = [spot.point.head?, spot.point.at];
        Some(Patch { framed: *is_sure, ..spot.cell(orders, place, quantity, heads <= 12) })
    });
    let names = |count: usize| (0..count).map(|n| n.to_string()).collect();
    let panel = Panel::map(
        format!("block (upwards as they run) by head; original order {}", short(own.mean)),
        Axis::category("head that is off", names(heads)),
        Axis::category("", names(blocks)),
        patches.collect(),
    );
    let values = spots.iter().map(|spot| spot.value.mean);
    let ramp = quantity.ramp_over(orders, column, values.chain([own.mean]));
    let draft = FigureDraft {
        key: "heads-off",
        title: title(sweep, own, &sure, &spots),
        words: [
            format!(
                "{} of {} heads, framed, surely differ from the original order's {}{}{}.",
                sure.len(),
                spots.len(),
                interval(&own),
                sweep.by_rows(),
                chance_note(quantity, spots.len())
            ),
            sweep.rows_note(false, spots.iter()),
        ],
        table: sweep.table(&[Sweep::Heads]),
        plot: Plot::map(panel.tall(CELL * blocks.max(3) as u32), ramp),
    };
    Some(draft.figure(theme))
}

/// Names the head that moves the quantity farthest of those that surely move it.
fn title(
    sweep: &PlottedSweep<'_>,
    own: Mean,
    sure: &[&SweepSpot<'_>],
    spots: &[SweepSpot<'_>],
) -> String {
    let word = sweep.word();
    let far = |spot: &SweepSpot<'_>| (spot.value.mean - own.mean).abs();
    let name = |spot: &SweepSpot<'_>| {
        let SweepPoint { at, head, .. } = spot.point;
        format!("head {} of block {at}", head.unwrap_or_default())
    };
    let Some(dearest) = sure.iter().max_by(|a, b| far(a).total_cmp(&far(b))) else {
        return format!("No single head surely moves {word}{}", sweep.most_note(own, spots, name));
    };
    format!(
        "Without {}, {word} is {} instead of {}{}{}",
        name(dearest),
        short(dearest.value.mean),
        short(own.mean),
        sweep.own_note(dearest),
        sweep.lead_note("head", own, dearest, spots)
    )
}
