//! Names of steps and tokens, and words of the two metrics.

use std::collections::BTreeMap;

use super::{CouplingShown, StepMap};
use crate::chart::number::{ordinal, short};
use crate::engine::{last_members, member_names, members};
use crate::measure::coupling::Undefined;
use crate::plan::{MAX_RUNS, Plan};
use crate::study::coupling::{Coupling, CouplingMetric, RelationTo};

/// Each step as the plan writes it; one that comes again says so.
pub fn step_names(steps: &[String]) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let named = steps.iter().map(|step| {
        let times = seen.entry(step).or_default();
        *times += 1;
        match *times {
            1 => step.clone(),
            n => format!("{step} ({})", ordinal(n)),
        }
    });
    named.collect()
}

/// The names of the members that every step of a plan writes.
pub fn step_members(plan: &str) -> Vec<Vec<String>> {
    // A report's plan was checked when it ran; here only its steps are wanted.
    let Ok(plan) = Plan::parse(plan, &[MAX_RUNS - 1]) else {
        return Vec::new();
    };
    let names = member_names(&members(&plan, false));
    let mut first = 1;
    let last = last_members(&plan).into_iter().skip(1);
    last.map(|last| {
        let own = names.get(first..=last).unwrap_or_default().to_vec();
        first = last + 1;
        own
    })
    .collect()
}

/// The metric's name in links and files.
pub fn metric_name(metric: CouplingMetric) -> &'static str {
    match metric {
        CouplingMetric::OffDiagonal => "off_diagonal",
        CouplingMetric::Singular => "singular",
    }
}

/// The metric of this name in links.
pub fn metric_of(name: &str) -> Option<CouplingMetric> {
    CouplingMetric::ALL.into_iter().find(|&metric| metric_name(metric) == name)
}

/// The metric for readers.
pub fn metric_word(metric: CouplingMetric) -> &'static str {
    match metric {
        CouplingMetric::OffDiagonal => "the paper's text",
        CouplingMetric::Singular => "the paper's code",
    }
}

/// Names the quantity that a coupling is compared with, for files: `swap-accuracy`, its name in reports with hyphens.
pub fn relation_name(to: RelationTo) -> String {
    let in_reports = serde_json::to_value(to).unwrap_or_default();
    in_reports.as_str().unwrap_or_default().replace('_', "-")
}

/// Names the quantity that a coupling is compared with, for readers.
pub fn relation_word(to: RelationTo) -> &'static str {
    match to {
        RelationTo::SwapAccuracy => "accuracy lost by swapping neighbours",
        RelationTo::SwapMargin => "margin lost by swapping neighbours",
        RelationTo::DropAccuracy => "accuracy lost by leaving a step out",
        RelationTo::DropMargin => "margin lost by leaving a step out",
        RelationTo::Accuracy => "accuracy",
        RelationTo::Depth => "number of steps",
        RelationTo::Width => "width",
        RelationTo::Training => "steps of training",
        RelationTo::MeanSwapAccuracy => "accuracy lost by swapping neighbours, mean",
        RelationTo::MeanSwapMargin => "margin lost by swapping neighbours, mean",
        RelationTo::MeanDropAccuracy => "accuracy lost by leaving a step out, mean",
        RelationTo::MeanDropMargin => "margin lost by leaving a step out, mean",
    }
}

/// Formula of a metric, of A and the singular values s.
pub fn formula(metric: CouplingMetric) -> &'static str {
    match metric {
        CouplingMetric::OffDiagonal => "1 − ‖A − diag A‖ / ‖A‖",
        CouplingMetric::Singular => "1 − ‖|A| − diag s‖ / ‖s‖",
    }
}

/// Returns the number of vectors in `top` that is nearest to `k`; the larger where two are.
pub fn nearest(top: impl Iterator<Item = usize>, k: usize) -> Option<usize> {
    top.min_by_key(|&own| (own.abs_diff(k), usize::MAX - own))
}

/// Which two different steps couple most, and how much.
pub fn most_alike(coupling: &Coupling, shown: &CouplingShown) -> Option<([usize; 2], f64)> {
    StepMap::of_prompt(coupling, shown)?.most()
}

/// Why a cell has no number.
pub fn reason(why: Option<Undefined>, k: usize) -> String {
    match why {
        Some(Undefined::Unseen) => {
            "no token sees what comes after it, or outside its window".to_owned()
        }
        Some(Undefined::Zero) => "all of the Jacobian is zero".to_owned(),
        Some(Undefined::Rank) => {
            format!(
                "singular value {k} of the basis is next to nothing, so that its vectors are any vectors"
            )
        }
        None => "it would be divided by zero".to_owned(),
    }
}

/// A token as it is read: what cannot be seen is spelt.
pub fn token(coupling: &Coupling, t: usize) -> String {
    let text = coupling.tokens.as_ref().and_then(|tokens| tokens.get(t));
    match (text, coupling.token_ids.get(t)) {
        (Some(text), _) if text.trim().is_empty() => text.escape_debug().to_string(),
        (Some(text), _) => text.trim().to_owned(),
        (None, Some(id)) => id.to_string(),
        (None, None) => t.to_string(),
    }
}

/// A coupling, or that there is none.
pub fn said(x: Option<f64>) -> String {
    x.map_or_else(|| "not defined".to_owned(), short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_comes_again_has_a_name_of_its_own() {
        let steps = ["0", "1", "0", "0"].map(str::to_owned);
        assert_eq!(step_names(&steps), ["0", "1", "0 (2nd)", "0 (3rd)"]);
    }

    #[test]
    fn the_nearest_number_of_vectors() {
        let of = |k| nearest([4, 8, 16].into_iter(), k);
        assert_eq!([of(1), of(6), of(8), of(99)], [Some(4), Some(8), Some(8), Some(16)]);
        assert_eq!(nearest(std::iter::empty(), 8), None);
    }
}
