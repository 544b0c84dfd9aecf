//! `atelier lens`: prompts in, members, bias and diversity out.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::picture;
use super::rows_source::bytes;
use super::view::View;
use crate::plan::Plan;
use crate::study::report::{Lens, Report};
use crate::study::{LoadedModel, Question, StudyError, Unknown, lens};
use crate::task::rows;

/// One prompt, or a file of them, through the lens
///
/// Shows what each member of a model (its embedding, and the attention and MLP of every block)
/// votes among the options, how far the votes are from the right answer (bias) and how much they
/// differ (diversity): mse = bias - diversity.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["prompt", "ids", "prompts"]))]
pub struct Args {
    /// A known model's name (see `atelier models`), or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    /// The text that the options go on from
    #[arg(long, short, value_name = "TEXT", requires_all = ["option", "answer"])]
    prompt: Option<String>,

    /// An option, one token after the prompt, most often with its leading space; give two or more
    #[arg(
        long,
        short,
        value_name = "TEXT",
        requires = "prompt",
        allow_negative_numbers = true
    )]
    option: Vec<String>,

    /// The right option, counted from 0
    #[arg(
        long,
        short,
        value_name = "INDEX",
        conflicts_with = "prompts",
        allow_negative_numbers = true
    )]
    answer: Option<usize>,

    /// The prompt as token ids, for a model without a tokenizer
    #[arg(long, value_name = "ID,…", value_delimiter = ',', requires_all = ["rows", "answer"], allow_negative_numbers = true)]
    ids: Option<Vec<u32>>,

    /// The options as rows of the output head
    #[arg(
        long,
        value_name = "ID,…",
        value_delimiter = ',',
        requires = "ids",
        allow_negative_numbers = true
    )]
    rows: Option<Vec<u32>>,

    /// A file of prompts (`-` for standard input), one JSON object a line:
    /// {"prompt": "…", "options": [" a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,

    /// The order of blocks: `0-3,(4-7)x3,9,8`, or skip:s, repeat:s, reverse:s, shuffle:s:seed,
    /// parallel:s, loop:s:R, drop:i, swap:i
    #[arg(long, value_name = "LINE")]
    plan: Option<String>,

    #[command(flatten)]
    engine: super::engine::Args,

    /// What the member table shows
    #[arg(long, value_enum, default_value_t = View::Probability)]
    column: View,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,

    /// Write the report to a file too, for the page to open
    #[arg(long, value_name = "FILE.atelier.json")]
    out: Option<PathBuf>,

    /// Replace what --out names, if it is there
    #[arg(long, requires = "out")]
    force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier lens --model apprentice-12 --prompt "…" --option " a" --option " b" --answer 0
  atelier lens --model path/to/model --ids 1,5,9 --rows 17,230 --answer 1 --plan reverse:1
  atelier lens --model apprentice-12 --prompts rows.jsonl --out rows.atelier.json"#;

pub fn run(args: Args) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    let there = if args.force {
        There::Replaced
    } else {
        There::Kept
    };
    let inputs: Vec<&Path> = std::iter::once(Path::new(&args.model))
        .chain(args.prompts.as_deref())
        .collect();
    let out = args.out.as_deref();
    let mut out = out
        .map(|path| OutFile::new(path, there, &inputs))
        .transpose()?;
    let file = args
        .prompts
        .as_deref()
        .map(|path| read_rows(path).map(|rows| (path, rows)))
        .transpose()?;

    let files = super::known::files(&args.model)?;
    let unknown = files.tokenizer.as_deref().and_then(Unknown::of);
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let plan = model.plan(args.plan.as_deref())?;

    let report = match file {
        Some((path, rows)) => many(&model, unknown.as_ref(), path, &rows, &plan)?,
        None => one(&model, unknown.as_ref(), &args, &plan)?,
    };
    args.engine.say_cost(&model);
    if let Some(out) = &mut out {
        out.write(&output::json(&report)?)?;
    }
    output::print(&if args.json {
        output::json(&report)?
    } else {
        table(&report, &plan, args.column)
    })
}

fn table(report: &Report, plan: &Plan, view: View) -> String {
    let lens = report
        .lens
        .iter()
        .map(|lens| picture::lens(lens, plan, &report.model, &report.engine, view));
    let prompts = report
        .prompts
        .iter()
        .map(|rows| picture::prompts(rows, plan, &report.model, &report.engine, view));
    lens.chain(prompts).collect()
}

fn one(
    model: &LoadedModel,
    unknown: Option<&Unknown>,
    args: &Args,
    plan: &Plan,
) -> anyhow::Result<Report> {
    // The parser has made sure that the answer is given.
    let answer = args.answer.unwrap_or_default();
    let question = match (&args.prompt, &args.ids, &args.rows) {
        (Some(prompt), ..) => model.question(prompt, &args.option, answer),
        (None, ids, rows) => {
            let of = |list: &Option<Vec<u32>>| list.clone().unwrap_or_default();
            model.question_from_ids(&of(ids), &of(rows), answer)
        }
    }?;
    if let Some(unknown) = unknown {
        known(&question, unknown)?;
        let words = unknown.words(&question);
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            output::say(&format!(
                "atelier: the model does not know {} and reads {} as {}: the answer is to another prompt",
                words.join(", "),
                if words.len() == 1 { "it" } else { "each" },
                unknown.name
            ));
        }
    }
    let lens = looked_at(model, &[question], plan)?
        .pop()
        .context("the engine gave no trace")?;
    Ok(lens::report(model, lens))
}

/// Only what is known can be answered.
fn known(question: &Question, unknown: &Unknown) -> Result<(), StudyError> {
    // Ids are what the reader says they are.
    let Some(text) = &question.text else {
        return Ok(());
    };
    let option = |at: usize| text.options.get(at).map(String::as_str);
    unknown.check(&question.prompt.option_ids, option)
}

fn many(
    model: &LoadedModel,
    unknown: Option<&Unknown>,
    path: &Path,
    rows: &[rows::Row],
    plan: &Plan,
) -> anyhow::Result<Report> {
    // Every row is checked before the first one runs.
    let questions: Vec<Question> = rows
        .iter()
        .map(|row| {
            let question = match &row.question {
                rows::Question::Text { prompt, options } => {
                    model.question(prompt, options, row.answer)
                }
                rows::Question::Ids {
                    token_ids,
                    option_ids,
                } => model.question_from_ids(token_ids, option_ids, row.answer),
            };
            let question = question.and_then(|question| {
                if let Some(unknown) = unknown {
                    known(&question, unknown)?;
                }
                Ok(question)
            });
            question.with_context(|| format!("{}, line {}", path.display(), row.line))
        })
        .collect::<anyhow::Result<_>>()?;
    if let Some(unknown) = unknown {
        let strange = |question: &Question| !unknown.words(question).is_empty();
        let mut lines = questions.iter().zip(rows).filter(|(q, _)| strange(q));
        if let Some((_, first)) = lines.next() {
            output::say(&format!(
                "atelier: {} rows have words that the model does not know and reads all as {} (line {} is the first)",
                1 + lines.count(),
                unknown.name,
                first.line
            ));
        }
    }
    Ok(lens::report_prompts(
        model,
        looked_at(model, &questions, plan)?,
    ))
}

fn looked_at(
    model: &LoadedModel,
    questions: &[Question],
    plan: &Plan,
) -> Result<Vec<Lens>, StudyError> {
    let prompts: Vec<_> = questions
        .iter()
        .map(|question| question.prompt.clone())
        .collect();
    let bar = Progress::new("running", "prompts");
    let mut progress = |done: usize, total: usize| {
        bar.at(prompts.len() * done / total.max(1), prompts.len());
        ControlFlow::Continue(())
    };
    let plans = std::slice::from_ref(plan);
    let traces = model.engine.run(&prompts, plans, &mut progress)?;
    let traces = traces.into_iter().flatten();
    Ok(questions
        .iter()
        .zip(traces)
        .map(|(question, trace)| lens::lens(question, plan, trace))
        .collect())
}

fn read_rows(path: &Path) -> anyhow::Result<Vec<rows::Row>> {
    rows::read(&bytes(path)?).with_context(|| path.display().to_string())
}
