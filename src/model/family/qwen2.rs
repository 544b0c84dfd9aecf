//! Qwen2 and Qwen2.5: Llama's block with biases on queries, keys and values. Its window of attention
//! counts only where the config also says to use it, and then in the later blocks.

use serde_json::Value;

use super::fields::{Fields, config, expect, shown};
use super::{llama, rope};
use crate::model::{ModelError, ModelShape};

/// Defaults of transformers where `sliding_window` and `max_window_layers` are absent.
const WINDOW: u64 = 4096;
const FULL_BLOCKS: usize = 28;

pub fn shape(fields: &Fields) -> Result<ModelShape, ModelError> {
    let mut shape = llama::unbiased(fields, rope::WHOLE, None)?;
    for block in &mut shape.blocks {
        block.attention.qkv_bias = true;
    }
    set_windows(&mut shape, fields)?;
    Ok(shape)
}

/// Which blocks see a window only: by the newer list, or from `max_window_layers` on.
///
/// # Errors
/// A list of another length, or with a kind that atelier does not know.
pub fn set_windows(shape: &mut ModelShape, fields: &Fields) -> Result<(), ModelError> {
    if !fields.flag("use_sliding_window", false)? {
        return Ok(());
    }
    let Some(window) = fields.window("sliding_window", Some(WINDOW), shape.context)? else {
        return Ok(());
    };
    let blocks = shape.blocks.len();
    let has_window: Vec<bool> = match fields.get("layer_types") {
        None => {
            let first = fields.count("max_window_layers", FULL_BLOCKS)?;
            (0..blocks).map(|block| block >= first).collect()
        }
        Some(types) => {
            let kinds = types.as_array().map(Vec::as_slice).unwrap_or_default();
            let fits = kinds.len() == blocks;
            let expected =
                format_args!("it must name a kind of attention for each of the {blocks} blocks");
            expect("layer_types", shown(types), fits, expected)?;
            kinds.iter().map(is_windowed).collect::<Result<_, _>>()?
        }
    };
    for (block, has_window) in shape.blocks.iter_mut().zip(has_window) {
        block.attention.window = has_window.then_some(window);
    }
    Ok(())
}

fn is_windowed(kind: &Value) -> Result<bool, ModelError> {
    match kind.as_str() {
        Some("sliding_attention") => Ok(true),
        Some("full_attention") => Ok(false),
        _ => Err(config(
            "layer_types",
            shown(kind),
            "atelier knows full_attention and sliding_attention",
        )),
    }
}
