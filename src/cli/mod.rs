//! The command line: one subcommand a file. Tables for people by default, `--json` for programs,
//! progress on stderr, exit code 2 and one sentence on bad input.

mod begun;
mod completions;
mod coupling;
mod depths;
mod doctor;
mod engine;
mod figures;
mod fingerprint;
mod generate;
mod hub;
mod interrupt;
mod known;
mod lens;
mod lens_member;
mod lens_prompts;
mod looks;
mod man;
mod members;
mod models;
mod need;
mod next;
mod open;
mod orders;
mod orders_picture;
mod out_file;
mod output;
mod page_files;
mod picture;
mod pull;
mod rows_source;
mod served_model;
#[cfg(target_os = "linux")]
mod shortened;
mod survey;
mod table;
mod tasks;
mod totals;
mod train;
mod train_card;
mod train_rows;
mod version;
mod view;

use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// See what each layer of a language model adds to a prediction.
#[derive(Parser)]
#[command(name = "atelier", version, long_version = version::long(), about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Subcommand)]
enum CliCommand {
    Completions(completions::CompletionsArgs),
    Coupling(Box<coupling::CouplingArgs>),
    Doctor(doctor::DoctorArgs),
    Figures(figures::PicturesArgs),
    Generate(generate::GenerateArgs),
    Lens(Box<lens::LensArgs>),
    Man(man::ManArgs),
    Models(models::ModelsArgs),
    Need(Box<need::NeedArgs>),
    Open(open::OpenArgs),
    Next(next::NextArgs),
    Orders(Box<orders::OrdersArgs>),
    Pull(pull::PullArgs),
    Survey(Box<survey::SurveyArgs>),
    Tasks(tasks::TasksArgs),
    Train(Box<train::TrainArgs>),
}

/// Parses the arguments, runs the command, and turns an error into one sentence and exit code 2.
pub fn main() -> ExitCode {
    run(Cli::command())
}

/// The same of `atelier-cuda`, whose engine is CUDA where no other is named.
#[cfg(feature = "cuda")]
pub fn main_on_cuda() -> ExitCode {
    run(engine::with_default(Cli::command().name("atelier-cuda"), "cuda"))
}

fn run(command: clap::Command) -> ExitCode {
    #[cfg(target_os = "linux")]
    shortened::listen();
    let matches = command.clone().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error),
    };
    let done = match cli.command {
        // Its verdict is its exit code.
        CliCommand::Doctor(args) => match doctor::run(&args) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        CliCommand::Completions(args) => completions::run(&args, command),
        CliCommand::Coupling(args) => coupling::run(*args),
        CliCommand::Figures(args) => figures::run(&args),
        CliCommand::Generate(args) => generate::run(&args),
        CliCommand::Lens(args) => lens::run(*args),
        CliCommand::Man(args) => man::run(&args, command),
        CliCommand::Models(args) => models::run(&args),
        CliCommand::Need(args) => need::run(*args),
        CliCommand::Open(args) => open::run(&args),
        CliCommand::Next(args) => next::run(&args),
        CliCommand::Orders(args) => orders::run(*args),
        CliCommand::Pull(args) => pull::run(&args),
        CliCommand::Survey(args) => survey::run(*args),
        CliCommand::Tasks(args) => tasks::run(args),
        CliCommand::Train(args) => train::run(*args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&format!("{error:#}")),
    }
}

fn refuse(sentence: &str) -> ExitCode {
    output::say(&format!("atelier: {sentence}"));
    ExitCode::from(2)
}

/// Help and version as they are; an error as one sentence, without clap's usage block.
fn not_parsed(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Help that nobody reads to its end (`| head`) is no error.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(2)
        }
        _ => {
            let text = error.to_string();
            let sentence = text.split("\n\n").next().unwrap_or(&text);
            let sentence = sentence.strip_prefix("error: ").unwrap_or(sentence);
            let words: Vec<&str> = sentence.split_whitespace().collect();
            refuse(&format!("{}; see `atelier --help` and each command's own", words.join(" ")))
        }
    }
}
