//! The identity in all three columns, and each kind's share of it.

use comfy_table::Cell;

use super::table::{self, kind, table};
use super::view::{ShownColumn, hundred, pick, scale};
use crate::chart::number::percent_tenths;
use crate::engine::MemberKind;
use crate::measure::decomposition::{ColumnNumbers, DecomposedColumns, Share, Triples};

/// Every column with the identity written out, the logits' in its two parts besides.
pub fn totals(triples: &Triples, uniform: f64) -> String {
    let Triples { paper, probability, logit, centred, offset } = triples;
    let header = ["", "MSE", "", "bias", "", "diversity"];
    let mut table = table(&header, 1);
    let rows = [
        ("probability", probability),
        ("logit, centred", centred),
        ("logit, offset", offset),
        ("logit, whole", logit),
    ];
    for (name, t) in rows {
        let [mse, bias, diversity] = &table::column(&t.numbers())[..] else {
            continue;
        };
        table.add_row([name, mse, "=", bias, "-", diversity]);
    }
    let [mse, bias] = [paper.mse, paper.bias].map(|value| format!("{:.2}", 100.0 * value));
    let diversity = table::column(&[paper.diversity]).concat();
    table.add_row(["paper ×100", &mse, "", &bias, "", &diversity]);
    let paper = format!("(paper: no identity; diversity ×1; uniform MSE {:.2};\n", 100.0 * uniform);
    table::text(&table) + &paper + TARGET
}

/// Explains the target of bias and MSE, and the logits' two parts.
const TARGET: &str =
    " target: 1 for the right option and 0 for the others, for centred logits less their mean;
 offset: a member's mean over the options, which moves no probability)
";

/// Each kind's share of bias and diversity (Eqs. 9 and 10): they add to the whole.
/// The printed diversity of the paper's column is of whole logits; its centred part stands beside it.
pub fn kinds(view: ShownColumn, columns: &DecomposedColumns<'_>) -> String {
    let bias_of = pick(view, columns.probability, columns.centred, columns.probability);
    let diversity_of = pick(view, columns.probability, columns.centred, columns.logit);
    let mut quantities = vec![
        KindShares::of(format!("bias{}", hundred(view)), bias_of, |s| s.bias, scale(view)),
        KindShares::of("diversity".to_owned(), diversity_of, |s| s.diversity, 1.0),
    ];
    if view == ShownColumn::Paper {
        let centred = KindShares::of("centred".to_owned(), columns.centred, |s| s.diversity, 1.0);
        quantities.push(centred);
    }

    let mut header = vec!["kind".to_owned(), "members".to_owned()];
    header.extend(quantities.iter().flat_map(|of| [of.name.clone(), String::new()]));
    let mut table = table(&header, 1);
    let kinds: Vec<(MemberKind, Share)> = bias_of.by_kind.shares().collect();
    for i in 0..=kinds.len() {
        let (name, members) = match kinds.get(i) {
            Some((of, share)) => (kind(*of), share.count),
            None => {
                let all = kinds.iter().map(|(_, share)| share.count).sum();
                ("all", all)
            }
        };
        let numbers = quantities.iter().flat_map(|of| [&of.numbers[i], &of.shares[i]]);
        let mut row = vec![Cell::new(name), Cell::new(members)];
        row.extend(numbers.map(Cell::new));
        table.add_row(row);
    }
    table::text(&table)
}

/// One quantity of every kind, and of all in the end.
struct KindShares {
    name: String,
    numbers: Vec<String>,
    /// Each number's share of the whole, per cent.
    shares: Vec<String>,
}

impl KindShares {
    fn of(name: String, column: &ColumnNumbers, value: fn(&Share) -> f64, scale: f64) -> Self {
        let mut values: Vec<f64> =
            column.by_kind.shares().map(|(_, share)| value(&share)).collect();
        let whole: f64 = values.iter().sum();
        values.push(whole);
        let share = |value: &f64| {
            if whole > 0.0 { percent_tenths(value / whole) } else { String::new() }
        };
        let shares = values.iter().map(share).collect();
        let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
        Self { name, numbers: table::column(&scaled), shares }
    }
}
