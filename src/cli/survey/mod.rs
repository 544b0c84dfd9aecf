//! `atelier survey`: models x tasks, row by row, into files that any program can read.
//!
//! What lies in the folder:
//!
//! ```text
//! survey.json                  all that was asked: options, engine, SHA-256 of the models' files
//! rows/MODEL/model.json        the model's facts and members
//! rows/MODEL/TASK.parquet      one row a question (see `rows_file`)
//! rows/MODEL/TASK.sha256       the rows' file's SHA-256, as `sha256sum -c` reads it
//! rows/MODEL/TASK.rows.part    the same, unfinished: a checksum and a JSON object a row
//! rows/MODEL/TASK.failed       why there are no rows, where there are none
//! survey.atelier.json          means, curves, correlations: what the page opens
//! shard-2-of-3/…               the same of a third of the rows, until they are merged
//! ```

mod asked;
mod cell;
mod figures;
mod finish;
mod folder;
mod journal;
mod merge;
mod rows_file;
mod running;
mod shard;
mod spool;
mod table;

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;

use shard::Shard;

/// Models x tasks: bias, diversity and information of every row
///
/// Runs every model on every task and writes each row to Parquet and the means to
/// survey.atelier.json, which the page opens. Killed at any moment it loses at most one batch of 16
/// rows; the same command with --resume goes on to the same bytes. With --shard k/n it does one part
/// of the rows, and `atelier survey merge` joins the parts.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
#[command(subcommand_negates_reqs = true)]
pub struct SurveyArgs {
    #[command(subcommand)]
    command: Option<SurveyCommand>,

    #[command(flatten)]
    ask: SurveyOptions,
}

#[derive(Subcommand)]
enum SurveyCommand {
    Merge(merge::MergeArgs),
    Figures(figures::FiguresArgs),
}

/// What a survey asks.
#[derive(clap::Args)]
struct SurveyOptions {
    /// Known models' names (see `atelier models`), or folders with config.json and *.safetensors
    #[arg(
        long,
        value_name = "NAME|FOLDER,…",
        value_delimiter = ',',
        required = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    models: Vec<String>,

    /// Tasks or their groups (see `atelier tasks`), or TOML files that define one
    #[arg(long, value_name = "NAME|FILE,…", value_delimiter = ',', required = true)]
    tasks: Vec<String>,

    /// The folder that holds the data sets, for tasks that are read from a file
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Rows of each task at most; as many as the task's file says without it (2000 mostly, 500 of
    /// a scholars' task, every row in plain English)
    #[arg(long)]
    rows: Option<usize>,

    /// The folder to write
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,

    /// Worked examples in front of every question
    #[arg(long, default_value_t = 0)]
    shots: usize,

    /// Which examples
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// Where an option is not one token for a model, score that task by how likely each option is
    /// as a continuation, and say so in the report
    #[arg(long)]
    continuations: bool,

    /// Only the k-th of n parts of the rows, counted from 1
    #[arg(long, value_name = "k/n")]
    shard: Option<Shard>,

    /// Go on from what --out holds; with --shard, begin where it holds nothing
    #[arg(long)]
    resume: bool,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier survey --models scholar-2,scholar-12 --tasks sum,topic --out small
  atelier survey --models ../SmolLM2-135M --tasks plain --out words
  atelier survey --models ../Llama-3.2-1B,../MobileLLM-125M --tasks rte,sst2,boolq --data ../data --out big
  atelier survey --models ../Llama-3.2-1B --tasks boolq --data ../data --out big --shard 2/8
  atelier survey merge big
  atelier survey figures big --out pictures"#;

pub fn run(args: SurveyArgs) -> anyhow::Result<()> {
    match args.command {
        None => running::run(&args.ask),
        Some(SurveyCommand::Merge(args)) => merge::run(&args),
        Some(SurveyCommand::Figures(args)) => figures::run(&args),
    }
}
