//! Every matrix keeps the type that it is stored in, and is counted in it.

use super::expected::expected;
use super::*;

#[test]
fn every_matrix_keeps_its_own_type_and_a_mixed_one_is_f32() {
    let mut tensors = stored("random-llama3");
    let names: Vec<String> = tensors.keys().cloned().collect();
    for name in &names {
        convert(&mut tensors, name, Dtype::BF16);
    }
    convert(&mut tensors, "model.layers.1.self_attn.k_proj.weight", Dtype::F16);
    convert(&mut tensors, "model.layers.2.mlp.down_proj.weight", Dtype::F32);
    let weights = opened("random-llama3", &tensors).expect("a model");
    let expected = expected("random-llama3", &tensors, 6);
    assert!(read(&weights) == expected);
    for (at, block) in weights.blocks.iter().enumerate() {
        for (role, matrix) in MatrixRole::ALL.iter().zip(&block.matrices) {
            let dtype = match (at, role) {
                (1, MatrixRole::Qkv) | (2, MatrixRole::Down) => DType::F32,
                _ => DType::Bf16,
            };
            assert!(matrix.dtypes().eq([dtype]), "{at} {role:?}");
        }
    }
    assert_eq!(weights.embedding.dtype_of(0), DType::Bf16);
}

#[test]
fn memory_is_counted_per_matrix_in_64_bits() {
    // Among its float16 numbers lie rotary tables and masks in f32, which nothing reads.
    let weights = opened("random-pythia", &stored("random-pythia")).expect("a model");
    let bytes = weights.bytes();
    let matrices: u64 = 5 * (144 * 48 + 48 * 48 + 2 * 96 * 48);
    let vectors: u64 = 5 * (4 * 48 + 144 + 48 + 96 + 48) + 2 * 48;
    assert_eq!(bytes.matrices, 2 * matrices);
    assert_eq!(bytes.vectors, 4 * vectors);
    assert_eq!((bytes.embedding, bytes.head), (2 * 320 * 48, 2 * 320 * 48));
    assert_eq!(bytes.total(), 2 * matrices + 4 * vectors + 4 * 320 * 48);
    assert_eq!(weights.parameters(), matrices + vectors + 2 * 320 * 48);
}

/// transformers multiplies Gemma's embedding by a scale of the embedding's own type.
#[test]
fn the_embeddings_scale_is_of_the_embeddings_type() {
    let mut tensors = stored("random-gemma");
    let name = "model.embed_tokens.weight";
    // sqrt(32) = 5.656854 between neighbours 5.65625 and 5.6875 in bf16.
    for (dtype, scale) in
        [(Dtype::F32, 32f32.sqrt()), (Dtype::F16, 5.65625), (Dtype::BF16, 5.65625)]
    {
        convert(&mut tensors, name, dtype);
        let weights = opened("random-gemma", &tensors).expect("a model");
        assert_eq!(weights.shape.input.scale, scale, "{dtype:?}");
    }
}
