//! `atelier need`: what every member and head votes, and what the answer loses without it.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use comfy_table::Cell;

use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::rows_source::SweepSource;
use super::table::{table, text};
use crate::chart::number::{percent, percent_tenths};
use crate::chart::{number, part_name};
use crate::measure::interval::Mean;
use crate::study::need::{Need, Needing};
use crate::study::report::Report;

/// What every member and head says, and what the answer loses without it
///
/// For every attention, MLP and head of the model: its direct vote for the right option, and how much of
/// the right option's lead is gone when it is switched off, over rows of a task, side by side. Neither is
/// importance: a loud part may be made up for, and a silent one may be what the others read.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["task", "prompts"]))]
pub struct NeedArgs {
    /// A known model's name (see `atelier models`), or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    /// Tasks (see `atelier tasks`; several with commas) whose answers are options of one token
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    task: Vec<String>,

    /// The data set's file, or the folder that holds several, for tasks that are not generated
    #[arg(long, value_name = "FILE|DIR", requires = "task")]
    data: Option<PathBuf>,

    /// A file of prompts (`-` for standard input), one JSON object a line:
    /// {"prompt": "…", "options": [" a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,

    /// Rows of each task at most
    #[arg(long, default_value_t = 100)]
    rows: usize,

    /// Of the bootstrap behind the intervals
    #[arg(long, default_value_t = 0)]
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
  atelier need --model scholar-12 --task sum --out need.atelier.json"#;

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
    let rows = rows.collect::<anyhow::Result<Vec<_>>>()?;
    let files = super::known::files(&args.model)?;
    let model = super::known::load(&files, &args.engine.choice()?)?;
    let mut report = Report::of(&model);
    for rows in rows {
        let mut needing = Needing::start(&model, &rows.task, &rows.items, args.seed)?;
        let bar = Progress::new("running", "rows");
        while let Some((done, of)) = needing.advance()? {
            bar.at(done, of);
        }
        drop(bar);
        report.need.push(needing.need());
    }
    args.engine.say_cost(&model);
    let json = output::json(&report)?;
    if let Some(out) = &mut out {
        out.write(&json)?;
    }
    if args.json {
        output::print(&json)
    } else {
        let tables = report.need.iter().map(shown);
        output::show(&format!(
            "{}, {}\n{}",
            report.model.name,
            report.engine,
            tables.collect::<String>()
        ))
    }
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
    let number = |x: f64| Cell::new(number::short(x));
    let some = |mean: Option<Mean>, shown: fn(f64) -> String| {
        mean.map_or_else(String::new, |mean| shown(mean.mean))
    };
    for part in &need.parts {
        let ends = part.loss.interval();
        let end = |end: usize| ends.map_or_else(|| Cell::new(""), |ends| number(ends[end]));
        rows.add_row([
            Cell::new(part_name(part)),
            number(part.vote.mean),
            number(part.loss.mean),
            end(0),
            end(1),
            Cell::new(some(part.lost, number::short)),
            Cell::new(percent(part.accuracy.mean)),
            Cell::new(some(part.first_word, percent)),
        ]);
    }
    let together = need
        .rank_correlation
        .map_or_else(String::new, |r| format!("; rank correlation of vote and loss {r:.2}"));
    let beyond = match (need.first_word, need.log_likelihood) {
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
