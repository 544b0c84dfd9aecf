//! Shapes of the configs that travel with the project, both spellings of rotary positions, and what
//! is refused.

use std::path::Path;

use serde_json::{Value, json};

use crate::model::ModelShape;
use crate::model::shape::{
    Activation, NormKind, NormPlacement, QkNorm, Residual, RopeScaling, RopeShape,
};

fn config(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
    let text = std::fs::read_to_string(folder.join(name).join("config.json"));
    serde_json::from_str(&text.expect("config.json")).expect("JSON")
}

fn shape_of(config: &Value) -> ModelShape {
    ModelShape::from_json(&config.to_string()).expect("a model")
}

fn shape(name: &str) -> ModelShape {
    let shape = shape_of(&config(name));
    assert_eq!(
        shape.order.len(),
        if name.contains("share") {
            8
        } else {
            shape.blocks.len()
        }
    );
    shape
}

/// The config with these fields instead.
fn edited(name: &str, edits: &[(&str, Value)]) -> Value {
    let mut config = config(name);
    for (field, value) in edits {
        config[*field] = value.clone();
    }
    config
}

fn without(name: &str, field: &str) -> Value {
    let mut config = config(name);
    config.as_object_mut().expect("an object").remove(field);
    config
}

#[track_caller]
fn refused(config: &Value, pieces: &[&str]) {
    let error = ModelShape::from_json(&config.to_string()).expect_err("a refusal");
    let sentence = error.to_string();
    assert!(!sentence.contains('\n'), "{sentence}");
    for piece in pieces {
        assert!(sentence.contains(piece), "`{piece}` is not in: {sentence}");
    }
}

fn plain_rope(width: usize, theta: f64) -> Option<RopeShape> {
    Some(RopeShape {
        width,
        theta,
        scaling: None,
    })
}

#[test]
fn llama_and_what_is_spelled_so() {
    for (name, family, kv_heads, tied) in [
        ("random-llama2", "Llama", 6, false),
        ("random-mistral", "Mistral", 2, false),
        ("random-phi3", "Phi-3", 2, false),
        ("random-mobilellm-layer-share", "MobileLLM", 2, true),
    ] {
        let shape = shape(name);
        assert_eq!(shape.family, family);
        assert_eq!(
            (shape.vocabulary, shape.width, shape.context),
            (512, 48, 256)
        );
        assert_eq!(shape.head.tied, tied);
        assert!(!shape.has_bias_member());
        let block = &shape.blocks[0];
        assert_eq!((block.norm.kind, block.norm.eps), (NormKind::Rms, 1e-5));
        assert_eq!(block.placement, NormPlacement::Before);
        assert_eq!(block.residual, Residual::Sequential);
        let attention = &block.attention;
        assert_eq!((attention.heads, attention.head_width), (6, 8));
        assert_eq!(attention.kv_heads, kv_heads);
        assert_eq!(attention.window, (name == "random-mistral").then_some(8));
        assert_eq!(attention.rope, plain_rope(8, 10_000.0));
        assert!(!attention.qkv_bias && !attention.out_bias);
        assert!(block.mlp.is_gated && !block.mlp.has_bias);
        assert_eq!(block.mlp.activation, Activation::Silu);
        assert_eq!(block.mlp.width, 96);
    }
    let shared = shape("random-mobilellm-layer-share");
    assert_eq!(shared.order, [0, 0, 1, 1, 2, 2, 3, 3]);
    assert_eq!(
        (shared.bos_token_id, shared.eos_token_ids),
        (Some(1), vec![2])
    );
}

#[test]
fn the_other_families() {
    let gpt2 = shape("random-gpt2");
    assert_eq!(gpt2, shape("random-gpt2-prefixed"));
    assert_eq!((gpt2.family, gpt2.context), ("GPT-2", 48));
    assert!(gpt2.input.learned_positions && gpt2.head.tied && gpt2.has_bias_member());
    let block = &gpt2.blocks[0];
    assert_eq!((block.norm.kind, block.norm.eps), (NormKind::Layer, 1e-5));
    assert_eq!(block.residual, Residual::Sequential);
    assert_eq!((block.mlp.width, block.mlp.is_gated), (128, false));
    assert_eq!(block.mlp.activation, Activation::GeluTanh);
    assert!(block.mlp.has_bias && block.attention.qkv_bias && block.attention.out_bias);
    assert_eq!(block.attention.rope, None);

    let pythia = shape("random-pythia");
    assert_eq!(pythia.family, "GPT-NeoX");
    let block = &pythia.blocks[0];
    assert_eq!(block.residual, Residual::Parallel { shared_norm: false });
    assert_eq!(block.attention.rope, plain_rope(4, 10_000.0));
    assert_eq!(block.mlp.activation, Activation::GeluErf);
    assert!(!pythia.head.tied && block.attention.qkv_bias && block.attention.out_bias);

    let qwen2 = shape("random-qwen2");
    let attention = &qwen2.blocks[3].attention;
    assert_eq!((attention.qkv_bias, attention.out_bias), (true, false));
    assert_eq!(attention.window, None, "it is not used");
    assert_eq!(attention.rope, plain_rope(8, 1e6));
    assert!(qwen2.head.tied);

    let qwen3 = shape("random-qwen3");
    let attention = &qwen3.blocks[0].attention;
    assert_eq!((attention.head_width, attention.attended_width()), (16, 64));
    assert_eq!(
        (attention.qk_norm, attention.qkv_bias),
        (QkNorm::Head, false)
    );
    assert!(qwen3.head.tied);

    let gemma = shape("random-gemma");
    assert_eq!(gemma.input.scale, 32f32.sqrt());
    assert!(gemma.head.tied);
    assert_eq!(gemma.blocks[0].mlp.activation, Activation::GeluTanh);
    assert!(gemma.blocks[0].mlp.is_gated);
    assert_eq!(gemma.blocks[0].attention.kv_heads, 1);

    let phi = shape("random-phi2");
    let block = &phi.blocks[0];
    assert_eq!(block.residual, Residual::Parallel { shared_norm: true });
    assert_eq!(block.attention.rope, plain_rope(8, 10_000.0));
    assert!(phi.head.has_bias && !phi.head.tied && block.mlp.has_bias);
    assert_eq!(block.mlp.activation, Activation::GeluTanh);

    let falcon = shape("random-falcon");
    let block = &falcon.blocks[0];
    assert_eq!((falcon.context, falcon.head.tied), (2048, true));
    assert_eq!((block.attention.kv_heads, block.mlp.width), (1, 160));
    assert_eq!(block.residual, Residual::Parallel { shared_norm: true });
    assert_eq!(block.mlp.activation, Activation::GeluErf);
    assert!(!block.mlp.has_bias && !block.attention.qkv_bias);

    let olmo = shape("random-olmo2");
    let block = &olmo.blocks[0];
    assert_eq!(block.placement, NormPlacement::After);
    assert_eq!(block.attention.qk_norm, QkNorm::Full);
    assert_eq!((olmo.head.tied, olmo.bos_token_id), (false, None));
}

/// The configs of the papers' models, where they are at hand.
#[test]
fn published_configs_are_understood() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/configs");
    let Ok(entries) = folder.read_dir() else {
        eprintln!("SKIPPED: the papers' configs are not here (../shared/configs)");
        return;
    };
    let mut read = 0;
    for entry in entries {
        let path = entry.expect("a file").path();
        let text = std::fs::read_to_string(&path).expect("a config");
        let shape = ModelShape::from_json(&text);
        shape.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        read += 1;
    }
    assert!(read >= 20, "{read}");
    let of = |name: &str| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.config.json")));
        ModelShape::from_json(&text.expect("a config")).expect("a model")
    };
    let gpt2 = of("gpt2");
    assert_eq!(
        (gpt2.vocabulary, gpt2.width, gpt2.blocks[0].mlp.width),
        (50257, 768, 3072)
    );
    assert_eq!(
        of("Mistral-7B-v0.1").blocks[31].attention.window,
        Some(4096)
    );
    assert_eq!(of("Mistral-7B-v0.3").blocks[0].attention.window, None);
    assert_eq!(
        of("Phi-3-mini-4k-instruct").blocks[0].attention.window,
        Some(2047)
    );
    let window = of("Phi-3.5-mini-instruct").blocks[0].attention.window;
    assert_eq!(window, None, "no prompt fills it");
    let llama = of("Llama-3.2-1B");
    assert!(llama.head.tied);
    let scaling = llama.rope().and_then(|rope| rope.scaling.clone());
    assert!(matches!(
        scaling,
        Some(RopeScaling::Llama3 { factor: 32.0, .. })
    ));
    assert_eq!(of("MobileLLM-125M-layer-share").order.len(), 60);
}

#[test]
fn rope_parameters_say_the_same_as_the_older_spelling() {
    let newer = |name: &str, gone: &[&str], parameters: Value| {
        let mut config = config(name);
        let fields = config.as_object_mut().expect("an object");
        for field in gone {
            fields.remove(*field).expect("it was there");
        }
        fields.insert("rope_parameters".into(), parameters);
        assert_eq!(shape_of(&config), shape(name), "{name}");
    };
    newer(
        "random-llama3",
        &["rope_theta", "rope_scaling"],
        json!({
            "rope_theta": 500000.0, "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0,
            "high_freq_factor": 4.0, "original_max_position_embeddings": 64,
        }),
    );
    newer(
        "random-phi2",
        &["rope_theta", "rope_scaling", "partial_rotary_factor"],
        json!({ "rope_theta": 10000.0, "partial_rotary_factor": 0.4, "rope_type": "default" }),
    );
    newer(
        "random-pythia",
        &["rotary_emb_base", "rotary_pct"],
        json!({ "rope_theta": 10000, "partial_rotary_factor": 0.25, "rope_type": "default" }),
    );
    newer(
        "random-qwen2",
        &["rope_theta"],
        json!({ "rope_theta": 1000000.0 }),
    );
    // Both factors of a 128k Phi-3: the original context inside, or beside.
    let factors =
        json!({ "type": "longrope", "short_factor": [1, 1, 1, 2], "long_factor": [2, 2, 2, 4] });
    let older = edited(
        "random-phi3",
        &[
            ("rope_scaling", factors.clone()),
            ("original_max_position_embeddings", json!(64)),
        ],
    );
    let mut inside = factors;
    inside["rope_theta"] = json!(10000.0);
    inside["original_max_position_embeddings"] = json!(64);
    let mut newer = without("random-phi3", "original_max_position_embeddings");
    newer["rope_scaling"] = Value::Null;
    newer["rope_theta"] = Value::Null;
    newer["rope_parameters"] = inside;
    let (older, newer) = (shape_of(&older), shape_of(&newer));
    assert_eq!(older, newer);
    let Some(RopeScaling::LongRope {
        attention_factor, ..
    }) = &newer.rope().expect("it turns").scaling
    else {
        panic!("longrope");
    };
    let expected = (1.0 + 4f64.ln() / 64f64.ln()).sqrt();
    assert!((attention_factor - expected).abs() < 1e-12);
    let linear = edited(
        "random-llama2",
        &[("rope_scaling", json!({ "type": "linear", "factor": 4 }))],
    );
    let scaling = shape_of(&linear)
        .rope()
        .and_then(|rope| rope.scaling.clone());
    assert_eq!(scaling, Some(RopeScaling::Linear { factor: 4.0 }));
}

#[test]
fn what_is_absent_or_null_has_the_familys_own_default() {
    for (name, field) in [
        ("random-phi2", "num_key_value_heads"),
        ("random-gpt2", "n_ctx"),
        ("random-gemma", "rope_theta"),
        ("random-gemma", "hidden_activation"),
        ("random-gemma", "hidden_act"),
        ("random-falcon", "multi_query"),
        ("random-falcon", "alibi"),
        ("random-pythia", "use_parallel_residual"),
        ("random-pythia", "rotary_pct"),
        ("random-llama2", "num_key_value_heads"),
        ("random-llama2", "head_dim"),
        ("random-llama2", "hidden_act"),
        ("random-qwen2", "sliding_window"),
    ] {
        assert_eq!(
            shape_of(&without(name, field)),
            shape(name),
            "{name}: {field}"
        );
        let null = edited(name, &[(field, Value::Null)]);
        assert_eq!(shape_of(&null), shape(name), "{name}: {field}");
    }
    let wide = shape_of(&without("random-qwen3", "head_dim"));
    assert_eq!(wide.blocks[0].attention.head_width, 128);
    let ids = edited("random-llama2", &[("eos_token_id", json!([2, 7]))]);
    assert_eq!(shape_of(&ids).eos_token_ids, [2, 7]);
    let unnamed = without("random-pythia", "model_type");
    assert_eq!(shape_of(&unnamed), shape("random-pythia"));
    assert_eq!(
        shape_of(&without("random-gpt2", "model_type")),
        shape("random-gpt2")
    );
    assert_eq!(
        shape_of(&without("random-olmo2", "model_type")),
        shape("random-olmo2")
    );
}

#[test]
fn choices_within_a_family() {
    let sequential = shape_of(&edited(
        "random-pythia",
        &[("use_parallel_residual", json!(false))],
    ));
    assert_eq!(sequential.blocks[0].residual, Residual::Sequential);
    let bare = shape_of(&edited(
        "random-pythia",
        &[("attention_bias", json!(false))],
    ));
    assert!(!bare.blocks[0].attention.qkv_bias && bare.blocks[0].mlp.has_bias);
    let biased = shape_of(&edited("random-llama2", &[("attention_bias", json!(true))]));
    let attention = &biased.blocks[0].attention;
    assert!(attention.qkv_bias && attention.out_bias);
    let heads = shape_of(&edited("random-falcon", &[("multi_query", json!(false))]));
    assert_eq!(heads.blocks[0].attention.kv_heads, 5);
    let erf = edited("random-gemma", &[("hidden_activation", json!("gelu"))]);
    assert_eq!(shape_of(&erf).blocks[0].mlp.activation, Activation::GeluErf);

    let windows = |config: &Value| -> Vec<Option<usize>> {
        let blocks = shape_of(config).blocks;
        blocks.iter().map(|block| block.attention.window).collect()
    };
    let used = edited("random-qwen2", &[("use_sliding_window", json!(true))]);
    assert_eq!(windows(&used), [None, None, Some(8), Some(8)]);
    let mut listed = used.clone();
    let (full, sliding) = ("full_attention", "sliding_attention");
    listed["layer_types"] = json!([sliding, full, full, sliding]);
    assert_eq!(windows(&listed), [Some(8), None, None, Some(8)]);
    listed["layer_types"] = json!([sliding, full]);
    refused(&listed, &["layer_types", "4 blocks"]);
    listed["layer_types"] = json!([sliding, full, full, "chunked_attention"]);
    refused(&listed, &["layer_types", "chunked_attention", full]);
}

#[test]
fn families_that_atelier_does_not_run_are_named() {
    let families = "Llama, Mistral, Phi-3, MobileLLM, GPT-2, GPT-NeoX, Qwen2, Qwen3, Gemma, Phi, Falcon and OLMo 2";
    for named in ["bert", "gemma2", "mamba", "smollm3"] {
        let config = edited("random-llama2", &[("model_type", json!(named))]);
        refused(&config, &[&format!("architecture is {named}"), families]);
    }
    let unnamed = json!({ "hidden_size": 4 });
    refused(&unnamed, &["architecture is not given", families]);
    refused(&json!([1]), &["config.json", "JSON"]);
}

#[test]
fn a_missing_or_impossible_number_is_named() {
    for (name, field, family) in [
        ("random-llama2", "hidden_size", "Llama"),
        ("random-mistral", "rms_norm_eps", "Mistral"),
        ("random-gpt2", "n_embd", "GPT-2"),
        ("random-gpt2", "n_layer", "GPT-2"),
        ("random-gpt2", "layer_norm_epsilon", "GPT-2"),
        ("random-pythia", "intermediate_size", "GPT-NeoX"),
        ("random-pythia", "layer_norm_eps", "GPT-NeoX"),
        ("random-qwen2", "num_attention_heads", "Qwen2"),
        ("random-qwen3", "max_position_embeddings", "Qwen3"),
        ("random-gemma", "vocab_size", "Gemma"),
        ("random-phi2", "num_hidden_layers", "Phi"),
        ("random-falcon", "layer_norm_epsilon", "Falcon"),
        ("random-olmo2", "rms_norm_eps", "OLMo 2"),
    ] {
        let sentence = format!("config.json has no {field}, which every {family} model has");
        refused(&without(name, field), &[&sentence]);
        for value in [json!(0), json!(-4), json!("four"), json!([])] {
            let shown = value.as_str().map_or(value.to_string(), str::to_string);
            refused(
                &edited(name, &[(field, value)]),
                &[&format!("config.json: {field} is {shown}, but it must be ")],
            );
        }
    }
    let huge = edited("random-llama2", &[("vocab_size", json!(1u64 << 40))]);
    refused(
        &huge,
        &["vocab_size is 1099511627776", "from 1 to 16777216"],
    );
    let deep = edited("random-gpt2", &[("n_layer", json!(2049))]);
    refused(&deep, &["n_layer is 2049", "from 1 to 2048"]);
    let long = edited(
        "random-llama2",
        &[("hidden_act", json!("x\n".repeat(1000)))],
    );
    refused(&long, &["hidden_act is x\\nx", "…", "silu"]);
}

#[test]
fn heads_that_do_not_divide_are_named() {
    let with = |name: &str, field: &str, value: usize| edited(name, &[(field, json!(value))]);
    let mut llama = without("random-llama2", "head_dim");
    llama["num_attention_heads"] = json!(7);
    refused(&llama, &["hidden_size is 48", "multiple of the 7 heads"]);
    refused(
        &with("random-gpt2", "n_head", 5),
        &["n_embd is 32", "multiple of the 5 heads"],
    );
    refused(
        &with("random-qwen2", "num_key_value_heads", 4),
        &["num_key_value_heads is 4", "divide the 6 attention heads"],
    );
    refused(
        &with("random-qwen3", "head_dim", 15),
        &["head_dim is 15", "even"],
    );
    let part = edited("random-pythia", &[("rotary_pct", json!(0.2))]);
    refused(&part, &["rotary_pct is 0.2", "head of 16 numbers", "even"]);
    let part = edited("random-phi2", &[("partial_rotary_factor", json!(1.5))]);
    refused(&part, &["partial_rotary_factor is 1.5"]);
    let part = edited("random-llama2", &[("partial_rotary_factor", json!(0.5))]);
    refused(&part, &["partial_rotary_factor is 0.5", "whole heads"]);
}

#[test]
fn choices_that_atelier_does_not_run_are_named() {
    for (name, field, value, pieces) in [
        (
            "random-llama2",
            "hidden_act",
            json!("relu2"),
            ["relu2", "silu, gelu and gelu_new"],
        ),
        (
            "random-gpt2",
            "activation_function",
            json!("relu"),
            ["activation_function is relu", "gelu"],
        ),
        (
            "random-gemma",
            "hidden_activation",
            json!("quick_gelu"),
            ["hidden_activation is quick_gelu", "gelu"],
        ),
        (
            "random-llama2",
            "mlp_bias",
            json!(true),
            ["mlp_bias is true", "without biases"],
        ),
        (
            "random-mistral",
            "attention_bias",
            json!(true),
            ["attention_bias is true", "no biases"],
        ),
        (
            "random-phi2",
            "qk_layernorm",
            json!(true),
            ["qk_layernorm is true", "without norms"],
        ),
        (
            "random-falcon",
            "alibi",
            json!(true),
            ["alibi is true", "rotary"],
        ),
        (
            "random-falcon",
            "new_decoder_architecture",
            json!(true),
            ["new_decoder_architecture is true", "7b"],
        ),
        (
            "random-falcon",
            "parallel_attn",
            json!(false),
            ["parallel_attn is false", "side by side"],
        ),
        (
            "random-gpt2",
            "scale_attn_weights",
            json!(false),
            ["scale_attn_weights is false", "square root"],
        ),
        (
            "random-gpt2",
            "scale_attn_by_inverse_layer_idx",
            json!(true),
            ["scale_attn_by_inverse_layer_idx is true", "block"],
        ),
        (
            "random-mistral",
            "sliding_window",
            json!(0),
            ["sliding_window is 0", "at least 1, or null"],
        ),
        (
            "random-llama2",
            "rope_theta",
            json!(0.5),
            ["rope_theta is 0.5", "above 1"],
        ),
        (
            "random-llama3",
            "rope_scaling",
            json!({ "rope_type": "yarn", "factor": 2 }),
            ["rope_scaling is yarn", "llama3"],
        ),
        (
            "random-llama3",
            "rope_scaling",
            json!({ "factor": 2 }),
            ["rope_scaling is not given", "linear"],
        ),
        (
            "random-llama3",
            "rope_scaling",
            json!("linear"),
            ["rope_scaling is linear", "object"],
        ),
        (
            "random-llama3",
            "rope_scaling",
            json!({ "rope_type": "llama3" }),
            ["config.json (rope_scaling)", "missing field `factor`"],
        ),
        (
            "random-phi3",
            "rope_parameters",
            json!({ "full_attention": { "rope_theta": 1e4 } }),
            ["rope_parameters", "one kind"],
        ),
        (
            "random-phi3",
            "rope_parameters",
            json!({ "rope_type": "dynamic" }),
            ["rope_parameters is dynamic", "longrope"],
        ),
        (
            "random-phi3",
            "rope_parameters",
            json!({ "rope_theta": "x" }),
            ["rope_theta is x", "number"],
        ),
        (
            "random-llama2",
            "eos_token_id",
            json!([1, -1]),
            ["eos_token_id is [1,-1]", "token id"],
        ),
    ] {
        let mut config = config(name);
        if field == "rope_parameters" {
            config["rope_scaling"] = Value::Null;
        }
        config[field] = value;
        refused(&config, &pieces);
    }
}
