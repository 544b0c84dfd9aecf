//! Every matrix and vector of a model, by a plain reading of its file: names and rows written out here
//! by hand, by another crate's reader.

use std::collections::BTreeMap;

use super::{PlainRows, Stored, plain};

fn transposed(rows: &PlainRows) -> PlainRows {
    let columns = rows[0].len();
    let column = |c: usize| rows.iter().map(|row| row[c]).collect();
    (0..columns).map(column).collect()
}

/// Rows `[head, (q, k, v), width]`, or `[query heads, k, v, width]` of one group, in the order q, k, v.
fn regrouped(rows: &PlainRows, groups: usize, queries: usize, width: usize) -> PlainRows {
    let mut out = Vec::new();
    let a_group = (queries + 2) * width;
    for part in [0..queries, queries..queries + 1, queries + 1..queries + 2] {
        for group in 0..groups {
            for head in part.clone() {
                let first = group * a_group + head * width;
                out.extend_from_slice(&rows[first..first + width]);
            }
        }
    }
    out
}

/// Reads every part of a model, by the names and layouts that docs/definitions.md gives each family.
pub fn expected(name: &str, tensors: &Stored, blocks: usize) -> BTreeMap<String, PlainRows> {
    let of = |tensor: &str| plain(tensors, tensor);
    let fused = |names: &[&str]| -> PlainRows { names.iter().flat_map(|name| of(name)).collect() };
    let mut parts: Vec<(String, PlainRows)> = Vec::new();
    let family = name.trim_start_matches("random-");
    match family {
        "gpt2" | "gpt2-prefixed" => {
            let before = if family == "gpt2" { "" } else { "transformer." };
            let of = |name: &str| of(&format!("{before}{name}"));
            parts.push(("embedding".into(), of("wte.weight")));
            parts.push(("positions".into(), of("wpe.weight")));
            parts.push(("norm".into(), of("ln_f.weight")));
            parts.push(("norm bias".into(), of("ln_f.bias")));
            for at in 0..blocks {
                let matrices = [
                    ("Qkv", "attn.c_attn"),
                    ("Out", "attn.c_proj"),
                    ("Up", "mlp.c_fc"),
                    ("Down", "mlp.c_proj"),
                ];
                for (role, name) in matrices {
                    let name = format!("h.{at}.{name}");
                    let weight = transposed(&of(&format!("{name}.weight")));
                    parts.push((format!("{at} {role}"), weight));
                    parts.push((format!("{at} {role}Bias"), of(&format!("{name}.bias"))));
                }
                for (role, name) in [("Attention", "ln_1"), ("Mlp", "ln_2")] {
                    let part = |end: &str| of(&format!("h.{at}.{name}.{end}"));
                    parts.push((format!("{at} {role}Norm"), part("weight")));
                    parts.push((format!("{at} {role}NormBias"), part("bias")));
                }
            }
        }
        "pythia" | "falcon" => {
            let (groups, queries, width) = if family == "pythia" { (3, 1, 16) } else { (1, 5, 8) };
            let (model, layers, attention) = if family == "pythia" {
                ("gpt_neox", "layers", "attention")
            } else {
                ("transformer", "h", "self_attention")
            };
            let ends: &[(&str, &str)] = if family == "pythia" {
                &[
                    ("embedding", "gpt_neox.embed_in.weight"),
                    ("head", "embed_out.weight"),
                    ("norm", "gpt_neox.final_layer_norm.weight"),
                    ("norm bias", "gpt_neox.final_layer_norm.bias"),
                ]
            } else {
                &[
                    ("embedding", "transformer.word_embeddings.weight"),
                    ("norm", "transformer.ln_f.weight"),
                    ("norm bias", "transformer.ln_f.bias"),
                ]
            };
            parts.extend(ends.iter().map(|(part, name)| (part.to_string(), of(name))));
            for at in 0..blocks {
                let of = |name: String| of(&format!("{model}.{layers}.{at}.{name}"));
                let kinds: &[(&str, &str)] = if family == "pythia" {
                    &[("", "weight"), ("Bias", "bias")]
                } else {
                    &[("", "weight")]
                };
                for (kind, end) in kinds {
                    let qkv = of(format!("{attention}.query_key_value.{end}"));
                    let qkv = regrouped(&qkv, groups, queries, width);
                    parts.push((format!("{at} Qkv{kind}"), qkv));
                    let out = of(format!("{attention}.dense.{end}"));
                    parts.push((format!("{at} Out{kind}"), out));
                    let up = of(format!("mlp.dense_h_to_4h.{end}"));
                    parts.push((format!("{at} Up{kind}"), up));
                    let down = of(format!("mlp.dense_4h_to_h.{end}"));
                    parts.push((format!("{at} Down{kind}"), down));
                }
                for (kind, end) in [("", "weight"), ("Bias", "bias")] {
                    let norm = of(format!("input_layernorm.{end}"));
                    parts.push((format!("{at} AttentionNorm{kind}"), norm));
                    if family == "pythia" {
                        let norm = of(format!("post_attention_layernorm.{end}"));
                        parts.push((format!("{at} MlpNorm{kind}"), norm));
                    }
                }
            }
        }
        "phi2" => {
            parts.push(("embedding".into(), of("model.embed_tokens.weight")));
            parts.push(("head".into(), of("lm_head.weight")));
            parts.push(("head bias".into(), of("lm_head.bias")));
            parts.push(("norm".into(), of("model.final_layernorm.weight")));
            parts.push(("norm bias".into(), of("model.final_layernorm.bias")));
            for at in 0..blocks {
                let full = |name: &str, end: &str| format!("model.layers.{at}.{name}.{end}");
                for (kind, end) in [("", "weight"), ("Bias", "bias")] {
                    let qkv = ["q", "k", "v"].map(|p| full(&format!("self_attn.{p}_proj"), end));
                    let qkv = fused(&qkv.each_ref().map(String::as_str));
                    parts.push((format!("{at} Qkv{kind}"), qkv));
                    let out = of(&full("self_attn.dense", end));
                    parts.push((format!("{at} Out{kind}"), out));
                    parts.push((format!("{at} Up{kind}"), of(&full("mlp.fc1", end))));
                    parts.push((format!("{at} Down{kind}"), of(&full("mlp.fc2", end))));
                    let norm = of(&full("input_layernorm", end));
                    parts.push((format!("{at} AttentionNorm{kind}"), norm));
                }
            }
        }
        _ => {
            let gain = |name: &str| {
                let plus = if family == "gemma" { 1.0 } else { 0.0 };
                let rows = of(name).into_iter();
                rows.map(|row| vec![row[0] + plus]).collect::<PlainRows>()
            };
            parts.push(("embedding".into(), of("model.embed_tokens.weight")));
            parts.push(("norm".into(), gain("model.norm.weight")));
            if ["llama2", "mistral", "phi3", "olmo2", "qwen3"].contains(&family) {
                parts.push(("head".into(), of("lm_head.weight")));
            }
            let norms = if family == "olmo2" {
                ["post_attention_layernorm", "post_feedforward_layernorm"]
            } else {
                ["input_layernorm", "post_attention_layernorm"]
            };
            for at in 0..blocks {
                let full = |name: &str, end: &str| format!("model.layers.{at}.{name}.{end}");
                let weight = |name: &str| full(name, "weight");
                let several = |names: &[&str], end: &str| {
                    let names: Vec<String> = names.iter().map(|name| full(name, end)).collect();
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    fused(&names)
                };
                let qkv = ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"];
                let (qkv, up): (&[&str], &[&str]) = if family == "phi3" {
                    (&["self_attn.qkv_proj"], &["mlp.gate_up_proj"])
                } else {
                    (&qkv, &["mlp.gate_proj", "mlp.up_proj"])
                };
                parts.push((format!("{at} Qkv"), several(qkv, "weight")));
                if family == "qwen2" {
                    parts.push((format!("{at} QkvBias"), several(qkv, "bias")));
                }
                parts.push((format!("{at} Out"), of(&weight("self_attn.o_proj"))));
                parts.push((format!("{at} Up"), several(up, "weight")));
                parts.push((format!("{at} Down"), of(&weight("mlp.down_proj"))));
                if ["qwen3", "olmo2"].contains(&family) {
                    parts.push((format!("{at} QueryNorm"), of(&weight("self_attn.q_norm"))));
                    parts.push((format!("{at} KeyNorm"), of(&weight("self_attn.k_norm"))));
                }
                parts.push((format!("{at} AttentionNorm"), gain(&weight(norms[0]))));
                parts.push((format!("{at} MlpNorm"), gain(&weight(norms[1]))));
            }
        }
    }
    parts.into_iter().collect()
}
