//! What `atelier lens` prints for people: who voted for what, bias and diversity of every member
//! and of each kind, and the identity in numbers.

use comfy_table::{Attribute, Cell, CellAlignment};

use super::table::{self, bar, decimals, kind, table, thousands};
use crate::engine::{Kind, Member};
use crate::measure::decomposition::{ByKind, Column, Share, Triple, argmax, softmax, uniform_mse};
use crate::plan::{Half, Plan, Step};
use crate::study::report::{Averages, Lens, ModelFacts, Prompts};

/// The column that the member table shows; the totals show all three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum View {
    /// Points are softmaxed votes: the default picture.
    Probability,
    /// Points are raw logits.
    Logit,
    /// What the paper prints: mse and bias x100 in probabilities, diversity in logits.
    Paper,
}

/// Options whose votes need more characters than this make a line too wide: the right one's vote
/// and the member's choice stand for them.
const WIDEST: usize = 44;

/// One prompt.
pub fn lens(lens: &Lens, plan: &Plan, model: &ModelFacts, engine: &str, view: View) -> String {
    let labels = option_labels(lens);
    let d = &lens.decomposition;
    let mut text = heading(model, engine, plan);
    text += &asked(lens);
    text += "\n";
    text += &answers(lens, &labels);
    text += "\n";

    let depth: Vec<Triple> = d
        .by_depth
        .iter()
        .map(|depth| pick(view, depth.probability, depth.logit, depth.paper))
        .collect();
    let correct = d
        .by_depth
        .iter()
        .map(|depth| if depth.correct { "✓" } else { "" }.to_string())
        .collect();
    let members = Members {
        members: &lens.members,
        plan,
        view,
        probability: &d.probability,
        logit: &d.logit,
        mse: depth.iter().map(|triple| triple.mse).collect(),
        right: correct,
    };
    text += &members.text(Some((lens, &labels)));
    text += "\n";
    let uniform = uniform_mse(lens.option_token_ids.len());
    text += &totals(&d.probability.total, &d.logit.total, &d.paper, uniform);
    text += "\n";
    text += &kinds(view, &d.probability, &d.logit);
    text += "\n";
    text += &format!(
        "The members' votes add to the model's own logits within {:.1e}.\n",
        d.sum_error
    );
    text
}

/// Many prompts, averaged.
pub fn prompts(
    prompts: &Prompts,
    plan: &Plan,
    model: &ModelFacts,
    engine: &str,
    view: View,
) -> String {
    let averages: &Averages = &prompts.averages;
    let mut text = heading(model, engine, plan);
    text += &format!(
        "prompts   {}, answered right {} (always the most frequent answer: {})\n\n",
        thousands(averages.rows),
        percent(averages.accuracy),
        percent(averages.majority)
    );
    let depth = averages.by_depth.iter();
    let members = Members {
        members: prompts.rows.first().map_or(&[], |row| &row.members),
        plan,
        view,
        probability: &averages.probability,
        logit: &averages.logit,
        mse: depth
            .clone()
            .map(|depth| pick(view, depth.probability, depth.logit, depth.paper).mse)
            .collect(),
        right: depth.map(|depth| percent(depth.accuracy)).collect(),
    };
    text += &members.text(None);
    text += "\n";
    let rows = prompts.rows.len().max(1) as f64;
    let uniform = prompts
        .rows
        .iter()
        .map(|row| uniform_mse(row.option_token_ids.len()))
        .sum::<f64>()
        / rows;
    text += &totals(
        &averages.probability.total,
        &averages.logit.total,
        &averages.paper,
        uniform,
    );
    text += "\n";
    text += &kinds(view, &averages.probability, &averages.logit);
    text += "\n";
    text += &format!(
        "Means over {} prompts; the members' votes add to the model's own logits within {:.1e} on each.\n",
        thousands(averages.rows),
        averages.sum_error
    );
    text
}

fn heading(model: &ModelFacts, engine: &str, plan: &Plan) -> String {
    format!(
        "model     {}: {}, {} of width {}, {} parameters, {engine}\nplan      {plan}\n",
        model.name,
        model.architecture,
        count(model.blocks, "block"),
        model.width,
        thousands(model.parameters),
    )
}

fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}

/// The prompt's end: the words that the options go on from.
fn asked(lens: &Lens) -> String {
    const WIDTH: usize = 68;
    let tokens = count(lens.token_ids.len(), "token");
    let shown = match &lens.prompt {
        Some(prompt) => {
            let escaped: Vec<char> = prompt.chars().flat_map(char::escape_debug).collect();
            let cut = escaped.len().saturating_sub(WIDTH);
            // Not in the middle of a word, where there is a blank nearby.
            let blank = escaped[cut..]
                .iter()
                .take(if cut > 0 { WIDTH / 4 } else { 0 })
                .position(|&c| c == ' ');
            let end: String = escaped[cut + blank.unwrap_or(0)..].iter().collect();
            format!("\"{}{end}\"", if cut > 0 { "…" } else { "" })
        }
        None => {
            let cut = lens.token_ids.len().saturating_sub(12);
            let end: Vec<String> = lens.token_ids[cut..].iter().map(u32::to_string).collect();
            format!("{}{}", if cut > 0 { "…," } else { "" }, end.join(","))
        }
    };
    format!("prompt    {shown} ({tokens})\n")
}

fn option_labels(lens: &Lens) -> Vec<String> {
    const WIDTH: usize = 10;
    let label = |option: &String| {
        let escaped: Vec<char> = option.chars().flat_map(char::escape_debug).collect();
        let start: String = escaped.iter().take(WIDTH).collect();
        format!(
            "\"{start}{}\"",
            if escaped.len() > WIDTH { "…" } else { "" }
        )
    };
    match &lens.options {
        Some(options) => options.iter().map(label).collect(),
        None => lens
            .option_token_ids
            .iter()
            .map(|id| format!("row {id}"))
            .collect(),
    }
}

/// What the model answers among the options.
fn answers(lens: &Lens, labels: &[String]) -> String {
    let width = labels
        .iter()
        .map(|label| label.chars().count())
        .max()
        .unwrap_or(0);
    let line = |(index, label): (usize, &String)| {
        let mark = if index == lens.answer { "✓" } else { " " };
        let fill = " ".repeat(width - label.chars().count());
        let share = lens.probabilities[index];
        let line = format!(
            "        {mark} {label}{fill} {:>7}  {}",
            percent(share),
            bar(share, 40)
        );
        line.trim_end().to_string() + "\n"
    };
    labels.iter().enumerate().map(line).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn pick<T>(view: View, probability: T, logit: T, paper: T) -> T {
    match view {
        View::Probability => probability,
        View::Logit => logit,
        View::Paper => paper,
    }
}

/// The paper prints mse and bias x100.
fn scale(view: View) -> f64 {
    if view == View::Paper { 100.0 } else { 1.0 }
}

fn hundred(view: View) -> &'static str {
    if view == View::Paper { " ×100" } else { "" }
}

/// The member table of one prompt, or of means.
struct Members<'a> {
    /// [M]
    members: &'a [Member],
    plan: &'a Plan,
    view: View,
    probability: &'a Column,
    logit: &'a Column,
    /// [M] mse of the first n members.
    mse: Vec<f64>,
    /// [M] whether, or how often, the first n members have the right answer.
    right: Vec<String>,
}

impl Members<'_> {
    fn text(&self, votes: Option<(&Lens, &[String])>) -> String {
        let bias = pick(self.view, self.probability, self.logit, self.probability);
        let diversity = pick(self.view, self.probability, self.logit, self.logit);
        let scaled = |values: &[f64]| {
            table::column(
                &values
                    .iter()
                    .map(|v| v * scale(self.view))
                    .collect::<Vec<_>>(),
            )
        };
        let bias = scaled(&bias.member_bias);
        let diversity = table::column(&diversity.member_diversity);
        let mse = scaled(&self.mse);
        let blocks = block_labels(self.plan, self.members.len());
        let votes = votes.map(|(lens, labels)| Votes::new(lens, labels, self.view));

        let mut header: Vec<String> = vec!["block".into(), "member".into()];
        header.extend(votes.iter().flat_map(|votes| votes.header.clone()));
        // On a line of its own: a row of five options leaves no room beside the name.
        let hundred = hundred(self.view).replace(' ', "\n");
        header.extend([
            format!("bias{hundred}"),
            "diversity".into(),
            format!("MSE so far{hundred}"),
            "right".into(),
        ]);
        let mut table = table(&header, 2);
        for (i, member) in self.members.iter().enumerate() {
            let mut row = vec![Cell::new(&blocks[i]), kind(member.kind)];
            row.extend(
                votes
                    .iter()
                    .flat_map(|votes| votes.rows[i].iter().map(Cell::new)),
            );
            row.extend([&bias[i], &diversity[i], &mse[i], &self.right[i]].map(Cell::new));
            table.add_row(row);
        }
        let text = table::text(&table);
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
            legend.push("∥ side by side".into());
        }
        legend.push("last two columns: all members down to the line".into());
        let line = format!("({})\n", legend.join("; "));
        text + &if line.chars().count() <= 90 {
            line
        } else {
            format!("({})\n", legend.join(";\n "))
        }
    }
}

/// What each member says of the options.
struct Votes {
    header: Vec<String>,
    /// [M]
    rows: Vec<Vec<String>>,
}

impl Votes {
    fn new(lens: &Lens, labels: &[String], view: View) -> Self {
        let points: Vec<Vec<f64>> = lens
            .member_logits
            .iter()
            .map(|row| row.iter().map(|&x| f64::from(x)).collect())
            .map(|row: Vec<f64>| {
                if view == View::Probability {
                    softmax(&row)
                } else {
                    row
                }
            })
            .collect();
        let all: Vec<f64> = points.concat();
        let decimals = decimals(&all, 3);
        let number = |value: f64| table::number(value, decimals);
        let right = format!("✓ {}", labels[lens.answer]);
        // A vote takes 7 characters with its mark, a label its own and the same mark's.
        let width = |label: &String| (label.chars().count() + 1).max(7) + 1;
        if labels.iter().map(width).sum::<usize>() + 2 > WIDEST {
            let row = |row: &Vec<f64>| vec![number(row[lens.answer]), labels[argmax(row)].clone()];
            return Votes {
                header: vec![right, "choice".into()],
                rows: points.iter().map(row).collect(),
            };
        }
        let header = labels.iter().enumerate().map(|(k, label)| {
            if k == lens.answer {
                right.clone()
            } else {
                label.clone()
            }
        });
        let row = |row: &Vec<f64>| {
            let choice = argmax(row);
            row.iter()
                .enumerate()
                .map(|(k, &v)| number(v) + if k == choice { "•" } else { " " })
                .collect()
        };
        // The mark takes a column's last place: the labels leave it free too.
        Votes {
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
        let mark = if matches!(step, Step::Parallel(_)) {
            "∥ "
        } else {
            ""
        };
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

/// The three columns, the identity written out.
fn totals(probability: &Triple, logit: &Triple, paper: &Triple, uniform: f64) -> String {
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
    let note = format!(
        "no identity; diversity ×1; uniform MSE {:.2}",
        100.0 * uniform
    );
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
    table
        .column_mut(6)
        .into_iter()
        .for_each(|note| note.set_cell_alignment(CellAlignment::Left));
    table::text(&table)
}

/// Each kind's share of bias and diversity (Eqs. 9 and 10): the three add to the whole.
fn kinds(view: View, probability: &Column, logit: &Column) -> String {
    let bias_of = pick(view, probability, logit, probability);
    let diversity_of = pick(view, probability, logit, logit);
    let shares = |by: &ByKind| [by.embedding, by.attention, by.mlp];
    let sum = |by: &ByKind, value: fn(&Share) -> f64| shares(by).iter().map(value).sum::<f64>();
    let whole = [
        sum(&bias_of.by_kind, |s| s.bias),
        sum(&diversity_of.by_kind, |s| s.diversity),
    ];

    let share = |value: f64, of: f64| {
        if of > 0.0 {
            percent(value / of)
        } else {
            String::new()
        }
    };
    let bias: Vec<f64> = shares(&bias_of.by_kind)
        .iter()
        .map(|s| s.bias)
        .chain([whole[0]])
        .collect();
    let diversity: Vec<f64> = shares(&diversity_of.by_kind)
        .iter()
        .map(|s| s.diversity)
        .chain([whole[1]])
        .collect();
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
    let kinds = [Kind::Embedding, Kind::Attention, Kind::Mlp];
    let counts = shares(&bias_of.by_kind).map(|s| s.count);
    for i in 0..4 {
        let (name, members) = match kinds.get(i) {
            Some(&of) => (kind(of), counts[i]),
            None => (Cell::new("all"), counts.iter().sum()),
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
