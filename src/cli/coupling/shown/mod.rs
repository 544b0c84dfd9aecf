//! Tables for people.

mod maps;
mod models;

pub use models::models;

use self::maps::map;
use self::models::relations;
use crate::chart::number::{counted, percent_tenths};
use crate::cli::table::{columns, number};
use crate::measure::coupling::{BothMetrics, ILL_POSED};
use crate::measure::interval::Mean;
use crate::study::coupling::{
    Coupling, CouplingMethod, MethodReason, TaskCoupling, TokenMap, TokenPositions, usual_top,
};
use crate::study::report::Report;

pub fn report(report: &Report) -> String {
    let mut page = format!("{}, {}\n", report.model.name, report.engine);
    if let Some(coupling) = &report.coupling {
        page += &one(coupling);
    }
    for task in &report.task_coupling {
        page.push('\n');
        page += &of_task(task);
    }
    page
}

fn one(found: &Coupling) -> String {
    let (s, t) = (found.steps.len(), found.token_ids.len());
    let mut page = format!(
        "plan {}: {}, {}; {}\n\n",
        found.plan,
        counted(s, "step"),
        counted(t, "token"),
        method(found)
    );
    let each = found.depth_wise.iter();
    page += &couplings(each.map(|(&k, one)| (k, one.coupling.map(value), one.chance)));
    page.push('\n');
    page += &steps(found);
    let k = usual_top(&found.top);
    if let Some(one) = found.depth_wise.get(&k) {
        let names: Vec<String> = found.steps.clone();
        page += &map(
            &format!(
                "Mis-coupling (off-diagonal) at the last token, K = {k}: row, whose Jacobian; column, whose basis"
            ),
            &one.map,
            &names,
            k,
        );
    }
    if let Some(tokens) = &found.token_wise {
        let k = tokens.k;
        for TokenMap { positions, pairs } in tokens.maps() {
            let (name, several) = match positions {
                TokenPositions::Same { t } => ("Tokens with themselves (t, t)".to_owned(), t),
                TokenPositions::Input { t_in, t_out } => {
                    (format!("From token {t_in} to each"), t_out)
                }
                TokenPositions::Output { t_out, t_in } => {
                    (format!("From each to token {t_out}"), t_in)
                }
            };
            let names: Vec<String> = several.iter().map(ToString::to_string).collect();
            for pair in pairs {
                let [a, b] = pair.steps;
                let title = format!("{name}, steps {a} (rows) and {b} (columns), K = {k}");
                page += &map(&title, &pair.map, &names, k);
            }
        }
    }
    page += &format!(
        "\nline-shape score of the last token's path {} (a straight line 1, a random walk {}), expodistance {}\n",
        value(found.line_shape_score),
        number((s as f64).sqrt(), 3),
        value(found.expodistance)
    );
    page
}

fn method(found: &Coupling) -> String {
    let products = found.products;
    let (jvp, vjp) = (products.jvp, products.vjp);
    let how = match found.method {
        CouplingMethod::Whole => "every Jacobian formed",
        CouplingMethod::Lanczos => "leading singular vectors searched by products",
    };
    let why = match found.reason {
        MethodReason::Asked => "as asked",
        MethodReason::FewerProducts => "which takes fewer products here",
        MethodReason::Memory => "since whole Jacobians would not fit in memory",
    };
    format!("{how}, {why} ({jvp} JVPs, {vjp} VJPs)")
}

/// Couplings and their chance, a row for every K.
fn couplings(rows: impl Iterator<Item = (usize, BothMetrics<String>, BothMetrics<f64>)>) -> String {
    columns(rows)
        .numbers("K", |(k, ..)| *k)
        .numbers("coupling, off-diagonal", |(_, coupling, _)| coupling.off_diagonal.clone())
        .numbers("chance", |(.., chance)| number(1.0 - chance.off_diagonal, 3))
        .numbers("coupling, singular", |(_, coupling, _)| coupling.singular.clone())
        .numbers("chance ", |(.., chance)| number(1.0 - chance.singular, 3))
        .text()
}

fn value(x: Option<f64>) -> String {
    x.map_or("none".to_owned(), |x| number(x, 3))
}

fn steps(found: &Coupling) -> String {
    let k = usual_top(&found.top);
    let gap = |at: usize| found.spectrum[at].gap.get(&k).copied().flatten();
    let mut page = columns(0..found.steps.len())
        .words("step", |&at| found.steps[at].clone())
        .scaled("largest\ns", "-", |&at| found.spectrum[at].singular_values.first().copied())
        .scaled("Frobenius", "-", |&at| found.spectrum[at].frobenius)
        .scaled("stable\nrank", "-", |&at| found.spectrum[at].stable_rank)
        .scaled("effective\nrank", "-", |&at| found.spectrum[at].effective_rank)
        .scaled("least\ngap", "-", |&at| gap(at))
        .scaled("linearised\ncosine", "-", |&at| found.linearised.cosine[at])
        .scaled("error", "-", |&at| found.linearised.relative_error[at])
        .text();
    let ill: Vec<&str> = (0..found.steps.len())
        .filter(|&at| gap(at).is_some_and(|gap| gap < ILL_POSED))
        .map(|at| found.steps[at].as_str())
        .collect();
    if !ill.is_empty() {
        page += &format!(
            "\nill-posed at K = {k}: two leading singular values of {} are nearly equal. Its vectors, and so the \
             coupling, depend on rounding\n",
            ill.join(", ")
        );
    }
    if found.method == CouplingMethod::Lanczos {
        page +=
            "\nranks and Frobenius norms need every singular value: --method whole computes them\n";
    }
    page + "\nThe linearised path follows (I + J) x, which is not x + f(x): its cosine is no test of coupling.\n"
}

fn of_task(found: &TaskCoupling) -> String {
    let mut page = format!("{}: ", found.task);
    page += &if found.rows == found.rows_asked {
        counted(found.rows, "row")
    } else {
        format!("{} of {} rows, stopped", found.rows, found.rows_asked)
    };
    if let Some(accuracy) = found.accuracy {
        page += &format!(", {} right", percent_tenths(accuracy.mean));
    }
    page += &format!("; plan {}\n\n", found.plan);
    let each = found.depth_wise.iter();
    page += &couplings(each.map(|(&k, one)| (k, one.coupling.map(interval), one.chance)));
    page += &format!(
        "\nline-shape score {} (a random walk {}), expodistance {}\n",
        interval(found.line_shape_score),
        number((found.steps.len() as f64).sqrt(), 3),
        interval(found.expodistance)
    );
    if !found.relations.is_empty() {
        page += "\nCoupling against what other orders cost:\n\n";
        page += &relations(&found.relations, usual_top(&found.top));
    }
    page
}

fn interval(mean: Option<Mean>) -> String {
    let Some(mean) = mean else {
        return "none".to_owned();
    };
    let number = |x: f64| number(x, 3);
    match mean.interval() {
        Some([low, high]) => format!("{} ({} to {})", number(mean.mean), number(low), number(high)),
        None => number(mean.mean),
    }
}
