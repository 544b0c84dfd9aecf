//! `config.json` to a checked [`ModelConfig`].
//!
//! `ConfigFile` mirrors the file: everything that some exporter leaves out is optional there.
//! [`ModelConfig::from_json`] is the door: behind it nothing needs checking again.

use serde::Deserialize;

use super::ModelError;

/// Families of pre-norm RMSNorm decoders that atelier runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    Llama,
    Mistral,
    /// `qkv_proj` and `gate_up_proj` are stored fused.
    Phi3,
    MobileLlm,
}

impl Architecture {
    pub fn name(self) -> &'static str {
        match self {
            Self::Llama => "Llama",
            Self::Mistral => "Mistral",
            Self::Phi3 => "Phi-3",
            Self::MobileLlm => "MobileLLM",
        }
    }
}

pub use super::shape::RopeScaling;

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

/// Sizes past this are a damaged or hostile file, not a model.
const LARGEST: usize = 1 << 24;

/// Blocks that a plan can hold even where each runs twice ([`crate::plan::MAX_RUNS`]).
const MOST_BLOCKS: usize = 2048;

impl ModelConfig {
    /// Reads and checks the text of a `config.json`.
    ///
    /// # Errors
    /// Text that is not such JSON, an architecture atelier does not run, or a value that does not
    /// fit the others; the error names the field.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        let family: Family = parse(text)?;
        let architecture = family.architecture()?;
        parse::<ConfigFile>(text)?.check(architecture)
    }
}

fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, ModelError> {
    serde_json::from_str(text).map_err(|reason| ModelError::Json {
        file: "config.json".into(),
        reason,
    })
}

/// Read first, so that a GPT-2 folder is called GPT-2 and not "missing field hidden_size".
#[derive(Deserialize)]
struct Family {
    model_type: Option<String>,
    #[serde(default)]
    architectures: Option<Vec<String>>,
}

impl Family {
    fn architecture(&self) -> Result<Architecture, ModelError> {
        let class = self.architectures.as_ref().and_then(|names| names.first());
        let named = self
            .model_type
            .as_deref()
            .or(class.map(String::as_str))
            .unwrap_or("not given");
        match named.to_ascii_lowercase().trim_end_matches("forcausallm") {
            "llama" => Ok(Architecture::Llama),
            "mistral" => Ok(Architecture::Mistral),
            "phi3" => Ok(Architecture::Phi3),
            "mobilellm" => Ok(Architecture::MobileLlm),
            _ => Err(ModelError::UnknownArchitecture {
                found: named.to_string(),
            }),
        }
    }
}

#[derive(Deserialize)]
struct ConfigFile {
    vocab_size: usize,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    num_key_value_heads: Option<usize>,
    head_dim: Option<usize>,
    max_position_embeddings: usize,
    original_max_position_embeddings: Option<usize>,
    rms_norm_eps: f64,
    /// Llama configs from before transformers 4.32 leave it out.
    rope_theta: Option<f64>,
    rope_scaling: Option<serde_json::Value>,
    sliding_window: Option<usize>,
    tie_word_embeddings: Option<bool>,
    /// MobileLLM: output rows are the embedding's, although `tie_word_embeddings` is false.
    share_embedding: Option<bool>,
    /// MobileLLM: every stored block runs twice in a row.
    layer_sharing: Option<bool>,
    hidden_act: Option<String>,
    attention_bias: Option<bool>,
    mlp_bias: Option<bool>,
    partial_rotary_factor: Option<f64>,
    bos_token_id: Option<u32>,
    eos_token_id: Option<EosTokens>,
}

impl ConfigFile {
    fn check(self, architecture: Architecture) -> Result<ModelConfig, ModelError> {
        let heads = self.num_attention_heads;
        let kv_heads = self.num_key_value_heads.unwrap_or(heads);
        for (field, value) in [
            ("vocab_size", self.vocab_size),
            ("hidden_size", self.hidden_size),
            ("intermediate_size", self.intermediate_size),
            ("num_hidden_layers", self.num_hidden_layers),
            ("num_attention_heads", heads),
            ("num_key_value_heads", kv_heads),
            ("max_position_embeddings", self.max_position_embeddings),
        ] {
            expect(
                field,
                value,
                (1..=LARGEST).contains(&value),
                format!("it must be from 1 to {LARGEST}"),
            )?;
        }
        expect(
            "num_hidden_layers",
            self.num_hidden_layers,
            self.num_hidden_layers <= MOST_BLOCKS,
            format!("it must be from 1 to {MOST_BLOCKS}"),
        )?;
        let head_width = match self.head_dim {
            Some(width) => width,
            None => {
                let fits = self.hidden_size.is_multiple_of(heads);
                expect(
                    "hidden_size",
                    self.hidden_size,
                    fits,
                    format!("it must be a multiple of the {heads} heads"),
                )?;
                self.hidden_size / heads
            }
        };
        let even = head_width > 0 && head_width.is_multiple_of(2) && head_width <= LARGEST / heads;
        expect(
            "head_dim",
            head_width,
            even,
            "it must be even, for rotary positions come in pairs".into(),
        )?;
        let groups = heads.is_multiple_of(kv_heads);
        expect(
            "num_key_value_heads",
            kv_heads,
            groups,
            format!("it must divide the {heads} attention heads"),
        )?;
        let eps = self.rms_norm_eps;
        expect(
            "rms_norm_eps",
            eps,
            eps > 0.0 && eps < 1.0,
            "it must be between 0 and 1".into(),
        )?;
        let theta = self.rope_theta.unwrap_or(10_000.0);
        expect(
            "rope_theta",
            theta,
            theta > 1.0 && theta.is_finite(),
            "it must be above 1".into(),
        )?;

        let act = self.hidden_act.as_deref().unwrap_or("silu");
        expect(
            "hidden_act",
            act,
            matches!(act, "silu" | "swish"),
            "atelier runs SiLU-gated MLPs only".into(),
        )?;
        let bias = self.attention_bias.unwrap_or(false);
        expect(
            "attention_bias",
            bias,
            !bias,
            "atelier runs attention without biases only".into(),
        )?;
        let bias = self.mlp_bias.unwrap_or(false);
        expect(
            "mlp_bias",
            bias,
            !bias,
            "atelier runs MLPs without biases only".into(),
        )?;
        let part = self.partial_rotary_factor.unwrap_or(1.0);
        expect(
            "partial_rotary_factor",
            part,
            part == 1.0,
            "atelier rotates whole heads only".into(),
        )?;
        if let Some(window) = self.sliding_window {
            expect(
                "sliding_window",
                window,
                window > 0,
                "it must be at least 1, or null".into(),
            )?;
        }

        let runs = if self.layer_sharing.unwrap_or(false) {
            2
        } else {
            1
        };
        Ok(ModelConfig {
            rope_scaling: self.rope_scaling(head_width / 2)?,
            architecture,
            vocabulary: self.vocab_size,
            width: self.hidden_size,
            mlp_width: self.intermediate_size,
            blocks: self.num_hidden_layers,
            order: (0..self.num_hidden_layers * runs)
                .map(|position| position / runs)
                .collect(),
            heads,
            kv_heads,
            head_width,
            context: self.max_position_embeddings,
            rms_norm_eps: eps,
            rope_theta: theta,
            sliding_window: self.sliding_window,
            tied: self.tie_word_embeddings.unwrap_or(false)
                || self.share_embedding.unwrap_or(false),
            bos_token_id: self.bos_token_id,
            eos_token_ids: match self.eos_token_id {
                None => Vec::new(),
                Some(EosTokens::Single(id)) => vec![id],
                Some(EosTokens::Multiple(ids)) => ids,
            },
        })
    }

    /// `frequencies` = head_dim / 2.
    fn rope_scaling(&self, frequencies: usize) -> Result<Option<RopeScaling>, ModelError> {
        let Some(value) = self.rope_scaling.as_ref().filter(|value| !value.is_null()) else {
            return Ok(None);
        };
        let field = |name: &str| value.get(name).and_then(|name| name.as_str());
        let kind = field("rope_type").or(field("type")).unwrap_or("not given");
        let read_error = |reason| ModelError::Json {
            file: "config.json (rope_scaling)".into(),
            reason,
        };
        match kind {
            "default" => Ok(None),
            "llama3" => {
                let file: Llama3File = serde_json::from_value(value.clone()).map_err(read_error)?;
                let scaling = RopeScaling::Llama3 {
                    factor: file.factor,
                    low_freq_factor: file.low_freq_factor,
                    high_freq_factor: file.high_freq_factor,
                    original_context: file.original_max_position_embeddings,
                };
                let fits = file.factor >= 1.0
                    && file.low_freq_factor > 0.0
                    && file.high_freq_factor > file.low_freq_factor
                    && file.high_freq_factor.is_finite()
                    && file.original_max_position_embeddings > 0;
                let rule = "factor must be at least 1, high_freq_factor above low_freq_factor, and the original context positive";
                expect("rope_scaling", format!("{file:?}"), fits, rule.into())?;
                Ok(Some(scaling))
            }
            "longrope" | "su" => {
                let file: LongRopeFile =
                    serde_json::from_value(value.clone()).map_err(read_error)?;
                for (name, list) in [
                    ("short_factor", &file.short_factor),
                    ("long_factor", &file.long_factor),
                ] {
                    let fits =
                        list.len() == frequencies && list.iter().all(|f| *f > 0.0 && f.is_finite());
                    let rule = format!(
                        "{name} must be {frequencies} positive numbers, one a rotary frequency"
                    );
                    expect(
                        "rope_scaling",
                        format!("{} numbers", list.len()),
                        fits,
                        rule,
                    )?;
                }
                let original = file
                    .original_max_position_embeddings
                    .or(self.original_max_position_embeddings)
                    .unwrap_or(0);
                let rule = "it must be at least 2 for longrope";
                expect(
                    "original_max_position_embeddings",
                    original,
                    original >= 2,
                    rule.into(),
                )?;
                let stretch = self.max_position_embeddings as f64 / original as f64;
                let attention_factor = file.attention_factor.unwrap_or(if stretch <= 1.0 {
                    1.0
                } else {
                    (1.0 + stretch.ln() / (original as f64).ln()).sqrt()
                });
                Ok(Some(RopeScaling::LongRope {
                    short: file.short_factor,
                    long: file.long_factor,
                    original_context: original,
                    attention_factor,
                }))
            }
            other => Err(ModelError::Config {
                field: "rope_scaling",
                found: other.to_string(),
                expected: "atelier knows llama3 and longrope".into(),
            }),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum EosTokens {
    Single(u32),
    Multiple(Vec<u32>),
}

#[derive(Debug, Deserialize)]
struct Llama3File {
    factor: f64,
    low_freq_factor: f64,
    high_freq_factor: f64,
    original_max_position_embeddings: usize,
}

#[derive(Deserialize)]
struct LongRopeFile {
    short_factor: Vec<f64>,
    long_factor: Vec<f64>,
    original_max_position_embeddings: Option<usize>,
    attention_factor: Option<f64>,
}

fn expect(
    field: &'static str,
    found: impl ToString,
    fits: bool,
    expected: String,
) -> Result<(), ModelError> {
    if fits {
        Ok(())
    } else {
        Err(ModelError::Config {
            field,
            found: found.to_string(),
            expected,
        })
    }
}
