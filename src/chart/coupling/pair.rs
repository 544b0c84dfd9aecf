//! Two steps: one's directions through the other's Jacobian, and both spectra.

use super::names::said;
use super::step_map::StepMap;
use super::{FigureDraft, Table, TableCell, slips};
use crate::chart::number::{fixed, percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Patch, Pen, Plot, Point, Ramp, Series};
use crate::chart::{Figure, Theme};
use crate::measure::bits::bits;
use crate::measure::coupling::Spectrum;
use crate::study::coupling::{Coupling, CouplingMethod};

const PLOT: u32 = 280;
/// More vectors than this have no room for numbers.
const WRITTEN: usize = 8;

pub(super) fn figure(coupling: &Coupling, map: &StepMap, theme: &Theme) -> Option<Figure> {
    let [i, j] = map.looked_at()?;
    let (own, basis) = (coupling.spectrum.get(i)?, coupling.spectrum.get(j)?);
    let aligned = corner(coupling, [i, j], map.k);
    let mut panels = Vec::new();
    let mut ramp = None;
    if let Some(a) = &aligned {
        let panel = matrix(map, [i, j], a);
        let sizes = panel.patches.iter().map(|patch| patch.value);
        ramp = Some(Ramp::over("size of an entry of A", sizes.chain([0.0])));
        panels.push(panel.tall(PLOT));
    }
    let (legend, values) = spectra(map, [i, j], [own, basis], aligned.as_deref(), theme);
    panels.push(values.tall(PLOT));
    let draft = FigureDraft {
        key: "coupling-pair",
        title: title(map, [i, j], aligned.as_deref()),
        words: words(coupling, map, [i, j], [own, basis], aligned.is_some()),
        table: table(map, [i, j], [own, basis], aligned.as_deref()),
        plot: Plot { ramp, ..Plot::new(panels, legend, 2) },
    };
    Some(draft.figure(theme))
}

/// A of a pair, for the first k vectors or as many as there are.
fn corner(coupling: &Coupling, [i, j]: [usize; 2], k: usize) -> Option<Vec<Vec<f64>>> {
    let aligned = coupling.aligned.as_ref()?;
    let a = aligned.pairs.get(i)?.get(j)?.as_ref()?;
    let row = |row: &Vec<f32>| row.iter().take(k).map(|&x| f64::from(x)).collect();
    let corner: Vec<Vec<f64>> = a.iter().take(k).map(row).collect();
    (!corner.is_empty()).then_some(corner)
}

fn matrix(map: &StepMap, [i, j]: [usize; 2], a: &[Vec<f64>]) -> Panel {
    let k = a.len();
    let mut patches = Vec::new();
    for (row, values) in a.iter().enumerate() {
        for (column, &x) in values.iter().take(k).enumerate() {
            let (out, into) = (row + 1, column + 1);
            patches.push(Patch {
                x: column,
                // The first is at the top.
                y: k - 1 - row,
                value: x.abs(),
                name: format!(
                    "direction {into} into {}, direction {out} out of it\n{}",
                    map.name(i),
                    short(x)
                ),
                text: (k <= WRITTEN).then(|| fixed(x, 2)),
                framed: false,
                plan: None,
            });
        }
    }
    let names = |back: bool| {
        let names = (1..=k).map(|n| n.to_string());
        if back { names.rev().collect() } else { names.collect() }
    };
    Panel {
        patches,
        ..Panel::new(
            format!(
                "A: what the Jacobian of {} does with the directions of {}",
                map.name(i),
                map.name(j)
            ),
            Axis::category(format!("in: right singular vector of {}", map.name(j)), names(false)),
            Axis::category("", names(true)),
            Vec::new(),
        )
    }
}

/// Singular values of both, and what stands on A's diagonal.
fn spectra(
    map: &StepMap,
    [i, j]: [usize; 2],
    [own, basis]: [&Spectrum; 2],
    aligned: Option<&[Vec<f64>]>,
    theme: &Theme,
) -> (Vec<Pen>, Panel) {
    let curve = |pen: Pen, values: &[f64]| {
        let points = values.iter().enumerate().map(|(n, &s)| {
            let name = format!("{}\nsingular value {}: {}", pen.name, n + 1, short(s));
            Point::new(n as f64, s, name)
        });
        let points = points.collect();
        Series::new(pen, points)
    };
    let mut all = vec![curve(
        Pen::new(format!("step {}", map.name(i)), theme.ink, Line::Solid, Mark::Circle),
        &own.singular_values,
    )];
    if i != j {
        let pen =
            Pen::new(format!("step {}", map.name(j)), theme.attention, Line::Dashed, Mark::Square);
        all.push(curve(pen, &basis.singular_values));
    }
    if let Some(a) = aligned {
        let pen = Pen::new("|A| on its diagonal", theme.mlp, Line::None, Mark::Diamond);
        let points = a.iter().enumerate().filter_map(|(n, row)| {
            let x = row.get(n)?.abs();
            Some(Point::new(n as f64, x, format!("A {0}, {0}: {1}", n + 1, short(x))))
        });
        all.push(Series::new(pen, points.collect()));
    }
    let count = all.iter().map(|series| series.points.len()).max().unwrap_or(0);
    let values: Vec<f64> =
        all.iter().flat_map(|series| series.points.iter().map(|point| point.y)).collect();
    let legend = all.iter().map(|series| series.pen.clone()).collect();
    let panel = Panel::new(
        "singular values of the two Jacobians",
        Axis::category("singular value", (1..=count.max(1)).map(|n| n.to_string()).collect()),
        Axis::from_zero("", values.into_iter()),
        all,
    );
    (legend, panel)
}

/// Share of A's square that stands on its diagonal.
fn on_diagonal(a: &[Vec<f64>]) -> Option<f64> {
    let all: f64 = a.iter().flatten().map(|x| x * x).sum();
    let diagonal = a.iter().enumerate().filter_map(|(n, row)| row.get(n));
    let own: f64 = diagonal.map(|x| x * x).sum();
    (all > 0.0 && all.is_finite()).then(|| own / all)
}

fn title(map: &StepMap, [i, j]: [usize; 2], aligned: Option<&[Vec<f64>]>) -> String {
    let (one, other) = (map.name(i), map.name(j));
    if i == j {
        return format!(
            "In its own basis the Jacobian of {one} is its singular values, and nothing else"
        );
    }
    let share = aligned.and_then(|a| Some((on_diagonal(a)?, a.len())));
    match share {
        Some((share, k)) => format!(
            "Step {one} sends {} of what it makes of {other}'s {k} directions where {other} does; by chance {}",
            percent(share),
            percent(1.0 / k as f64)
        ),
        None if map.at(i, j).is_none() => {
            format!("{one} in the basis of {other} is not defined: {}", map.why(i, j))
        }
        None => format!(
            "{one} couples with {other} at {}; chance is {}",
            said(map.at(i, j)),
            short(map.chance)
        ),
    }
}

fn words(
    coupling: &Coupling,
    map: &StepMap,
    [i, j]: [usize; 2],
    both: [&Spectrum; 2],
    has_matrix: bool,
) -> [String; 2] {
    let ranks = |name: &str, spectrum: &Spectrum| match (
        spectrum.effective_rank,
        spectrum.stable_rank,
        spectrum.entropy,
    ) {
        (Some(effective), Some(stable), Some(entropy)) => format!(
            "Step {name}: effective rank {} (entropy {} bits), stable rank {}.",
            short(effective),
            short(bits(entropy)),
            short(stable)
        ),
        _ if coupling.method == CouplingMethod::Lanczos => {
            format!(
                "Step {name}: only its leading singular values were computed, so its ranks are not known."
            )
        }
        _ => format!("Step {name}: all of its Jacobian is zero, so it has no ranks."),
    };
    let mut first = ranks(map.name(i), both[0]);
    if i != j {
        first += &format!(" {}", ranks(map.name(j), both[1]));
    }
    let ill = map.ill_posed.get(j).and_then(Option::as_ref);
    if let Some(ill) = ill {
        first += &format!(
            " The basis of {} is ill-posed, {ill}: this coupling is no property of the model.",
            map.name(j)
        );
    }
    if !has_matrix && map.at(i, j).is_some() {
        first += " A of this pair is not in the report.";
    }
    let signs = "The sign of an entry beside the diagonal is nobody's: it turns with the vectors, and neither metric sees it.";
    [first, format!("{signs} {}", slips::SIGNS)]
}

fn table(
    map: &StepMap,
    [i, j]: [usize; 2],
    [own, basis]: [&Spectrum; 2],
    aligned: Option<&[Vec<f64>]>,
) -> Table {
    let number =
        |x: Option<f64>| x.map_or_else(|| TableCell::Text(String::new()), TableCell::Number);
    let columns = aligned.map_or(0, <[_]>::len);
    let count = own.singular_values.len().max(basis.singular_values.len());
    let mut headers = vec![
        "direction".to_owned(),
        format!("singular value of {}", map.name(i)),
        format!("singular value of {}", map.name(j)),
    ];
    headers.extend((1..=columns).map(|n| format!("A from {n}")));
    let rows = (0..count.max(columns)).map(|n| {
        let mut row = vec![
            TableCell::Count(n + 1),
            number(own.singular_values.get(n).copied()),
            number(basis.singular_values.get(n).copied()),
        ];
        let line = aligned.and_then(|a| a.get(n));
        row.extend((0..columns).map(|c| number(line.and_then(|line| line.get(c).copied()))));
        row
    });
    Table { headers, rows: rows.collect() }
}
