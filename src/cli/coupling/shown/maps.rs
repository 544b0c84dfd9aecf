//! Maps of pairs.

use crate::cli::table::{columns, number};
use crate::measure::coupling::{Undefined, chance};
use crate::study::coupling::MisCoupling;

/// Rows of a map that fit on a screen.
const WIDE: usize = 16;

pub fn map(title: &str, map: &MisCoupling, names: &[String], k: usize) -> String {
    let line = number(chance(k).off_diagonal, 3);
    if names.len() > WIDE {
        return format!("\n{title}: {} rows, in --csv and --json\n", names.len());
    }
    let rows = columns(names.iter().zip(&map.off_diagonal)).words("", |(name, _)| (*name).clone());
    let table = names.iter().enumerate().fold(rows, |table, (column, name)| {
        table.numbers(name, |(_, row)| row[column].map_or("-".into(), |x| number(x, 2)))
    });
    let mut page = format!("\n{title}; unrelated bases: {line}\n\n{}", table.text());
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
