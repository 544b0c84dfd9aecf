//! `atelier models`: the models that have a name.

use comfy_table::Cell;

use super::output;
use super::table::{table, text, thousands};
use crate::model::catalogue;

/// The models that `--model` knows by name; they come with this program
#[derive(clap::Args)]
pub struct ModelsArgs {}

pub fn run(_args: ModelsArgs) -> anyhow::Result<()> {
    let header = ["name", "what it is", "blocks run", "kB"].map(String::from);
    let mut table = table(&header, 2);
    for known in catalogue::KNOWN {
        table.add_row([
            Cell::new(known.name),
            Cell::new(known.about),
            Cell::new(known.blocks),
            Cell::new(thousands(known.bytes.div_ceil(1000))),
        ]);
    }
    output::show(&text(&table))
}
