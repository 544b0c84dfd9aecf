//! `atelier models`: the models that have a name, those of the models folder, and those of a hub.

use atelier_server::{ModelsFolder, smollm2};
use comfy_table::Cell;

use super::hub::{CachedModel, Hub};
use super::known;
use super::output;
use super::table::{table, text, thousands};
use crate::model::catalogue;
use crate::model::catalogue::published::{PublishedModel, published};
use crate::model::hub::{HubName, spell_bytes};

/// The models that --model knows: those that come with this program, your own, published ones, those fetched
#[derive(clap::Args)]
pub struct ModelsArgs {
    #[command(subcommand)]
    command: Option<ModelsCommand>,
}

#[derive(clap::Subcommand)]
enum ModelsCommand {
    /// Remove fetched models from the cache, which Python's programs share
    Remove {
        /// hub:owner/name[@revision][:path/file.gguf]
        #[arg(required = true, value_name = "MODEL")]
        models: Vec<String>,
    },
}

pub fn run(args: &ModelsArgs) -> anyhow::Result<()> {
    match &args.command {
        None => list(),
        Some(ModelsCommand::Remove { models }) => remove(models),
    }
}

fn list() -> anyhow::Result<()> {
    let hub = Hub::from_env()?;
    let mut page = shipped() + "\n" + &at_hand()? + "\n" + &of_hub();
    let cached = hub.cache.models();
    page += &format!("\nFetched, in {}:", hub.cache.folder().display());
    page +=
        &if cached.is_empty() { " none\n".to_owned() } else { format!("\n{}", fetched(&cached)) };
    output::show(&page)
}

fn shipped() -> String {
    let header = ["name", "what it is", "blocks run", "kB"].map(String::from);
    let mut table = table(&header, 2);
    for known in catalogue::all() {
        table.add_row([
            Cell::new(known.name),
            Cell::new(known.about),
            Cell::new(known.blocks),
            Cell::new(thousands(known.bytes.div_ceil(1000))),
        ]);
    }
    text(&table)
}

/// What lies in the models folder, which `atelier open` offers in the page.
fn at_hand() -> anyhow::Result<String> {
    let folder = known::models_place()?;
    let here = known::models_here();
    let models = here.as_ref().map(ModelsFolder::models).unwrap_or_default();
    let mut lines = format!("In the models folder, {}:", folder.display());
    if !models.iter().any(smollm2::is_it) {
        lines += &format!(" `atelier pull {}` says how a real model comes there", smollm2::NAME);
    }
    if models.is_empty() {
        return Ok(lines + "\n");
    }

    let header = ["file or folder", "name", "size"].map(String::from);
    let mut table = table(&header, 2);
    for model in &models {
        let name = if smollm2::is_it(model) { smollm2::NAME } else { "" };
        table.add_row([
            Cell::new(here.as_ref().map_or_else(String::new, |here| here.place(model))),
            Cell::new(name),
            Cell::new(model.bytes().map_or_else(|_| "?".to_owned(), spell_bytes)),
        ]);
        if smollm2::is_it(model) {
            table.add_row([Cell::new(format!("  {}", smollm2::ABOUT))]);
        }
    }
    Ok(format!("{lines}\n{}", text(&table)))
}

fn of_hub() -> String {
    let header = ["on the hub", "licence", "gate", "about MB", "MB of memory"].map(String::from);
    let mut table = table(&header, 3);
    let number = |value: Option<u64>| value.map_or_else(|| "?".to_owned(), thousands);
    for model in published() {
        table.add_row([
            Cell::new(model.name()),
            Cell::new(&model.licence),
            Cell::new(model.gate.name()),
            Cell::new(number(model.megabytes)),
            Cell::new(number(model.memory())),
        ]);
        table.add_row([Cell::new(format!("  {}", purpose(model)))]);
    }
    text(&table)
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
    let header = ["name", "revisions", "licence", "gate", "size"].map(String::from);
    let mut table = table(&header, 4);
    for model in models {
        let of_list = published().iter().find(|known| known.repo == model.name.repo);
        table.add_row([
            Cell::new(&model.name),
            Cell::new(model.revisions.join(", ")),
            Cell::new(of_list.map_or("see the hub", |known| &known.licence)),
            Cell::new(of_list.map_or("see the hub", |known| known.gate.name())),
            Cell::new(spell_bytes(model.bytes)),
        ]);
    }
    text(&table)
}

fn remove(models: &[String]) -> anyhow::Result<()> {
    let names: Vec<HubName> =
        models.iter().map(|name| HubName::parse(name)).collect::<Result<_, _>>()?;
    let hub = Hub::from_env()?;
    for name in &names {
        match hub.cache.remove(name)? {
            Some(bytes) => output::print(&format!("{name}: {} freed\n", spell_bytes(bytes)))?,
            None => anyhow::bail!("{name} is not in the cache; see `atelier models`"),
        }
    }
    Ok(())
}
