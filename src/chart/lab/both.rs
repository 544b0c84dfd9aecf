//! Bias, diversity and MSE over the first n strokes, before and after.

use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::strokes;
use crate::chart::{Column, Figure, FigureDraft, Table, TableCell, Theme};
use crate::engine::member_names;
use crate::measure::bits::bits;
use crate::measure::decomposition::{Depth, Triple};
use crate::study::report::Lab;
use crate::study::report::Lens;

const PLOT: u32 = 96;

/// One of the three quantities and how it is drawn.
struct DepthCurve {
    name: &'static str,
    line: Line,
    of: fn(&Triple) -> f64,
    colour: fn(&Theme) -> &'static str,
}

const CURVES: [DepthCurve; 3] = [
    DepthCurve { name: "bias", line: Line::Solid, of: |t| t.bias, colour: |theme| theme.bias },
    DepthCurve {
        name: "diversity",
        line: Line::Dashed,
        of: |t| t.diversity,
        colour: |theme| theme.diversity,
    },
    DepthCurve { name: "MSE", line: Line::Thick, of: |t| t.mse, colour: |theme| theme.mse },
];

pub(super) fn figure(lab: &Lab, column: Column, theme: &Theme) -> Figure {
    let before = column.by_depth(&lab.original);
    let after = column.by_depth(&lab.arranged);
    let most = before.len().max(after.len());
    let panels = CURVES.iter().map(|curve| {
        let unit =
            if curve.name == "diversity" { column.diversity_unit() } else { column.error_unit() };
        let colour = (curve.colour)(theme);
        let own = Pen::new("original order", colour, Line::Dotted, Mark::Dot).faint();
        let arranged = Pen::new("this plan", colour, curve.line, Mark::Dot);
        let all = before.iter().chain(&after);
        Panel::new(
            format!("{} ({unit})", curve.name),
            Axis::whole("components so far", 0.0, (most + 1) as f64),
            Axis::from_zero("", all.map(curve.of)),
            vec![
                line(curve, own, &lab.original, &before),
                leading(line(curve, arranged, &lab.arranged, &after), &lab.arranged),
            ],
        )
        .tall(PLOT)
    });
    let legend = [("original order", Line::Dotted), ("this plan", Line::Solid)];
    let legend = legend.map(|(name, line)| Pen::new(name, theme.ink, line, Mark::None));
    FigureDraft {
        key: "both",
        title: title(lab, column),
        words: words(lab, column),
        table: table(lab, column),
        plot: Plot { shared: true, ..Plot::new(panels.collect(), legend.to_vec(), 1) },
    }
    .figure(theme)
}

fn line(curve: &DepthCurve, pen: Pen, lens: &Lens, depths: &[Triple]) -> Series {
    let names = strokes::names(&lens.members);
    let points = depths.iter().zip(&names).enumerate().map(|(n, (t, name))| {
        let value = (curve.of)(t);
        let text = format!("{}, up to {name}\n{} {}", pen.name, curve.name, short(value));
        Point::new((n + 1) as f64, value, text)
    });
    Series::new(pen.clone(), points)
}

/// Makes each mark lead to its component's own view: in the reader's order, which is the draft's.
fn leading(mut series: Series, lens: &Lens) -> Series {
    let names = member_names(&lens.members);
    for (point, name) in series.points.iter_mut().zip(&names) {
        point.pick = Some(strokes::member_pick(name));
    }
    series
}

fn title(lab: &Lab, column: Column) -> String {
    let (a, b) = (column.total(&lab.original), column.total(&lab.arranged));
    if lab.original.plan == lab.arranged.plan {
        return "The blocks stand in the original order".to_owned();
    }
    let way = |a: f64, b: f64| {
        // Rounding is no change.
        if (a - b).abs() <= 1e-6 * a.abs().max(b.abs()) { None } else { Some(b > a) }
    };
    let moves = |way: Option<bool>| match way {
        Some(true) => "rises",
        Some(false) => "falls",
        None => "stays the same",
    };
    let (bias, diversity) = (moves(way(a.bias, b.bias)), moves(way(a.diversity, b.diversity)));
    format!("Under this plan bias {bias} and diversity {diversity}")
}

fn words(lab: &Lab, column: Column) -> [String; 2] {
    let (a, b) = (column.total(&lab.original), column.total(&lab.arranged));
    let first = format!(
        "{} goes from {} to {}, diversity from {} to {}, MSE from {} to {}.",
        if column == Column::Logit { "Of the centred logits, bias" } else { "Bias" },
        short(a.bias),
        short(b.bias),
        short(a.diversity),
        short(b.diversity),
        short(a.mse),
        short(b.mse)
    );
    let distance = lab.kl().map_or(String::new(), |kl| {
        format!("; KL over the whole vocabulary is {} bits", short(bits(kl)))
    });
    let second = format!(
        "The original order runs {} components and this plan {}{distance}.",
        lab.original.members.len(),
        lab.arranged.members.len(),
    );
    [first, second]
}

fn table(lab: &Lab, column: Column) -> Table {
    let mut headers = vec!["plan".to_owned(), "components".to_owned(), "last component".to_owned()];
    headers.extend(column.depth_headers());
    let rows = |name: &'static str, lens: &Lens, strokes: Vec<TableCell>| {
        let depths = lens.decomposition.by_depth.iter().zip(strokes);
        let row = |(depth, stroke): (&Depth, TableCell)| {
            let name = TableCell::Text(name.to_owned());
            let mut row = vec![name, TableCell::Count(depth.members), stroke];
            row.extend(column.depth_cells(&depth.triples));
            row
        };
        depths.map(row).collect::<Vec<_>>()
    };
    let strokes = strokes::names(&lab.original.members);
    let strokes = strokes.into_iter().map(TableCell::Text).collect();
    let mut all = rows("original order", &lab.original, strokes);
    all.extend(rows("this plan", &lab.arranged, strokes::cells(&lab.arranged.members)));
    Table { headers, rows: all }
}
