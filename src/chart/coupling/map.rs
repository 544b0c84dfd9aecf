//! Every step's directions in every other's.

use super::names::{formula, metric_word, said};
use super::slips;
use super::step_map::StepMap;
use crate::chart::TableCell::{self, Number, Text};
use crate::chart::number::{fixed, mean, short};
use crate::chart::plot::{Axis, Panel, Patch, Plot, VoidCell};
use crate::chart::{FigureDraft, Table};

const CELL: u32 = 30;
/// Greatest height of the whole map.
const TALLEST: u32 = 640;
/// More steps than this have no room for numbers.
const WRITTEN: usize = 16;
/// Coupled more than this, and more than unrelated ones, two steps share most of their directions.
const MOST: f64 = 0.5;

pub(super) fn figure(map: &StepMap) -> FigureDraft {
    let steps = map.steps.len();
    let is_written = steps <= WRITTEN;
    let looked_at = map.means.is_none().then(|| map.looked_at()).flatten();
    let (mut patches, mut voids, mut rows) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..steps {
        for column in 0..steps {
            let value = map.at(row, column).filter(|x| x.is_finite());
            let framed = looked_at == Some([row, column]);
            // The first is at the top.
            let (x, y, name) = (column, steps - 1 - row, map.told(row, column));
            match value {
                Some(value) => patches.push(Patch {
                    text: is_written.then(|| cell_text(value, map.chance)),
                    framed,
                    ..Patch::new([x, y], value, name)
                }),
                None => voids.push(VoidCell { x, y, name, framed }),
            }
            rows.push(table_row(map, row, column, value));
        }
    }
    // Over rows there is no pair of steps to look at.
    let cells = (0..steps).flat_map(|y| (0..steps).map(move |x| ([x, y], format!("{x},{y}"))));
    let picks = cells.filter(|_| map.means.is_none()).collect();
    let name =
        format!("row: whose Jacobian, column: whose basis; K = {}, {}", map.k, formula(map.metric));
    let x = Axis::category("in the basis of step", map.steps.clone());
    let y = Axis::category("", map.steps.iter().rev().cloned().collect());
    let panel = Panel { voids, picks, ..Panel::map(name, x, y, patches) };
    let mut headers = vec!["Jacobian of step", "in the basis of", "coupling"];
    if map.means.is_some() {
        headers.extend(["from", "to"]);
    }
    headers.extend(["mis-coupling", "chance", "note"]);
    let height = (CELL * steps.max(3) as u32).min(TALLEST);
    FigureDraft {
        key: "coupling-map",
        title: title(map),
        words: words(map),
        table: Table::new(headers, rows),
        plot: Plot::map(panel.tall(height), map.ramp()),
    }
}

/// After the number of a cell that lies below chance.
const BELOW: &str = "▾";

/// A cell's number, with the mark of one that lies below chance: colours begin there and do not tell it apart.
fn cell_text(value: f64, chance: f64) -> String {
    let mark = if value < chance { BELOW } else { "" };
    format!("{}{mark}", fixed(value, 2))
}

fn table_row(map: &StepMap, row: usize, column: usize, value: Option<f64>) -> Vec<TableCell> {
    let [one, other] = [row, column].map(|step| Text(map.name(step).to_owned()));
    let mut cells = vec![one, other, TableCell::known(value)];
    if let Some(means) = &map.means {
        let mean = means.get(row).and_then(|row| *row.get(column)?);
        let ends = [mean.map(|mean| mean.low), mean.map(|mean| mean.high)];
        cells.extend(ends.map(TableCell::known));
    }
    let ill = map.ill_posed.get(column).and_then(Option::as_ref);
    let note = match (value, ill) {
        (None, _) => format!("not defined: {}", map.why(row, column)),
        (Some(_), Some(ill)) => format!("ill-posed: {ill}"),
        (Some(_), None) => String::new(),
    };
    cells.extend([TableCell::known(value.map(|x| 1.0 - x)), Number(map.chance), Text(note)]);
    cells
}

fn title(map: &StepMap) -> String {
    let chance = short(map.chance);
    let Some(([i, j], most)) = map.most() else {
        return match map.steps.len() {
            0 | 1 => "A single step has none to be coupled with".to_owned(),
            _ => "No two steps have a coupling".to_owned(),
        };
    };
    if most > MOST.max(map.chance) {
        let ([one, other], most) = ([i, j].map(|step| map.name(step)), short(most));
        return format!(
            "{one} and {other} share most of their directions: coupling {most}, where chance is {chance}"
        );
    }
    let near = map.by_distance();
    let far = map.pairs().filter(|([i, j], _)| i.abs_diff(*j) > 1);
    let far = mean(far.map(|(_, x)| x));
    match (near.first(), far) {
        (Some((1, near)), Some(far)) => format!(
            "Neighbouring steps couple at {}, others at {}; chance is {chance}",
            short(*near),
            short(far)
        ),
        _ => format!("Steps couple at {}; chance is {chance}", said(map.all)),
    }
}

fn words(map: &StepMap) -> [String; 2] {
    let metric = metric_word(map.metric);
    let most = map.most().map_or_else(String::new, |([i, j], x)| {
        let ([one, other], x) = ([i, j].map(|step| map.name(step)), short(x));
        format!(" The most alike are {one} in the basis of {other}: {x}.")
    });
    let ill = map.ill_posed.iter().zip(&map.steps);
    let ill = ill.filter(|(ill, _)| ill.is_some()).map(|(_, step)| step.as_str());
    let ill = match ill.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => none,
        ill => format!(
            " Ill-posed at this K, so that their columns are no property of the model: {ill}."
        ),
    };
    let below = map.pairs().filter(|(_, x)| *x < map.chance).count();
    let marked = match map.steps.len() <= WRITTEN {
        true => format!(", marked {BELOW}"),
        false => String::new(),
    };
    let below = match below {
        0 => String::new(),
        n => format!(" {n} of {} pairs lie below chance{marked}.", map.pairs().count()),
    };
    let defined = map.coupling.iter().flatten().flatten().count();
    let undefined = match map.steps.len() * map.steps.len() - defined {
        0 => String::new(),
        n => format!(" {n} pairs are not defined, and crossed out."),
    };
    let (StepMap { k, source, .. }, chance, all) = (map, short(map.chance), said(map.all));
    [
        format!(
            "The K = {k} leading singular directions of each step's Jacobian, {source}, by the metric of {metric}. 1 \
             means the same directions, 0 nothing in common, {chance} is chance; over all pairs \
             {all}.{most}{below}{ill}{undefined}"
        ),
        format!("{} {}", slips::METRICS, slips::VECTORS),
    ]
}

#[cfg(test)]
mod tests {
    use super::cell_text;

    #[test]
    fn what_lies_below_chance_is_marked() {
        assert_eq!(cell_text(0.05, 0.0646), "0.05▾");
        assert_eq!(cell_text(0.07, 0.0646), "0.07");
    }
}
