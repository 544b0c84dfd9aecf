//! `--engine`, `--adapter`, `--weights`: what runs the model.

use crate::engine::EngineChoice;
#[cfg(feature = "webgpu")]
use crate::engine::webgpu::{AdapterChoice, Format};
use crate::study::LoadedModel;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// The reference, on this machine's processor
    Cpu,
    /// The machine's GPU, or a software one, through Vulkan, Metal or DX12
    Webgpu,
    /// An NVIDIA GPU, through CUDA
    Cuda,
}

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
    /// The engine that was asked for.
    ///
    /// # Errors
    /// One that this program was built without, or options of another.
    pub fn choice(&self) -> anyhow::Result<EngineChoice> {
        match self.engine {
            Name::Cpu => self.without_adapter(EngineChoice::Cpu),
            #[cfg(feature = "cuda")]
            Name::Cuda => self.without_adapter(EngineChoice::Cuda),
            #[cfg(feature = "webgpu")]
            Name::Webgpu => Ok(EngineChoice::WebGpu {
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
            }),
            #[allow(unreachable_patterns)] // with every feature, no engine is left out
            name => {
                let name = format!("{name:?}").to_lowercase();
                anyhow::bail!(
                    "this atelier was built without the {name} engine; build it with --features {name}, or use --engine cpu"
                )
            }
        }
    }

    /// The engine as it was asked for, in words: numbers of two engines are not mixed.
    pub fn asked(&self) -> String {
        let mut words = format!("{:?}", self.engine).to_lowercase();
        if let Some(adapter) = &self.adapter {
            words += &format!(", adapter {adapter}");
        }
        if self.weights != Weights::Stored {
            words += &format!(", weights {}", format!("{:?}", self.weights).to_lowercase());
        }
        words
    }

    /// What the runs so far cost, on stderr, where it was asked for.
    pub fn say_cost(&self, model: &LoadedModel) {
        if self.profile {
            let cost = model.engine.profile();
            let cost = cost.as_deref().unwrap_or("the CPU engine counts nothing");
            super::output::say(cost);
        }
    }

    fn without_adapter(&self, choice: EngineChoice) -> anyhow::Result<EngineChoice> {
        let only = match (&self.adapter, self.weights) {
            (Some(_), _) => "--adapter",
            (None, Weights::F32 | Weights::Bf16 | Weights::F16) => "--weights",
            (None, Weights::Stored) => return Ok(choice),
        };
        anyhow::bail!("{only} is for --engine webgpu; give that too, or leave it out")
    }
}
