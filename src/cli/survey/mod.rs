//! `atelier survey`: models x tasks, row by row, into files that any program can read.
//!
//! Files in the folder:
//!
//! ```text
//! survey.json                  all that was asked: options, engine, SHA-256 of the models' files
//! rows/MODEL/model.json        the model's facts and members
//! rows/MODEL/TASK.parquet      one row a question (see `rows_file`)
//! rows/MODEL/TASK.sha256       the rows' file's SHA-256, as `sha256sum -c` reads it
//! rows/MODEL/TASK.rows.part    rows of an unfinished run: one line per row, a checksum and a JSON object
//! rows/MODEL/TASK.failed       why there are no rows, where there are none
//! survey.atelier.json          means, curves, correlations: what the page opens
//! shard-2-of-3/…               these files for a third of the rows, until they are merged
//! ```

mod asked;
mod cell;
mod finish;
mod folder;
mod journal;
mod merge;
mod rows_file;
mod running;
mod shard;
mod table;

use std::path::PathBuf;

use clap::Subcommand;
use clap::builder::NonEmptyStringValueParser;

pub use asked::Asked;
pub use folder::{Folder, file_name};
pub use rows_file::RowsFile;
use shard::Shard;

/// Run many models on many tasks: bias, diversity and information of every row
///
/// Writes each row to Parquet, and the means to survey.atelier.json, which the page opens. If the process is
/// killed, at most one batch of 16 rows is lost. The same command with --resume continues, and the files have
/// the same bytes as without a stop. With --shard k/n it runs one of n shards. `atelier survey merge` joins
/// them.
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
}

/// Options of a survey.
#[derive(clap::Args)]
struct SurveyOptions {
    /// Models: names from `atelier models`, or folders with config.json and *.safetensors
    #[arg(
        long,
        value_name = "NAME|FOLDER,…",
        value_delimiter = ',',
        required = true,
        value_parser = NonEmptyStringValueParser::new()
    )]
    models: Vec<String>,

    /// Tasks or groups of tasks from `atelier tasks`, or TOML files that define a task
    #[arg(long, value_name = "NAME|FILE,…", value_delimiter = ',', required = true)]
    tasks: Vec<String>,

    /// The folder with the data sets, for tasks that are read from files
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,

    /// Most rows per task [default: the task's own number, 2000 for most]
    #[arg(long)]
    rows: Option<usize>,

    /// The folder to write
    #[arg(long, value_name = "DIR", required = true)]
    out: Option<PathBuf>,

    /// Worked examples before every question
    #[arg(long, default_value_t = 0)]
    shots: usize,

    /// Random seed for choosing the worked examples
    #[arg(long, default_value_t = 0)]
    seed: u64,

    /// If an option is not one token for a model, score that task by the probability of each option as a
    /// continuation. The report says so
    #[arg(long)]
    continuations: bool,

    /// Run only shard k of n, from 1
    #[arg(long, value_name = "k/n")]
    shard: Option<Shard>,

    /// Continue the survey in --out. With --shard, also begin one
    #[arg(long, help_heading = "Output")]
    resume: bool,

    #[command(flatten)]
    engine: super::engine::EngineArgs,

    /// Print the report as JSON
    #[arg(long, help_heading = "Output")]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier survey --models scholar-2,scholar-12 --tasks sum,topic --out small
  atelier survey --models ../SmolLM2-135M --tasks plain --out words
  atelier survey --models ../Llama-3.2-1B,../MobileLLM-125M --tasks rte,sst2,boolq --data ../data --out big
  atelier survey --models ../Llama-3.2-1B --tasks boolq --data ../data --out big --shard 2/8
  atelier survey merge big
  atelier figures big --out pictures
  atelier share big --out big.atelier.json"#;

pub fn run(args: SurveyArgs) -> anyhow::Result<()> {
    match args.command {
        None => running::run(&args.ask),
        Some(SurveyCommand::Merge(args)) => merge::run(&args),
    }
}
