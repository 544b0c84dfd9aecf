//! Every picture of a report, each with a name of its own.

use super::theory::theorem_figures;
use super::{
    AttentionShown, Column, DepthColour, Figure, Quantity, Theme, attention_figures, depth_figures,
    figures, lab_figures, need_figure, prompt_figures, survey_figures, sweep_figures,
};
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
        Opened::CouplingModels(_) => Vec::new(),
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
        let in_column = |figure: Figure| {
            let name = format!("{}-{}", figure.name, column.name());
            figure.named(name)
        };
        if let Some(lens) = &report.lens {
            all.extend(figures(lens, column, theme).map(in_column));
        }
        if let Some(prompts) = &report.prompts {
            let of_many = |figure: Figure| {
                let name = format!("prompts-{}", figure.name);
                in_column(figure.named(name))
            };
            all.extend(prompt_figures(prompts, column, theme).map(of_many));
        }
        if let Some(lab) = &report.lab {
            let own = lab_figures(lab, column, theme).into_iter().map(|figure| {
                let name = format!("lab-{}", figure.name);
                figure.named(name)
            });
            // The stream's shape is in no column.
            let (both, shape): (Vec<Figure>, Vec<Figure>) =
                own.partition(|figure| ["both", "votes"].contains(&figure.key));
            all.extend(both.into_iter().map(in_column));
            if column == Column::default() {
                all.extend(shape);
            }
        }
    }
    if let Some(lens) = &report.lens {
        all.extend(depth_figures(lens, DepthColour::default(), theme));
        all.extend(attention_of(lens, report, theme));
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
    for need in &report.need {
        all.extend(need_figure(need, theme).map(|figure| {
            let name = format!("{}-need", need.task);
            figure.named(name)
        }));
    }
    all
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
                sharing: report.model.heads / report.model.kv_heads.max(1),
            };
            let figures = attention_figures(lens, shown, theme).into_iter();
            all.extend(
                figures
                    .filter(|figure| (figure.key == "heads") == (n == 0))
                    .map(|figure| {
                        let what = if is_carried { "carried" } else { "weights" };
                        let name = match n {
                            0 => format!("heads-{what}"),
                            _ => format!("head-{run}-{head}-{what}"),
                        };
                        figure.named(name)
                    }),
            );
        }
    }
    all
}

fn of_sweep(orders: &Orders, theme: &Theme) -> Vec<Figure> {
    let mut all = Vec::new();
    for quantity in Quantity::ALL {
        let columns = if quantity.has_columns() {
            &Column::ALL[..]
        } else {
            &Column::ALL[..1]
        };
        for &column in columns {
            let end = if quantity.has_columns() {
                format!("{}-{}", quantity.name(), column.name())
            } else {
                quantity.name().to_owned()
            };
            all.extend(
                sweep_figures(orders, quantity, column, theme)
                    .into_iter()
                    .map(|figure| {
                        let name = format!("{}-{end}", figure.name);
                        figure.named(name)
                    }),
            );
        }
    }
    all
}
