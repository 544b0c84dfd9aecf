//! The member table: one line for each attention and each MLP that ran.

use super::table::{self, Column, columns, decimals, kind};
use super::view::{ShownColumn, hundred, pick, scale};
use crate::engine::Member;
use crate::measure::decomposition::{DecomposedColumns, argmax, softmax};
use crate::plan::{Half, Plan, Step};
use crate::study::report::Lens;

/// Options whose votes need more characters than this have no room in a table: the right one's vote
/// and the member's choice stand for them.
const WIDEST: usize = 60;

/// The member table of one prompt, or of means.
pub struct MemberTable<'a> {
    /// [M]
    pub members: &'a [Member],
    pub plan: &'a Plan,
    pub view: ShownColumn,
    pub columns: DecomposedColumns<'a>,
    /// [M] mse of the first n members.
    pub mse: Vec<f64>,
    /// [M] whether, or how often, the first n members have the right answer.
    pub right: Vec<String>,
}

impl MemberTable<'_> {
    pub fn text(&self, votes: Option<(&Lens, &[String])>) -> String {
        let DecomposedColumns { probability, logit, centred, .. } = self.columns;
        let bias = pick(self.view, probability, centred, probability);
        let diversity = pick(self.view, probability, centred, logit);
        let scaled = |values: &[f64]| {
            table::column(&values.iter().map(|v| v * scale(self.view)).collect::<Vec<_>>())
        };
        let bias = scaled(&bias.member_bias);
        let diversity = table::column(&diversity.member_diversity);
        // The paper's diversity is of whole logits: what of it moves probabilities stands beside it.
        let beside =
            (self.view == ShownColumn::Paper).then(|| table::column(&centred.member_diversity));
        let mse = scaled(&self.mse);
        let blocks = block_labels(self.plan, self.members.len());
        let votes = votes.map(|(lens, labels)| vote_columns(lens, labels, self.view));

        // On a line of its own: options leave no room beside the name.
        let hundred = hundred(self.view).replace(' ', "\n");
        let column = |header: String, cells: Vec<String>| Column { header, cells };
        let mut numbers =
            vec![column(format!("bias{hundred}"), bias), column("diversity".into(), diversity)];
        numbers.extend(beside.map(|centred| column("centred".into(), centred)));
        numbers.push(column(format!("MSE so far{hundred}"), mse));
        numbers.push(column("right".into(), self.right.clone()));

        // Votes have a table of their own where both need more than a line.
        let members = columns(self.members.iter().zip(&blocks))
            .words("block", |(_, block)| (*block).clone())
            .words("member", |(member, _)| kind(member.kind));
        let all: Vec<Vec<Column>> = votes.iter().cloned().chain([numbers]).collect();
        let whole = members.clone().with(all.concat());
        let text = if whole.fits() {
            whole.text()
        } else {
            let tables = all.into_iter().map(|columns| members.clone().with(columns).text());
            tables.collect::<Vec<_>>().join("\n")
        };
        let mut legend = Vec::new();
        if votes.is_some() {
            let points = pick(
                self.view,
                "softmax of a member's logits",
                "a member's logits",
                "a member's logits",
            );
            legend.push(format!("votes: {points}, • its choice"));
        }
        if blocks.iter().any(|block| block.starts_with('∥')) {
            legend.push("∥ in parallel".into());
        }
        match self.view {
            ShownColumn::Probability => {}
            ShownColumn::Logit => legend.push("bias, diversity, MSE: centred logits".into()),
            ShownColumn::Paper => legend.push("centred: diversity of centred logits".into()),
        }
        legend
            .push("last two columns: all members down to the line, right among the options".into());
        let line = format!("({})\n", legend.join("; "));
        text + &if line.trim_end().chars().count() <= table::WIDTH {
            line
        } else {
            format!("({})\n", legend.join(";\n "))
        }
    }
}

/// Columns of the votes: the options by each member alone.
fn vote_columns(lens: &Lens, labels: &[String], view: ShownColumn) -> Vec<Column> {
    let points: Vec<Vec<f64>> = lens
        .member_logits
        .iter()
        .map(|row| row.iter().map(|&x| f64::from(x)).collect())
        .map(|row: Vec<f64>| if view == ShownColumn::Probability { softmax(&row) } else { row })
        .collect();
    let decimals = decimals(&points.concat(), 3);
    let column = |header: String, cell: &dyn Fn(&[f64]) -> String| Column {
        header,
        cells: points.iter().map(|row| cell(row)).collect(),
    };
    let label =
        |k: usize| if k == lens.answer { format!("✓ {}", labels[k]) } else { labels[k].clone() };
    // A vote takes 7 characters with its mark, a label its own and the same mark's.
    let width = |label: &String| (label.chars().count() + 1).max(7) + 1;
    if labels.iter().map(width).sum::<usize>() + 2 > WIDEST {
        return vec![
            column(label(lens.answer), &|row| table::number(row[lens.answer], decimals)),
            column("choice".into(), &|row| labels[argmax(row)].clone()),
        ];
    }
    // The mark takes a column's last place: the labels leave it free too.
    let vote = |k: usize| {
        column(label(k) + " ", &|row| {
            table::number(row[k], decimals) + if k == argmax(row) { "•" } else { " " }
        })
    };
    (0..labels.len()).map(vote).collect()
}

/// One label a member: the block's number at the first of its members, `∥` where its step runs
/// several blocks side by side.
fn block_labels(plan: &Plan, members: usize) -> Vec<String> {
    let mut labels = vec![String::new()];
    for step in plan.steps() {
        let mark = if matches!(step, Step::Parallel(_)) { "∥ " } else { "" };
        for run in step.block_runs() {
            labels.push(format!("{mark}{}", run.index));
            if run.half == Half::Both {
                labels.push(String::new());
            }
        }
    }
    labels.resize(members, String::new());
    labels
}
