//! Bias, diversity and MSE over the first n strokes, before and after.

use crate::chart::number::short;
use crate::chart::plot::{Axis, Line, Mark, Panel, Pen, Plot, Point, Series};
use crate::chart::strokes;
use crate::chart::{Column, FigureDraft, Table, TableCell, Theme};
use crate::engine::member_names;
use crate::measure::bits::bits;
use crate::measure::decomposition::Triple;
use crate::study::report::{Lab, Lens};

const PLOT: u32 = 96;

/// Places of the quantities among a triple's numbers.
const MSE: usize = 0;
const BIAS: usize = 1;
const DIVERSITY: usize = 2;

pub(super) fn figure(lab: &Lab, column: Column, theme: &Theme) -> FigureDraft {
    let before = column.by_depth(&lab.original);
    let after = column.by_depth(&lab.arranged);
    let most = before.len().max(after.len());
    let roles = theme.roles();
    let panels = [BIAS, DIVERSITY, MSE].map(|place| {
        let Pen { name, colour, line, .. } = &roles[place];
        let unit = if place == DIVERSITY { column.diversity_unit() } else { column.error_unit() };
        let own = Pen::new("original order", colour, Line::Dotted, Mark::Dot).faint();
        let arranged = Pen::new("this plan", colour, *line, Mark::Dot);
        let x = Axis::whole("components so far", 0.0, (most + 1) as f64);
        let series = vec![
            curve((name, place), own, &lab.original, &before),
            leading(curve((name, place), arranged, &lab.arranged, &after), &lab.arranged),
        ];
        Panel::from_zero(format!("{name} ({unit})"), x, series).tall(PLOT)
    });
    let legend = [("original order", Line::Dotted), ("this plan", Line::Solid)];
    let legend = legend.map(|(name, line)| Pen::new(name, theme.ink, line, Mark::None));
    FigureDraft {
        key: "both",
        title: title(lab, column),
        words: words(lab, column),
        table: table(lab, column),
        plot: Plot { shared: true, ..Plot::new(panels.to_vec(), legend.to_vec(), 1) },
    }
}

/// Draws a quantity, by its name and its place among a triple's numbers.
fn curve((quantity, place): (&str, usize), pen: Pen, lens: &Lens, depths: &[Triple]) -> Series {
    let names = strokes::names(&lens.members);
    let points = depths.iter().zip(&names).enumerate().map(|(n, (t, name))| {
        let value = t.numbers()[place];
        let text = format!("{}, up to {name}\n{quantity} {}", pen.name, short(value));
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
    let [a, b] = [&lab.original, &lab.arranged].map(|lens| column.total(lens).numbers().map(short));
    let [mse, bias, diversity] =
        [MSE, BIAS, DIVERSITY].map(|place| format!("from {} to {}", a[place], b[place]));
    let what = if column == Column::Logit { "Of the centred logits, bias" } else { "Bias" };
    let first = format!("{what} goes {bias}, diversity {diversity}, MSE {mse}.");
    let distance = lab.kl().map_or(String::new(), |kl| {
        format!("; KL over the whole vocabulary is {} bits", short(bits(kl)))
    });
    let [a, b] = [&lab.original, &lab.arranged].map(|lens| lens.members.len());
    [first, format!("The original order runs {a} components and this plan {b}{distance}.")]
}

fn table(lab: &Lab, column: Column) -> Table {
    let own = strokes::names(&lab.original.members).into_iter().map(TableCell::Text).collect();
    let of = [
        ("original order", &lab.original, own),
        ("this plan", &lab.arranged, strokes::cells(&lab.arranged.members)),
    ];
    let rows = of.into_iter().flat_map(|(name, lens, strokes): (&str, &Lens, Vec<TableCell>)| {
        lens.decomposition.by_depth.iter().zip(strokes).map(move |(depth, stroke)| {
            let name = TableCell::Text(name.to_owned());
            let depth_of = vec![name, TableCell::Count(depth.members), stroke];
            (depth_of, &depth.triples, Vec::new())
        })
    });
    column.depth_table([&["plan", "components", "last component"], &[]], rows)
}
