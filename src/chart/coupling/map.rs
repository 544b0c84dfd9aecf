//! Every step's directions in every other's.

use super::names::{formula, metric_word, of, reason, said, step_names};
use super::slips;
use super::{CouplingShown, nearest};
use crate::chart::number::{fixed, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, Ramp, VoidCell};
use crate::chart::{Figure, FigureDraft, Table, TableCell, Theme};
use crate::measure::coupling::{ILL_POSED, Undefined};
use crate::measure::interval::Mean;
use crate::study::coupling::{Coupling, CouplingMetric, TaskCoupling};

const CELL: u32 = 30;
/// Of the whole map.
const TALLEST: u32 = 640;
/// More steps than this have no room for numbers.
const WRITTEN: usize = 16;
/// Coupled more than this, two steps share most of their directions.
const MOST: f64 = 0.5;

/// Coupling of every pair of steps at one K, in one metric.
pub struct StepMap {
    pub steps: Vec<String>,
    pub metric: CouplingMetric,
    pub k: usize,
    /// `[S][S]` row: whose Jacobian; column: whose basis.
    pub coupling: Vec<Vec<Option<f64>>>,
    /// The same with its interval, over rows.
    pub means: Option<Vec<Vec<Option<Mean>>>>,
    pub why_row: Vec<Option<Undefined>>,
    pub why_column: Vec<Option<Undefined>>,
    /// Of unrelated steps.
    pub chance: f64,
    /// Of the whole map, without its diagonal.
    pub all: Option<f64>,
    /// Each basis: is it ill-posed, in words?
    pub ill_posed: Vec<Option<String>>,
    pub pair: Option<[usize; 2]>,
    /// Of what the numbers are.
    pub source: String,
}

impl StepMap {
    pub fn of_prompt(coupling: &Coupling, shown: &CouplingShown) -> Option<Self> {
        let k = nearest(coupling.depth_wise.keys().copied(), shown.k)?;
        let found = coupling.depth_wise.get(&k)?;
        let metric = shown.metric;
        let mis = match metric {
            CouplingMetric::OffDiagonal => &found.map.off_diagonal,
            CouplingMetric::Singular => &found.map.singular,
        };
        let ill_posed = coupling.spectrum.iter().map(|spectrum| {
            let gap = spectrum.gap.get(&k).copied().flatten()?;
            (gap < ILL_POSED).then(|| {
                format!(
                    "two of its first {k} singular values differ by a share of only {}",
                    short(gap)
                )
            })
        });
        let steps = coupling.steps.len();
        Some(Self {
            steps: step_names(&coupling.steps),
            metric,
            k,
            coupling: less(mis),
            means: None,
            why_row: found.map.why_row.clone(),
            why_column: found.map.why_column.clone(),
            chance: 1.0 - of(&found.chance, metric),
            all: of(&found.coupling, metric),
            ill_posed: ill_posed.collect(),
            pair: shown
                .pair
                .filter(|pair| pair.iter().all(|&step| step < steps)),
            source: "at the last token, to itself".to_owned(),
        })
    }

    pub fn of_task(task: &TaskCoupling, shown: &CouplingShown) -> Option<Self> {
        let k = nearest(task.depth_wise.keys().copied(), shown.k)?;
        let found = task.depth_wise.get(&k)?;
        let metric = shown.metric;
        let mis = match metric {
            CouplingMetric::OffDiagonal => &found.off_diagonal,
            CouplingMetric::Singular => &found.singular,
        };
        // What was low of the mis-coupling is high of the coupling.
        let turned = |mean: &Mean| Mean {
            mean: 1.0 - mean.mean,
            low: 1.0 - mean.high,
            high: 1.0 - mean.low,
        };
        let means: Vec<Vec<Option<Mean>>> = mis
            .iter()
            .map(|row| row.iter().map(|cell| cell.as_ref().map(turned)).collect())
            .collect();
        let rows = task.rows;
        let ill_posed = found.ill_posed.iter().map(|&of| {
            (of > 0).then(|| {
                format!("on {of} of {rows} rows its first {k} singular values lie too close")
            })
        });
        let middle =
            |row: &Vec<Option<Mean>>| row.iter().map(|cell| cell.map(|mean| mean.mean)).collect();
        Some(Self {
            steps: step_names(&task.steps),
            metric,
            k,
            coupling: means.iter().map(middle).collect(),
            why_row: Vec::new(),
            why_column: Vec::new(),
            chance: 1.0 - of(&found.chance, metric),
            all: of(&found.coupling, metric).map(|mean| mean.mean),
            ill_posed: ill_posed.collect(),
            pair: None,
            source: format!("at the last token of {rows} rows of “{}”", task.task),
            means: Some(means),
        })
    }

    pub fn at(&self, row: usize, column: usize) -> Option<f64> {
        *self.coupling.get(row)?.get(column)?
    }

    pub fn name(&self, step: usize) -> &str {
        self.steps.get(step).map_or("?", String::as_str)
    }

    /// Ordered pairs of different steps that have a number.
    pub fn pairs(&self) -> impl Iterator<Item = ([usize; 2], f64)> {
        let steps = self.steps.len();
        let all = (0..steps).flat_map(move |i| (0..steps).map(move |j| [i, j]));
        all.filter_map(|pair| Some((pair, self.at(pair[0], pair[1])?)))
            .filter(|([i, j], x)| i != j && x.is_finite())
    }

    /// The two that couple most.
    pub fn most(&self) -> Option<([usize; 2], f64)> {
        self.pairs().max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The pair that is looked at.
    pub fn looked_at(&self) -> Option<[usize; 2]> {
        let first = (!self.steps.is_empty()).then_some([0, 0]);
        self.pair.or(self.most().map(|(pair, _)| pair)).or(first)
    }

    /// Why a pair has no number.
    pub fn why(&self, row: usize, column: usize) -> String {
        let at = |list: &[Option<Undefined>], n: usize| list.get(n).copied().flatten();
        let why = at(&self.why_row, row).or(at(&self.why_column, column));
        if why.is_none() && self.means.is_some() {
            return "it is not defined on any row".to_owned();
        }
        reason(why, self.k)
    }

    /// `coupling of 3 in the basis of 5: 0.12`, and what is to be known of it.
    fn told(&self, row: usize, column: usize) -> String {
        let pair = format!("{} in the basis of {}", self.name(row), self.name(column));
        let Some(x) = self.at(row, column) else {
            return format!("{pair}\nnot defined: {}", self.why(row, column));
        };
        let mean = self
            .means
            .as_ref()
            .and_then(|means| *means.get(row)?.get(column)?);
        let between = mean.map_or_else(String::new, |mean| {
            format!(" ({} to {})", short(mean.low), short(mean.high))
        });
        let ill = self.ill_posed.get(column).and_then(Option::as_ref);
        let ill = ill.map_or_else(String::new, |ill| format!("\nill-posed: {ill}"));
        format!(
            "{pair}\ncoupling {}{between}, chance {}{ill}",
            short(x),
            short(self.chance)
        )
    }

    /// Means over the pairs that are `apart` steps from one another.
    pub fn by_distance(&self) -> Vec<(usize, f64)> {
        let last = self.steps.len().saturating_sub(1);
        let of = |apart: usize| {
            let own = self.pairs().filter(|([i, j], _)| i.abs_diff(*j) == apart);
            Some((apart, super::names::mean(own.map(|(_, x)| x))?))
        };
        (1..=last).filter_map(of).collect()
    }

    pub fn ramp(&self) -> Ramp {
        ramp(self.chance)
    }
}

/// Colours of couplings: they begin at chance.
pub fn ramp(chance: f64) -> Ramp {
    Ramp::above(
        format!("coupling; colours begin at chance, {}", short(chance)),
        chance,
    )
}

/// 1 less each.
pub fn less(mis: &[Vec<Option<f64>>]) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Vec<Option<f64>>| row.iter().map(|x| x.map(|x| 1.0 - x)).collect();
    mis.iter().map(row).collect()
}

pub(super) fn figure(map: &StepMap, theme: &Theme) -> Figure {
    let steps = map.steps.len();
    let is_written = steps <= WRITTEN;
    let looked_at = map.means.is_none().then(|| map.looked_at()).flatten();
    let (mut patches, mut voids, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..steps {
        for column in 0..steps {
            let value = map.at(row, column).filter(|x| x.is_finite());
            let framed = looked_at == Some([row, column]);
            // The first is at the top.
            let (x, y, name) = (column, steps - 1 - row, map.told(row, column));
            match value {
                Some(value) => patches.push(Patch {
                    x,
                    y,
                    value,
                    name,
                    text: is_written.then(|| fixed(value, 2)),
                    framed,
                    plan: None,
                }),
                None => voids.push(VoidCell { x, y, name, framed }),
            }
            rows.push(table_row(map, row, column, value));
        }
    }
    let panel = Panel {
        patches,
        voids,
        is_pickable: map.means.is_none(),
        ..Panel::new(
            format!(
                "row: whose Jacobian, column: whose basis; K = {}, {}",
                map.k,
                formula(map.metric)
            ),
            Axis::category("in the basis of step", map.steps.clone()),
            Axis::category("", map.steps.iter().rev().cloned().collect()),
            Vec::new(),
        )
    };
    let mut headers = vec!["Jacobian of step", "in the basis of", "coupling"];
    if map.means.is_some() {
        headers.extend(["from", "to"]);
    }
    headers.extend(["mis-coupling", "chance", "note"]);
    let height = (CELL * steps.max(3) as u32).min(TALLEST);
    FigureDraft {
        key: "coupling-map",
        title: title(map),
        words: words(map),
        table: Table {
            headers: headers.into_iter().map(str::to_owned).collect(),
            rows,
        },
        plot: Plot {
            ramp: Some(map.ramp()),
            ..Plot::new(vec![panel.tall(height)], Vec::new(), 1)
        },
    }
    .figure(theme)
}

fn table_row(map: &StepMap, row: usize, column: usize, value: Option<f64>) -> Vec<TableCell> {
    let number =
        |x: Option<f64>| x.map_or_else(|| TableCell::Text(String::new()), TableCell::Number);
    let mut cells = vec![
        TableCell::Text(map.name(row).to_owned()),
        TableCell::Text(map.name(column).to_owned()),
        number(value),
    ];
    if let Some(means) = &map.means {
        let mean = means.get(row).and_then(|row| *row.get(column)?);
        cells.extend([mean.map(|mean| mean.low), mean.map(|mean| mean.high)].map(number));
    }
    let ill = map.ill_posed.get(column).and_then(Option::as_ref);
    let note = match (value, ill) {
        (None, _) => format!("not defined: {}", map.why(row, column)),
        (Some(_), Some(ill)) => format!("ill-posed: {ill}"),
        (Some(_), None) => String::new(),
    };
    cells.extend([
        number(value.map(|x| 1.0 - x)),
        TableCell::Number(map.chance),
        TableCell::Text(note),
    ]);
    cells
}

fn title(map: &StepMap) -> String {
    let chance = short(map.chance);
    let Some(([i, j], most)) = map.most() else {
        return match map.steps.len() {
            0 | 1 => "A single step has none to be coupled with".to_owned(),
            _ => "No two steps have a coupling".to_owned(),
        };
    };
    if most > MOST {
        return format!(
            "{} and {} share most of their directions: coupling {}, where chance is {chance}",
            map.name(i),
            map.name(j),
            short(most)
        );
    }
    let near = map.by_distance();
    let far = map.pairs().filter(|([i, j], _)| i.abs_diff(*j) > 1);
    let far = super::names::mean(far.map(|(_, x)| x));
    match (near.first(), far) {
        (Some((1, near)), Some(far)) => format!(
            "Neighbouring steps couple at {}, others at {}; chance is {chance}",
            short(*near),
            short(far)
        ),
        _ => format!("Steps couple at {}; chance is {chance}", said(map.all)),
    }
}

fn words(map: &StepMap) -> [String; 2] {
    let metric = metric_word(map.metric);
    let most = map.most().map_or_else(String::new, |([i, j], x)| {
        format!(
            " The most alike are {} in the basis of {}: {}.",
            map.name(i),
            map.name(j),
            short(x)
        )
    });
    let ill = map.ill_posed.iter().zip(&map.steps);
    let ill = ill
        .filter(|(ill, _)| ill.is_some())
        .map(|(_, step)| step.as_str());
    let ill: Vec<&str> = ill.collect();
    let ill = match ill.len() {
        0 => String::new(),
        _ => format!(
            " Ill-posed at this K, so that their columns are no property of the model: {}.",
            ill.join(", ")
        ),
    };
    let undefined =
        map.steps.len() * map.steps.len() - map.coupling.iter().flatten().flatten().count();
    let undefined = match undefined {
        0 => String::new(),
        n => format!(" {n} pairs are not defined, and crossed out."),
    };
    [
        format!(
            "The K = {} leading singular directions of each step's Jacobian, {}, by the metric of {metric}: 1 is the same \
             directions, 0 none in common, {} what unrelated ones give; over all pairs {}.{most}{ill}{undefined}",
            map.k,
            map.source,
            short(map.chance),
            said(map.all)
        ),
        format!("{} {}", slips::METRICS, slips::VECTORS),
    ]
}
