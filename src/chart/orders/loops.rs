//! The middle side by side, again and again: size of the middle by rounds (Fig. 10).

use serde_json::{Value, json};

use super::{Quantity, Spot, apart, rows_note, spots, table};
use crate::chart::heat::{self, Ramp};
use crate::chart::number::{rounded, short};
use crate::chart::{Column, Figure, Theme, frame};
use crate::study::orders::{Orders, Sweep};

const CELL: u32 = 34;
const TOP: u32 = 84;

pub(super) fn figure(
    orders: &Orders,
    quantity: Quantity,
    column: Column,
    theme: &Theme,
) -> Option<Figure> {
    let spots = spots(orders, Sweep::Loop, quantity, column);
    let mut sizes: Vec<usize> = spots.iter().filter_map(|spot| spot.point.middle).collect();
    let mut rounds: Vec<usize> = spots.iter().filter_map(|spot| spot.point.rounds).collect();
    for list in [&mut sizes, &mut rounds] {
        list.sort_unstable();
        list.dedup();
    }
    // One number of rounds is a curve, and the family shows it.
    if sizes.is_empty() || rounds.len() < 2 {
        return None;
    }
    let best: Vec<&Spot<'_>> = sizes
        .iter()
        .filter_map(|&size| best_of_row(&spots, size, quantity))
        .collect();
    let sure = sure(&spots, &best);
    let title = title(quantity, &best, sure);
    let words = words(orders, quantity, &best, sure);
    let ramp = Ramp::over(spots.iter().map(|spot| spot.value.mean));
    let labelled = rounds.len() <= 12;
    let is_best = |spot: &Spot<'_>| best.iter().any(|best| best.point == spot.point);
    // Drawn last, a frame lies over its neighbours.
    let (framed, plain): (Vec<&Spot<'_>>, Vec<_>) = spots.iter().partition(|spot| is_best(spot));
    let data: Vec<Value> = plain
        .into_iter()
        .chain(framed)
        .filter_map(|spot| {
            let x = rounds.iter().position(|r| Some(*r) == spot.point.rounds)?;
            let y = sizes.iter().position(|m| Some(*m) == spot.point.middle)?;
            let value = spot.value.mean;
            let mut cell = spot.data(orders, 0.0, quantity);
            cell["value"] = json!([x, y, rounded(value)]);
            cell["label"] = json!({
                "show": labelled, "formatter": short(value), "color": ramp.on(value), "fontSize": 11,
            });
            if is_best(spot) {
                cell["itemStyle"] = json!({ "borderColor": theme.ink, "borderWidth": 3 });
                cell["label"]["fontWeight"] = json!("bold");
            }
            Some(cell)
        })
        .collect();
    let plot = CELL * u32::try_from(sizes.len()).unwrap_or(1).max(3);
    let mut option = frame::base(theme, &format!("{title}. {}", words.join(" ")));
    option["tooltip"]["trigger"] = json!("item");
    option["tooltip"]["formatter"] = json!("{b}");
    option["grid"] = json!([frame::grid(TOP, plot)]);
    option["xAxis"] = json!([heat::axis(theme, 0, "rounds", &names(&rounds), true)]);
    option["yAxis"] = json!([heat::axis(
        theme,
        0,
        "blocks in the middle, side by side",
        &names(&sizes),
        false
    )]);
    option["visualMap"] = heat::scale(theme, &ramp, quantity.word(), &[0]);
    option["series"] = json!([{
        "type": "heatmap", "name": quantity.word(), "data": data, "cursor": "pointer",
        "itemStyle": { "borderColor": theme.paper, "borderWidth": 1 },
    }]);
    Some(Figure {
        key: "loops",
        title,
        words,
        height: TOP + plot + 50,
        option,
        table: table(orders, &[Sweep::Loop], quantity, column),
    })
}

fn names(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(usize::to_string).collect()
}

/// Where nothing is better, nothing is marked.
fn best_of_row<'a, 'b>(
    spots: &'b [Spot<'a>],
    size: usize,
    quantity: Quantity,
) -> Option<&'b Spot<'a>> {
    quantity.good()?;
    let mut row: Vec<&Spot<'_>> = spots
        .iter()
        .filter(|spot| spot.point.middle == Some(size))
        .collect();
    row.sort_by_key(|spot| spot.point.rounds);
    // The fewest rounds of equals.
    row.into_iter().reduce(|best, next| {
        if quantity.beats(next.value.mean, best.value.mean) {
            next
        } else {
            best
        }
    })
}

fn rounds(spot: &Spot<'_>) -> usize {
    spot.point.rounds.unwrap_or(0)
}

fn title(quantity: Quantity, best: &[&Spot<'_>], sure: usize) -> String {
    let (Some(first), Some(last)) = (best.first(), best.last()) else {
        return format!(
            "{} of blocks side by side, again and again",
            super::super::votes::capital(quantity.word())
        );
    };
    let rises = best.windows(2).all(|two| rounds(two[0]) <= rounds(two[1]));
    if best.iter().all(|spot| rounds(spot) == 1) {
        "A second round never helps: once side by side is best".to_owned()
    } else if rises && rounds(first) < rounds(last) {
        let hedge = if sure == 0 {
            ", by less than the intervals"
        } else {
            ""
        };
        format!(
            "The more blocks side by side, the more rounds are best: {} to {}{hedge}",
            rounds(first),
            rounds(last)
        )
    } else {
        "The best number of rounds does not simply grow with the blocks side by side".to_owned()
    }
}

/// In how many rows the best lies apart from one round.
fn sure(spots: &[Spot<'_>], best: &[&Spot<'_>]) -> usize {
    best.iter()
        .filter(|best| {
            let once = spots
                .iter()
                .find(|spot| spot.point.middle == best.point.middle && rounds(spot) == 1);
            rounds(best) > 1 && once.is_some_and(|once| apart(&once.value, &best.value))
        })
        .count()
}

fn words(orders: &Orders, quantity: Quantity, best: &[&Spot<'_>], sure: usize) -> [String; 2] {
    let note = rows_note(orders).replace("Bars are", "The table has");
    if best.is_empty() {
        return [
            format!("More {} is neither better nor worse.", quantity.word()),
            note,
        ];
    }
    let listed: Vec<String> = best
        .iter()
        .map(|spot| format!("{} for {}", rounds(spot), spot.point.middle.unwrap_or(0)))
        .collect();
    let first = format!(
        "Framed, the best rounds for each size of the middle: {}. In {sure} of {} the interval lies apart from that of \
         one round.",
        listed.join(", "),
        best.len(),
    );
    [first, note]
}
