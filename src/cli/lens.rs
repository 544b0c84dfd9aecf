//! `atelier lens`: prompts in, members, bias and diversity out.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::depths::{self, DepthArgs};
use super::lens_member;
use super::lens_prompts::{PromptFile, PromptRun};
use super::looks::{self, LooksArgs};
use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::picture;
use super::view::ShownColumn;
use crate::engine::{Capture, VocabularyWish};
use crate::study::report::Report;
use crate::study::{Running, Unknown, lens};

/// Split a model's answer to a prompt into the votes of its components
///
/// The components are the embedding, and the attention and the MLP of each block. The table shows each
/// component's vote on the options. Bias says how far the components' own answers are from the right one.
/// Diversity says how much they differ: mse = bias - diversity.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["prompt", "ids", "prompts"]))]
pub struct LensArgs {
    /// The model: a name from `atelier models`, or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    /// The prompt. Each option is a possible next token
    #[arg(long, short, value_name = "TEXT", requires_all = ["option", "answer"])]
    prompt: Option<String>,

    /// An option for the next token, usually with a leading space. Give two or more
    #[arg(long, short, value_name = "TEXT", requires = "prompt", allow_negative_numbers = true)]
    option: Vec<String>,

    /// The index of the right answer among the options, from 0
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

    /// With --ids: the options as token ids
    #[arg(
        long,
        value_name = "ID,…",
        value_delimiter = ',',
        requires = "ids",
        allow_negative_numbers = true
    )]
    rows: Option<Vec<u32>>,

    /// A file of prompts, or `-` for standard input. One JSON object per line: {"prompt": "…", "options": ["
    /// a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,

    /// The plan: blocks as `0-3,(4-7)x3,9,8`, or skip:s, repeat:s, reverse:s, shuffle:s:seed, parallel:s,
    /// loop:s:R, drop:i, swap:i
    #[arg(long, value_name = "LINE")]
    plan: Option<String>,

    /// Also describe one component: what it reads, its vote, and the loss when it is removed. Names: emb, 3a
    /// (attention of block 3), 3m (its MLP), bias. 3a:2 is the second run
    #[arg(long, value_name = "NAME", conflicts_with = "prompts")]
    member: Option<String>,

    /// The scale of the table of components
    #[arg(long, value_enum, default_value_t = ShownColumn::Probability)]
    column: ShownColumn,

    #[command(flatten)]
    depths: DepthArgs,

    #[command(flatten)]
    looks: LooksArgs,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print the report as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,

    /// Also write the report to a file, which the page can open
    #[arg(long, value_name = "FILE.atelier.json", help_heading = "Output")]
    out: Option<PathBuf>,

    /// Replace the file that --out names
    #[arg(long, requires = "out", help_heading = "Output")]
    force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier lens --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0
  atelier lens --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0 --lens 5 --follow " a"
  atelier lens --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0 --attention --plan "0-7,8~h2,9-11"
  atelier lens --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0 --member 8a
  atelier lens --model path/to/model --ids 1,5,9 --rows 17,230 --answer 1 --plan reverse:1
  atelier lens --model scholar-12 --prompts rows.jsonl --out rows.atelier.json"#;

pub fn run(args: LensArgs) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    let there = There::of(args.force, false);
    let inputs: Vec<&Path> =
        std::iter::once(Path::new(&args.model)).chain(args.prompts.as_deref()).collect();
    let mut out = OutFile::new(args.out.as_deref(), there, &inputs)?;
    let prompts = args.prompts.as_deref().map(PromptFile::open).transpose()?;
    // Only now: standard input may have been waited for.
    out.hold()?;

    let files = super::known::files(&args.model)?;
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let plan = model.plan(args.plan.as_deref())?;
    let asking = PromptRun { model: &model, plan: &plan };
    match prompts {
        Some(prompts) => many(&asking, &prompts, &args, &mut out),
        None => one(&asking, &args, &mut out),
    }
}

fn one(asking: &PromptRun<'_>, args: &LensArgs, out: &mut OutFile) -> anyhow::Result<()> {
    let model = asking.model;
    // The parser has made sure that the answer is given.
    let answer = args.answer.unwrap_or_default();
    let question = match (&args.prompt, &args.ids, &args.rows) {
        (Some(prompt), ..) => model.question(prompt, &args.option, answer),
        (None, ids, rows) => {
            let of = |list: &Option<Vec<u32>>| list.clone().unwrap_or_default();
            model.question_from_ids(&of(ids), &of(rows), answer)
        }
    }?;
    if let Some(unknown) = &model.unknown {
        say_strange(&unknown.words(&question), unknown);
    }
    let bar = Progress::new("running", "prompts");
    let capture = Capture {
        attention: args.looks.wishes(),
        vocabulary: Some(VocabularyWish::ANSWER),
        ..args.depths.capture(model, args.prompt.as_deref())?
    };
    let asked = std::slice::from_ref(&question);
    let traces = asking.traces(asked, capture, &|done| bar.at(done, 1))?;
    let trace = traces.into_iter().next().context("the engine gave no trace")?;
    let original = model.original_after(&question.prompt, asking.plan, &trace)?;
    let mut lens = lens::lens(model, &question, asking.plan, trace);
    if let Some(mut original) = original {
        while original.advance()?.is_some() {}
        lens::compare(&mut lens, &original.finish()?);
    }
    let member = args.member.as_deref();
    let member = member.map(|name| lens_member::account(model, &question, asking.plan, name));
    let member = member.transpose()?.flatten();
    drop(bar);
    args.depths.note(&mut lens);
    lens::name_words(&mut lens, model);
    let mut table =
        picture::lens(&lens, asking.plan, &model.facts(), &model.engine.describe(), args.column);
    for more in [depths::text(&lens, asking.plan, model), looks::text(&lens, asking.plan, model)] {
        if !more.is_empty() {
            table += "\n";
            table += &more;
        }
    }
    if let Some(account) = &member {
        table += &lens_member::text(&lens, account);
    }
    let report = Report { member, ..lens::report(model, lens) };
    let json = output::json(&report)?;
    args.engine.say_cost(model);
    out.write(&json)?;
    if args.json { output::print(&json) } else { output::show(&table) }
}

/// A word that is not known is not the word that was asked.
fn say_strange(words: &[&str], unknown: &Unknown) {
    if words.is_empty() {
        return;
    }
    let each = if words.len() == 1 { "it" } else { "each" };
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
    output::say(&format!(
        "atelier: the model does not know {} and reads {each} as {}: the answer is to another prompt",
        words.join(", "),
        unknown.name
    ));
}

fn many(
    asking: &PromptRun<'_>,
    prompts: &PromptFile,
    args: &LensArgs,
    out: &mut OutFile,
) -> anyhow::Result<()> {
    prompts.check(asking)?;
    let mut summary = None;
    let mut run = |to: &mut dyn Write| -> anyhow::Result<()> {
        summary = Some(prompts.run(asking, to)?);
        Ok(())
    };
    match (args.json, out.is_named()) {
        (false, _) => out.write_with(&mut run)?,
        (true, false) => output::print_with(&mut run)?,
        (true, true) => {
            output::print_with(|shown| out.write_with(|to| run(&mut Both { to, shown })))?
        }
    }
    args.engine.say_cost(asking.model);
    match summary {
        Some(summary) if !args.json => output::show(&picture::prompts(
            &summary,
            asking.plan,
            &asking.model.facts(),
            &asking.model.engine.describe(),
            args.column,
        )),
        _ => Ok(()),
    }
}

/// Writes every byte to `to` and to `shown`.
struct Both<'a> {
    to: &'a mut dyn Write,
    shown: &'a mut dyn Write,
}

impl Write for Both<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let count = self.to.write(bytes)?;
        // A reader that has seen enough leaves the file to be written.
        match self.shown.write_all(&bytes[..count]) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(count),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.to.flush()
    }
}
