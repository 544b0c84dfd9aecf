//! The command line: one subcommand a file. Tables for people by default, `--json` for programs,
//! progress on stderr. Exit code 0; 1 and one sentence where something failed or an input is bad; 2 and one
//! sentence where the command line cannot be read, before anything is opened; 128 and a signal's number where
//! one stopped the run.

mod begun;
mod completions;
mod convert;
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
mod lock;
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
mod share;
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

pub use survey::RowsFile;

use std::io;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

/// See what each layer of a language model adds to a prediction
#[derive(Parser)]
#[command(name = "atelier", version, long_version = version::long(), about, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

const EXAMPLES: &str = r#"Examples:
  atelier next --model scholar-12 --prompt "Ann is in the"
  atelier lens --model scholar-12 --prompt "Ann says that the film is not bad. So it is" --option " good" --option " bad" --answer 0
  atelier open"#;

#[derive(Subcommand)]
enum CliCommand {
    // As --help lists them: the most used first.
    Lens(Box<lens::LensArgs>),
    Next(next::NextArgs),
    Open(open::OpenArgs),
    Orders(Box<orders::OrdersArgs>),
    Need(Box<need::NeedArgs>),
    Coupling(Box<coupling::CouplingArgs>),
    Survey(Box<survey::SurveyArgs>),
    Figures(figures::PicturesArgs),
    Share(share::ShareArgs),
    Generate(generate::GenerateArgs),
    Models(models::ModelsArgs),
    Pull(pull::PullArgs),
    Convert(convert::ConvertArgs),
    Tasks(tasks::TasksArgs),
    Train(Box<train::TrainArgs>),
    Doctor(doctor::DoctorArgs),
    Completions(completions::CompletionsArgs),
    Man(man::ManArgs),
}

/// Parses the arguments, runs the command, and turns an error into one sentence and an exit code.
pub fn main() -> ExitCode {
    run(Cli::command())
}

/// Runs `atelier-cuda`: the same program, whose engine is CUDA where no other is named.
#[cfg(feature = "cuda")]
pub fn main_on_cuda() -> ExitCode {
    run(engine::with_default(Cli::command().name("atelier-cuda"), "cuda"))
}

fn run(command: clap::Command) -> ExitCode {
    #[cfg(target_os = "linux")]
    shortened::listen();
    #[cfg(unix)]
    write_past_limits_as_errors();
    let matches = command.clone().try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return not_parsed(&error, &command),
    };
    if let Err(error) = check_threads() {
        return refuse(&format!("{error:#}"), FAILED);
    }
    let done = match cli.command {
        // Its verdict is its exit code.
        CliCommand::Doctor(args) => match doctor::run(&args) {
            Ok(code) => return code,
            Err(error) => Err(error),
        },
        CliCommand::Completions(args) => completions::run(&args, command),
        CliCommand::Convert(args) => convert::run(&args),
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
        CliCommand::Share(args) => share::run(&args),
        CliCommand::Survey(args) => survey::run(*args),
        CliCommand::Tasks(args) => tasks::run(args),
        CliCommand::Train(args) => train::run(*args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => refuse(&format!("{error:#}"), FAILED),
    }
}

/// A file that may grow no larger (`ulimit -f`) is an error of the write, and ends no program.
#[cfg(unix)]
fn write_past_limits_as_errors() {
    // SAFETY: no handler of ours is set, and no other thread runs yet.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Something failed, or an input is bad.
const FAILED: u8 = 1;

/// The command line cannot be read.
const USAGE: u8 = 2;

fn refuse(sentence: &str, code: u8) -> ExitCode {
    output::say(&format!("atelier: {sentence}"));
    ExitCode::from(code)
}

/// Help and version as they are; an error as one line with its tips, without clap's usage block.
fn not_parsed(error: &clap::Error, command: &clap::Command) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            match error.print() {
                // Help that nobody reads to its end (`| head`) is no error.
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                    refuse(&format!("the help could not be printed: {error}"), FAILED)
                }
                _ => ExitCode::SUCCESS,
            }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ => {
            let text = error.to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text);
            let paragraphs = text.split("\n\n").take_while(|paragraph| {
                !paragraph.starts_with("Usage:") && !paragraph.starts_with("For more information")
            });
            let lines: Vec<String> = paragraphs
                .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
                .collect();
            let (sentence, asked) = (lines.join("; "), asked_command(command));
            refuse(&format!("{sentence}; see `{asked} --help`"), USAGE)
        }
    }
}

/// Names the command that the arguments begin with, such as `atelier survey merge`.
fn asked_command(command: &clap::Command) -> String {
    let mut words = vec![command.get_name()];
    let mut command = command;
    for argument in std::env::args_os().skip(1) {
        let Some(found) = command.find_subcommand(&argument) else {
            break;
        };
        words.push(found.get_name());
        command = found;
    }
    words.join(" ")
}

/// Most threads that the environment may ask for: a machine of so many cores is yet to come, and a system
/// that is asked for ten thousand stands still.
const MAX_THREADS: usize = 1024;

/// # Errors
/// The environment asks for more threads than a run can use.
fn check_threads() -> anyhow::Result<()> {
    for name in ["RAYON_NUM_THREADS", "RAYON_RS_NUM_CPUS"] {
        let threads = std::env::var(name).ok().and_then(|value| value.parse::<usize>().ok());
        if let Some(threads) = threads {
            anyhow::ensure!(
                threads <= MAX_THREADS,
                "{name} asks for {threads} threads: give it at most {MAX_THREADS}, or take it away"
            );
        }
    }
    Ok(())
}
