//! `--engine`, `--adapter`, `--weights`: what runs the model.

use crate::engine::EngineChoice;
#[cfg(feature = "webgpu")]
use crate::engine::webgpu::AdapterChoice;
#[cfg(feature = "webgpu")]
use crate::model::DType;
use crate::study::LoadedModel;

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Name {
    /// This machine's CPU
    Cpu,
    /// This machine's GPU, through Vulkan, Metal or DX12
    Webgpu,
    /// An NVIDIA GPU, through CUDA
    Cuda,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum WeightsChoice {
    /// As the checkpoint stores them
    Stored,
    F32,
    Bf16,
    F16,
}

#[derive(clap::Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineArgs {
    /// The engine that runs the model
    #[arg(long, value_enum, default_value_t = Name::Cpu)]
    engine: Name,

    /// With --engine webgpu: choose the GPU by a part of its name
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,

    /// With --engine webgpu: the type of the weights in the GPU's memory
    #[arg(long, value_enum, default_value_t = WeightsChoice::Stored)]
    weights: WeightsChoice,

    /// Print what the run cost the GPU, on stderr
    #[arg(long)]
    profile: bool,
}

impl EngineArgs {
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
                dtype: match self.weights {
                    WeightsChoice::Stored => None,
                    WeightsChoice::F32 => Some(DType::F32),
                    WeightsChoice::Bf16 => Some(DType::Bf16),
                    WeightsChoice::F16 => Some(DType::F16),
                },
            }),
            #[cfg(not(feature = "cuda"))]
            Name::Cuda => anyhow::bail!(
                "--engine cuda needs the program atelier-cuda: build it with `cargo build --release --features cuda --bin atelier-cuda`, or use --engine cpu"
            ),
            #[cfg(not(feature = "webgpu"))]
            Name::Webgpu => anyhow::bail!(
                "this atelier was built without the webgpu engine; build it with --features webgpu, or use --engine cpu"
            ),
        }
    }

    /// The engine as it was asked for, in words: numbers of two engines are not mixed.
    pub fn asked(&self) -> String {
        let mut words = format!("{:?}", self.engine).to_lowercase();
        if let Some(adapter) = &self.adapter {
            words += &format!(", adapter {adapter}");
        }
        if self.weights != WeightsChoice::Stored {
            words += &format!(", weights {}", format!("{:?}", self.weights).to_lowercase());
        }
        words
    }

    /// Prints on stderr what the runs so far cost, where that was asked for.
    pub fn say_cost(&self, model: &LoadedModel) {
        if self.profile {
            let cost = model.engine.profile();
            let cost = cost.as_deref().unwrap_or("the CPU engine counts nothing");
            for line in cost.lines() {
                super::output::say(&format!("atelier: {line}"));
            }
        }
    }

    fn without_adapter(&self, choice: EngineChoice) -> anyhow::Result<EngineChoice> {
        let only = match (&self.adapter, self.weights) {
            (Some(_), _) => "--adapter",
            (None, WeightsChoice::F32 | WeightsChoice::Bf16 | WeightsChoice::F16) => "--weights",
            (None, WeightsChoice::Stored) => return Ok(choice),
        };
        anyhow::bail!("{only} is for --engine webgpu; give that too, or leave it out")
    }
}

/// A command line whose `--engine` is `engine` where none is named.
#[cfg(any(test, feature = "cuda"))]
pub fn with_default(command: clap::Command, engine: &'static str) -> clap::Command {
    let is_engine = |argument: &clap::Arg| argument.get_id() == "engine";
    command.mut_subcommands(|command| {
        if command.get_arguments().any(is_engine) {
            command.mut_arg("engine", |argument| argument.default_value(engine))
        } else {
            command
        }
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::super::Cli;
    use super::*;

    #[test]
    fn atelier_cuda_runs_on_cuda_where_no_engine_is_named() {
        let engine = |command: clap::Command, rest: &[&str]| {
            let line = "atelier lens --model m --ids 1 --rows 2,3 --answer 0".split(' ');
            let matches = command.try_get_matches_from(line.chain(rest.iter().copied()));
            let matches = matches.expect("a command line");
            let (_, lens) = matches.subcommand().expect("a command");
            *lens.get_one::<Name>("engine").expect("an engine")
        };
        let cuda = || with_default(Cli::command(), "cuda");
        assert_eq!(engine(Cli::command(), &[]), Name::Cpu);
        assert_eq!(engine(cuda(), &[]), Name::Cuda);
        assert_eq!(engine(cuda(), &["--engine", "cpu"]), Name::Cpu);
    }
}
