//! Each head switched off, one at a time: block by head.

use super::{PlottedSweep, chance_note};
use crate::chart::FigureDraft;
use crate::chart::number::{interval, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot};
use crate::study::orders::Sweep;

const CELL: u32 = 26;

pub(super) fn figure(sweep: &PlottedSweep<'_>) -> Option<FigureDraft> {
    let &PlottedSweep { orders, quantity, column, .. } = sweep;
    let own = quantity.of(&orders.original.measures, column)?;
    let spots = sweep.spots(Sweep::Heads);
    let blocks = spots.iter().map(|spot| spot.point.at).max()? + 1;
    let heads = spots.iter().filter_map(|spot| spot.point.head).max()? + 1;
    let sure = sweep.sure(&spots, own);
    let patches = spots.iter().filter_map(|spot| {
        let place = [spot.point.head?, spot.point.at];
        let framed = sure.iter().any(|sure| sure.point == spot.point);
        Some(Patch { framed, ..spot.cell(orders, place, quantity, heads <= 12) })
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
    Some(FigureDraft {
        key: "heads-off",
        title: sweep.title(own, &spots, &sure),
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
    })
}
