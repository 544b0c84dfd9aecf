//! Every picture of a report, each with a name of its own.

use std::collections::BTreeSet;

use super::theory::theorem_figures;
use super::{
    AttentionShown, Column, CouplingShown, DepthColour, Figure, Quantity, Theme, attention_figures,
    coupling_figures, depth_figures, figures, lab_figures, member_figures, metric_name,
    models_coupling_figure, need_figure, part_figures, prompt_figures, relation_figure,
    relation_name, survey_figures, sweep_figures, task_coupling_figures, with_losses,
};
use crate::study::coupling::{Coupling, CouplingMetric, ModelsCoupling, Relation, TaskCoupling};
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
    let mut all = Vec::new();
    for column in Column::ALL {
        let in_column = |figure: Figure| named_in(column, figure);
        if let Some(lens) = &report.lens {
            let own = figures(lens, column, theme);
            let own = match &report.parts {
                Some(parts) => with_losses(own, lens, parts),
                None => own,
            };
            all.extend(own.into_iter().filter_map(in_column));
        }
        if let Some(prompts) = &report.prompts {
            let of_many = |figure: Figure| {
                let name = format!("prompts-{}", figure.name);
                in_column(figure.named(name))
            };
            all.extend(prompt_figures(prompts, column, theme).into_iter().filter_map(of_many));
        }
        if let Some(lab) = &report.lab {
            let own = lab_figures(lab, column, theme).into_iter().map(|figure| {
                let name = format!("lab-{}", figure.name);
                figure.named(name)
            });
            all.extend(own.filter_map(in_column));
        }
    }
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
    for orders in &report.orders {
        for figure in of_sweep(orders, theme) {
            let name = if report.orders.len() > 1 {
                format!("{}-{}", orders.task, figure.name)
            } else {
                figure.name.clone()
            };
            all.push(figure.named(name));
        }
    }
    if let Some(coupling) = &report.coupling {
        all.extend(of_coupling(coupling, theme));
    }
    for task in &report.task_coupling {
        all.extend(of_task_coupling(task, theme));
    }
    for need in &report.need {
        all.extend(need_figure(need, theme).map(|figure| {
            let name = format!("{}-need", need.task);
            figure.named(name)
        }));
    }
    all
}

/// Names a figure after the column it is drawn in; `None` for all but the first drawing of one that is the same in
/// every column.
fn named_in(column: Column, figure: Figure) -> Option<Figure> {
    if ["spread", "running", "both"].contains(&figure.key) {
        let name = format!("{}-{}", figure.name, column.name());
        return Some(figure.named(name));
    }
    (column == Column::default()).then_some(figure)
}

/// Weights and what is carried, of all heads and of those that are there large.
fn attention_of(lens: &Lens, report: &Report, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for is_carried in [false, true] {
        let large = lens.attention_head.iter().flatten();
        let places = large.map(|head| (head.run, head.head));
        for (n, (run, head)) in std::iter::once((usize::MAX, 0)).chain(places).enumerate() {
            let shown = AttentionShown {
                run,
                head,
                is_carried,
                skips_first: false,
                sharing: report.model.heads / report.model.kv_heads.max(1),
            };
            let figures = attention_figures(lens, shown, theme).into_iter();
            all.extend(figures.filter(|figure| (figure.key == "heads") == (n == 0)).map(
                |figure| {
                    let what = if is_carried { "carried" } else { "weights" };
                    let name = match n {
                        0 => format!("heads-{what}"),
                        _ => format!("head-{run}-{head}-{what}"),
                    };
                    figure.named(name)
                },
            ));
        }
    }
    all
}

fn of_sweep(orders: &Orders, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for quantity in Quantity::ALL {
        let columns = if quantity.has_columns() { &Column::ALL[..] } else { &Column::ALL[..1] };
        for &column in columns {
            let end = if quantity.has_columns() {
                format!("{}-{}", quantity.name(), column.name())
            } else {
                quantity.name().to_owned()
            };
            all.extend(sweep_figures(orders, quantity, column, theme).into_iter().map(|figure| {
                let name = format!("{}-{end}", figure.name);
                figure.named(name)
            }));
        }
    }
    all
}

/// Does a coupling's picture say the same whatever the metric and the number of vectors?
fn is_of_the_way(figure: &Figure) -> bool {
    ["coupling-paths", "coupling-straightness", "coupling-linearised"].contains(&figure.key)
}

/// Is it a map between tokens, which has a number of vectors of its own?
fn is_of_tokens(figure: &Figure) -> bool {
    ["coupling-self", "coupling-input", "coupling-output"].contains(&figure.key)
}

/// In both metrics, with every number of vectors; the tokens' ways once.
fn of_coupling(coupling: &Coupling, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for metric in CouplingMetric::ALL {
        for (n, &k) in coupling.top.iter().enumerate() {
            let shown = CouplingShown { metric, k, ..CouplingShown::default() };
            let is_first = metric == CouplingMetric::ALL[0] && n == 0;
            for figure in coupling_figures(coupling, &shown, theme) {
                let name = if is_of_the_way(&figure) {
                    if !is_first {
                        continue;
                    }
                    figure.name.clone()
                } else if is_of_tokens(&figure) {
                    if n > 0 {
                        continue;
                    }
                    format!("{}-{}", figure.name, metric_name(metric))
                } else {
                    format!("{}-{}-k{k}", figure.name, metric_name(metric))
                };
                all.push(figure.named(name));
            }
        }
    }
    all
}

fn of_task_coupling(task: &TaskCoupling, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for metric in CouplingMetric::ALL {
        for (n, &k) in task.top.iter().enumerate() {
            let shown = CouplingShown { metric, k, ..CouplingShown::default() };
            for figure in task_coupling_figures(task, &shown, theme) {
                let is_once = is_of_the_way(&figure);
                if is_once && (metric != CouplingMetric::ALL[0] || n > 0) {
                    continue;
                }
                let name = match is_once {
                    true => format!("{}-{}", task.task, figure.name),
                    false => format!("{}-{}-{}-k{k}", task.task, figure.name, metric_name(metric)),
                };
                all.push(figure.named(name));
            }
        }
    }
    all.extend(of_relations(&task.relations, Some(&task.task), theme));
    all
}

fn of_models(models: &ModelsCoupling, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::from_iter(models_coupling_figure(models, theme));
    all.extend(of_relations(&models.relations, None, theme));
    for model in &models.models {
        let name = &model.report.model.name;
        let own = of_report(&model.report, theme).into_iter();
        all.extend(own.map(|figure| {
            let name = format!("{name}-{}", figure.name);
            figure.named(name)
        }));
    }
    all
}

/// Scatter plots, each with what it is of in its name.
fn of_relations(relations: &[Relation], task: Option<&str>, theme: &Theme) -> Vec<Figure> {
    let drawn = |relation: &Relation| {
        let figure = relation_figure(relation, &BTreeSet::new(), theme);
        let of = relation.task.as_deref().or(task).unwrap_or("prompt");
        let name = format!(
            "{of}-{}-{}-{}-k{}",
            figure.name,
            relation_name(relation.to),
            metric_name(relation.metric),
            relation.k
        );
        figure.named(name)
    };
    relations.iter().map(drawn).collect()
}
