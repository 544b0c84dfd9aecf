//! The names of tensors in a family's checkpoints, and how several parts lie in one tensor.
//!
//! Names are without `.weight` and `.bias`; those of a block without the block's own prefix.

/// A family's names.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    /// Before every name but the head's; some exporters leave it out.
    pub prefix: &'static str,
    pub embedding: &'static str,
    /// Learned positions; unused where the shape has none.
    pub positions: &'static str,
    pub final_norm: &'static str,
    /// The output rows, where they are not the embedding's.
    pub head: &'static str,
    /// Before a block's number.
    pub blocks: &'static str,
    /// The config's field that counts the blocks, for errors.
    pub blocks_field: &'static str,
    pub attention_norm: &'static str,
    pub qkv: QkvNames,
    pub query_norm: &'static str,
    pub key_norm: &'static str,
    pub out: &'static str,
    pub mlp_norm: &'static str,
    pub up: UpNames,
    pub down: &'static str,
    /// Matrices of blocks are stored `[in, out]`.
    pub is_transposed: bool,
    /// Added to a stored gain of a norm.
    pub gain_plus: f32,
    /// A block's tensor that is no weight, full name within the block: its causal mask.
    pub mask: Option<&'static str>,
    /// Full names of rotary tables, which the shape has read already.
    pub tables: &'static [&'static str],
    /// Rows of queries and keys that turn together are stored as neighbours.
    pub has_pairs: bool,
}

/// How a block's queries, keys and values are stored.
#[derive(Clone, Copy, Debug)]
pub enum QkvNames {
    /// Three tensors.
    Apart([&'static str; 3]),
    /// One: all query rows, then all key rows, then all value rows.
    Fused(&'static str),
    /// One: for every KV head in turn its query heads, its key head and its value head.
    Grouped(&'static str),
}

/// How the MLP's widening matrix is stored.
#[derive(Clone, Copy, Debug)]
pub enum UpNames {
    /// One tensor; where the MLP is gated, gate rows, then up.
    One(&'static str),
    /// Gate and up.
    Apart([&'static str; 2]),
}

/// Llama's names, which most later families took over.
pub const LLAMA: Names = Names {
    prefix: "model.",
    embedding: "embed_tokens",
    positions: "",
    final_norm: "norm",
    head: "lm_head",
    blocks: "layers.",
    blocks_field: "num_hidden_layers",
    attention_norm: "input_layernorm",
    qkv: QkvNames::Apart(["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"]),
    query_norm: "self_attn.q_norm",
    key_norm: "self_attn.k_norm",
    out: "self_attn.o_proj",
    mlp_norm: "post_attention_layernorm",
    up: UpNames::Apart(["mlp.gate_proj", "mlp.up_proj"]),
    down: "mlp.down_proj",
    is_transposed: false,
    gain_plus: 0.0,
    mask: None,
    tables: &[],
    has_pairs: false,
};
