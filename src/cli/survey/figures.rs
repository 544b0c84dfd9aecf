//! `atelier survey figures`: every figure and table of a report, as SVG and CSV.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::folder::Folder;
use crate::study::survey::SurveyReport;

/// Draw a survey's figures and tables: SVG and CSV, no browser needed
#[derive(clap::Args)]
pub struct Args {
    /// A survey's folder, or its survey.atelier.json
    #[arg(value_name = "DIR|FILE")]
    from: PathBuf,

    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    let path = if args.from.is_dir() {
        Folder::read(&args.from).report()
    } else {
        args.from.clone()
    };
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let report = SurveyReport::read(&text).with_context(|| path.display().to_string())?;
    ensure!(
        report.survey.found().next().is_some(),
        "{} has no numbers to draw: no model answered",
        path.display()
    );
    Ok(())
}
