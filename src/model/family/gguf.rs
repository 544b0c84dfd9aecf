//! GGUF's metadata, told in a `config.json`'s own words, so that one door checks both; and what GGUF
//! calls a family's tensors.
//!
//! The format's writers undo what families do to their tensors (GPT-2's are no longer transposed,
//! NeoX's queries, keys and values lie apart, Gemma's gains have their 1), so one set of names serves
//! all. One thing they do themselves: Llama's queries and keys lie in pairs.

use serde_json::{Map, Value, json};

use super::fields::Fields;
use super::names::{Names, QkvNames, UpNames};
use super::{FAMILIES, Family};
use crate::model::checkpoint::gguf::metadata::GgufMetadata;
use crate::model::checkpoint::tensors::TensorPlaces;
use crate::model::{ModelError, ModelShape};

/// Each rotary frequency is divided by one of these numbers; nothing in the metadata says so.
const ROPE_FREQUENCIES: &str = "rope_freqs.weight";
/// Divisors of the rotary frequencies for prompts up to the original context, and for longer ones.
const ROPE_SHORT: &str = "rope_factors_short.weight";
const ROPE_LONG: &str = "rope_factors_long.weight";

const NAMES: Names = Names {
    prefix: "",
    embedding: "token_embd",
    positions: "position_embd",
    final_norm: "output_norm",
    head: "output",
    blocks: "blk.",
    blocks_field: "block_count",
    attention_norm: "attn_norm",
    qkv: QkvNames::Apart(["attn_q", "attn_k", "attn_v"]),
    query_norm: "attn_q_norm",
    key_norm: "attn_k_norm",
    out: "attn_output",
    mlp_norm: "ffn_norm",
    up: UpNames::Apart(["ffn_gate", "ffn_up"]),
    down: "ffn_down",
    is_transposed: false,
    gain_plus: 0.0,
    mask: None,
    tables: &[ROPE_FREQUENCIES, ROPE_SHORT, ROPE_LONG],
    has_pairs: false,
};

const FUSED: QkvNames = QkvNames::Fused("attn_qkv");
const PLAIN_UP: UpNames = UpNames::One("ffn_up");

/// `general.architecture`, the `model_type` that it is here, and its tensors' names.
const ARCHITECTURES: &[(&str, &str, Names)] = &[
    ("llama", "llama", Names { has_pairs: true, ..NAMES }),
    ("qwen2", "qwen2", NAMES),
    ("qwen3", "qwen3", NAMES),
    ("gemma", "gemma", NAMES),
    ("phi2", "phi", Names { up: PLAIN_UP, ..NAMES }),
    // Gate rows, then up.
    ("phi3", "phi3", Names { up: PLAIN_UP, ..NAMES }),
    ("gpt2", "gpt2", Names { up: PLAIN_UP, ..NAMES }),
    ("gptneox", "gpt_neox", Names { up: PLAIN_UP, ..NAMES }),
    ("falcon", "falcon", Names { up: PLAIN_UP, ..NAMES }),
    (
        "olmo2",
        "olmo2",
        Names { attention_norm: "post_attention_norm", mlp_norm: "post_ffw_norm", ..NAMES },
    ),
];

/// A GGUF file's metadata as a model's shape, and its tensors' names. `table` reads a stored vector.
///
/// # Errors
/// A key that is missing, a kind of model that atelier does not run, numbers that do not fit.
pub fn read(
    metadata: &GgufMetadata,
    places: &TensorPlaces,
    table: impl Fn(&str) -> Result<Vec<f32>, ModelError>,
) -> Result<(ModelShape, Names), ModelError> {
    const ARCHITECTURE: &str = "general.architecture";
    let found = metadata.needed(ARCHITECTURE, metadata.text(ARCHITECTURE)?)?;
    let known = ARCHITECTURES.iter().find(|(known, ..)| *known == found);
    let Some(&(architecture, mut model_type, mut names)) = known else {
        let known: Vec<&str> = ARCHITECTURES.iter().map(|(known, ..)| *known).collect();
        return Err(ModelError::UnknownFamily {
            file: metadata.file().into(),
            found: super::shown(found),
            known: known.join(", "),
        });
    };
    if places.contains("blk.0.attn_qkv.weight") {
        names.qkv = FUSED;
    }
    let told = Told { metadata, places, architecture };
    told.refuse()?;
    let mut fields = told.fields()?;
    // The format has one word for both, and of the two only Mistral's attention has a window.
    if model_type == "llama" && fields.get("sliding_window").is_some_and(Value::is_u64) {
        model_type = "mistral";
    }
    match model_type {
        "gpt_neox" => {
            let parallel = metadata.flag(&told.key("use_parallel_residual"))?.unwrap_or(true);
            fields.insert("use_parallel_residual".into(), parallel.into());
            fields.insert("hidden_act".into(), "gelu".into());
        }
        "falcon" => told.falcon(&mut fields)?,
        "phi" => {
            fields.insert("hidden_act".into(), "gelu_new".into());
        }
        "gemma" => {
            fields.insert("hidden_activation".into(), "gelu_pytorch_tanh".into());
        }
        "llama" => {
            let has_bias = places.contains("blk.0.attn_q.bias");
            fields.insert("attention_bias".into(), has_bias.into());
        }
        _ => {}
    }
    if let Some(scaling) = told.rope_scaling(table)? {
        fields.insert("rope_scaling".into(), scaling);
    }
    let family = |family: &&Family| family.types.contains(&model_type);
    let Some(family) = FAMILIES.iter().find(family) else {
        unreachable!("{model_type} is a family's own spelling");
    };
    let shape = (family.shape)(&Fields::new(family.name, fields));
    let shape = shape.map_err(|reason| ModelError::Metadata {
        file: metadata.file().into(),
        reason: Box::new(reason),
    })?;
    Ok((shape, names))
}

struct Told<'a> {
    metadata: &'a GgufMetadata,
    places: &'a TensorPlaces,
    architecture: &'static str,
}

impl Told<'_> {
    fn key(&self, name: &str) -> String {
        format!("{}.{name}", self.architecture)
    }

    fn size(&self, name: &str) -> Result<u64, ModelError> {
        let key = self.key(name);
        self.metadata.needed(&key, self.metadata.same_integer(&key)?)
    }

    fn optional_size(&self, name: &str) -> Result<Option<u64>, ModelError> {
        self.metadata.same_integer(&self.key(name))
    }

    fn number(&self, name: &str) -> Result<Option<f64>, ModelError> {
        self.metadata.number(&self.key(name))
    }

    fn heads(&self) -> Result<u64, ModelError> {
        self.size("attention.head_count")
    }

    fn kv_heads(&self) -> Result<u64, ModelError> {
        let kv_heads = self.optional_size("attention.head_count_kv")?;
        kv_heads.map_or_else(|| self.heads(), Ok)
    }

    /// Refuses settings that atelier does not run and that no other check would see.
    fn refuse(&self) -> Result<(), ModelError> {
        for (name, what) in [
            ("expert_count", "atelier runs models without experts"),
            ("attn_logit_softcapping", "atelier does not cap scores"),
            ("final_logit_softcapping", "atelier does not cap logits"),
            ("attention.clamp_kqv", "atelier does not clamp queries, keys and values"),
            ("attention.max_alibi_bias", "atelier runs models without ALiBi"),
        ] {
            let key = self.key(name);
            match self.metadata.number(&key)? {
                Some(number) if number != 0.0 => {
                    return Err(self.odd(key, number.to_string(), what));
                }
                _ => {}
            }
        }
        let key = self.key("attention.causal");
        match self.metadata.flag(&key)? {
            Some(false) => Err(self.odd(key, "false".into(), "atelier runs causal models")),
            _ => Ok(()),
        }
    }

    fn odd(&self, key: String, found: String, expected: &str) -> ModelError {
        ModelError::Key { file: self.metadata.file().into(), key, found, expected: expected.into() }
    }

    /// Returns the fields that all families have, under the names that Llama and most families use, and under
    /// those of the others.
    fn fields(&self) -> Result<Map<String, Value>, ModelError> {
        let embedding = "token_embd.weight";
        let vocabulary = match self.places.shape(embedding) {
            Some(&[rows, _]) => rows,
            _ => {
                return Err(ModelError::MissingTensor {
                    tensor: embedding.into(),
                    said_by: self.places.said_by,
                    hint: "every model has an embedding".into(),
                });
            }
        };
        let mut fields = Map::new();
        let mut put = |name: &str, value: Value| {
            fields.insert(name.into(), value);
        };
        let sizes: [(u64, &[&str]); 7] = [
            (vocabulary, &["vocab_size"]),
            (self.size("embedding_length")?, &["hidden_size", "n_embd"]),
            (
                self.size("feed_forward_length")?,
                &["intermediate_size", "ffn_hidden_size", "n_inner"],
            ),
            (self.size("block_count")?, &["num_hidden_layers", "n_layer"]),
            (self.heads()?, &["num_attention_heads", "n_head"]),
            (self.kv_heads()?, &["num_key_value_heads"]),
            (self.size("context_length")?, &["max_position_embeddings", "n_positions"]),
        ];
        for (size, names) in sizes {
            names.iter().for_each(|name| put(name, size.into()));
        }
        let tied = !self.places.contains("output.weight");
        put("tie_word_embeddings", tied.into());
        if let Some(width) = self.optional_size("attention.key_length")? {
            let values = self.optional_size("attention.value_length")?;
            if values.is_some_and(|values| values != width) {
                let key = self.key("attention.value_length");
                let expected = "values are as wide as keys here";
                return Err(self.odd(key, values.unwrap_or(0).to_string(), expected));
            }
            put("head_dim", width.into());
        }
        let rms = self.number("attention.layer_norm_rms_epsilon")?;
        let layer = self.number("attention.layer_norm_epsilon")?;
        if rms.or(layer).is_none() {
            let key = self.key("attention.layer_norm_rms_epsilon");
            return self.metadata.needed(&key, None);
        }
        for (name, eps) in
            [("rms_norm_eps", rms), ("layer_norm_eps", layer), ("layer_norm_epsilon", layer)]
        {
            put(name, eps.map_or(Value::Null, Value::from));
        }
        if let Some(theta) = self.number("rope.freq_base")? {
            put("rope_theta", theta.into());
            put("rotary_emb_base", theta.into());
        }
        if let Some(part) = self.rotary_part()? {
            put("partial_rotary_factor", part.into());
            put("rotary_pct", part.into());
        }
        if let Some(window) = self.optional_size("attention.sliding_window")? {
            let window = Some(window).filter(|window| *window > 0);
            put("sliding_window", window.map_or(Value::Null, Value::from));
        }
        for (name, key) in [
            ("bos_token_id", "tokenizer.ggml.bos_token_id"),
            ("eos_token_id", "tokenizer.ggml.eos_token_id"),
        ] {
            let id = self.metadata.integer(key)?;
            // Where there is none, some writers put the largest number.
            let id = id.filter(|id| *id < vocabulary);
            put(name, id.map_or(Value::Null, Value::from));
        }
        Ok(fields)
    }

    /// Which part of a head turns, if the file says so.
    fn rotary_part(&self) -> Result<Option<f64>, ModelError> {
        let Some(turning) = self.optional_size("rope.dimension_count")? else {
            return Ok(None);
        };
        let width = match self.optional_size("attention.key_length")? {
            Some(width) => width,
            None => self.size("embedding_length")? / self.heads()?.max(1),
        };
        // The reader multiplies again and rounds down: 44 (30 / 44) is 29.999….
        let nudge = if turning < width { 1e-6 } else { 0.0 };
        Ok(Some((turning as f64 + nudge) / width.max(1) as f64))
    }

    fn falcon(&self, fields: &mut Map<String, Value>) -> Result<(), ModelError> {
        let (heads, kv_heads) = (self.heads()?, self.kv_heads()?);
        fields.insert("multi_query".into(), (kv_heads == 1).into());
        let is_grouped = kv_heads != 1 && kv_heads != heads;
        fields.insert("new_decoder_architecture".into(), is_grouped.into());
        let has_bias = self.places.contains("blk.0.attn_qkv.bias");
        fields.insert("bias".into(), has_bias.into());
        Ok(())
    }

    /// How rotary frequencies are stretched, by tables or by a key.
    fn rope_scaling(
        &self,
        table: impl Fn(&str) -> Result<Vec<f32>, ModelError>,
    ) -> Result<Option<Value>, ModelError> {
        let has = |name: &str| self.places.contains(name);
        let original = self.optional_size("rope.scaling.original_context_length")?;
        if has(ROPE_FREQUENCIES) {
            let factors = table(ROPE_FREQUENCIES)?;
            let kind = self.metadata.text(&self.key("rope.scaling.type"))?;
            let factor = self.number("rope.scaling.factor")?;
            if kind.is_some_and(|kind| kind != "none") || factor.is_some_and(|factor| factor != 1.0)
            {
                return Err(ModelError::Key {
                    file: self.metadata.file().into(),
                    key: self.key("rope.scaling.type"),
                    found: super::shown(&format!("{kind:?}, factor {factor:?}")),
                    expected: "rope_freqs.weight says how frequencies are scaled, and atelier knows no model that scales them twice".into(),
                });
            }
            return Ok(Some(json!({
                "rope_type": "longrope",
                "short_factor": factors,
                "long_factor": factors,
                "original_max_position_embeddings": self.size("context_length")?,
                "attention_factor": 1.0,
            })));
        }
        if has(ROPE_SHORT) || has(ROPE_LONG) {
            return Ok(Some(json!({
                "rope_type": "longrope",
                "short_factor": table(ROPE_SHORT)?,
                "long_factor": table(ROPE_LONG)?,
                "original_max_position_embeddings": original,
                "attention_factor": self.number("rope.scaling.attn_factor")?,
            })));
        }
        let factor = match self.number("rope.scaling.factor")? {
            Some(factor) => Some(factor),
            None => self.number("rope.scale_linear")?,
        };
        let key = self.key("rope.scaling.type");
        let kind = self.metadata.text(&key)?;
        Ok(match (kind, factor) {
            (Some("none"), _) | (None, None) => None,
            (None, Some(1.0)) => None,
            (kind, factor) => Some(json!({
                "rope_type": kind.unwrap_or("linear"),
                "factor": factor,
            })),
        })
    }
}
