//! `atelier need`: what every member and head votes, and what the answer loses without it.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use comfy_table::Cell;

use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::rows_source::{NamedRows, SweepSource};
use super::table::{column, table, text};
use crate::chart::number::{percent, percent_tenths};
use crate::chart::{
    LIGHT, NO_PARTS, breaks_from, number, part_figures, part_loss_name, part_name,
    rank_correlations, unnamed_heads,
};
use crate::study::LoadedModel;
use crate::study::need::{Need, Needing};
use crate::study::parts::{LeavingOut, PartLoss, PartLosses};
use crate::study::report::{Lens, Report};

/// Heads that are printed; the report has all.
const PRINTED: usize = 12;

/// What every member and head says, and what the answer loses without it
///
/// For every attention, MLP and head of the model: its direct vote for the right option, and how much of
/// the right option's lead is gone when it is switched off, over rows of a task, side by side. Neither is
/// importance: a loud part may be made up for, and a silent one may be what the others read.
///
/// With --prompt: what the answer to this one prompt loses over the whole vocabulary, in nats of ln P of the
/// right option.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["task", "prompts", "prompt"]))]
pub struct NeedArgs {
    /// A known model's name (see `atelier models`), or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    /// Tasks or their groups (see `atelier tasks`; several with commas) whose answers are options of
    /// one token
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    task: Vec<String>,

    /// One prompt, the text that the options go on from
    #[arg(long, short, value_name = "TEXT", requires_all = ["option", "answer"])]
    prompt: Option<String>,

    /// An option, one token after the prompt, most often with its leading space; give two or more
    #[arg(long, short, value_name = "TEXT", requires = "prompt", allow_negative_numbers = true)]
    option: Vec<String>,

    /// The right option, counted from 0
    #[arg(long, short, value_name = "INDEX", requires = "prompt", allow_negative_numbers = true)]
    answer: Option<usize>,

    /// The order of blocks whose parts are left out on the prompt; without it the model's own
    #[arg(long, value_name = "LINE", requires = "prompt")]
    plan: Option<String>,

    /// The data set's file, or the folder that holds several, for tasks that are read from a file
    #[arg(long, value_name = "FILE|DIR", requires = "task")]
    data: Option<PathBuf>,

    /// A file of prompts (`-` for standard input), one JSON object a line:
    /// {"prompt": "…", "options": [" a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,

    /// Rows of each task at most
    #[arg(long, default_value_t = 100, conflicts_with = "prompt")]
    rows: usize,

    /// Of the bootstrap behind the intervals
    #[arg(long, default_value_t = 0, conflicts_with = "prompt")]
    seed: u64,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

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
  atelier need --model scholar-12 --task sum,quiz --rows 100
  atelier need --model scholar-12 --task sum --out need.atelier.json
  atelier need --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0"#;

pub fn run(args: NeedArgs) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    ensure!(args.rows > 0, "--rows 0 leaves nothing to run: give at least 1");
    let there = if args.force { There::Replaced } else { There::Kept };
    let inputs: Vec<&Path> = std::iter::once(Path::new(&args.model))
        .chain(args.data.as_deref())
        .chain(args.prompts.as_deref())
        .collect();
    let out = args.out.as_deref();
    let mut out = out.map(|path| OutFile::new(path, there, &inputs)).transpose()?;
    let sources = SweepSource::of(&args.task, args.data.as_deref(), args.prompts.as_deref())?;
    let rows = sources.iter().map(|source| source.rows(args.rows));
    let rows = rows.collect::<anyhow::Result<Vec<NamedRows>>>()?;
    // Only now: standard input may have been waited for.
    if let Some(out) = &mut out {
        out.hold()?;
    }
    let report = match &args.prompt {
        Some(prompt) => parts(prompt, &args)?,
        None => needs(rows, &args)?,
    };
    let json = output::json(&report)?;
    if let Some(out) = &mut out {
        out.write(&json)?;
    }
    if args.json {
        output::print(&json)
    } else {
        let parts = report.lens.iter().zip(report.parts.as_deref()).map(parts_shown);
        let tables: String = report.need.iter().map(shown).chain(parts).collect();
        let unnamed = unnamed_heads(&report.model).map(|sentence| sentence + "\n");
        let unnamed = unnamed.unwrap_or_default();
        output::show(&format!("{}, {}\n{unnamed}{tables}", report.model.name, report.engine))
    }
}

fn load(args: &NeedArgs) -> anyhow::Result<LoadedModel> {
    let files = super::known::files(&args.model)?;
    Ok(super::known::load(&files, &args.engine.choice()?)?)
}

/// Leaves out every part over rows of tasks.
fn needs(rows: Vec<NamedRows>, args: &NeedArgs) -> anyhow::Result<Report> {
    let model = load(args)?;
    let mut report = Report::of(&model);
    for rows in rows {
        let mut needing = Needing::start(&model, &rows.task, &rows.items, args.seed)?;
        if let Some(unknown) = &model.unknown {
            rows.say_unknown(needing.unknown(&rows.items, unknown)?, unknown);
        }
        let bar = Progress::new("running", "rows");
        while let Some((done, of)) = needing.advance()? {
            bar.at(done, of);
        }
        drop(bar);
        report.need.push(needing.need());
    }
    args.engine.say_cost(&model);
    Ok(report)
}

/// Leaves out every part on one prompt.
fn parts(prompt: &str, args: &NeedArgs) -> anyhow::Result<Report> {
    let model = load(args)?;
    // The parser has made sure that the answer is given.
    let question = model.question(prompt, &args.option, args.answer.unwrap_or_default())?;
    let plan = model.plan(args.plan.as_deref())?;
    let mut leaving = LeavingOut::start(&model, &question, plan)?;
    let bar = Progress::new("running", "block runs");
    while let Some((done, of)) = leaving.advance()? {
        bar.at(done, of);
    }
    drop(bar);
    args.engine.say_cost(&model);
    Ok(leaving.report()?)
}

/// Every component, and the heads that cost most.
fn parts_shown((lens, parts): (&Lens, &PartLosses)) -> String {
    let header = ["without", "ln P lost", "lead lost", "KL", "rank", ""];
    let rows = |list: &[&PartLoss]| {
        let mut rows = table(&header.map(String::from), 1);
        for part in list {
            let broken = if parts.is_broken(part) { "the model breaks" } else { "" };
            rows.add_row([
                Cell::new(part_loss_name(lens, part)),
                Cell::new(number::signed(part.lost)),
                Cell::new(number::signed(part.lead_lost)),
                Cell::new(number::short(part.kl)),
                Cell::new(part.rank),
                Cell::new(broken),
            ]);
        }
        text(&rows)
    };
    if parts.members.is_empty() {
        return format!("\n{NO_PARTS}\n");
    }
    let mut heads: Vec<&PartLoss> = parts.heads.iter().collect();
    heads.sort_by(|a, b| b.lost.total_cmp(&a.lost));
    let printed = heads.len().min(PRINTED);
    let figures = part_figures(lens, parts, &LIGHT);
    let headings: Vec<String> = figures.into_iter().map(|figure| figure.title).collect();
    let breaks = parts.unrelated_kl.map(breaks_from).unwrap_or_default();
    format!(
        "\n{}.\nln P of the right option is {} nats over the whole vocabulary, its lead {} logits. Each part left out alone, all else run \
         again. {breaks}\n\n{}\n\nThe {printed} heads that cost most, of {}; --json has all.\n\n{}\n",
        headings.join(".\n"),
        number::short(parts.log_probability),
        number::short(parts.lead),
        rows(&parts.members.iter().collect::<Vec<_>>()),
        heads.len(),
        rows(&heads[..printed]),
    )
}

fn shown(need: &Need) -> String {
    let header = [
        "without",
        "direct\nvote",
        "loss",
        "95 %\nfrom",
        "to",
        "ln P\nlost",
        "right\namong\noptions",
        "first\nword",
    ];
    let mut rows = table(&header.map(String::from), 1);
    let parts = || need.parts.iter();
    let votes = numbers(parts().map(|part| Some(part.vote.mean)));
    let losses = numbers(parts().map(|part| Some(part.loss.mean)));
    let ends = [0, 1].map(|end| numbers(parts().map(|part| Some(part.loss.interval()?[end]))));
    let lost = numbers(parts().map(|part| Some(part.lost?.mean)));
    for (i, part) in need.parts.iter().enumerate() {
        let first = part.first_word.map_or_else(String::new, |first| percent(first.mean));
        let [name, right] = [part_name(part), percent(part.accuracy.mean)];
        let [from, to] = &ends;
        rows.add_row([&name, &votes[i], &losses[i], &from[i], &to[i], &lost[i], &right, &first]);
    }
    let together = rank_correlations(need).map_or_else(String::new, |found| format!("; {found}"));
    let beyond = match (need.first_word, need.log_probability) {
        (Some(first), Some(log)) => format!(
            "Of the whole vocabulary: {} right as the first word, ln P of the right option {} nats.",
            percent_tenths(first.mean),
            number::short(log.mean)
        ),
        _ => "Not known, since the device has no room for the whole vocabulary: ln P, first word."
            .to_owned(),
    };
    format!(
        "\n{}: {}, {} right among the options, lead {} logits{together}.\n{beyond}\nVotes and losses are logits of the right option \
         less the mean of the others', ln P lost is in nats. Neither is importance.\n\n{}\n",
        need.task,
        number::counted(need.rows, "row"),
        percent_tenths(need.accuracy.mean),
        number::short(need.lead.mean),
        text(&rows)
    )
}

/// Numbers of one column with one precision, and nothing where there is none.
fn numbers(values: impl Iterator<Item = Option<f64>>) -> Vec<String> {
    let values: Vec<Option<f64>> = values.collect();
    let known: Vec<f64> = values.iter().flatten().copied().collect();
    let mut shown = column(&known).into_iter();
    values.iter().map(|value| value.and_then(|_| shown.next()).unwrap_or_default()).collect()
}
