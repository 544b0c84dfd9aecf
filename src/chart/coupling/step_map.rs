//! Couplings of all pairs of steps, of a prompt or as means over rows.

use super::names::{reason, step_names};
use super::{CouplingShown, nearest};
use crate::chart::number::{mean, short};
use crate::chart::plot::Ramp;
use crate::measure::coupling::{ILL_POSED, Undefined};
use crate::measure::interval::Mean;
use crate::study::coupling::{Coupling, CouplingMetric, TaskCoupling};

/// Coupling of every pair of steps at one K, in one metric.
pub struct StepMap {
    pub steps: Vec<String>,
    pub metric: CouplingMetric,
    pub k: usize,
    /// `[S][S]` row: whose Jacobian; column: whose basis.
    pub coupling: Vec<Vec<Option<f64>>>,
    /// Means of the coupling with their intervals; `None` of one prompt. `[S][S]`
    pub means: Option<Vec<Vec<Option<Mean>>>>,
    pub why_row: Vec<Option<Undefined>>,
    pub why_column: Vec<Option<Undefined>>,
    /// Coupling of unrelated steps.
    pub chance: f64,
    /// Coupling of the whole map, without its diagonal.
    pub all: Option<f64>,
    /// Each basis: is it ill-posed, in words?
    pub ill_posed: Vec<Option<String>>,
    pub pair: Option<[usize; 2]>,
    /// The prompt's token or the rows that the numbers are of, in words.
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
            chance: 1.0 - metric.of(found.chance),
            all: metric.of(found.coupling),
            ill_posed: ill_posed.collect(),
            pair: shown.pair.filter(|pair| pair.iter().all(|&step| step < steps)),
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
            chance: 1.0 - metric.of(found.chance),
            all: metric.of(found.coupling).map(|mean| mean.mean),
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
    pub fn told(&self, row: usize, column: usize) -> String {
        let pair = format!("{} in the basis of {}", self.name(row), self.name(column));
        let Some(x) = self.at(row, column) else {
            return format!("{pair}\nnot defined: {}", self.why(row, column));
        };
        let mean = self.means.as_ref().and_then(|means| *means.get(row)?.get(column)?);
        let between =
            mean.and_then(|mean| mean.interval()).map_or_else(String::new, |[low, high]| {
                format!(" ({} to {})", short(low), short(high))
            });
        let ill = self.ill_posed.get(column).and_then(Option::as_ref);
        let ill = ill.map_or_else(String::new, |ill| format!("\nill-posed: {ill}"));
        format!("{pair}\ncoupling {}{between}, chance {}{ill}", short(x), short(self.chance))
    }

    /// Means over the pairs that are `apart` steps from one another.
    pub fn by_distance(&self) -> Vec<(usize, f64)> {
        let last = self.steps.len().saturating_sub(1);
        let of = |apart: usize| {
            let own = self.pairs().filter(|([i, j], _)| i.abs_diff(*j) == apart);
            Some((apart, mean(own.map(|(_, x)| x))?))
        };
        (1..=last).filter_map(of).collect()
    }

    pub fn ramp(&self) -> Ramp {
        ramp(self.chance)
    }
}

/// Colours of couplings: they begin at chance.
pub fn ramp(chance: f64) -> Ramp {
    Ramp::above(format!("coupling; colours from chance, {}", short(chance)), chance)
}

/// 1 less each.
pub fn less(mis: &[Vec<Option<f64>>]) -> Vec<Vec<Option<f64>>> {
    let row = |row: &Vec<Option<f64>>| row.iter().map(|x| x.map(|x| 1.0 - x)).collect();
    mis.iter().map(row).collect()
}
