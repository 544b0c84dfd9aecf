//! `atelier need`: what every member and head votes, and what the answer loses without it.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::interrupt;
use super::out_file::{OutFile, There};
use super::output::{self, Progress};
use super::rows_source::NamedRows;
use super::table::columns;
use crate::chart::number::{percent, percent_tenths};
use crate::chart::{
    LIGHT, NO_PARTS, breaks_from, number, part_figures, part_loss_name, part_name,
    rank_correlations, unnamed_heads,
};
use crate::measure::bits::bits;
use crate::study::need::{Need, Needing};
use crate::study::parts::{LeavingOut, PartLoss, PartLosses};
use crate::study::report::{Lens, Report};
use crate::study::{LoadedModel, Running, SEED};

/// Heads that are printed; the report has all.
const PRINTED: usize = 12;

/// Remove each component and head in turn: its vote, and what the answer loses
///
/// For every attention, MLP and head: its net vote, and the loss of the logit difference when it is removed,
/// over rows of a task. Neither number is importance. Others may replace a component with a large vote, or read
/// one with a small vote.
///
/// With --prompt: the loss on this one prompt, over the whole vocabulary. After Ctrl-C or an error of the engine, the
/// report is of the rows that are done.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("input").required(true).args(["task", "prompts", "prompt"]))]
pub struct NeedArgs {
    /// The model: a name from `atelier models`, or a folder with config.json and *.safetensors
    #[arg(long, short, value_name = "NAME|FOLDER")]
    model: String,

    /// Tasks or groups of tasks from `atelier tasks`, whose options are single tokens
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    task: Vec<String>,

    /// One prompt. Each option is a possible next token
    #[arg(long, short, value_name = "TEXT", requires_all = ["option", "answer"])]
    prompt: Option<String>,

    /// An option for the next token, usually with a leading space. Give two or more
    #[arg(long, short, value_name = "TEXT", requires = "prompt", allow_negative_numbers = true)]
    option: Vec<String>,

    /// The index of the right answer among the options, from 0
    #[arg(long, short, value_name = "INDEX", requires = "prompt", allow_negative_numbers = true)]
    answer: Option<usize>,

    /// With --prompt: the plan whose components are removed [default: the original order]
    #[arg(long, value_name = "LINE", requires = "prompt")]
    plan: Option<String>,

    /// The data set's file or folder, for tasks that are read from files
    #[arg(long, value_name = "FILE|DIR", requires = "task")]
    data: Option<PathBuf>,

    /// A file of prompts, or `-` for standard input. One JSON object per line: {"prompt": "…", "options": ["
    /// a", " b"], "answer": 0}
    #[arg(long, value_name = "FILE")]
    prompts: Option<PathBuf>,

    /// Most rows per task
    #[arg(long, default_value_t = 100, conflicts_with = "prompt")]
    rows: usize,

    /// Random seed of the bootstrap intervals
    #[arg(long, default_value_t = SEED, conflicts_with = "prompt")]
    seed: u64,

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
  atelier need --model scholar-12 --task sum,quiz --rows 100
  atelier need --model scholar-12 --task sum --out need.atelier.json
  atelier need --model scholar-12 --prompt "…" --option " a" --option " b" --answer 0"#;

pub fn run(args: NeedArgs) -> anyhow::Result<()> {
    // What needs no model is checked before one is loaded.
    ensure!(args.rows > 0, "--rows 0 leaves nothing to run: give at least 1");
    let there = There::of(args.force, false);
    let inputs: Vec<&Path> = std::iter::once(Path::new(&args.model))
        .chain(args.data.as_deref())
        .chain(args.prompts.as_deref())
        .collect();
    let mut out = OutFile::new(args.out.as_deref(), there, &inputs)?;
    let (data, prompts) = (args.data.as_deref(), args.prompts.as_deref());
    let rows = NamedRows::read(&args.task, data, prompts, args.rows)?;
    // Only now: standard input may have been waited for.
    out.hold()?;
    let (report, mut stopped) = match &args.prompt {
        Some(prompt) => (parts(prompt, &args)?, None),
        None => needs(rows, &args)?,
    };
    if let Some(stopped) = stopped.take_if(|_| report.need.is_empty()) {
        // Before the process ends: what was held and has nothing in it goes.
        drop(out);
        return stopped.end();
    }

    let json = output::json(&report)?;
    out.write(&json)?;
    if args.json {
        output::print(&json)?;
    } else {
        let parts = report.lens.iter().zip(report.parts.as_deref()).map(parts_shown);
        let tables: String = report.need.iter().map(shown).chain(parts).collect();
        let unnamed = unnamed_heads(&report.model).map(|sentence| sentence + "\n");
        let unnamed = unnamed.unwrap_or_default();
        output::show(&format!("{}, {}\n{unnamed}{tables}", report.model.name, report.engine))?;
    }
    stopped.map_or(Ok(()), Stopped::end)
}

/// A task in the middle of which the reader or the engine ended the run.
struct Stopped {
    task: String,
    done: usize,
    asked: usize,
    /// The engine's error; `None` where the reader stopped the run.
    error: Option<anyhow::Error>,
}

impl Stopped {
    /// Says how many rows are in the report, and ends the program.
    fn end(self) -> anyhow::Result<()> {
        let Self { task, done, asked, error } = self;
        let stopped = format!("stopped after {done} of {asked} rows of {task}");
        match error {
            Some(error) if done == 0 => Err(error),
            Some(error) => Err(error.context(stopped)),
            None => {
                output::say(&format!("atelier: {stopped}"));
                std::process::exit(interrupt::code())
            }
        }
    }
}

fn load(args: &NeedArgs) -> anyhow::Result<LoadedModel> {
    let files = super::known::files(&args.model)?;
    Ok(super::known::load(&files, &args.engine.choice()?)?)
}

/// Leaves out every part over rows of tasks, until the reader stops it or the engine fails.
fn needs(rows: Vec<NamedRows>, args: &NeedArgs) -> anyhow::Result<(Report, Option<Stopped>)> {
    let model = load(args)?;
    let mut report = Report::of(&model);
    // A task that cannot be run is refused before another runs for minutes.
    let all = rows.into_iter().map(|rows| {
        let needing = Needing::start(&model, &rows.task, &rows.items, args.seed)?;
        if let Some(unknown) = &model.unknown {
            rows.say_unknown(needing.unknown(&rows.items, unknown)?, unknown);
        }
        Ok((rows, needing))
    });
    let all = all.collect::<anyhow::Result<Vec<_>>>()?;

    let mut stopped = None;
    let stop = interrupt::listen()?;
    for (rows, mut needing) in all {
        let bar = Progress::new("running", "rows");
        let went = interrupt::advance_until(stop, &mut needing, &mut bar.step());
        drop(bar);

        // The rows that are done are a report of their own.
        let (done, asked) = (needing.rows_done(), rows.items.len());
        if done > 0 {
            report.need.push(needing.need());
        }
        if done < asked {
            stopped = Some(Stopped { task: rows.task, done, asked, error: went.err() });
            break;
        }
    }
    args.engine.say_cost(&model);
    Ok((report, stopped))
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
    let table = |list: &[&PartLoss]| {
        columns(list.to_vec())
            .words("without", |part| part_loss_name(lens, part))
            .numbers("surprise\nadded", |part| number::signed(bits(part.lost)))
            .numbers("logit diff.\nlost", |part| number::signed(part.lead_lost))
            .numbers("KL", |part| number::short(bits(part.kl)))
            .numbers("rank", |part| part.rank)
            .numbers("", |part| if parts.is_broken(part) { "the model breaks" } else { "" })
            .text()
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
        "\n{}.\nThe surprise of the right answer is {} bits over the whole vocabulary, the logit difference {} logits. Added surprise and KL are in bits. Each component left out alone, all else run \
         again. {breaks}\n\n{}\n\nThe {printed} heads that cost most, of {}; --json has all.\n\n{}\n",
        headings.join(".\n"),
        number::short(bits(-parts.log_probability)),
        number::short(parts.lead),
        table(&parts.members.iter().collect::<Vec<_>>()),
        heads.len(),
        table(&heads[..printed]),
    )
}

fn shown(need: &Need) -> String {
    let shown_table = columns(&need.parts)
        .words("without", |part| part_name(part))
        .scaled("direct\nvote", "", |part| Some(part.vote.mean))
        .scaled("loss", "", |part| Some(part.loss.mean))
        .scaled("95 %\nfrom", "", |part| Some(part.loss.interval()?[0]))
        .scaled("to", "", |part| Some(part.loss.interval()?[1]))
        .scaled("surprise\nadded", "", |part| Some(bits(part.lost?.mean)))
        .numbers("right\namong\noptions", |part| percent(part.accuracy.mean))
        .numbers("first\nword", |part| {
            part.first_word.map_or_else(String::new, |first| percent(first.mean))
        });
    let together = rank_correlations(need).map_or_else(String::new, |found| format!("; {found}"));
    let beyond = match (need.first_word, need.log_probability) {
        (Some(first), Some(log)) => format!(
            "Of the whole vocabulary: {} right as the first word, surprise of the right answer {} bits.",
            percent_tenths(first.mean),
            number::short(bits(-log.mean))
        ),
        _ => "Not known, since the device has no room for the whole vocabulary: surprise, first word."
            .to_owned(),
    };
    format!(
        "\n{}: {}, {} right among the options, logit difference {} logits{together}.\n{beyond}\nVotes and losses are logits of the right option \
         less the mean of the others'. Added surprise is in bits. Neither is importance.\n\n{}\n",
        need.task,
        number::counted(need.rows, "row"),
        percent_tenths(need.accuracy.mean),
        number::short(need.lead.mean),
        shown_table.text()
    )
}
