//! The member table: one line for each attention and each MLP that ran.

use comfy_table::{Cell, Table};

use super::table::{self, decimals, kind, table};
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
        let votes = votes.map(|(lens, labels)| MemberColumns::of_votes(lens, labels, self.view));

        // On a line of its own: options leave no room beside the name.
        let hundred = hundred(self.view).replace(' ', "\n");
        let mut header = vec![format!("bias{hundred}"), "diversity".into()];
        header.extend(beside.iter().map(|_| "centred".into()));
        header.extend([format!("MSE so far{hundred}"), "right".into()]);
        let numbers = (0..self.members.len()).map(|i| {
            let mut row = vec![bias[i].clone(), diversity[i].clone()];
            row.extend(beside.iter().map(|centred| centred[i].clone()));
            row.extend([mse[i].clone(), self.right[i].clone()]);
            row
        });
        let numbers = MemberColumns { header, rows: numbers.collect() };

        // Votes have a table of their own where both need more than a line.
        let all: Vec<&MemberColumns> = votes.iter().chain([&numbers]).collect();
        let whole = self.beside(&blocks, &all);
        let text = if table::width(&whole) <= table::WIDTH {
            table::text(&whole)
        } else {
            let tables = all.iter().map(|columns| table::text(&self.beside(&blocks, &[columns])));
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

    /// One table of several columns behind the members' names.
    fn beside(&self, blocks: &[String], columns: &[&MemberColumns]) -> Table {
        let mut header: Vec<String> = vec!["block".into(), "member".into()];
        header.extend(columns.iter().flat_map(|one| one.header.clone()));
        let mut table = table(&header, 2);
        for (i, member) in self.members.iter().enumerate() {
            let mut row = vec![Cell::new(&blocks[i]), Cell::new(kind(member.kind))];
            row.extend(columns.iter().flat_map(|one| one.rows[i].iter().map(Cell::new)));
            table.add_row(row);
        }
        table
    }
}

/// Columns with a number for each member.
struct MemberColumns {
    header: Vec<String>,
    /// [M]
    rows: Vec<Vec<String>>,
}

impl MemberColumns {
    /// Columns of the votes: the options by each member alone.
    fn of_votes(lens: &Lens, labels: &[String], view: ShownColumn) -> Self {
        let points: Vec<Vec<f64>> = lens
            .member_logits
            .iter()
            .map(|row| row.iter().map(|&x| f64::from(x)).collect())
            .map(|row: Vec<f64>| if view == ShownColumn::Probability { softmax(&row) } else { row })
            .collect();
        let all: Vec<f64> = points.concat();
        let decimals = decimals(&all, 3);
        let number = |value: f64| table::number(value, decimals);
        let right = format!("✓ {}", labels[lens.answer]);
        // A vote takes 7 characters with its mark, a label its own and the same mark's.
        let width = |label: &String| (label.chars().count() + 1).max(7) + 1;
        if labels.iter().map(width).sum::<usize>() + 2 > WIDEST {
            let row = |row: &Vec<f64>| vec![number(row[lens.answer]), labels[argmax(row)].clone()];
            return Self {
                header: vec![right, "choice".into()],
                rows: points.iter().map(row).collect(),
            };
        }
        let header = labels
            .iter()
            .enumerate()
            .map(|(k, label)| if k == lens.answer { right.clone() } else { label.clone() });
        let row = |row: &Vec<f64>| {
            let choice = argmax(row);
            row.iter()
                .enumerate()
                .map(|(k, &v)| number(v) + if k == choice { "•" } else { " " })
                .collect()
        };
        // The mark takes a column's last place: the labels leave it free too.
        Self {
            header: header.map(|label| label + " ").collect(),
            rows: points.iter().map(row).collect(),
        }
    }
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
