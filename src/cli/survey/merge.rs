//! `atelier survey merge`: parts of a survey to the bytes that one run would have written.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::asked::Asked;
use super::cell::write_rows;
use super::finish::Facts;
use super::folder::{Folder, remove_if_there};
use super::rows_file::{About, RowsFile};
use super::running::report;
use super::shard::Shard;
use crate::cli::out_file::write_whole;
use crate::study::survey::{SurveyTask, WINDOW};
use crate::task::file;

/// Join the shards into the files that one run would write
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier survey --models scholar-2 --tasks sum --rows 20 --out small --shard 1/2
  atelier survey --models scholar-2 --tasks sum --rows 20 --out small --shard 2/2
  atelier survey merge small")]
pub struct MergeArgs {
    /// The folder that --out named
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &MergeArgs) -> anyhow::Result<()> {
    let shards = shards(&args.folder)?;
    let mut all = Vec::with_capacity(shards.len());
    for (index, shard) in shards.iter().enumerate() {
        let asked = Asked::read(shard)?;
        let own = Shard { index, of: shards.len() };
        if asked.shard != Some(own) {
            let holds = asked.shard.map_or("all rows".to_string(), |other| {
                format!("part {} of {}", other.index + 1, other.of)
            });
            bail!(
                "{} holds {holds}, not part {} of {}: it was copied or renamed; run it with --shard {own}",
                shard.path().display(),
                index + 1,
                own.of
            );
        }
        all.push(asked);
    }
    let first = all[0].clone();
    for (asked, shard) in all.iter().zip(&shards) {
        if let Some(what) = first.differs(asked) {
            bail!(
                "{} and {} are no parts of one survey: the second was begun with {what}",
                shards[0].path().display(),
                shard.path().display()
            );
        }
    }
    let folder = Folder::locked(&args.folder)?;
    let asked = Asked { shard: None, ..first };
    // Merging again must end with the same.
    asked.agree(&folder, true)?;
    let fingerprint = asked.fingerprint()?;
    for model in &asked.models {
        join_model(&folder, &shards, model)?;
        for task in &asked.tasks {
            join(&folder, &shards, model, task, &fingerprint)?;
        }
    }
    report(&folder, &asked, args.json)
}

/// All parts, each held so that nobody writes to it meanwhile. At least one.
fn shards(folder: &Path) -> anyhow::Result<Vec<Folder>> {
    ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    let mut parts = Vec::new();
    let entries = std::fs::read_dir(folder)
        .with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let name =
            entry.with_context(|| format!("{} cannot be read", folder.display()))?.file_name();
        let Some(of) = name.to_str().and_then(|name| name.strip_prefix("shard-")) else {
            continue;
        };
        let part: Result<Shard, _> = of.replacen("-of-", "/", 1).parse();
        // As this program writes it: neither `shard-1-of-0` nor `shard-01-of-3`.
        let part = part.ok().filter(|part| *part.folder() == *name);
        parts.push(part.with_context(|| {
            format!(
                "{} is no part of a survey: parts are called shard-1-of-3, counted from 1; take it away",
                folder.join(&name).display()
            )
        })?);
    }
    let of = parts.iter().map(|part| part.of).max().with_context(|| {
        format!(
            "{} has no parts to join: run `atelier survey --shard 1/n --out {0}` first",
            folder.display()
        )
    })?;
    if let Some(other) = parts.iter().find(|part| part.of != of) {
        bail!(
            "{} holds parts of {of} and of {}: take away those that do not belong",
            folder.display(),
            other.of
        );
    }
    let missing = (0..of).find(|&index| !parts.iter().any(|part| part.index == index));
    let missing = missing.or_else(|| {
        let has = |part: &Shard| folder.join(part.folder()).join("survey.json").is_file();
        parts.iter().find(|part| !has(part)).map(|part| part.index)
    });
    if let Some(index) = missing {
        bail!(
            "part {} of {of} is missing in {}: run it with --shard {}/{of}",
            index + 1,
            folder.display(),
            index + 1
        );
    }
    let part = |index| Folder::locked(&folder.join(Shard { index, of }.folder()));
    (0..of).map(part).collect()
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
    match known {
        Some(facts) => facts.write(folder, model),
        None => Ok(()),
    }
}

fn join(
    folder: &Folder,
    shards: &[Folder],
    model: &str,
    asked: &SurveyTask,
    fingerprint: &str,
) -> anyhow::Result<()> {
    let task = &asked.name;
    let failed = shards.iter().find_map(|shard| {
        let whole = shard.rows(model, task).exists();
        let why = file::text(&shard.failed(model, task), file::REPORT).ok()?;
        (!whole).then_some(why)
    });
    if let Some(why) = failed {
        return write_whole(&folder.failed(model, task), why.as_bytes());
    }
    let mut parts = Vec::new();
    for (index, shard) in shards.iter().enumerate() {
        let path = shard.rows(model, task);
        ensure!(
            path.exists(),
            "{} is not done with {model} on {task}: run it again with --resume",
            shard.path().display()
        );
        let file = RowsFile::open(&path)?;
        let own = Shard { index, of: shards.len() };
        ensure!(
            file.about.is_of(model, task, fingerprint, own),
            "{} is not shard {} of {}'s rows on {task}, but shard {} of {} on {}{}: it was copied or renamed. \
             Run it again with --shard {own}",
            path.display(),
            index + 1,
            model,
            file.about.shard.index + 1,
            file.about.model,
            file.about.task,
            if file.about.asked == fingerprint { "" } else { " in another one" }
        );
        parts.push(file);
    }
    let about = About { shard: Shard::WHOLE, ..parts[0].about.clone() };
    ensure!(
        parts
            .iter()
            .all(|part| part.about.facts == about.facts && part.about.members == about.members),
        "the parts scored {model} on {task} in different ways: they are no parts of one survey"
    );
    let found: usize = parts.iter().map(RowsFile::len).sum();
    ensure!(
        found + about.facts.too_long == asked.rows,
        "the parts hold {found} rows of {model} on {task}, and {} were asked",
        asked.rows
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
    write_rows(&folder.rows(model, task), &about, rows)?;
    remove_if_there(&folder.failed(model, task))
}
