//! Each block left out, each pair of neighbours exchanged (Fig. 2).

use super::{PlottedSweep, Quantity, SweepSpot, chance_note, ends, reach};
use crate::chart::number::{interval, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Series};
use crate::chart::{FigureDraft, Theme};
use crate::study::orders::{Orders, Sweep};

const PLOT: u32 = 230;

pub(super) fn figure(sweep: &PlottedSweep<'_>, theme: &Theme) -> Option<FigureDraft> {
    let &PlottedSweep { orders, quantity, column, .. } = sweep;
    let own = quantity.of(&orders.original.measures, column)?;
    let drops = sweep.spots(Sweep::Drop);
    let swaps = sweep.spots(Sweep::Swap);
    if drops.is_empty() && swaps.is_empty() {
        return None;
    }
    // A swapped pair stands between its two blocks.
    let at = |spot: &SweepSpot<'_>| match spot.point.sweep {
        Sweep::Swap => spot.point.at as f64 + 0.5,
        _ => spot.point.at as f64,
    };
    let pens = [
        Pen::new("block left out", theme.ink, Line::Solid, Mark::Circle),
        Pen::new("block and next swapped", theme.quiet, Line::Dashed, Mark::Diamond),
    ];
    let series: Vec<Series> = pens
        .into_iter()
        .zip([&drops, &swaps])
        .filter(|(_, spots)| !spots.is_empty())
        .map(|(pen, spots)| {
            Series::new(pen, spots.iter().map(|spot| spot.place(orders, at(spot), quantity)))
        })
        .collect();
    let last = drops.iter().chain(&swaps).map(at).fold(0.0, f64::max);
    let chance = chance(orders, quantity);
    let reach = reach(drops.iter().chain(&swaps)).chain(ends(&own)).chain(chance);
    let mut legend: Vec<Pen> = series.iter().map(|one| one.pen.clone()).collect();
    let mut panel = Panel::new(
        format!(
            "{}, line: original order {}",
            quantity.axis(orders.score, column),
            short(own.mean)
        ),
        Axis::whole("block", -0.5, last + 0.5),
        quantity.axis_over(reach),
        series,
    )
    .tall(PLOT)
    .level(own.mean, theme.ink, Line::Solid);
    if let Some(chance) = chance {
        legend.push(Pen::new("chance", theme.quiet, Line::Dotted, Mark::None));
        panel = panel.level(chance, theme.quiet, Line::Dotted);
    }
    let (sure_drops, sure_swaps) = (sweep.sure(&drops, own), sweep.sure(&swaps, own));
    let counted = [(&sure_drops, &drops, "drops"), (&sure_swaps, &swaps, "swaps")];
    let counted = counted.into_iter().filter(|(_, all, _)| !all.is_empty());
    let counted =
        counted.map(|(sure, all, noun)| format!("{} of {} {noun}", sure.len(), all.len()));
    Some(FigureDraft {
        key: "neighbours",
        title: match &drops[..] {
            [] => sweep.title(own, &swaps, &sure_swaps),
            drops => sweep.title(own, drops, &sure_drops),
        },
        words: [
            format!(
                "{} surely differ from the original order's {}{}{}.",
                counted.collect::<Vec<_>>().join(" and "),
                match own.high > own.low {
                    true => interval(&own),
                    false => format!("{} {}", sweep.word(), short(own.mean)),
                },
                sweep.by_rows(),
                chance_note(quantity, drops.len() + swaps.len()),
            ),
            sweep.rows_note(true, drops.iter().chain(&swaps)),
        ],
        table: sweep.table(&[Sweep::Drop, Sweep::Swap]),
        plot: Plot::new(vec![panel], legend, 1),
    })
}

/// Returns the score of always guessing, where the plotted quantity has one.
pub(super) fn chance(orders: &Orders, quantity: Quantity) -> Option<f64> {
    match quantity {
        Quantity::Accuracy => Some(orders.chance.max(orders.majority)),
        Quantity::Normalised => Some(0.0),
        _ => None,
    }
}
