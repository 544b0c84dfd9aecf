//! Doubt along the depth, stroke by stroke, at the last token.

use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::{Figure, FigureDraft, Table, TableCell, Theme, strokes};
use crate::study::report::Lens;

const PLOT: u32 = 170;
/// Nats to the end under which a depth counts as having arrived.
const NEAR: f64 = 0.1;

pub(super) fn figure(lens: &Lens, theme: &Theme) -> Option<Figure> {
    let depths = lens
        .logit_lens_members
        .as_ref()
        .filter(|depths| !depths.is_empty())?;
    let names = strokes::names(&lens.members);
    let curve = |name: &str, colour, line, mark, of: &dyn Fn(usize) -> f64| {
        let points = (0..depths.len()).map(|i| {
            Point::new(
                i as f64,
                of(i),
                format!("{}\n{name} {}", names[i], short(of(i))),
            )
        });
        Series::new(Pen::new(name, colour, line, mark), points.collect())
    };
    let series = vec![
        curve("entropy", theme.ink, Line::Solid, Mark::Circle, &|i| {
            depths[i].entropy
        }),
        curve(
            "KL to the end",
            theme.mse,
            Line::Dashed,
            Mark::Diamond,
            &|i| depths[i].kl,
        ),
    ];
    let widest = (0..depths.len()).fold(0, |best, i| {
        if depths[i].entropy > depths[best].entropy {
            i
        } else {
            best
        }
    });
    let far = depths.iter().rposition(|depth| depth.kl > NEAR);
    let arrived = match far {
        Some(far) if far + 1 < depths.len() => format!(
            "From {} on the answer's distribution is within {NEAR} nats of the end's.",
            names[far + 1]
        ),
        _ => "Only the last stroke brings the distribution of the answer.".to_owned(),
    };
    let rows = depths.iter().zip(&names).map(|(depth, name)| {
        vec![
            TableCell::Text(name.clone()),
            TableCell::Number(depth.entropy),
            TableCell::Number(depth.kl),
        ]
    });
    let headers = ["after", "entropy (nats)", "KL to the end (nats)"];
    let values = depths.iter().flat_map(|depth| [depth.entropy, depth.kl]);
    let pens = series.iter().map(|one| one.pen.clone()).collect();
    let panel = Panel::new(
        "nats, at the last token",
        strokes::axis(&lens.members[..depths.len()]),
        Axis::from_zero("", values),
        series,
    );
    let draft = FigureDraft {
        key: "doubt",
        title: format!("Doubt is largest after {}", names[widest]),
        words: [
            format!(
                "There the whole vocabulary's entropy is {} nats, at the end {}.",
                short(depths[widest].entropy),
                short(depths[depths.len() - 1].entropy)
            ),
            arrived,
        ],
        table: Table {
            headers: headers.map(str::to_owned).to_vec(),
            rows: rows.collect(),
        },
        plot: Plot::new(vec![panel.tall(PLOT)], pens, 1),
    };
    Some(draft.figure(theme))
}
