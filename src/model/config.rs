//! `config.json` to a checked [`ModelConfig`].

/// Families of pre-norm RMSNorm decoders that atelier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    Llama,
    Mistral,
    /// `qkv_proj` and `gate_up_proj` are stored fused.
    Phi3,
    MobileLlm,
}

/// How rotary frequencies are stretched past the trained context.
#[derive(Clone, Debug, PartialEq)]
pub enum RopeScaling {
    /// Llama 3.1: low frequencies divided by `factor`, high ones kept, the band between blended.
    Llama3 { factor: f64, low_freq_factor: f64, high_freq_factor: f64, original_context: usize },
    /// Phi-3 128k: one divisor a frequency, the short list up to `original_context` tokens, the
    /// long list past it; cos and sin are multiplied by `attention_factor`.
    LongRope { short: Vec<f64>, long: Vec<f64>, original_context: usize, attention_factor: f64 },
}

/// A model's shape and constants. Everything has been checked: heads divide, sizes are positive,
/// nothing is optional that need not be.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelConfig {
    pub architecture: Architecture,
    /// V
    pub vocabulary: usize,
    /// D
    pub width: usize,
    /// F: the MLP's inner width.
    pub mlp_width: usize,
    /// L: blocks stored in the checkpoint.
    pub blocks: usize,
    /// The stored blocks in the order the model itself runs them: `0,1,2,…`, or `0,0,1,1,…` with
    /// `layer_sharing`.
    pub order: Vec<usize>,
    pub heads: usize,
    pub kv_heads: usize,
    pub head_width: usize,
    /// Longest prompt, in tokens.
    pub context: usize,
    pub rms_norm_eps: f64,
    pub rope_theta: f64,
    pub rope_scaling: Option<RopeScaling>,
    /// A token sees itself and the `window - 1` before it.
    pub sliding_window: Option<usize>,
    /// Output rows are the embedding's rows.
    pub tied: bool,
    pub bos_token_id: Option<u32>,
    pub eos_token_ids: Vec<u32>,
}
