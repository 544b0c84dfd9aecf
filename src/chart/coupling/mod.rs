//! Coupling: how alike the linearised steps of a run are, along its depth and between its tokens; and
//! what of that is more than chance (*Transformer Block Coupling*; docs/definitions.md, "Coupling").
//!
//! Pictures show the coupling, 1 less the mis-coupling of the definitions, so that brighter is more alike:
//! 1 where two steps share their leading directions, the chance line where nothing ties them.

mod distance;
mod left;
mod linearised;
mod map;
mod models;
mod names;
mod pair;
mod paths;
mod relation;
mod slips;
mod step_map;
mod straightness;
mod token_map;
mod tokens;

pub use names::{
    metric_name, metric_of, metric_word, most_alike, nearest, relation_name, relation_word,
    step_members, step_names,
};
pub use relation::relation_figure;

use super::{Figure, FigureDraft, Table, TableCell, Theme};
use crate::study::coupling::{Coupling, CouplingMetric, TaskCoupling, USUAL_TOP};
pub use models::{models_coupling_figure, task_ways_figure};
use step_map::StepMap;

/// Settings of a coupling's pictures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CouplingShown {
    pub metric: CouplingMetric,
    /// Leading vectors compared; where the report has not that many, the nearest that it has.
    pub k: usize,
    /// The step of the Jacobian and the step of the basis, as places in the plan; the two most alike where nothing is
    /// said.
    pub pair: Option<[usize; 2]>,
    /// After how many steps the tokens are shown; their whole ways at once where nothing is said.
    pub frame: Option<usize>,
}

impl Default for CouplingShown {
    fn default() -> Self {
        Self { metric: CouplingMetric::OffDiagonal, k: USUAL_TOP, pair: None, frame: None }
    }
}

/// One prompt's pictures.
pub fn coupling_figures(coupling: &Coupling, shown: &CouplingShown, theme: &Theme) -> Vec<Figure> {
    let mut all: Vec<FigureDraft> = Vec::new();
    if let Some(map) = StepMap::of_prompt(coupling, shown) {
        all.push(map::figure(&map));
        all.extend(distance::figure(&map, theme));
        all.extend(pair::figure(coupling, &map, theme));
    }
    all.extend(tokens::figures(coupling, shown.metric));
    all.push(paths::figure(coupling, shown.frame, theme));
    all.extend(straightness::figure(coupling, theme));
    all.push(linearised::figure(&coupling.steps, &coupling.linearised, theme));
    all.into_iter().map(|draft| draft.figure(theme)).collect()
}

/// The state of a model's last token on rows of a task, carried by the linearised steps alone.
pub fn task_linearised_figure(task: &TaskCoupling, theme: &Theme) -> Figure {
    linearised::of_task(task, theme).figure(theme)
}

/// The pictures of a model on rows of a task; without its scatter plots, which are drawn one by one
/// ([`relation_figure`]).
pub fn task_coupling_figures(
    task: &TaskCoupling,
    shown: &CouplingShown,
    theme: &Theme,
) -> Vec<Figure> {
    let mut all: Vec<FigureDraft> = Vec::new();
    if let Some(map) = StepMap::of_task(task, shown) {
        all.push(map::figure(&map));
        all.extend(distance::figure(&map, theme));
    }
    all.extend(straightness::of_task(task, theme));
    all.push(linearised::of_task(task, theme));
    all.into_iter().map(|draft| draft.figure(theme)).collect()
}
