//! The identity in all three columns, and each kind's share of it.

use comfy_table::{Attribute, Cell, CellAlignment};

use super::table::{self, kind, table};
use super::view::{ShownColumn, hundred, pick, scale};
use crate::chart::number::percent_tenths;
use crate::engine::MemberKind;
use crate::measure::decomposition::{ByKind, ColumnNumbers, Share, Triple};

/// The three columns, the identity written out.
pub fn totals(probability: &Triple, logit: &Triple, paper: &Triple, uniform: f64) -> String {
    let header = ["", "MSE", "", "bias", "", "diversity", ""].map(String::from);
    let mut table = table(&header, 1);
    let bold = |text: &String| Cell::new(text).add_attribute(Attribute::Bold);
    for (name, t) in [("probability", probability), ("logit", logit)] {
        let [mse, bias, diversity] = &table::column(&[t.mse, t.bias, t.diversity])[..] else {
            continue;
        };
        table.add_row([
            Cell::new(name),
            bold(mse),
            "=".into(),
            bold(bias),
            "-".into(),
            bold(diversity),
            "".into(),
        ]);
    }
    let note = format!("no identity; diversity ×1; uniform MSE {:.2}", 100.0 * uniform);
    let [mse, bias] = [paper.mse, paper.bias].map(|value| format!("{:.2}", 100.0 * value));
    let diversity = table::column(&[paper.diversity]).concat();
    let row = [
        Cell::new("paper ×100"),
        bold(&mse),
        "".into(),
        bold(&bias),
        "".into(),
        bold(&diversity),
        note.into(),
    ];
    table.add_row(row);
    table.column_mut(6).into_iter().for_each(|note| note.set_cell_alignment(CellAlignment::Left));
    table::text(&table)
}

/// Each kind's share of bias and diversity (Eqs. 9 and 10): they add to the whole.
pub fn kinds(view: ShownColumn, probability: &ColumnNumbers, logit: &ColumnNumbers) -> String {
    let bias_of = pick(view, probability, logit, probability);
    let diversity_of = pick(view, probability, logit, logit);
    let shares = |by: &ByKind| by.shares().map(|(_, share)| share).collect::<Vec<_>>();
    let sum = |by: &ByKind, value: fn(&Share) -> f64| shares(by).iter().map(value).sum::<f64>();
    let whole = [sum(&bias_of.by_kind, |s| s.bias), sum(&diversity_of.by_kind, |s| s.diversity)];

    let share = |value: f64, of: f64| {
        if of > 0.0 { percent_tenths(value / of) } else { String::new() }
    };
    let bias: Vec<f64> =
        shares(&bias_of.by_kind).iter().map(|s| s.bias).chain([whole[0]]).collect();
    let diversity: Vec<f64> =
        shares(&diversity_of.by_kind).iter().map(|s| s.diversity).chain([whole[1]]).collect();
    let bias_text = table::column(&bias.iter().map(|v| v * scale(view)).collect::<Vec<_>>());
    let diversity_text = table::column(&diversity);

    let header = [
        "kind".into(),
        "members".into(),
        format!("bias{}", hundred(view)),
        "".into(),
        "diversity".into(),
        "".into(),
    ];
    let mut table = table(&header, 1);
    let kinds: Vec<(MemberKind, Share)> = bias_of.by_kind.shares().collect();
    for i in 0..=kinds.len() {
        let (name, members) = match kinds.get(i) {
            Some((of, share)) => (kind(*of), share.count),
            None => {
                let all = kinds.iter().map(|(_, share)| share.count).sum();
                (Cell::new("all"), all)
            }
        };
        table.add_row([
            name,
            Cell::new(members),
            Cell::new(&bias_text[i]),
            Cell::new(share(bias[i], whole[0])),
            Cell::new(&diversity_text[i]),
            Cell::new(share(diversity[i], whole[1])),
        ]);
    }
    table::text(&table)
}
