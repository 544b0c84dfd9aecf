//! Shapes of the configs that travel with the project, and of published ones.

use std::io::Write;

use super::*;
use crate::model::shape::{Activation, NormKind, NormPlacement, QkNorm, Residual, RopeScaling};

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
        assert_eq!((shape.vocabulary, shape.width, shape.context), (512, 48, 256));
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
    assert_eq!((shared.bos_token_id, shared.eos_token_ids), (Some(1), vec![2]));
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
    assert_eq!((attention.qk_norm, attention.qkv_bias), (QkNorm::Head, false));
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
        let _ = writeln!(
            std::io::stderr(),
            "SKIPPED: the papers' configs are not here (../shared/configs)"
        );
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
    assert_eq!((gpt2.vocabulary, gpt2.width, gpt2.blocks[0].mlp.width), (50257, 768, 3072));
    assert_eq!(of("Mistral-7B-v0.1").blocks[31].attention.window, Some(4096));
    assert_eq!(of("Mistral-7B-v0.3").blocks[0].attention.window, None);
    assert_eq!(of("Phi-3-mini-4k-instruct").blocks[0].attention.window, Some(2047));
    let window = of("Phi-3.5-mini-instruct").blocks[0].attention.window;
    assert_eq!(window, None, "no prompt fills it");
    let llama = of("Llama-3.2-1B");
    assert!(llama.head.tied);
    let scaling = llama.rope().and_then(|rope| rope.scaling.clone());
    assert!(matches!(scaling, Some(RopeScaling::Llama3 { factor: 32.0, .. })));
    assert_eq!(of("MobileLLM-125M-layer-share").order.len(), 60);
}
