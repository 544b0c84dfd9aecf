//! `atelier train`: makes the apprentices, and rows of the language they learn.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};

use super::out_file::{OutFile, There, is_model};
use super::output;
use crate::task::minilang::{self, GeneratedTask};
use crate::train::{Recipe, STATE, Standing, Trainer, TrainingSession, evaluate, family};
use crate::unfinished::Unfinished;

/// Train a model of the generated mini-language, or write held-out rows of it.
///
/// `atelier train --model apprentice-12 --out DIR` makes that shipped model again. Stopped at any
/// moment (Ctrl-C), the same command with --resume goes on from the last minute.
#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TrainArgs {
    #[command(subcommand)]
    command: Option<Also>,
    #[command(flatten)]
    training: Training,
}

#[derive(Subcommand)]
enum Also {
    Rows(RowsArgs),
}

#[derive(clap::Args)]
struct Training {
    /// Folder for the model and the state to go on from.
    #[arg(long, required = true)]
    out: Option<PathBuf>,
    /// Begin with the recipe of a shipped model: apprentice-2, -4, -8, -12 or -12-shared.
    #[arg(long)]
    model: Option<String>,
    /// Blocks stored.
    #[arg(long)]
    blocks: Option<usize>,
    /// Run every stored block twice in a row, as MobileLLM's layer sharing does.
    #[arg(long)]
    shared: bool,
    /// Numbers a token: 32, 64 or 128.
    #[arg(long)]
    width: Option<usize>,
    /// Tokens to train on.
    #[arg(long)]
    tokens: Option<u64>,
    /// Rows a step.
    #[arg(long)]
    batch: Option<usize>,
    /// Highest learning rate.
    #[arg(long)]
    rate: Option<f64>,
    #[arg(long)]
    seed: Option<u64>,
    /// Go on from the state in --out.
    #[arg(long)]
    resume: bool,
    /// Write into a folder that holds a model already, over it.
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Keep models along the way, in step-… folders.
    #[arg(long)]
    snapshots: bool,
    /// Keep the state when the training is done.
    #[arg(long)]
    keep_state: bool,
}

/// Write held-out rows as JSON lines, for `atelier lens --prompts`.
#[derive(clap::Args)]
struct RowsArgs {
    /// One of topic, quiz, fact, often, same, follows, mood, sense, sum, last.
    #[arg(long)]
    task: String,
    /// How many.
    #[arg(long, default_value_t = 500)]
    rows: usize,
    #[arg(long, default_value_t = family::SEED)]
    seed: u64,
    /// A file to write; standard output without it.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Replace what --out names, if it is there.
    #[arg(long, requires = "out")]
    force: bool,
}

/// Held-out rows a task for the table at the end.
const FINAL_ROWS: usize = 500;

pub fn run(args: TrainArgs) -> anyhow::Result<()> {
    match args.command {
        Some(Also::Rows(rows)) => write_rows(&rows),
        None => train(&args.training),
    }
}

fn write_rows(args: &RowsArgs) -> anyhow::Result<()> {
    let names = || GeneratedTask::ALL.map(GeneratedTask::name).join(", ");
    let task = GeneratedTask::from_name(&args.task).with_context(|| {
        format!(
            "there is no task '{}': choose one of {}",
            args.task,
            names()
        )
    })?;
    ensure!(
        args.rows <= minilang::MOST_ROWS,
        "--rows {} would repeat themselves: ask for at most {}",
        args.rows,
        minilang::MOST_ROWS
    );
    let there = if args.force {
        There::Replaced
    } else {
        There::Kept
    };
    let out = args.out.as_deref();
    let out = out.map(|path| OutFile::new(path, there, &[])).transpose()?;
    // Row by row: as many as are asked for, and none of them is kept.
    let write = |to: &mut dyn Write| -> anyhow::Result<()> {
        for row in minilang::drawn(task, args.rows, args.seed) {
            serde_json::to_writer(&mut *to, &row).map_err(std::io::Error::from)?;
            to.write_all(b"\n")?;
        }
        Ok(())
    };
    match out {
        Some(mut out) => out.write_with(write),
        None => output::print_with(write),
    }
}

/// The recipe asked for, checked.
fn recipe(args: &Training) -> anyhow::Result<(Recipe, bool)> {
    let known = match &args.model {
        Some(name) => Some(family::find(name).with_context(|| {
            let names = family::FAMILY.map(|apprentice| apprentice.name).join(", ");
            format!("there is no recipe '{name}': choose one of {names}, or give --blocks")
        })?),
        None => None,
    };
    if known.is_some() && (args.blocks.is_some() || args.shared || args.width.is_some()) {
        bail!(
            "--model fixes the shape: leave out --blocks, --width and --shared, or leave out --model"
        );
    }
    let base = known.unwrap_or(family::FAMILY[0]);
    let blocks = args.blocks.unwrap_or(base.blocks);
    let width = args.width.unwrap_or(family::WIDTH);
    ensure!(
        (1..=64).contains(&blocks),
        "--blocks {blocks} is out of range: give 1 to 64"
    );
    ensure!(
        [32, 64, 128].contains(&width),
        "--width {width} will not do: give 32, 64 or 128"
    );
    let mut recipe = base.recipe();
    recipe.shape = family::shape(blocks, if args.shared { 2 } else { base.repeats }, width);
    recipe.tokens = args.tokens.unwrap_or(recipe.tokens);
    recipe.batch = args.batch.unwrap_or(recipe.batch);
    recipe.rate = args.rate.unwrap_or(recipe.rate);
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    ensure!(
        recipe.tokens > 0,
        "--tokens 0 trains nothing: give at least 1"
    );
    ensure!(
        (1..=4096).contains(&recipe.batch),
        "--batch {} is out of range: give 1 to 4096",
        recipe.batch
    );
    ensure!(
        recipe.rate > 0.0 && recipe.rate <= 1.0,
        "--rate {} is out of range: give a number above 0, at most 1",
        recipe.rate
    );
    Ok((recipe, args.snapshots || base.snapshots && known.is_some()))
}

fn train(args: &Training) -> anyhow::Result<()> {
    let (recipe, snapshots) = recipe(args)?;
    let Some(out) = args.out.clone() else {
        bail!("give --out, the folder to write the model to")
    };
    ensure!(
        args.resume || args.force || !(is_model(&out) || out.join(STATE).exists()),
        "{} holds a model already, or one on its way: give --out another folder, go on with its training by --resume, or replace it with --force",
        out.display()
    );
    // Hours of work are not lost to a place that cannot be written.
    std::fs::create_dir_all(&out)
        .and_then(|()| Unfinished::begin(&out.join("config.json")))
        .with_context(|| {
            format!(
                "the folder {} cannot be written: give --out another place",
                out.display()
            )
        })?;
    let session = TrainingSession {
        out: out.clone(),
        resume: args.resume,
        snapshots,
        keep_state: args.keep_state,
    };
    let trainer = run_session(&session, recipe)?;

    let mut said = format!("{:>8}  {:>6}  {:>6}\n", "task", "right", "chance");
    let shape = &trainer.recipe.shape;
    for (task, accuracy) in
        evaluate::accuracies(shape, &trainer.parameters, FINAL_ROWS, family::SEED)?
    {
        let (right, chance) = (100.0 * accuracy, 100.0 * task.chance());
        said += &format!("{:>8}  {right:>5.1}%  {chance:>5.1}%\n", task.name());
    }
    said += &format!(
        "{} tokens, {FINAL_ROWS} held-out rows a task, seed {}: {}\n",
        trainer.tokens_seen,
        family::SEED,
        out.display()
    );
    output::show(&said)
}

fn run_session(session: &TrainingSession, recipe: Recipe) -> anyhow::Result<Trainer> {
    let bar = ProgressBar::new(recipe.tokens).with_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} tokens, {eta} left, {msg}",
    )?);
    let trainer = session.run(recipe, &mut |standing: &Standing| {
        let pace = format!(
            "loss {:.3}  {:.0} tokens/s",
            standing.loss, standing.tokens_per_second
        );
        bar.set_position(standing.tokens_seen.min(bar.length().unwrap_or(u64::MAX)));
        if let Some(accuracies) = &standing.accuracies {
            let line = accuracies
                .iter()
                .map(|(task, accuracy)| format!("{} {:.0}%", task.name(), 100.0 * accuracy))
                .collect::<Vec<_>>()
                .join("  ");
            let percent = 100.0 * standing.progress;
            // Not through the bar: that is silent where standard error is no terminal.
            bar.suspend(|| output::say(&format!("{percent:3.0}%  {pace}  {line}")));
        }
        bar.set_message(pace);
    })?;
    bar.finish_and_clear();
    Ok(trainer)
}
