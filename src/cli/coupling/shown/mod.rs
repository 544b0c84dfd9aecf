//! Tables for people.

mod maps;
mod models;

pub use models::models;

use comfy_table::Row;

use self::maps::map;
use self::models::relations;
use crate::chart::number::{counted, percent_tenths};
use crate::cli::table::{column_with_gaps, number, table, text};
use crate::measure::coupling::{BothMetrics, ILL_POSED};
use crate::measure::interval::Mean;
use crate::study::coupling::{
    Coupling, CouplingMethod, MethodReason, StepPair, TaskCoupling, usual_top,
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
    page += &couplings(found.depth_wise.iter().map(|(&k, one)| {
        let coupling = BothMetrics {
            off_diagonal: value(one.coupling.off_diagonal),
            singular: value(one.coupling.singular),
        };
        (k, coupling, one.chance)
    }));
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
        let mut several = |name: &str, pairs: &[StepPair], positions: &[usize]| {
            for pair in pairs {
                let [a, b] = pair.steps;
                let names: Vec<String> = positions.iter().map(ToString::to_string).collect();
                let title = format!("{name}, steps {a} (rows) and {b} (columns), K = {k}");
                page += &map(&title, &pair.map, &names, k);
            }
        };
        if let Some(same) = &tokens.same {
            several("Tokens with themselves (t, t)", &same.pairs, &same.t);
        }
        if let Some(fixed) = &tokens.fixed_input {
            let name = format!("From token {} to each", fixed.t_in);
            several(&name, &fixed.pairs, &fixed.t_out);
        }
        if let Some(fixed) = &tokens.fixed_output {
            let name = format!("From each to token {}", fixed.t_out);
            several(&name, &fixed.pairs, &fixed.t_in);
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
    let header = ["K", "coupling, off-diagonal", "chance", "coupling, singular", "chance "];
    let mut table = table(&header, 0);
    for (k, coupling, chance) in rows {
        table.add_row([
            k.to_string(),
            coupling.off_diagonal,
            number(1.0 - chance.off_diagonal, 3),
            coupling.singular,
            number(1.0 - chance.singular, 3),
        ]);
    }
    text(&table)
}

fn value(x: Option<f64>) -> String {
    x.map_or("none".to_owned(), |x| number(x, 3))
}

fn steps(found: &Coupling) -> String {
    let header = [
        "step",
        "largest\ns",
        "Frobenius",
        "stable\nrank",
        "effective\nrank",
        "least\ngap",
        "linearised\ncosine",
        "error",
    ];
    let mut rows = table(&header, 1);
    let k = usual_top(&found.top);
    let gap = |at: usize| found.spectrum[at].gap.get(&k).copied().flatten();
    let of = |f: &dyn Fn(usize) -> Option<f64>| {
        column_with_gaps(&(0..found.steps.len()).map(f).collect::<Vec<_>>(), "-")
    };
    let columns = [
        of(&|at| found.spectrum[at].singular_values.first().copied()),
        of(&|at| found.spectrum[at].frobenius),
        of(&|at| found.spectrum[at].stable_rank),
        of(&|at| found.spectrum[at].effective_rank),
        of(&gap),
        of(&|at| found.linearised.cosine[at]),
        of(&|at| found.linearised.relative_error[at]),
    ];
    for (at, name) in found.steps.iter().enumerate() {
        let mut cells = vec![name.clone()];
        cells.extend(columns.iter().map(|column| column[at].clone()));
        rows.add_row(Row::from(cells));
    }
    let mut page = text(&rows);
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
    page += &couplings(found.depth_wise.iter().map(|(&k, one)| {
        let coupling = BothMetrics {
            off_diagonal: interval(one.coupling.off_diagonal),
            singular: interval(one.coupling.singular),
        };
        (k, coupling, one.chance)
    }));
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
