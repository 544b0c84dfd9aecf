//! The numbers as CSV: one line a pair of Jacobians.

use crate::chart::{Table, TableCell};
use crate::cli::table::mean_cells;
use crate::measure::coupling::Undefined;
use crate::study::coupling::{Coupling, MisCoupling, TaskCoupling, TokenMap};
use crate::study::report::Report;

const TASK_HEADERS: &str = "model,task,rows,k,step,basis_step,off_diagonal,off_diagonal_low,off_diagonal_high,\
                            singular,singular_low,singular_high";
const PROMPT_HEADERS: &str = "model,map,k,step,t_in,t_out,basis_step,basis_t_in,basis_t_out,off_diagonal,singular,\
                              undefined";

/// One line per Jacobian and basis. For prompts: `map, k, step, t_in, t_out` of the Jacobian and of the basis,
/// and both metrics; for tasks: means with the ends of their intervals.
pub fn csv(reports: &[Report]) -> String {
    let is_of_tasks = reports.iter().all(|report| report.coupling.is_none());
    let headers = if is_of_tasks { TASK_HEADERS } else { PROMPT_HEADERS };
    let mut rows = Vec::new();
    for report in reports {
        let name = &report.model.name;
        // Only what the headers are of.
        if is_of_tasks {
            for task in &report.task_coupling {
                of_task(&mut rows, name, task);
            }
        } else if let Some(coupling) = &report.coupling {
            of_prompt(&mut rows, name, coupling);
        }
    }
    Table { headers: headers.split(',').map(str::to_owned).collect(), rows }.csv()
}

/// A step and its two positions.
type LinePlace = (usize, usize, usize);

fn of_prompt(rows: &mut Vec<Vec<TableCell>>, model: &str, coupling: &Coupling) {
    let last = coupling.token_ids.len().saturating_sub(1);
    let steps: Vec<LinePlace> = (0..coupling.steps.len()).map(|step| (step, last, last)).collect();
    for (&k, one) in &coupling.depth_wise {
        map(rows, [model, "depth_wise"], k, &one.map, &steps, &steps);
    }
    let Some(tokens) = &coupling.token_wise else {
        return;
    };
    for TokenMap { positions, pairs } in tokens.maps() {
        for pair in pairs {
            let [from, to] = pair.steps.map(|step| -> Vec<LinePlace> {
                let places = positions.places().into_iter();
                places.map(|(t_in, t_out)| (step, t_in, t_out)).collect()
            });
            map(rows, [model, positions.name()], tokens.k, &pair.map, &from, &to);
        }
    }
}

fn map(
    rows: &mut Vec<Vec<TableCell>>,
    [model, name]: [&str; 2],
    k: usize,
    map: &MisCoupling,
    from: &[LinePlace],
    to: &[LinePlace],
) {
    let place = |&(step, t_in, t_out): &LinePlace| [step, t_in, t_out].map(TableCell::Count);
    for (i, row) in from.iter().enumerate() {
        for (j, column) in to.iter().enumerate() {
            let mut cells = vec![
                TableCell::Text(model.to_owned()),
                TableCell::Text(name.to_owned()),
                TableCell::Count(k),
            ];
            cells.extend(place(row));
            cells.extend(place(column));
            cells.extend([map.off_diagonal[i][j], map.singular[i][j]].map(TableCell::known));
            let why = |list: &[Option<Undefined>], at: usize| list.get(at).copied().flatten();
            let why = why(&map.why_row, i).or(why(&map.why_column, j));
            let why = why.map_or("", reason);
            cells.push(TableCell::Text(why.to_owned()));
            rows.push(cells);
        }
    }
}

/// In a word.
pub fn reason(why: Undefined) -> &'static str {
    match why {
        Undefined::Unseen => "unseen",
        Undefined::Zero => "zero",
        Undefined::Rank => "rank",
    }
}

fn of_task(rows: &mut Vec<Vec<TableCell>>, model: &str, task: &TaskCoupling) {
    for (&k, one) in &task.depth_wise {
        for i in 0..task.steps.len() {
            for j in 0..task.steps.len() {
                let mut cells =
                    vec![TableCell::Text(model.to_owned()), TableCell::Text(task.task.clone())];
                cells.extend([task.rows, k, i, j].map(TableCell::Count));
                cells.extend(mean_cells(one.off_diagonal[i][j]));
                cells.extend(mean_cells(one.singular[i][j]));
                rows.push(cells);
            }
        }
    }
}
