//! `atelier train`: makes the apprentices.

/// Train a model of the generated mini-language.
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
