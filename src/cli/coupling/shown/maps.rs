//! Maps of pairs.

use comfy_table::Cell;

use crate::cli::table::{number, table, text};
use crate::measure::coupling::{Undefined, chance};
use crate::study::coupling::MisCoupling;

/// Rows of a map that fit on a screen.
const WIDE: usize = 16;

pub fn map(title: &str, map: &MisCoupling, names: &[String], k: usize) -> String {
    let line = number(chance(k).off_diagonal, 3);
    if names.len() > WIDE {
        return format!("\n{title}: {} rows, in --csv and --json\n", names.len());
    }
    let header: Vec<String> = std::iter::once(String::new()).chain(names.iter().cloned()).collect();
    let mut rows = table(&header, 1);
    for (name, row) in names.iter().zip(&map.off_diagonal) {
        let mut cells = vec![Cell::new(name)];
        let numbers = row.iter().map(|x| x.map_or("-".into(), |x| number(x, 2)));
        cells.extend(numbers.map(Cell::new));
        rows.add_row(cells);
    }
    let mut page = format!("\n{title}; unrelated bases: {line}\n\n{}", text(&rows));
    let whys = |list: &[Option<Undefined>]| -> Vec<String> {
        let named = list.iter().zip(names);
        let of = named.filter_map(|(why, name)| why.map(|why| format!("{name} ({})", said(why))));
        of.collect()
    };
    let why = whys(&map.why_column);
    if !why.is_empty() {
        page += &format!("\nno basis: {}\n", why.join(", "));
    }
    let why = whys(&map.why_row);
    if !why.is_empty() {
        page += &format!("no Jacobian: {}\n", why.join(", "));
    }
    page
}

fn said(why: Undefined) -> &'static str {
    match why {
        Undefined::Unseen => "the output does not see the input",
        Undefined::Zero => "the Jacobian is zero",
        Undefined::Rank => "fewer than K singular values above zero",
    }
}
