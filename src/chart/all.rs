//! Every picture of a report, each with a name of its own.

use super::theory::theorem_figures;
use super::{
    Column, Figure, Quantity, Theme, figures, lab_figures, prompt_figures, survey_figures,
    sweep_figures,
};
use crate::study::orders::Orders;
use crate::study::report::{Opened, Report};

/// In every column and every quantity that the report has numbers of.
pub fn all_figures(opened: &Opened, theme: &Theme) -> Vec<Figure> {
    match opened {
        Opened::Survey(survey) => {
            let mut all = survey_figures(survey, theme);
            all.extend(theorem_figures(survey, theme));
            all
        }
        Opened::Lens(report)
        | Opened::Prompts(report)
        | Opened::Lab(report)
        | Opened::Orders(report) => of_report(report, theme),
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
