//! `atelier completions`: what a shell needs to complete this program's words.

use clap::Command;
use clap_complete::Shell;

use super::output;

/// Print a script with which your shell completes commands and flags
///
/// Save it once in the folder that your shell reads.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

const EXAMPLES: &str = r#"Examples:
  atelier completions bash > ~/.local/share/bash-completion/completions/atelier
  atelier completions fish > ~/.config/fish/completions/atelier.fish
  atelier completions zsh > "${fpath[1]}/_atelier""#;

pub fn run(args: &CompletionsArgs, mut command: Command) -> anyhow::Result<()> {
    let name = command.get_name().to_string();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, name, &mut script);
    output::print(&String::from_utf8_lossy(&script))
}
