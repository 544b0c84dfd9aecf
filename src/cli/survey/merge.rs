//! `atelier survey merge`: parts of a survey to the bytes that one run would have written.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::asked::Asked;
use super::cell::write_rows;
use super::finish::{Facts, finish};
use super::folder::Folder;
use super::rows_file::RowsFile;
use super::running::failures;
use super::shard::Shard;
use super::table;
use crate::cli::output::{self, write_whole};
use crate::study::survey::{MeasuredRow, WINDOW};

/// Join the parts that --shard left, to the same files as one run
#[derive(clap::Args)]
pub struct Args {
    /// The folder that was given as --out
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> anyhow::Result<()> {
    let shards = shards(&args.folder)?;
    let first = Asked::read(&shards[0])?;
    for shard in &shards {
        let asked = Asked::read(shard)?;
        if let Some(what) = asked.differs(&first) {
            bail!(
                "{} was asked with other {what} than {}: they are no parts of one survey",
                shard.path().display(),
                shards[0].path().display()
            );
        }
    }
    let folder = Folder::locked(&args.folder)?;
    let asked = Asked {
        shard: None,
        ..first
    };
    // Merging again must end with the same.
    asked.agree(&folder, true)?;
    for model in &asked.models {
        join_model(&folder, &shards, model)?;
        for task in &asked.tasks {
            join(&folder, &shards, model, &task.name)?;
        }
    }
    let report = finish(&folder, &asked)?;
    output::print(&if args.json {
        report.json()?
    } else {
        table::text(&report.survey)
    })?;
    failures(&report.survey)
}

/// All parts, each held so that nobody writes to it meanwhile.
fn shards(folder: &Path) -> anyhow::Result<Vec<Folder>> {
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let of = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?
        .filter_map(|entry| {
            let name = entry.ok()?.file_name();
            let (_, of) = name.to_str()?.strip_prefix("shard-")?.split_once("-of-")?;
            of.parse::<usize>().ok()
        })
        .max()
        .with_context(|| {
            format!(
                "{} has no parts to join: run `atelier survey --shard 1/n --out {0}` first",
                folder.display()
            )
        })?;
    (0..of)
        .map(|index| {
            let path = folder.join(Shard { index, of }.folder());
            ensure!(
                path.join("survey.json").is_file(),
                "part {} of {of} is missing in {}: run it with --shard {}/{of}",
                index + 1,
                folder.display(),
                index + 1
            );
            Folder::locked(&path)
        })
        .collect()
}

fn join_model(folder: &Folder, shards: &[Folder], model: &str) -> anyhow::Result<()> {
    let mut known: Option<Facts> = None;
    for shard in shards {
        let Some(facts) = Facts::read(shard, model)? else {
            continue;
        };
        if known.as_ref().is_some_and(|before| *before != facts) {
            bail!(
                "{} ran another model called {model} than the other parts",
                shard.path().display()
            );
        }
        known = Some(facts);
    }
    let place = folder.model(model);
    std::fs::create_dir_all(&place)
        .with_context(|| format!("the folder {} cannot be made", place.display()))?;
    match known {
        Some(facts) => {
            let text = serde_json::to_string(&facts)? + "\n";
            write_whole(&folder.facts(model), text.as_bytes())
        }
        None => Ok(()),
    }
}

fn join(folder: &Folder, shards: &[Folder], model: &str, task: &str) -> anyhow::Result<()> {
    let failed = shards.iter().find_map(|shard| {
        let whole = shard.rows(model, task).exists();
        let why = std::fs::read_to_string(shard.failed(model, task)).ok()?;
        (!whole).then_some(why)
    });
    if let Some(why) = failed {
        return write_whole(&folder.failed(model, task), why.as_bytes());
    }
    let mut parts = Vec::new();
    for shard in shards {
        let path = shard.rows(model, task);
        ensure!(
            path.exists(),
            "{} is not done with {model} on {task}: run it again with --resume",
            shard.path().display()
        );
        parts.push(RowsFile::open(&path)?);
    }
    let about = parts[0].about.clone();
    ensure!(
        parts.iter().all(|part| part.about == about),
        "the parts scored {model} on {task} in different ways: they are no parts of one survey"
    );
    // Window w is in part w mod n; all parts are read side by side.
    let mut parts: Vec<_> = parts.iter().map(|part| part.rows().peekable()).collect();
    let of = parts.len();
    let mut window = 0;
    let rows = std::iter::from_fn(move || {
        loop {
            let part = &mut parts[window % of];
            match part.peek() {
                Some(Ok(row)) if row.row / WINDOW > window => {}
                Some(_) => return part.next(),
                None => {}
            }
            if parts.iter_mut().all(|part| part.peek().is_none()) {
                return None;
            }
            window += 1;
        }
    });
    let rows = rows.map(|row: anyhow::Result<MeasuredRow>| row);
    write_rows(&folder.rows(model, task), &about, rows)
}
