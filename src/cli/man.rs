//! `atelier man`: every command's page of the manual.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Command;
use clap_mangen::Man;

use super::out_file::write_whole;
use super::output;

/// Write manual pages for man
///
/// Writes atelier.1 and one file per command, with the texts of --help.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ManArgs {
    /// The folder to write
    #[arg(long, value_name = "DIR")]
    out: PathBuf,

    /// Replace files of the same names
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = r#"Examples:
  atelier man --out ~/.local/share/man/man1
  man atelier-survey"#;

pub fn run(args: &ManArgs, command: Command) -> anyhow::Result<()> {
    let mut pages = Vec::new();
    let mut command = command.disable_help_subcommand(true);
    // Names its commands in full: `atelier-survey-merge`.
    command.build();
    collect(&command, &mut pages)?;
    for (name, _) in &pages {
        let path = args.out.join(name);
        ensure!(
            args.force || !path.exists(),
            "{} is there already: give --out another folder, or --force",
            path.display()
        );
    }
    std::fs::create_dir_all(&args.out).with_context(|| {
        format!("the folder {} cannot be made: give --out another place", args.out.display())
    })?;
    let mut written = String::new();
    for (name, text) in pages {
        write_whole(&args.out.join(&name), &text)?;
        written += &name;
        written += "\n";
    }
    output::show(&written)
}

/// A command's page and those of its own commands: names of files, and what is in them.
fn collect(command: &Command, pages: &mut Vec<(String, Vec<u8>)>) -> anyhow::Result<()> {
    let page = Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text).context("a page was not written")?;
    pages.push((page.get_filename(), text));
    for inner in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        collect(inner, pages)?;
    }
    Ok(())
}
