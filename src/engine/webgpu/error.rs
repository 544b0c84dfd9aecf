/// Why the GPU could not do what was asked. The way out, the CPU's engine, is for the caller to name:
/// it is an option of the command line and a choice on the page.
#[derive(Clone, Debug, thiserror::Error)]
pub enum GpuError {
    #[cfg_attr(
        target_arch = "wasm32",
        error(
            "this browser offers no GPU adapter: it has no WebGPU, has it switched off, or finds no driver for it"
        )
    )]
    #[cfg_attr(
        not(target_arch = "wasm32"),
        error(
            "no GPU adapter was found: there is no WebGPU here, or no driver for it (Mesa's lavapipe is one for every machine)"
        )
    )]
    NoAdapter,
    #[error("the only adapter is a software one ({adapter}), which is slower than the CPU")]
    Software { adapter: String },
    #[error("no GPU adapter is called '{wanted}'; there are: {found}")]
    NoSuchAdapter { wanted: String, found: String },
    #[error("the adapter {adapter} refused to be opened ({reason})")]
    Refused { adapter: String, reason: String },
    #[error("the adapter {adapter} gives {found} of {limit}, but {needed} are needed")]
    Limit { adapter: String, limit: &'static str, found: u64, needed: u64 },
    #[error(
        "the WebGPU engine takes widths that are multiples of 4, but the model's {what} is {found}"
    )]
    Width { what: &'static str, found: usize },
    #[error(
        "the adapter {adapter} has no room for this model, which needs about {memory}; use a smaller model, or half-precision weights"
    )]
    NoRoom { adapter: String, memory: crate::engine::memory::Memory },
    #[error(
        "{matrix} holds {value}, which is past {dtype}; load the weights as they are stored, or as f32"
    )]
    PastType { matrix: String, value: f32, dtype: &'static str },
    #[error("the GPU's memory ran out ({0}); use fewer or shorter prompts, or a smaller model")]
    Memory(String),
    #[error("the GPU was lost in mid-run ({0})")]
    Lost(String),
    #[error("the GPU did not answer within {seconds} s; use fewer or shorter prompts")]
    Silent { seconds: u64 },
    #[error("the GPU gave a number that is not finite ({value}) in {what}")]
    NotFinite { what: &'static str, value: f32 },
    #[error(
        "the GPU computes wrong numbers in the kernel {kernel}: its result differs from the CPU's by {off:.1e}"
    )]
    Wrong { kernel: &'static str, off: f32 },
    #[error("the GPU's driver failed ({0})")]
    Driver(String),
}

impl GpuError {
    /// Whether it may work once something else has left the GPU's memory. Adapters and models stay what they are.
    pub fn may_pass(&self) -> bool {
        !matches!(
            self,
            Self::NoAdapter
                | Self::Software { .. }
                | Self::NoSuchAdapter { .. }
                | Self::Limit { .. }
                | Self::Width { .. }
                | Self::PastType { .. }
        )
    }
}

/// The first line of what a driver or a browser says: the rest is a trace of its own.
pub fn brief(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("no reason given").trim();
    let line = line.strip_prefix("JsValue(").unwrap_or(line);
    line.trim_end_matches([')', '.']).to_owned()
}
