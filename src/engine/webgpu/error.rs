/// Why the GPU could not do what was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    #[error(
        "no GPU adapter was found; install a Vulkan driver (Mesa's lavapipe runs on any CPU), or use --engine cpu"
    )]
    NoAdapter,
    #[error("no GPU adapter is called '{wanted}'; there are: {found}")]
    NoSuchAdapter { wanted: String, found: String },
    #[error("the adapter {adapter} refused to be opened ({reason}); use --engine cpu")]
    Refused { adapter: String, reason: String },
    #[error(
        "the adapter {adapter} gives {found} of {limit}, but {needed} are needed; use --engine cpu"
    )]
    Limit {
        adapter: String,
        limit: &'static str,
        found: u64,
        needed: u64,
    },
    #[error(
        "the WebGPU engine takes widths that are multiples of 4, but the model's {what} is {found}; use --engine cpu"
    )]
    Width { what: &'static str, found: usize },
    #[error(
        "the GPU's memory ran out ({0}); use fewer or shorter prompts, a smaller model, or --engine cpu"
    )]
    Memory(String),
    #[error("the GPU was lost in mid-run ({0}); run again, or use --engine cpu")]
    Lost(String),
    #[error(
        "the GPU did not answer within {seconds} s; use fewer or shorter prompts, or --engine cpu"
    )]
    Silent { seconds: u64 },
    #[error(
        "the GPU gave a number that is not finite ({value}) in {what}; use --engine cpu for this model"
    )]
    NotFinite { what: &'static str, value: f32 },
    #[error(
        "the GPU computes wrong numbers in the kernel {kernel}: {off:.1e} off what the processor says; use --engine cpu"
    )]
    Wrong { kernel: &'static str, off: f32 },
    #[error("the GPU's driver failed ({0}); use --engine cpu")]
    Driver(String),
}
