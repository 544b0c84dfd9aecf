//! The command line: one subcommand a file. Tables for people by default, `--json` for programs,
//! progress on stderr, exit code 2 and one sentence on bad input.

mod lens;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// See what each layer of a language model adds to a prediction.
#[derive(Parser)]
#[command(name = "atelier", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Lens(lens::Args),
    Train(train::Args),
}

/// Parses the arguments, runs the command, and turns an error into one sentence and exit code 2.
pub fn main() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Lens(args) => lens::run(args),
        Command::Train(args) => train::run(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("atelier: {error:#}");
            ExitCode::from(2)
        }
    }
}
