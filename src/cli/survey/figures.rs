//! `atelier survey figures`: every figure and table of a report, as SVG and CSV.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::folder::{Folder, file_name};
use crate::chart::{LIGHT, survey_figures};
use crate::cli::out_file::write_whole;
use crate::cli::output;
use crate::study::survey::SurveyReport;
use crate::task::file;

/// Draw a survey's figures and tables: SVG and CSV, no browser needed
#[derive(clap::Args)]
pub struct FiguresArgs {
    /// A survey's folder, or its survey.atelier.json
    #[arg(value_name = "DIR|FILE")]
    from: PathBuf,

    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

pub fn run(args: &FiguresArgs) -> anyhow::Result<()> {
    let path = if args.from.is_dir() {
        Folder::read(&args.from).report()
    } else {
        args.from.clone()
    };
    let text = file::text(&path, file::REPORT)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    let report = SurveyReport::read(&text).with_context(|| path.display().to_string())?;
    ensure!(
        report.survey.found().next().is_some(),
        "{} has no numbers to draw: no model answered",
        path.display()
    );
    std::fs::create_dir_all(&args.out).with_context(|| {
        format!(
            "the folder {} cannot be made: give --out another place",
            args.out.display()
        )
    })?;
    let source = format!(
        "atelier {}, from {}",
        env!("CARGO_PKG_VERSION"),
        path.file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
    );
    let mut written = String::new();
    for one in survey_figures(&report.survey, &LIGHT) {
        let name = file_name(&one.name);
        let svg = one.plot.svg(&one.figure, &LIGHT, &source);
        write_whole(&args.out.join(format!("{name}.svg")), svg.as_bytes())?;
        let csv = one.figure.table.csv();
        write_whole(&args.out.join(format!("{name}.csv")), csv.as_bytes())?;
        written += &format!("{name}  {}\n", one.figure.title);
    }
    output::print(&written)
}
