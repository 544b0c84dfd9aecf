//! `--engine`, `--adapter`, `--weights`: what runs the model.

use crate::engine::EngineChoice;
#[cfg(feature = "webgpu")]
use crate::engine::webgpu::{AdapterChoice, Format};
use crate::study::LoadedModel;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// The reference, on this machine's processor
    Cpu,
    /// The machine's GPU, or a software one, through Vulkan
    Webgpu,
}

#[cfg_attr(not(feature = "webgpu"), allow(dead_code))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Weights {
    /// As the checkpoint stores them
    Stored,
    F32,
    Bf16,
    F16,
}

// The command that takes these has a group `Args` of its own.
#[derive(clap::Args)]
#[group(id = "engine_choice")]
pub struct Args {
    /// What runs the model
    #[arg(long, value_enum, default_value_t = Name::Cpu)]
    engine: Name,

    /// With --engine webgpu: the GPU, by a part of its name
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// With --engine webgpu: how the weights lie in the GPU's memory
    #[arg(long, value_enum, default_value_t = Weights::Stored)]
    weights: Weights,

    /// Say on stderr what the run cost the GPU
    #[arg(long)]
    profile: bool,
}

impl Args {
    #[cfg(feature = "webgpu")]
    pub fn choice(&self) -> anyhow::Result<EngineChoice> {
        Ok(match self.engine {
            Name::Cpu => self.cpu()?,
            Name::Webgpu => EngineChoice::WebGpu {
                adapter: AdapterChoice {
                    name: self.adapter.clone(),
                    self_test: true,
                    ..AdapterChoice::default()
                },
                format: match self.weights {
                    Weights::Stored => None,
                    Weights::F32 => Some(Format::F32),
                    Weights::Bf16 => Some(Format::Bf16),
                    Weights::F16 => Some(Format::F16),
                },
            },
        })
    }

    #[cfg(not(feature = "webgpu"))]
    pub fn choice(&self) -> anyhow::Result<EngineChoice> {
        match self.engine {
            Name::Cpu => self.cpu(),
            Name::Webgpu => anyhow::bail!(
                "this atelier was built without the WebGPU engine; build it with --features webgpu, or use --engine cpu"
            ),
        }
    }

    /// What the runs so far cost, on stderr, where it was asked for.
    pub fn say_cost(&self, model: &LoadedModel) {
        if self.profile {
            let cost = model.engine.profile();
            let cost = cost.as_deref().unwrap_or("the CPU engine counts nothing");
            eprintln!("{cost}");
        }
    }

    fn cpu(&self) -> anyhow::Result<EngineChoice> {
        let only = match (&self.adapter, self.weights) {
            (Some(_), _) => "--adapter",
            (None, Weights::F32 | Weights::Bf16 | Weights::F16) => "--weights",
            (None, Weights::Stored) => return Ok(EngineChoice::Cpu),
        };
        anyhow::bail!("{only} is for --engine webgpu; give that too, or leave it out")
    }
}
