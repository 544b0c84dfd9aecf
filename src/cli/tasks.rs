//! `atelier tasks`: the tasks that have a name, and what one reads from its file.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::ensure;
use clap::Subcommand;

use super::output;
use super::table::{columns, thousands};
use crate::chart::number::percent_tenths;
use crate::task::catalogue::Task;
use crate::task::item::Item;
use crate::task::score::Score;
use crate::task::shots::with_shots;

/// List the named tasks, or check a task's file
///
/// A task is a set of prompts with right answers. A group's name stands for all its tasks. `check` shows what a
/// task reads from its file.
#[derive(clap::Args)]
#[command(after_help = FORM)]
pub struct TasksArgs {
    #[command(subcommand)]
    command: Option<TasksCommand>,
}

#[derive(Subcommand)]
enum TasksCommand {
    Check(CheckArgs),
}

/// Check a task's file: its rows, labels, rows left out, and the first question
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier tasks check sum
  atelier tasks check rte --data ../data
  atelier tasks check mine.toml --data rows.csv --shots 2")]
struct CheckArgs {
    /// A task's name, or a TOML file that defines one
    #[arg(value_name = "NAME|FILE")]
    task: String,

    /// The folder with the data sets, or the task's own file
    #[arg(long, value_name = "DIR|FILE")]
    data: Option<PathBuf>,

    /// Worked examples before the question shown
    #[arg(long, default_value_t = 0)]
    shots: usize,

    /// Random seed for choosing the worked examples
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

const FORM: &str = r#"Examples:
  atelier tasks
  atelier tasks check sum

A task of your own is a small TOML file. It works wherever a name does:

  name = "rte"
  about = "does a text entail a sentence?"
  first = 2000                        # rows asked unless --rows says otherwise
  score = "option"                    # or continuation, last_word, generate
  files = ["rte/val.jsonl"]           # looked for under --data: csv, tsv, jsonl or parquet
  template = "{text1} Is {text2} definitely correct? Yes or No? {answer}"
  options = ["Yes", "No"]

  [[layout]]                          # the first whose columns the file has
  fields = { text1 = "{premise}", text2 = "{hypothesis}" }
  label = "{label}"
  labels = { entailment = "Yes", not_entailment = "No" }
  unlabelled = ["-1"]                 # rows without an answer: left out and counted

Without `labels`, a label is an option's text or its index, from 0. If it could be both, the layout says
`label_is = "text"` or `label_is = "index"`.

A file without a header line needs the names of its columns in the layout: `columns = ["label", "text"]`.
A part of a column is `{ from = "{input}", after = "premise: ", before = " [SEP]" }`. If each row has its
own choices, write `choices = "column"`, and list them by {options} in the template."#;

pub fn run(args: TasksArgs) -> anyhow::Result<()> {
    match args.command {
        None => list(),
        Some(TasksCommand::Check(args)) => check(&args),
    }
}

fn list() -> anyhow::Result<()> {
    let groups = Task::groups().map(|(name, tasks)| group(name, &tasks));
    output::show(&groups.join("\n"))
}

/// A group's name, where its tasks are from, and a line a task.
fn group(name: &str, tasks: &[Task]) -> String {
    let sources: BTreeSet<String> = tasks.iter().map(|task| task.source().to_string()).collect();
    let sources: Vec<String> = sources.into_iter().collect();
    let table = columns(tasks)
        .words("name", |task| task.name())
        .words("asks", |task| task.about())
        .words("scored by", |task| score(task.score()));
    format!("{name}: {}\n\n{}", sources.join("; "), table.text())
}

pub fn score(score: Score) -> &'static str {
    match score {
        Score::Option => "option",
        Score::Continuation => "continuation",
        Score::LastWord => "last word",
        Score::Generate => "written number",
    }
}

fn check(args: &CheckArgs) -> anyhow::Result<()> {
    let task = Task::find(&args.task)?;
    ensure!(
        !task.needs_data() || args.data.is_some(),
        "{} comes from a file: give the folder of data sets with --data DIR",
        task.name()
    );
    ensure!(
        task.needs_data() || args.data.is_none(),
        "{} needs no file: leave out --data",
        task.name()
    );
    let read = task.rows(args.data.as_deref(), task.first())?;
    let mut said = format!(
        "{}: {}\nfrom      {}\nscore     {}\n",
        task.name(),
        task.about(),
        task.source(),
        score(task.score())
    );
    if let Some(file) = &read.file {
        said += &format!("file      {}\n", file.display());
    }
    said += &format!(
        "rows      {} read, {} asked by default\n",
        thousands(read.notes.read),
        thousands(read.rows.len().min(task.first()))
    );
    for phrase in read.notes.phrases() {
        said += &format!("          {phrase}\n");
    }
    said += &answers(&read.rows.iter().map(|row| &row.item).collect::<Vec<_>>());
    let shown = with_shots(&read.rows, args.shots, args.seed, "\n\n").map_err(|rows| {
        anyhow::anyhow!(
            "{}: {rows} rows are too few for {} others in front of each",
            task.name(),
            args.shots
        )
    })?;
    if let Some(first) = shown.first() {
        said += &format!("\nthe first question (line {}):\n\n", first.line);
        said += &question(&first.item);
    }
    output::show(&said)
}

/// How often each option is right.
fn answers(items: &[&Item]) -> String {
    let mut counts: Vec<usize> = Vec::new();
    for answer in items.iter().filter_map(|item| item.answer()) {
        counts.resize(counts.len().max(answer + 1), 0);
        counts[answer] += 1;
    }
    if counts.is_empty() {
        return String::new();
    }
    let names = items.first().map_or(Vec::new(), |item| match item {
        Item::Option { options, .. } => options.iter().map(|o| o.trim().to_string()).collect(),
        _ => Vec::new(),
    });
    let fixed = items.iter().all(|item| match item {
        Item::Option { options, .. } => {
            options.iter().map(|o| o.trim()).eq(names.iter().map(String::as_str))
        }
        _ => false,
    });
    let each: Vec<String> = counts
        .iter()
        .enumerate()
        .map(|(index, count)| match names.get(index) {
            Some(name) if fixed => format!("{name} {}", thousands(*count)),
            _ => format!("option {index} {}", thousands(*count)),
        })
        .collect();
    let most = counts.iter().max().copied().unwrap_or(0) as f64 / items.len() as f64;
    format!("answers   {} (always the most frequent: {})\n", each.join(", "), percent_tenths(most))
}

fn question(item: &Item) -> String {
    let mark = |right: bool| if right { "✓" } else { " " };
    match item {
        Item::Option { prompt, options, answer } => {
            let each = options.iter().enumerate();
            let each = each.map(|(k, option)| format!("  {} {option:?}\n", mark(k == *answer)));
            format!("{prompt}\n\n{}", each.collect::<String>())
        }
        Item::Continuation { candidates, answer } => {
            let each = candidates.iter().enumerate();
            let each = each.map(|(k, candidate)| {
                let (context, continuation) = (&candidate.context, &candidate.continuation);
                format!("  {} {context:?} + {continuation:?}\n", mark(k == *answer))
            });
            each.collect()
        }
        Item::LastWord { context, word } => format!("{context}\n\n  ✓ {word:?}\n"),
        Item::Generate { prompt, answer } => format!("{prompt}\n\n  ✓ {answer}\n"),
        Item::Ids { token_ids, .. } => format!("{token_ids:?}\n"),
    }
}
