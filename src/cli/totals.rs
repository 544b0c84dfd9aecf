//! The identity in all three columns, and each kind's share of it.

use super::table::{self, Column, columns, kind, table};
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
pub fn kinds(view: ShownColumn, votes: &DecomposedColumns<'_>) -> String {
    let bias_of = pick(view, votes.probability, votes.centred, votes.probability);
    let diversity_of = pick(view, votes.probability, votes.centred, votes.logit);
    let shares: Vec<(MemberKind, Share)> = bias_of.by_kind.shares().collect();
    let all = ("all", shares.iter().map(|(_, share)| share.count).sum());
    let named = shares.iter().map(|(of, share)| (kind(*of), share.count)).chain([all]);
    let mut table = columns(named)
        .words("kind", |(name, _)| *name)
        .numbers("members", |(_, members): &(&str, usize)| *members)
        .with(kind_shares(format!("bias{}", hundred(view)), bias_of, |s| s.bias, scale(view)))
        .with(kind_shares("diversity".to_owned(), diversity_of, |s| s.diversity, 1.0));
    if view == ShownColumn::Paper {
        let name = "centred".to_owned();
        table = table.with(kind_shares(name, votes.centred, |s| s.diversity, 1.0));
    }
    table.text()
}

/// One quantity of every kind, and of all in the end; beside it each number's share of the whole, per cent.
fn kind_shares(
    name: String,
    column: &ColumnNumbers,
    value: fn(&Share) -> f64,
    scale: f64,
) -> [Column; 2] {
    let mut values: Vec<f64> = column.by_kind.shares().map(|(_, share)| value(&share)).collect();
    let whole: f64 = values.iter().sum();
    values.push(whole);
    let share =
        |value: &f64| if whole > 0.0 { percent_tenths(value / whole) } else { String::new() };
    let shares = values.iter().map(share).collect();
    let scaled: Vec<f64> = values.iter().map(|value| value * scale).collect();
    [
        Column { header: name, cells: table::column(&scaled) },
        Column { header: String::new(), cells: shares },
    ]
}
