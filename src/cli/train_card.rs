//! `atelier train card`: the tables of the scholars' model card, measured.

use std::path::{Path, PathBuf};

use anyhow::ensure;

use super::output;
use crate::task::primer::MOST_ROWS;
use crate::train::TrainError;
use crate::train::card::{self, CardColumn};
use crate::train::family::{self, FAMILY, FamilyMember};

/// Print the tables of the teaching models' card: accuracy by task, level and seed
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier train card --models public/models
  atelier train card --models DIR --rows 100")]
pub struct CardArgs {
    /// The folder with the models' folders: scholar-2, scholar-4, … and scholar-4-seed-2, …
    #[arg(long)]
    models: PathBuf,
    /// Most held-out rows per task, and per task and level
    #[arg(long, default_value_t = 500)]
    rows: usize,
}

/// Seeds that are looked for beside the shipped one.
const SEEDS: std::ops::RangeInclusive<u64> = 2..=9;

impl CardArgs {
    pub fn run(&self) -> anyhow::Result<()> {
        ensure!(
            (1..=MOST_ROWS).contains(&self.rows),
            "--rows {} is out of range: give 1 to {MOST_ROWS}",
            self.rows
        );
        let models: Vec<CardColumn> = FAMILY
            .into_iter()
            .filter_map(|member| self.column(&member, member.name))
            .collect::<Result<_, _>>()?;
        ensure!(
            !models.is_empty(),
            "{} holds none of {}: name the folder that their folders are in",
            self.models.display(),
            FAMILY.map(|member| member.name).join(", ")
        );
        let mut said = format!("## Accuracy\n\n{}\n", card::by_task(&models));
        said += &format!("## By level\n\n{}\n", card::by_level(&models));
        for member in FAMILY {
            let named: Vec<String> = std::iter::once(member.name.to_owned())
                .chain(SEEDS.map(|seed| format!("{}-seed-{seed}", member.name)))
                .collect();
            let seeds: Vec<CardColumn> = named
                .iter()
                .filter_map(|name| self.column(&member, name))
                .collect::<Result<_, _>>()?;
            if seeds.len() > 1 {
                said += &format!("## Seeds of {}\n\n{}\n", member.name, card::by_task(&seeds));
            }
        }
        let shortcuts = card::by_shortcut(self.rows, family::SEED);
        output::show(&format!("{said}## Shortcuts, level by level\n\n{shortcuts}"))
    }

    /// Measures the model in the folder of this name, if there is one.
    fn column(&self, member: &FamilyMember, name: &str) -> Option<Result<CardColumn, TrainError>> {
        let folder: &Path = &self.models.join(name);
        let there = folder.join("model.safetensors").exists();
        there.then(|| card::column(member, name, folder, self.rows, family::SEED))
    }
}
