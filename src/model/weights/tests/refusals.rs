//! Tensors that are no weights, or that are stored twice, may be left out.

use super::*;

#[test]
fn what_is_no_weight_is_left_out() {
    for (name, tensor) in [
        ("random-llama2", "model.layers.0.self_attn.rotary_emb.inv_freq"),
        ("random-llama2", "model.rotary_emb.inv_freq"),
        ("random-mobilellm-layer-share", "lm_head.weight"),
        ("random-gpt2-prefixed", "transformer.h.1.attn.bias"),
        ("random-gpt2-prefixed", "transformer.h.1.attn.masked_bias"),
        ("random-pythia", "gpt_neox.position_ids"),
    ] {
        let mut tensors = stored(name);
        tensors.insert(tensor.into(), (Dtype::F32, vec![4], vec![0; 16]));
        let opened = opened(name, &tensors);
        assert!(opened.is_ok(), "{name} with {tensor}: {:?}", opened.err());
    }
}
