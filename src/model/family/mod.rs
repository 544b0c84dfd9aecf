//! Families of decoders: `config.json` in a family's own spelling to a [`ModelShape`], and what its
//! checkpoints call their tensors. One file a family; what several share is in `fields`, `sizes`,
//! `rope` and `names`.
//!
//! To come, and refused by name until then: Gemma 2 and 3 (rotary positions of several kinds a
//! model, capped scores), BERT and ViT (attention to both sides).

mod falcon;
mod fields;
mod gemma;
pub mod gguf;
mod gpt2;
mod gpt_neox;
mod llama;
mod mistral;
pub mod names;
mod olmo2;
mod phi;
mod phi3;
mod qwen2;
mod qwen3;
mod rope;
mod sizes;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use self::fields::Fields;
pub use self::fields::shown_text as shown;
use self::names::{LLAMA, Names};
use super::{ModelError, ModelShape};

/// The sentence's end where a config asks for attention to both sides.
const CAUSAL: &str = "atelier runs models whose tokens see those before them only";

/// A family of models that atelier runs.
pub struct Family {
    /// For people.
    name: &'static str,
    /// `model_type`, then the class in `architectures`; lower case.
    types: &'static [&'static str],
    shape: fn(&Fields) -> Result<ModelShape, ModelError>,
    names: Names,
}

/// Every family that atelier runs.
const FAMILIES: &[Family] = &[
    Family { name: "Llama", types: &["llama"], shape: llama::shape, names: LLAMA },
    Family { name: "Mistral", types: &["mistral"], shape: mistral::shape, names: LLAMA },
    Family { name: "Phi-3", types: &["phi3"], shape: phi3::shape, names: phi3::NAMES },
    Family { name: "MobileLLM", types: &["mobilellm"], shape: llama::shape, names: LLAMA },
    Family {
        name: "GPT-2",
        types: &["gpt2", "gpt2lmheadmodel"],
        shape: gpt2::shape,
        names: gpt2::NAMES,
    },
    Family {
        name: "GPT-NeoX",
        types: &["gpt_neox", "gptneox"],
        shape: gpt_neox::shape,
        names: gpt_neox::NAMES,
    },
    Family { name: "Qwen2", types: &["qwen2"], shape: qwen2::shape, names: LLAMA },
    Family { name: "Qwen3", types: &["qwen3"], shape: qwen3::shape, names: LLAMA },
    Family { name: "Gemma", types: &["gemma"], shape: gemma::shape, names: gemma::NAMES },
    Family { name: "Phi", types: &["phi"], shape: phi::shape, names: phi::NAMES },
    Family { name: "Falcon", types: &["falcon"], shape: falcon::shape, names: falcon::NAMES },
    Family { name: "OLMo 2", types: &["olmo2"], shape: olmo2::shape, names: olmo2::NAMES },
];

/// Reads and checks the text of a `config.json`: the model's shape, and its tensors' names.
///
/// # Errors
/// Text that is not such JSON, a family that atelier does not run, or a value that does not fit the
/// others; the error names the field.
pub fn read(text: &str) -> Result<(ModelShape, Names), ModelError> {
    let fields: Map<String, Value> = serde_json::from_str(text)
        .map_err(|reason| ModelError::Json { file: "config.json".into(), reason })?;
    let family = Family::of(&fields)?;
    let fields = Fields::new(family.name, fields);
    // transformers asks this of every family.
    fields.must_be(&[("is_causal", true, CAUSAL)])?;
    Ok(((family.shape)(&fields)?, family.names))
}

impl ModelShape {
    /// Reads and checks the text of a `config.json`.
    ///
    /// # Errors
    /// Text that is not such JSON, a family that atelier does not run, or a value that does not fit the
    /// others; the error names the field.
    pub fn from_json(text: &str) -> Result<Self, ModelError> {
        read(text).map(|(shape, _)| shape)
    }
}

impl Family {
    /// Found first, so that a BERT folder is called BERT and not one that lacks fields.
    fn of(fields: &Map<String, Value>) -> Result<&'static Self, ModelError> {
        let class = fields.get("architectures").and_then(|names| names.get(0));
        let named = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_string);
        let found = named(fields.get("model_type")).or(named(class));
        let found = found.unwrap_or_else(|| "not given".into());
        let lower = found.to_ascii_lowercase();
        let lower = lower.trim_end_matches("forcausallm");
        let family = FAMILIES.iter().find(|family| family.types.contains(&lower));
        family.ok_or_else(|| ModelError::UnknownFamily {
            file: "config.json".into(),
            found: fields::shown(&Value::String(found)),
            known: known(),
        })
    }
}

/// `"Llama, Mistral, … and OLMo 2"`
fn known() -> String {
    let names: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
    match names.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
