//! `atelier train`: makes the scholars, and rows of the primer that they learn.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Subcommand;
use indicatif::{ProgressBar, ProgressStyle};

use super::out_file::is_model;
use super::output;
use super::train_card::CardArgs;
use super::train_rows::RowsArgs;
use crate::task::primer;
use crate::train::{
    Recipe, STATE, Standing, Trainer, TrainingSession, evaluate, family, forget_training,
};
use crate::unfinished::Unfinished;

/// Train a small teaching model on the generated tasks
///
/// `atelier train --model scholar-12 --out DIR` makes that shipped model again. Ctrl-C stops a training. The
/// same command with --resume continues from the last saved state.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct TrainArgs {
    #[command(subcommand)]
    command: Option<Also>,
    #[command(flatten)]
    training: Training,
}

const EXAMPLES: &str = "Examples:
  atelier train --model scholar-2 --out again
  atelier train --model scholar-2 --out again --resume
  atelier train rows --task sum --rows 20 --out rows.jsonl";

#[derive(Subcommand)]
enum Also {
    Rows(RowsArgs),
    Card(CardArgs),
}

#[derive(clap::Args)]
struct Training {
    /// The folder for the model and the training state
    #[arg(long, required = true)]
    out: Option<PathBuf>,
    /// Use the settings of a shipped model: scholar-2, -4, -8, -12 or -12-shared
    #[arg(long)]
    model: Option<String>,
    /// Stored blocks
    #[arg(long)]
    blocks: Option<usize>,
    /// Run every stored block twice in a row, as in MobileLLM's layer sharing
    #[arg(long)]
    shared: bool,
    /// Width of the residual stream: 32, 64 or 128
    #[arg(long)]
    width: Option<usize>,
    /// Number of tokens to train on
    #[arg(long)]
    tokens: Option<u64>,
    /// Rows per training step
    #[arg(long)]
    batch: Option<usize>,
    /// Highest learning rate
    #[arg(long)]
    rate: Option<f64>,
    /// Random seed [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Continue from the state in --out
    #[arg(long)]
    resume: bool,
    /// Replace the model in --out
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Also save checkpoints, in step-… folders
    #[arg(long)]
    snapshots: bool,
    /// Keep the training state at the end
    #[arg(long)]
    keep_state: bool,
}

/// Held-out rows a task for the table at the end.
const FINAL_ROWS: usize = 500;

pub fn run(args: TrainArgs) -> anyhow::Result<()> {
    match args.command {
        Some(Also::Rows(rows)) => rows.write(),
        Some(Also::Card(card)) => card.run(),
        None => train(&args.training),
    }
}

/// The recipe asked for, checked.
fn recipe(args: &Training) -> anyhow::Result<(Recipe, bool)> {
    let known = match &args.model {
        Some(name) => Some(family::find(name).with_context(|| {
            if let Some((base, seed)) = name.split_once("-seed-")
                && family::find(base).is_some()
            {
                return format!(
                    "'{name}' is the recipe of {base}: give --model {base} --seed {seed}"
                );
            }
            let names = family::FAMILY.map(|member| member.name).join(", ");
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
    ensure!((1..=64).contains(&blocks), "--blocks {blocks} is out of range: give 1 to 64");
    ensure!([32, 64, 128].contains(&width), "--width {width} will not do: give 32, 64 or 128");
    let mut recipe = base.recipe();
    let repeats = if args.shared { 2 } else { base.repeats };
    recipe.shape = family::shape(blocks, repeats, width);
    recipe.tokens = args.tokens.unwrap_or(recipe.tokens);
    recipe.batch = args.batch.unwrap_or(recipe.batch);
    recipe.rate = args.rate.unwrap_or(recipe.rate);
    recipe.seed = args.seed.unwrap_or(recipe.seed);
    ensure!(recipe.tokens > 0, "--tokens 0 trains nothing: give at least 1");
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
    let Some(out) = args.out.clone() else { bail!("give --out, the folder to write the model to") };
    refuse_place(args, &out)?;
    // Hours of work are not lost to a place that cannot be written.
    std::fs::create_dir_all(&out)
        .and_then(|()| Unfinished::begin(&out.join("config.json")))
        .with_context(|| {
            format!("the folder {} cannot be written: give --out another place", out.display())
        })?;
    if args.force {
        forget_training(&out)?;
    }
    let session = TrainingSession {
        out: out.clone(),
        resume: args.resume,
        snapshots,
        keep_state: args.keep_state,
    };
    let trainer = run_session(&session, recipe)?;

    let mut said = format!("{:>8}  {:>6}  {:>6}\n", "task", "right", "chance");
    let shape = &trainer.recipe.shape;
    for accuracy in evaluate::accuracies(shape, &trainer.parameters, FINAL_ROWS, family::SEED)? {
        let task = accuracy.task;
        let (right, chance) = (100.0 * accuracy.mean(), 100.0 * task.chance());
        said += &format!("{:>8}  {right:>5.1}%  {chance:>5.1}%", task.name());
        for (level, of) in accuracy.levels.iter().enumerate() {
            said += &format!("  {}: {:.1}%", primer::level_name(task, level), 100.0 * of.share);
        }
        said += "\n";
    }
    said += &format!(
        "{} tokens from seed {}; at most {FINAL_ROWS} held-out rows a task and level: {}\n",
        trainer.tokens_seen,
        trainer.recipe.seed,
        out.display()
    );
    output::show(&said)
}

/// # Errors
/// When `--resume` finds no unfinished training there; when, without `--force`, a model or a training is there.
fn refuse_place(args: &Training, out: &Path) -> anyhow::Result<()> {
    let (is_done, is_under_way) = (is_model(out), out.join(STATE).exists());
    let place = out.display();
    match (args.resume, is_under_way) {
        (true, true) => {}
        (true, false) if is_done => bail!(
            "{place} holds a model whose training is done, and no state to resume: replace it with --force, or give --out another folder"
        ),
        (true, false) => {
            bail!("{place} holds no training to resume: leave out --resume to begin one there")
        }
        (false, _) if args.force => {}
        (false, true) => bail!(
            "{place} holds an unfinished training: continue it with --resume, replace it with --force, or give --out another folder"
        ),
        (false, false) => ensure!(
            !is_done,
            "{place} holds a model already: give --out another folder, or replace it with --force"
        ),
    }
    Ok(())
}

fn run_session(session: &TrainingSession, recipe: Recipe) -> anyhow::Result<Trainer> {
    let bar = ProgressBar::new(recipe.tokens).with_style(ProgressStyle::with_template(
        "{bar:40} {pos}/{len} tokens, {eta} left, {msg}",
    )?);
    let trainer = session.run(recipe, &mut |standing: &Standing| {
        let pace = format!("loss {:.3}  {:.0} tokens/s", standing.loss, standing.tokens_per_second);
        bar.set_position(standing.tokens_seen.min(bar.length().unwrap_or(u64::MAX)));
        if let Some(accuracies) = &standing.accuracies {
            let line = accuracies
                .iter()
                .map(|accuracy| {
                    let levels = accuracy.levels.iter();
                    let levels: Vec<String> =
                        levels.map(|of| format!("{:.0}", 100.0 * of.share)).collect();
                    format!("{} {}%", accuracy.task.name(), levels.join(" "))
                })
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
