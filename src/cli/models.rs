//! `atelier models`: the models that have a name, those of the models folder, and those of a hub.

use atelier_server::{ModelsFolder, smollm2};

use super::hub::{CachedModel, HubCache};
use super::known;
use super::output;
use super::table::{columns, thousands};
use crate::model::catalogue;
use crate::model::catalogue::published::{PublishedModel, published};
use crate::model::hub::{HubName, spell_bytes};

/// List the models that --model knows, or remove fetched ones
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct ModelsArgs {
    #[command(subcommand)]
    command: Option<ModelsCommand>,
}

#[derive(clap::Subcommand)]
enum ModelsCommand {
    /// Remove fetched models from the cache, which Python programs share
    #[command(after_help = "Examples:
  atelier models remove hub:HuggingFaceTB/SmolLM2-135M
  atelier models remove hub:EleutherAI/pythia-70m@step1000")]
    Remove {
        /// hub:owner/name[@revision][:path/file.gguf]
        #[arg(required = true, value_name = "MODEL")]
        models: Vec<String>,
    },
}

const EXAMPLES: &str = "Examples:
  atelier models
  atelier models remove hub:HuggingFaceTB/SmolLM2-135M";

pub fn run(args: &ModelsArgs) -> anyhow::Result<()> {
    match &args.command {
        None => list(),
        Some(ModelsCommand::Remove { models }) => remove(models),
    }
}

fn list() -> anyhow::Result<()> {
    let cache = HubCache::from_env()?;
    let mut page = shipped() + "\n" + &at_hand()? + "\n" + &of_hub();
    let cached = cache.models();
    page += &format!("\nFetched, in {}:", cache.folder().display());
    page +=
        &if cached.is_empty() { " none\n".to_owned() } else { format!("\n{}", fetched(&cached)) };
    output::show(&page)
}

fn shipped() -> String {
    columns(catalogue::all())
        .words("name", |known| known.name)
        .words("what it is", |known| known.about)
        .numbers("blocks run", |known| known.blocks)
        .numbers("kB", |known| thousands(known.bytes.div_ceil(1000)))
        .text()
}

/// Lists the models folder, which `atelier open` offers in the page.
fn at_hand() -> anyhow::Result<String> {
    let folder = known::models_place()?;
    let here = match known::models_here() {
        Ok(here) => here,
        Err(error) => return Ok(format!("No models are listed here: {error:#}\n")),
    };
    let models = here.as_ref().map(ModelsFolder::models).unwrap_or_default();
    let mut lines = format!("In the models folder, {}:", folder.display());
    if !models.iter().any(smollm2::is_it) {
        lines += &format!(" `atelier pull {}` says how a real model comes there", smollm2::NAME);
    }
    if models.is_empty() {
        return Ok(lines + "\n");
    }

    let file = |model: &_| here.as_ref().map_or_else(String::new, |here| here.place(model));
    let table = columns(&models)
        .words("file or folder", |model| file(*model))
        .words("name", |model| if smollm2::is_it(model) { smollm2::NAME } else { "" })
        .numbers("size", |model| model.bytes().map_or_else(|_| "?".to_owned(), spell_bytes));
    lines += &format!("\n{}", table.text());
    if models.iter().any(smollm2::is_it) {
        lines += &format!("{}: {}\n", smollm2::NAME, smollm2::ABOUT);
    }
    Ok(lines)
}

fn of_hub() -> String {
    let mut lines = "On the hub:\n".to_owned();
    for model in published() {
        lines += &format!(
            "{}\n  {}, {}, {}\n  {}\n",
            model.name(),
            model.licence,
            model.gate.name(),
            size(model),
            purpose(model)
        );
    }
    lines
}

/// Megabytes to fetch, and of memory.
fn size(model: &PublishedModel) -> String {
    match (model.megabytes, model.memory()) {
        (Some(megabytes), Some(memory)) => {
            format!("about {} MB, {} MB of memory", thousands(megabytes), thousands(memory))
        }
        _ => "size not known".to_owned(),
    }
}

fn purpose(model: &PublishedModel) -> String {
    match (model.steps.first(), model.steps.last()) {
        (Some(first), Some(last)) => format!(
            "{} (@{} to @{})",
            model.good_for,
            PublishedModel::branch(*first),
            PublishedModel::branch(*last)
        ),
        _ => model.good_for.clone(),
    }
}

fn fetched(models: &[CachedModel]) -> String {
    let mut lines = String::new();
    for model in models {
        let of_list = published().iter().find(|known| known.repo == model.name.repo);
        let rights = of_list.map_or_else(
            || "licence and gate: see the hub".to_owned(),
            |known| format!("{}, {}", known.licence, known.gate.name()),
        );
        lines += &format!(
            "{}\n  {}, {rights}, revisions {}\n",
            model.name,
            spell_bytes(model.bytes),
            model.revisions.join(", ")
        );
    }
    lines
}

fn remove(models: &[String]) -> anyhow::Result<()> {
    let names: Vec<HubName> =
        models.iter().map(|name| HubName::parse(name)).collect::<Result<_, _>>()?;
    let cache = HubCache::from_env()?;
    for name in &names {
        match cache.remove(name)? {
            Some(bytes) => output::print(&format!("{name}: {} freed\n", spell_bytes(bytes)))?,
            None => anyhow::bail!("{name} is not in the cache; see `atelier models`"),
        }
    }
    Ok(())
}
