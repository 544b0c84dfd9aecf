//! Two steps: one's directions through the other's Jacobian, and both spectra.

use super::TableCell::{self, Count};
use super::names::said;
use super::step_map::StepMap;
use super::{FigureDraft, Table, Theme, slips};
use crate::chart::number::{fixed, percent, short};
use crate::chart::plot::{Axis, Line, Mark, Panel, Patch, Pen, Plot, Point, Ramp, Series};
use crate::measure::bits::bits;
use crate::measure::coupling::Spectrum;
use crate::study::coupling::{Coupling, CouplingMethod};

const PLOT: u32 = 280;
/// More vectors than this have no room for numbers.
const WRITTEN: usize = 8;

pub(super) fn figure(coupling: &Coupling, map: &StepMap, theme: &Theme) -> Option<FigureDraft> {
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
    Some(FigureDraft {
        key: "coupling-pair",
        title: title(map, [i, j], aligned.as_deref()),
        words: words(coupling, map, [i, j], [own, basis], aligned.is_some()),
        table: table(map, [i, j], [own, basis], aligned.as_deref()),
        plot: Plot { ramp, ..Plot::new(panels, legend, 2) },
    })
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
            let name = format!(
                "direction {into} into {}, direction {out} out of it\n{}",
                map.name(i),
                short(x)
            );
            // The first is at the top.
            let place = [column, k - 1 - row];
            patches.push(Patch {
                text: (k <= WRITTEN).then(|| fixed(x, 2)),
                ..Patch::new(place, x.abs(), name)
            });
        }
    }
    let names = (1..=k).map(|n| n.to_string());
    let (one, other) = (map.name(i), map.name(j));
    Panel::map(
        format!("A: what the Jacobian of {one} does with the directions of {other}"),
        Axis::category(format!("in: right singular vector of {other}"), names.clone().collect()),
        Axis::category("", names.rev().collect()),
        patches,
    )
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
        let said = |n: usize, s| format!("{}\nsingular value {}: {}", pen.name, n + 1, short(s));
        Series::along(&pen, 0, values.iter().copied(), said)
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
        all.push(Series::new(pen, points));
    }
    let count = all.iter().map(|series| series.points.len()).max().unwrap_or(0);
    let legend = all.iter().map(|series| series.pen.clone()).collect();
    let numbers = (1..=count.max(1)).map(|n| n.to_string()).collect();
    let x = Axis::category("singular value", numbers);
    (legend, Panel::from_zero("singular values of the two Jacobians", x, all))
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
        (Some(effective), Some(stable), Some(entropy)) => {
            let [effective, entropy, stable] = [effective, bits(entropy), stable].map(short);
            format!(
                "Step {name}: effective rank {effective} (entropy {entropy} bits), stable rank {stable}."
            )
        }
        _ if coupling.method == CouplingMethod::Lanczos => format!(
            "Step {name}: only its leading singular values were computed, so its ranks are not known."
        ),
        _ => format!("Step {name}: all of its Jacobian is zero, so it has no ranks."),
    };
    let mut first = ranks(map.name(i), both[0]);
    if i != j {
        first += &format!(" {}", ranks(map.name(j), both[1]));
    }
    if let Some(ill) = map.ill_posed.get(j).and_then(Option::as_ref) {
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
    let columns = aligned.map_or(0, <[_]>::len);
    let count = own.singular_values.len().max(basis.singular_values.len());
    let mut headers = vec![
        "direction".to_owned(),
        format!("singular value of {}", map.name(i)),
        format!("singular value of {}", map.name(j)),
    ];
    headers.extend((1..=columns).map(|n| format!("A from {n}")));
    let rows = (0..count.max(columns)).map(|n| {
        let values = [own, basis].map(|one| one.singular_values.get(n).copied());
        let line = aligned.and_then(|a| a.get(n));
        let line = (0..columns).map(|c| line.and_then(|line| line.get(c).copied()));
        let numbers = values.into_iter().chain(line).map(TableCell::known);
        std::iter::once(Count(n + 1)).chain(numbers).collect()
    });
    Table::new(headers, rows)
}
