//! `atelier figures`: every picture of any report, as SVG and CSV.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::out_file::write_whole;
use super::output::{self, Progress};
use super::rows_source::bytes;
use super::survey::file_name;
use crate::chart::{DARK, Figure, LIGHT, all_figures, left_out_figure};
use crate::study::report::{Opened, Report};

/// Draw every figure of a report as SVG and CSV, without a browser
///
/// Reads the reports that `atelier lens --out`, `atelier orders --out` and `atelier survey` write, and those
/// that the page saves. Every figure is written on every scale, with a CSV file of its numbers.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct PicturesArgs {
    /// A report (*.atelier.json), a survey's folder, or `-` for standard input
    #[arg(value_name = "FILE|DIR")]
    from: PathBuf,

    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Width in CSS pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 960, value_parser = clap::value_parser!(u32).range(320..=4000))]
    width: u32,

    /// Draw light on dark
    #[arg(long)]
    dark: bool,

    /// Replace files of the same names
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier lens --model scholar-12 --prompts rows.jsonl --out rows.atelier.json
  atelier figures rows.atelier.json --out pictures
  atelier figures survey-folder --out slides --dark --width 640"#;

pub fn run(args: &PicturesArgs) -> anyhow::Result<()> {
    let path =
        if args.from.is_dir() { args.from.join("survey.atelier.json") } else { args.from.clone() };
    let opened = Opened::read(&bytes(&path)?)
        .with_context(|| format!("{} cannot be drawn", path.display()))?;
    write(&opened, &path, args)
}

/// Draws all of a report that was read from `path`.
fn write(opened: &Opened, path: &Path, to: &PicturesArgs) -> anyhow::Result<()> {
    let theme = if to.dark { &DARK } else { &LIGHT };
    let figures = all_figures(opened, theme);
    ensure!(
        !figures.is_empty(),
        "{} has no numbers to draw: it is {} without any",
        path.display(),
        opened.what()
    );
    let named = names(&figures);
    if !to.force {
        let forms = ["svg", "csv"];
        let files = named.iter().flat_map(|name| forms.map(|form| format!("{name}.{form}")));
        if let Some(there) = files.into_iter().find(|file| to.out.join(file).exists()) {
            anyhow::bail!(
                "{} is there already: give --out another folder, or --force",
                to.out.join(there).display()
            );
        }
    }
    std::fs::create_dir_all(&to.out).with_context(|| {
        format!("the folder {} cannot be made: give --out another place", to.out.display())
    })?;
    let source = source(opened, path);
    let bar = Progress::new("drawing", "pictures");
    let mut written = String::new();
    for (i, (figure, name)) in figures.iter().zip(&named).enumerate() {
        bar.at(i, figures.len());
        let svg = figure.svg(to.width, &source);
        let file = |form: &str| to.out.join(format!("{name}.{form}"));
        write_whole(&file("svg"), (svg + "\n").as_bytes())?;
        write_whole(&file("csv"), figure.table.csv().as_bytes())?;
        written += &format!("{name}  {}\n", figure.title);
    }
    drop(bar);
    if let Opened::Survey(survey) = opened
        && let Some((key, why)) = left_out_figure(survey)
    {
        written += &format!("{key}  {why}\n");
    }
    output::show(&written)
}

/// The line under a picture's title: what it is of.
fn source(opened: &Opened, path: &Path) -> String {
    let of = |report: &Report| {
        let lens = report.lens.as_ref();
        let lens = lens.or(report.lab.as_ref().map(|lab| &lab.arranged));
        let asked = lens.map_or_else(String::new, |lens| {
            let prompt = lens.prompt.as_deref().unwrap_or("token ids").trim();
            format!(" · plan {} · {prompt} …", lens.plan)
        });
        format!("{}, {}{asked} · ", report.model.name, report.engine)
    };
    let of = match opened {
        Opened::Survey(_) | Opened::CouplingModels(_) => String::new(),
        Opened::Lens(report)
        | Opened::Prompts(report)
        | Opened::Lab(report)
        | Opened::Orders(report)
        | Opened::Coupling(report) => of(report),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    format!("{of}atelier {}, from {name}", env!("CARGO_PKG_VERSION"))
}

/// `[figures]` names that any file system takes, no two alike.
fn names(figures: &[Figure]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let name = |figure: &Figure| {
        let name = file_name(&figure.name.chars().take(120).collect::<String>());
        // File systems that take large letters for small ones would have two files in one.
        let free = |name: &String| !taken.contains(&name.to_lowercase());
        let numbered = (2..).map(|n| format!("{name}-{n}"));
        let name = std::iter::once(name.clone()).chain(numbered).find(free).unwrap_or_default();
        taken.insert(name.to_lowercase());
        name
    };
    figures.iter().map(name).collect()
}
