//! Several models, or moments of one's training, side by side.

use super::straightness::{Straightness, drawn};
use crate::chart::{Figure, Theme};
use crate::study::coupling::{ModelsCoupling, TaskCoupling};

/// Straightness of all. Their scatter plots are drawn one by one
/// ([`relation_figure`](super::relation_figure)).
pub fn models_coupling_figure(models: &ModelsCoupling, theme: &Theme) -> Option<Figure> {
    let ways = models.models.iter().flat_map(|model| {
        let report = &model.report;
        let name = report.model.name.as_str();
        let one = report.coupling.iter().map(move |coupling| Straightness::of(name, coupling));
        let tasks = report
            .task_coupling
            .iter()
            .map(move |task| Straightness::of_task(&format!("{name} on “{}”", task.task), task));
        one.chain(tasks)
    });
    let ways: Vec<Straightness> = ways.collect();
    Some(drawn(&ways, theme)?.figure(theme))
}

/// Straightness of models, by their names, on rows of one task.
pub fn task_ways_figure(models: &[(&str, &TaskCoupling)], theme: &Theme) -> Option<Figure> {
    let ways = models.iter().map(|(name, task)| Straightness::of_task(name, task));
    Some(drawn(&ways.collect::<Vec<_>>(), theme)?.figure(theme))
}
