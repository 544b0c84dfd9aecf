//! `atelier lens`: prompts in, members, bias and diversity out.

/// One prompt, or a file of them, through the lens.
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: Args) -> anyhow::Result<()> {
    anyhow::bail!("not built yet")
}
