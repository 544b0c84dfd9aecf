/// Why a run could not be made.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(
        "token id {id} is past the model's vocabulary of {vocabulary}; was this prompt made for another model?"
    )]
    TokenId { id: u32, vocabulary: usize },
    #[error(
        "the prompt has {tokens} tokens, but the model takes 1 to {context}; change its length"
    )]
    Length { tokens: usize, context: usize },
    #[error(
        "the plan asks for block {index}, but the model's last block is {last}; write a plan for this model"
    )]
    Plan { index: usize, last: usize },
    #[error(
        "a passage of {tokens} tokens cannot have its last {scored} scored: score at least one, and leave one before them"
    )]
    Scored { tokens: usize, scored: usize },
    #[error(
        "this model needs about {memory}, and a page has room for 3500 MB: use a smaller model here, or `atelier lens` for this one"
    )]
    NoRoom { memory: super::memory::Memory },
    #[error(transparent)]
    Heads(#[from] crate::plan::PlanError),
    #[error("{top} likeliest tokens cannot be read: ask for 1 to {most}")]
    Top { top: usize, most: usize },
    #[error(
        "{streams} streams were given to compare {prompts} prompts with, which is a mistake in atelier: please report it"
    )]
    Reference { prompts: usize, streams: usize },
    /// Caught where a run begins, which goes on without the vocabulary, but for a study that asks for nothing else.
    #[error(
        "the whole vocabulary needs {mb} MB more than this device gives; run a smaller model there, or this one on the CPU", mb = bytes.div_ceil(1_000_000)
    )]
    NoVocabulary { bytes: u64 },
    #[error(
        "there is no position {position}: the prompt's {tokens} tokens are counted 0 to {last}; choose one of them", last = tokens.saturating_sub(1)
    )]
    Position { position: usize, tokens: usize },
    #[error(
        "block {block} has no head {head}: its {heads} heads are counted 0 to {last}; choose one of them", last = heads.saturating_sub(1)
    )]
    Head { head: usize, block: usize, heads: usize },
    #[error(
        "the engine {engine} has no derivatives of blocks; use --engine cpu or --engine webgpu for coupling"
    )]
    NoTangents { engine: String },
    #[error(
        "{probes} rows of probes at {places} positions need too much memory (at most {most_probes} rows, \
         {most_places} positions). Ask for fewer, or use --engine cpu"
    )]
    ProbeRoom { probes: usize, places: usize, most_probes: usize, most_places: usize },
    #[error("the run was cancelled")]
    Cancelled,
    #[error(
        "the prompt has {tokens} tokens, and this device has room for {room} at once; shorten it, or run it on another device"
    )]
    Room { tokens: usize, room: usize },
    #[error(
        "the votes of one prompt need more than this device's {room} bytes. Ask for fewer options or a shorter \
         plan, or use another device"
    )]
    RoomOfOne { room: u64 },
    #[error(
        "a value overflowed in {at}. If the plan exceeds the range of f32, try the original order. If the \
         checkpoint is damaged, download it again"
    )]
    NotFinite { at: String },
    #[error(
        "block {block} came without its {what}, which is a mistake in atelier: please report it"
    )]
    Unfinished { block: usize, what: String },
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    #[cfg(any(test, feature = "reference"))]
    #[error("candle failed ({0}); if memory ran out, use fewer or shorter prompts")]
    Candle(#[from] candle_core::Error),
    #[cfg(feature = "webgpu")]
    #[error("{0}; {way_out}", way_out = way_out(.0))]
    Gpu(super::webgpu::GpuError),
}

impl EngineError {
    /// Whether a device's memory ended in the middle of a run.
    pub(super) fn is_out_of_memory(&self) -> bool {
        #[cfg(feature = "webgpu")]
        return matches!(self, Self::Gpu(super::webgpu::GpuError::Memory(_)));
        #[cfg(not(feature = "webgpu"))]
        false
    }
}

// Not its source: the sentence is in the outer one already.
#[cfg(feature = "webgpu")]
impl From<super::webgpu::GpuError> for EngineError {
    fn from(error: super::webgpu::GpuError) -> Self {
        Self::Gpu(error)
    }
}

/// Advice after an error of the GPU: the CPU engine names the block in which numbers left the range,
/// and it needs no GPU.
#[cfg(feature = "webgpu")]
fn way_out(error: &super::webgpu::GpuError) -> &'static str {
    match error {
        super::webgpu::GpuError::NotFinite { .. } => {
            "--engine cpu says in which block numbers left the range"
        }
        _ => "--engine cpu needs no GPU",
    }
}
