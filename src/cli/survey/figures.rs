//! `atelier survey figures`: what `atelier figures` does, where a survey is being worked on.

use std::path::PathBuf;

use anyhow::Context;

use super::folder::Folder;
use crate::cli::figures::{To, write};
use crate::cli::rows_source::bytes;
use crate::study::report::Opened;

/// Draw a survey's figures and tables as SVG and CSV, without a browser
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier survey figures small --out pictures
  atelier survey figures small/survey.atelier.json --out slides --dark --width 640")]
pub struct FiguresArgs {
    /// A survey's folder, or its survey.atelier.json
    #[arg(value_name = "DIR|FILE")]
    from: PathBuf,

    #[command(flatten)]
    to: To,
}

pub fn run(args: &FiguresArgs) -> anyhow::Result<()> {
    let path =
        if args.from.is_dir() { Folder::read(&args.from).report() } else { args.from.clone() };
    let survey = Opened::read(&bytes(&path)?)
        .and_then(Opened::survey)
        .with_context(|| path.display().to_string())?;
    write(&Opened::Survey(Box::new(survey)), &path, &args.to)
}
