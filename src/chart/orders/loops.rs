//! The middle side by side, again and again: size of the middle by rounds (Fig. 10).

use super::{PlottedSweep, Quantity, SweepSpot};
use crate::chart::FigureDraft;
use crate::chart::number::counted;
use crate::chart::plot::{Axis, Panel, Patch, Plot};
use crate::chart::votes::capital;
use crate::study::orders::Sweep;

const CELL: u32 = 34;

pub(super) fn figure(sweep: &PlottedSweep<'_>) -> Option<FigureDraft> {
    let &PlottedSweep { orders, quantity, column, .. } = sweep;
    let spots = sweep.spots(Sweep::Loop);
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
    let most = rounds[rounds.len() - 1];
    let best: Vec<&SweepSpot<'_>> =
        sizes.iter().filter_map(|&size| best_of_row(&spots, size, quantity)).collect();
    let sure = sure(sweep, &spots, &best);
    let patches = spots.iter().filter_map(|spot| {
        let x = rounds.iter().position(|r| Some(*r) == spot.point.rounds)?;
        let y = sizes.iter().position(|m| Some(*m) == spot.point.middle)?;
        let framed = best.iter().any(|best| best.point == spot.point);
        Some(Patch { framed, ..spot.cell(orders, [x, y], quantity, rounds.len() <= 12) })
    });
    let panel = Panel::map(
        "blocks in the middle, in parallel",
        Axis::category("rounds", names(&rounds)),
        Axis::category("", names(&sizes)),
        patches.collect(),
    );
    let ramp = quantity.ramp_over(orders, column, spots.iter().map(|spot| spot.value.mean));
    let note = sweep.rows_note(false, spots.iter());
    Some(FigureDraft {
        key: "loops",
        title: title(sweep.word(), best.len(), sure),
        words: words(sweep.word(), &best, most, sure, note),
        table: sweep.table(&[Sweep::Loop]),
        plot: Plot::map(panel.tall(CELL * sizes.len().max(3) as u32), ramp),
    })
}

fn names(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(usize::to_string).collect()
}

/// Where nothing is better, nothing is marked.
fn best_of_row<'a, 'b>(
    spots: &'b [SweepSpot<'a>],
    size: usize,
    quantity: Quantity,
) -> Option<&'b SweepSpot<'a>> {
    quantity.good()?;
    let mut row: Vec<&SweepSpot<'_>> =
        spots.iter().filter(|spot| spot.point.middle == Some(size)).collect();
    row.sort_by_key(|spot| spot.point.rounds);
    // The fewest rounds of equals.
    row.into_iter().reduce(|best, next| {
        if quantity.beats(next.value.mean, best.value.mean) { next } else { best }
    })
}

fn rounds(spot: &SweepSpot<'_>) -> usize {
    spot.point.rounds.unwrap_or(0)
}

/// At how many sizes of the middle more rounds are better than one, beyond the intervals. No law of growth: where the
/// most rounds that were run are best, or all are at chance, the best number says nothing.
fn title(word: &str, sizes: usize, sure: usize) -> String {
    match (sizes, sure) {
        (0, _) => format!("{} of blocks in parallel, in rounds", capital(word)),
        (_, 0) => "At no size of the middle are more rounds than one surely better, by their 95 % intervals"
            .to_owned(),
        _ => format!(
            "At {sure} of {} of the middle more rounds than one are surely better, by their 95 % intervals",
            counted(sizes, "size")
        ),
    }
}

/// In how many rows the best lies apart from one round.
fn sure(sweep: &PlottedSweep<'_>, spots: &[SweepSpot<'_>], best: &[&SweepSpot<'_>]) -> usize {
    best.iter()
        .filter(|best| {
            let once = spots
                .iter()
                .find(|spot| spot.point.middle == best.point.middle && rounds(spot) == 1);
            rounds(best) > 1 && once.is_some_and(|once| sweep.two_spots(once, best))
        })
        .count()
}

/// `most` rounds were run; `note` says what the intervals are of.
fn words(
    word: &str,
    best: &[&SweepSpot<'_>],
    most: usize,
    sure: usize,
    note: String,
) -> [String; 2] {
    if best.is_empty() {
        return [format!("More {word} is neither better nor worse."), note];
    }
    let listed: Vec<String> = best
        .iter()
        .map(|spot| format!("{} for {}", rounds(spot), spot.point.middle.unwrap_or(0)))
        .collect();
    let first = format!(
        "Framed, the rounds with the best mean for each size of the middle, {most} at most: {}. {sure} of {} surely \
         differ from one round; the intervals do not allow for picking the best.",
        listed.join(", "),
        best.len(),
    );
    [first, note]
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn no_law_of_rounds_is_read_off_their_best_means() {
        let title = |sizes, sure| title("accuracy", sizes, sure);
        assert_eq!(
            title(6, 0),
            "At no size of the middle are more rounds than one surely better, by their 95 % intervals"
        );
        assert_eq!(
            title(6, 4),
            "At 4 of 6 sizes of the middle more rounds than one are surely better, by their 95 % intervals"
        );
    }
}
