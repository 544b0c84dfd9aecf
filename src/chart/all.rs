//! Every picture of a report, each with a name of its own.

use std::collections::BTreeSet;

use super::theory::theorem_figures;
use super::{
    AttentionShown, Column, CouplingShown, DepthColour, Figure, Quantity, Theme, attention_figures,
    coupling_figures, depth_figures, figures, lab_figures, member_figures, metric_name,
    models_coupling_figure, need_figure, part_figures, prompt_figures, relation_figure,
    relation_name, states_figure, survey_figures, sweep_figures, task_coupling_figures,
    with_losses,
};
use crate::study::coupling::{CouplingMetric, ModelsCoupling, Relation};
use crate::study::orders::Orders;
use crate::study::report::{Lens, Opened, Report};

/// In every column and every quantity that the report has numbers of.
pub fn all_figures(opened: &Opened, theme: &Theme) -> Vec<Figure> {
    match opened {
        Opened::Survey(survey) => {
            let mut all = survey_figures(survey, theme);
            all.extend(theorem_figures(survey, theme));
            all
        }
        Opened::CouplingModels(models) => of_models(models, theme),
        Opened::Lens(report)
        | Opened::Prompts(report)
        | Opened::Lab(report)
        | Opened::Orders(report)
        | Opened::Coupling(report) => of_report(report, theme),
    }
}

fn of_report(report: &Report, theme: &Theme) -> Vec<Figure> {
    // 1. One run, many prompts and an order: in every column.
    let mut all = Vec::new();
    for column in Column::ALL {
        if let Some(lens) = &report.lens {
            let own = figures(lens, column, theme);
            let own = match &report.parts {
                Some(parts) => with_losses(own, lens, parts),
                None => own,
            };
            keep(&mut all, own, |figure| in_column(figure, column));
        }
        if let Some(prompts) = &report.prompts {
            let own = prompt_figures(prompts, column, theme);
            keep(&mut all, own, |figure| format!("prompts-{}", in_column(figure, column)));
        }
        if let Some(lab) = &report.lab {
            let own = lab_figures(lab, column, theme);
            keep(&mut all, own, |figure| format!("lab-{}", in_column(figure, column)));
        }
    }

    // 2. The depth, the attention and the components of the run.
    if let Some(lens) = &report.lens {
        all.extend(depth_figures(lens, DepthColour::default(), theme));
        all.extend(attention_of(lens, report, theme));
        if let Some(account) = &report.member {
            all.extend(member_figures(lens, account, false, theme));
        }
        if let Some(parts) = &report.parts {
            all.extend(part_figures(lens, parts, theme));
        }
    }

    // 3. Many runs.
    for orders in &report.orders {
        let is_only = report.orders.len() == 1;
        all.extend(of_sweep(orders, theme).into_iter().map(|figure| match is_only {
            true => figure,
            false => figure.prefixed(&orders.task),
        }));
    }
    if let Some(coupling) = &report.coupling {
        all.extend(in_metrics(&coupling.top, |shown| coupling_figures(coupling, shown, theme)));
    }
    for task in &report.task_coupling {
        let own = in_metrics(&task.top, |shown| task_coupling_figures(task, shown, theme));
        all.extend(own.into_iter().map(|figure| figure.prefixed(&task.task)));
        all.extend(of_relations(&task.relations, Some(&task.task), theme));
    }
    all.extend(
        report.need.iter().filter_map(|need| Some(need_figure(need, theme)?.prefixed(&need.task))),
    );
    all
}

/// Adds the figures under these names, but for those whose name is there: they are the same.
fn keep(
    all: &mut Vec<Figure>,
    figures: impl IntoIterator<Item = Figure>,
    name: impl Fn(&Figure) -> String,
) {
    for figure in figures {
        let name = name(&figure);
        if all.iter().all(|other| other.name != name) {
            all.push(figure.named(name));
        }
    }
}

/// A figure's name with the column it is drawn in; without it where all columns have the same.
fn in_column(figure: &Figure, column: Column) -> String {
    match figure.key {
        "spread" | "running" | "both" => format!("{}-{}", figure.name, column.name()),
        _ => figure.name.clone(),
    }
}

/// Weights and what is carried, of all heads and of those that are there large.
fn attention_of(lens: &Lens, report: &Report, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for (is_carried, what) in [(false, "weights"), (true, "carried")] {
        let large = lens.attention_head.iter().flatten();
        let places = large.map(|head| (head.run, head.head));
        for (run, head) in std::iter::once((usize::MAX, 0)).chain(places) {
            let shown = AttentionShown {
                run,
                head,
                is_carried,
                skips_first: false,
                sharing: report.model.heads / report.model.kv_heads.max(1),
            };
            keep(&mut all, attention_figures(lens, shown, theme), |figure| match figure.key {
                "heads" => format!("heads-{what}"),
                _ => format!("head-{run}-{head}-{what}"),
            });
        }
    }
    all
}

fn of_sweep(orders: &Orders, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for quantity in Quantity::ALL {
        // What has no columns is the same in all of them.
        let columns = if quantity.has_columns() { &Column::ALL[..] } else { &Column::ALL[..1] };
        for &column in columns {
            let own = sweep_figures(orders, quantity, column, theme);
            keep(&mut all, own, |figure| match quantity.has_columns() {
                true => format!("{}-{}-{}", figure.name, quantity.name(), column.name()),
                false => format!("{}-{}", figure.name, quantity.name()),
            });
        }
    }
    all.extend(states_figure(orders, theme));
    all
}

/// The pictures of a coupling in both metrics, with every number of vectors; the ways of the tokens, which have neither,
/// once, and the maps between tokens, which have a number of vectors of their own, in both metrics.
fn in_metrics(top: &[usize], figures: impl Fn(&CouplingShown) -> Vec<Figure>) -> Vec<Figure> {
    let mut all = Vec::new();
    for metric in CouplingMetric::ALL {
        for &k in top {
            let shown = CouplingShown { metric, k, ..CouplingShown::default() };
            let metric = metric_name(metric);
            keep(&mut all, figures(&shown), |figure| match figure.key {
                "coupling-paths" | "coupling-straightness" | "coupling-linearised" => {
                    figure.name.clone()
                }
                "coupling-self" | "coupling-input" | "coupling-output" => {
                    format!("{}-{metric}", figure.name)
                }
                _ => format!("{}-{metric}-k{k}", figure.name),
            });
        }
    }
    all
}

fn of_models(models: &ModelsCoupling, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::from_iter(models_coupling_figure(models, theme));
    all.extend(of_relations(&models.relations, None, theme));
    for model in &models.models {
        let own = of_report(&model.report, theme).into_iter();
        all.extend(own.map(|figure| figure.prefixed(&model.report.model.name)));
    }
    all
}

/// Scatter plots, each with what it is of in its name.
fn of_relations(relations: &[Relation], task: Option<&str>, theme: &Theme) -> Vec<Figure> {
    let drawn = |relation: &Relation| {
        let Relation { to, metric, k, .. } = relation;
        let figure = relation_figure(relation, &BTreeSet::new(), theme);
        let (to, metric) = (relation_name(*to), metric_name(*metric));
        let name = format!("{}-{to}-{metric}-k{k}", figure.name);
        figure.named(name).prefixed(relation.task.as_deref().or(task).unwrap_or("prompt"))
    };
    relations.iter().map(drawn).collect()
}
