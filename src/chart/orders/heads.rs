//! Each head switched off, one at a time: block by head.

use super::{Apart, Quantity, SweepSpot, chance_note, rows_note, spots, table};
use crate::chart::number::{interval, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot};
use crate::chart::{Column, Figure, FigureDraft, Theme};
use crate::measure::interval::Mean;
use crate::study::orders::{Orders, Sweep, SweepPoint};

const CELL: u32 = 26;

pub(super) fn figure(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    let own = quantity.of(&orders.original.measures, column)?;
    let spots = spots(orders, Sweep::Heads, quantity, column);
    let blocks = spots.iter().map(|spot| spot.point.at).max()? + 1;
    let heads = spots.iter().filter_map(|spot| spot.point.head).max()? + 1;
    let apart = Apart::new(orders, quantity, column);
    let is_sure: Vec<bool> = spots.iter().map(|spot| apart.spot_and_own(spot, own)).collect();
    let sure: Vec<&SweepSpot<'_>> =
        spots.iter().zip(&is_sure).filter_map(|(spot, is_sure)| is_sure.then_some(spot)).collect();
    let patches = spots.iter().zip(&is_sure).filter_map(|(spot, is_sure)| {
        Some(Patch {
            x: spot.point.head?,
            y: spot.point.at,
            value: quantity.shade(spot.value.mean),
            name: spot.name(orders, quantity),
            text: (heads <= 12).then(|| short(spot.value.mean)),
            framed: *is_sure,
            plan: Some(spot.plan(orders).to_owned()),
        })
    });
    let names = |count: usize| (0..count).map(|n| n.to_string()).collect();
    let panel = Panel {
        patches: patches.collect(),
        ..Panel::new(
            format!("block (upwards as they run) by head; original order {}", short(own.mean)),
            Axis::category("head that is off", names(heads)),
            Axis::category("", names(blocks)),
            Vec::new(),
        )
    };
    let values = spots.iter().map(|spot| spot.value.mean);
    let ramp = quantity.ramp_over(orders, column, values.chain([own.mean]));
    let draft = FigureDraft {
        key: "heads-off",
        title: title(&apart, own, &sure, &spots),
        words: [
            format!(
                "{} of {} heads, framed, surely differ from the original order's {}{}{}.",
                sure.len(),
                spots.len(),
                interval(&own),
                apart.by_rows(),
                chance_note(quantity, spots.len())
            ),
            rows_note(orders, quantity, false, spots.iter()),
        ],
        table: table(orders, &[Sweep::Heads], quantity, column),
        plot: Plot {
            ramp: Some(ramp),
            ..Plot::new(vec![panel.tall(CELL * blocks.max(3) as u32)], Vec::new(), 1)
        },
    };
    Some(draft.figure(theme))
}

/// Names the head that moves the quantity farthest of those that surely move it.
fn title(apart: &Apart<'_>, own: Mean, sure: &[&SweepSpot<'_>], spots: &[SweepSpot<'_>]) -> String {
    let word = apart.word();
    let far = |spot: &SweepSpot<'_>| (spot.value.mean - own.mean).abs();
    let name = |spot: &SweepSpot<'_>| {
        let SweepPoint { at, head, .. } = spot.point;
        format!("head {} of block {at}", head.unwrap_or_default())
    };
    let Some(dearest) = sure.iter().max_by(|a, b| far(a).total_cmp(&far(b))) else {
        return format!("No single head surely moves {word}{}", apart.most_note(own, spots, name));
    };
    format!(
        "Without {}, {word} is {} instead of {}{}{}",
        name(dearest),
        short(dearest.value.mean),
        short(own.mean),
        apart.own_note(dearest),
        apart.lead_note("head", own, dearest, spots)
    )
}
