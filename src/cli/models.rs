//! `atelier models`: the models that have a name.

/// The models that `--model` knows by name
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<()> {
    super::output::print("")
}
