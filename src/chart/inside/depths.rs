//! Doubt along the depth, at the last token: stroke by stroke, or block by block.

use super::depth_names;
use crate::chart::TableCell::{self, Number};
use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Series};
use crate::chart::{FigureDraft, Table, Theme, strokes};
use crate::engine::VocabularyReading;
use crate::measure::bits::bits;
use crate::study::report::Lens;

const PLOT: u32 = 120;
/// Bits to the end under which a depth counts as having arrived.
const NEAR: f64 = 0.1;

/// Component by component.
pub(super) fn figure(lens: &Lens, theme: &Theme) -> Option<FigureDraft> {
    let depths = lens.logit_lens_members.as_ref().filter(|depths| !depths.is_empty())?;
    let doubt = Doubt {
        depths,
        names: strokes::names(&lens.members),
        cells: strokes::cells(&lens.members),
        axis: strokes::axis(&lens.members[..depths.len()]),
    };
    let mut draft = doubt.draft("the last component", theme);
    strokes::link(&mut draft.plot, &lens.members);
    Some(draft)
}

/// Before the first block and after each.
pub(super) fn by_blocks(lens: &Lens, theme: &Theme) -> Option<FigureDraft> {
    let depths = lens.logit_lens.as_ref().filter(|depths| !depths.is_empty())?;
    let places = depth_names(lens, depths.len());
    let named = places.iter().enumerate().map(|(i, name)| match i {
        0 => "the embedding".to_owned(),
        _ => format!("block {name}"),
    });
    let names: Vec<String> = named.collect();
    let doubt = Doubt {
        depths,
        cells: names.iter().cloned().map(TableCell::Text).collect(),
        names,
        axis: Axis::category("read after", places),
    };
    Some(doubt.draft("the last block", theme))
}

/// Readings in the order of the depth, and how they are said.
struct Doubt<'a> {
    depths: &'a [VocabularyReading],
    names: Vec<String>,
    cells: Vec<TableCell>,
    axis: Axis,
}

impl Doubt<'_> {
    fn draft(self, last: &str, theme: &Theme) -> FigureDraft {
        let Self { depths, names, cells, axis } = self;
        let entropy = |i: usize| bits(depths[i].entropy);
        let kl = |i: usize| bits(depths[i].kl);
        let curve = |name: &str, colour, line, mark, of: &dyn Fn(usize) -> f64| {
            let said = |i: usize, bits| format!("{}\n{name} {} bits", names[i], short(bits));
            let pen = Pen::new(name, colour, line, mark);
            Series::along(&pen, 0, (0..depths.len()).map(of), said)
        };
        let (ink, mse) = (theme.ink, theme.mse);
        let series = vec![
            curve("entropy", ink, Line::Solid, Mark::Circle, &entropy),
            curve("KL to the end", mse, Line::Dashed, Mark::Diamond, &kl),
        ];
        let widest = (0..depths.len())
            .fold(0, |best, i| if depths[i].entropy > depths[best].entropy { i } else { best });
        let far = (0..depths.len()).rev().find(|&i| kl(i) > NEAR);
        let arrived = match far {
            Some(far) if far + 2 >= depths.len() => {
                format!("Only {last} brings the distribution of the answer.")
            }
            far => format!(
                "From {} on the answer's distribution is within {NEAR} bits of the end's.",
                names[far.map_or(0, |far| far + 1)]
            ),
        };
        let table = Table::of(
            0..depths.len().min(cells.len()),
            &[
                ("after", &|&i| cells[i].clone()),
                ("entropy (bits)", &|&i| Number(entropy(i))),
                ("KL to the end (bits)", &|&i| Number(kl(i))),
            ],
        );
        // Each in a panel of its own: early depths lie a hundred units from the end, and entropy is a few.
        let panel = |series: Series| {
            let name = format!("{}, bits, at the last token", series.pen.name);
            Panel::from_zero(name, axis.clone(), vec![series]).tall(PLOT)
        };
        let pens = series.iter().map(|one| one.pen.clone()).collect();
        let panels = series.into_iter().map(panel).collect();
        FigureDraft {
            key: "doubt",
            title: format!("In the whole vocabulary entropy is largest after {}", names[widest]),
            words: [
                format!(
                    "There the entropy is {} bits, at the end {}.",
                    short(entropy(widest)),
                    short(entropy(depths.len() - 1))
                ),
                arrived,
            ],
            table,
            plot: Plot { shared: true, ..Plot::new(panels, pens, 1) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::LIGHT;

    /// Returns the sentence on when the distribution arrives, for depths with these KLs to the end.
    fn arrival(kl: &[f64]) -> String {
        let reading = |&kl: &f64| VocabularyReading {
            log_partition: 0.0,
            top_ids: vec![1],
            top_log_probabilities: vec![-0.1],
            kl,
            entropy: 1.0,
            followed: Vec::new(),
        };
        let depths: Vec<VocabularyReading> = kl.iter().map(reading).collect();
        let names: Vec<String> = (0..kl.len()).map(|n| format!("component {n}")).collect();
        let doubt = Doubt {
            depths: &depths,
            cells: names.iter().cloned().map(TableCell::Text).collect(),
            axis: Axis::category("", names.clone()),
            names,
        };
        let [_, arrived] = doubt.draft("the last component", &LIGHT).words;
        arrived
    }

    #[test]
    fn a_distribution_that_never_was_far_from_the_end_was_there_from_the_start() {
        let from = |stroke: usize| {
            format!(
                "From component {stroke} on the answer's distribution is within 0.1 bits of the end's."
            )
        };
        assert_eq!(arrival(&[0.0, 0.0]), from(0));
        assert_eq!(arrival(&[0.05, 0.02, 0.0]), from(0));
        assert_eq!(arrival(&[3.0, 0.05, 0.0]), from(1));
        assert_eq!(
            arrival(&[0.0, 3.0, 0.0]),
            "Only the last component brings the distribution of the answer."
        );
    }
}
