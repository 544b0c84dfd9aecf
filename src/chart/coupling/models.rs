//! Several models, or moments of one's training, side by side.

use std::collections::BTreeSet;

use super::relation::relation_figure;
use super::straightness::{Straightness, drawn};
use crate::chart::{Figure, Theme};
use crate::study::coupling::ModelsCoupling;

/// Straightness of all, and every relation over them without the models that are `out`.
pub fn models_coupling_figures(
    models: &ModelsCoupling,
    out: &BTreeSet<String>,
    theme: &Theme,
) -> Vec<Figure> {
    let ways = models.models.iter().flat_map(|model| {
        let report = &model.report;
        let name = report.model.name.as_str();
        let one = report
            .coupling
            .iter()
            .map(move |coupling| Straightness::of(name, coupling));
        let tasks = report
            .task_coupling
            .iter()
            .map(move |task| Straightness::of_task(&format!("{name} on “{}”", task.task), task));
        one.chain(tasks)
    });
    let ways: Vec<Straightness> = ways.collect();
    let mut all = Vec::new();
    all.extend(drawn(&ways, theme));
    all.extend(
        models
            .relations
            .iter()
            .map(|relation| relation_figure(relation, out, theme)),
    );
    all
}
