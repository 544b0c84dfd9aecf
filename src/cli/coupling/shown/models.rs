//! Models side by side, and what goes with what.

use super::{interval, value};
use crate::chart::number::percent_tenths;
use crate::chart::relation_word;
use crate::cli::table::{columns, number};
use crate::measure::correlation::Correlation;
use crate::measure::coupling::BothMetrics;
use crate::measure::scatter::Together;
use crate::study::coupling::{
    CouplingMetric, ModelCoupling, ModelsCoupling, Relation, USUAL_TOP, usual_top,
};

/// One of the two coefficients.
type Coefficient = fn(&Together) -> Option<Correlation>;

pub fn relations(all: &[Relation], k: usize) -> String {
    let shown = all.iter().filter(|relation| relation.k == k);
    let mut table = columns(shown)
        .words("coupling against", |&relation| against(relation))
        .words("metric", |relation| metric(relation.metric))
        .numbers("points", |relation| relation.points.len());
    let coefficients: [(Coefficient, _); 2] = [
        (|both| both.pearson, ["Pearson", "p", "without one"]),
        (|both| both.spearman, ["Spearman", "p ", "without one "]),
    ];
    for (found, [r, p, without]) in coefficients {
        table = table
            .numbers(r, |relation| {
                found(&relation.all).map_or("none".into(), |found| number(found.r, 2))
            })
            .numbers(p, |relation| {
                found(&relation.all).map_or("-".into(), |found| chance_of(found.p))
            })
            .numbers(without, |relation| range(relation.left_out.iter().filter_map(found)));
    }
    format!(
        "{}\nK = {k}; \"without one\": the least and the largest with each point left out in turn; three points cannot be significant\n",
        table.text()
    )
}

/// The least and the largest coefficient.
fn range(all: impl Iterator<Item = Correlation>) -> String {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for found in all {
        (low, high) = (low.min(found.r), high.max(found.r));
    }
    if low > high { "-".to_owned() } else { format!("{} to {}", number(low, 2), number(high, 2)) }
}

fn chance_of(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { number(p, 3) }
}

fn against(relation: &Relation) -> String {
    let name = relation_word(relation.to);
    match &relation.task {
        Some(task) => format!("{name}, {task}"),
        None => name.to_owned(),
    }
}

fn metric(metric: CouplingMetric) -> &'static str {
    match metric {
        CouplingMetric::OffDiagonal => "off-diagonal",
        CouplingMetric::Singular => "singular",
    }
}

/// A model's numbers on a prompt or on a task.
struct ModelLine<'a> {
    model: &'a ModelCoupling,
    on: &'a str,
    steps: usize,
    coupling: BothMetrics<String>,
    line_shape_score: String,
    right: String,
}

/// The models beside one another.
pub fn models(all: &ModelsCoupling) -> String {
    let mut k = USUAL_TOP;
    let mut lines = Vec::new();
    for model in &all.models {
        if let Some(found) = &model.report.coupling {
            k = usual_top(&found.top);
            let coupling = found.depth_wise.get(&k).map(|one| one.coupling);
            lines.push(ModelLine {
                model,
                on: "the prompt",
                steps: found.steps.len(),
                coupling: coupling.unwrap_or_default().map(value),
                line_shape_score: value(found.line_shape_score),
                right: "-".into(),
            });
        }
        for task in &model.report.task_coupling {
            k = usual_top(&task.top);
            let coupling = task.depth_wise.get(&k).map(|one| one.coupling);
            lines.push(ModelLine {
                model,
                on: &task.task,
                steps: task.steps.len(),
                coupling: coupling.unwrap_or_default().map(interval),
                line_shape_score: interval(task.line_shape_score),
                right: task.accuracy.map_or("-".into(), |mean| percent_tenths(mean.mean)),
            });
        }
    }
    let training = |line: &ModelLine<'_>| line.model.training_step;
    let table = columns(lines)
        .words("model", |line| line.model.report.model.name.clone())
        .words("on", |line| line.on)
        .numbers("steps", |line| line.steps)
        .numbers("width", |line| line.model.report.model.width)
        .numbers("training", |line| training(line).map_or("-".into(), |step| step.to_string()))
        .numbers("coupling, off-diagonal", |line| line.coupling.off_diagonal.clone())
        .numbers("coupling, singular", |line| line.coupling.singular.clone())
        .numbers("line-shape score", |line| line.line_shape_score.clone())
        .numbers("right", |line| line.right.clone());
    let mut page = format!("The models at K = {k}\n\n{}", table.text());
    if !all.relations.is_empty() {
        page.push('\n');
        page += &relations(&all.relations, k);
    }
    page
}
