//! Models side by side, and what goes with what.

use comfy_table::Row;

use super::{interval, value};
use crate::chart::number::percent_tenths;
use crate::chart::relation_word;
use crate::cli::table::{number, table, text};
use crate::measure::scatter::Together;
use crate::study::coupling::{CouplingMetric, ModelsCoupling, Relation, USUAL_TOP, usual_top};

pub fn relations(all: &[Relation], k: usize) -> String {
    let header = [
        "coupling against",
        "metric",
        "points",
        "Pearson",
        "p",
        "without one",
        "Spearman",
        "p ",
        "without one ",
    ];
    let mut rows = table(&header, 2);
    for relation in all.iter().filter(|relation| relation.k == k) {
        let mut cells = vec![against(relation), metric(relation.metric).to_owned()];
        cells.push(relation.points.len().to_string());
        for of in [|both: &Together| both.pearson, |both: &Together| both.spearman] {
            let found = of(&relation.all);
            let left = relation.left_out.iter().filter_map(of).map(|found| found.r);
            let (low, high) = left.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), r| {
                (low.min(r), high.max(r))
            });
            cells.extend([
                found.map_or("none".into(), |found| number(found.r, 2)),
                found.map_or("-".into(), |found| chance_of(found.p)),
                if low <= high {
                    format!("{} to {}", number(low, 2), number(high, 2))
                } else {
                    "-".into()
                },
            ]);
        }
        rows.add_row(Row::from(cells));
    }
    format!(
        "{}\nK = {k}; \"without one\": the least and the largest with each point left out in turn; three points cannot be significant\n",
        text(&rows)
    )
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

/// The models beside one another.
pub fn models(all: &ModelsCoupling) -> String {
    let header = [
        "model",
        "on",
        "steps",
        "width",
        "training",
        "coupling, off-diagonal",
        "coupling, singular",
        "line-shape score",
        "right",
    ];
    let mut rows = table(&header, 2);
    let mut k = USUAL_TOP;
    for model in &all.models {
        let facts = &model.report.model;
        let mut line = |on: &str, steps: usize, numbers: [String; 4]| {
            let mut cells = vec![facts.name.clone(), on.to_owned()];
            cells.extend([steps, facts.width].map(|n| n.to_string()));
            cells.push(model.training_step.map_or("-".into(), |step| step.to_string()));
            cells.extend(numbers);
            rows.add_row(Row::from(cells));
        };
        if let Some(found) = &model.report.coupling {
            k = usual_top(&found.top);
            let both = found.depth_wise.get(&k).map(|one| one.coupling);
            line(
                "the prompt",
                found.steps.len(),
                [
                    value(both.and_then(|both| both.off_diagonal)),
                    value(both.and_then(|both| both.singular)),
                    value(found.line_shape_score),
                    "-".into(),
                ],
            );
        }
        for task in &model.report.task_coupling {
            k = usual_top(&task.top);
            let both = task.depth_wise.get(&k).map(|one| one.coupling);
            line(
                &task.task,
                task.steps.len(),
                [
                    interval(both.and_then(|both| both.off_diagonal)),
                    interval(both.and_then(|both| both.singular)),
                    interval(task.line_shape_score),
                    task.accuracy.map_or("-".into(), |mean| percent_tenths(mean.mean)),
                ],
            );
        }
    }
    let mut page = format!("The models at K = {k}\n\n{}", text(&rows));
    if !all.relations.is_empty() {
        page.push('\n');
        page += &relations(&all.relations, k);
    }
    page
}
