//! Rows in slices: the same whatever the slice, each number looked at on its way.

use std::borrow::Cow;

use super::*;

#[test]
fn rows_are_the_same_in_any_slice_and_borrowed_where_they_lie_together() {
    for name in FOLDERS {
        let weights = opened(name, &stored(name)).expect("a model");
        let block = &weights.blocks[1];
        let ends = [Some(&weights.embedding), weights.positions.as_ref()];
        for matrix in block.matrices.iter().chain(ends.into_iter().flatten()) {
            let whole = weights.rows(matrix, 0..matrix.rows).expect("rows");
            let a_row = whole.bytes.len() / matrix.rows;
            for (start, end) in [(0, 1), (3, 11), (7, matrix.rows), (matrix.rows - 1, matrix.rows)]
            {
                let slice = weights.rows(matrix, start..end).expect("rows");
                assert!(*slice.bytes == whole.bytes[start * a_row..end * a_row], "{name}");
            }
            let ids = [2, 0, matrix.rows as u32 - 1, 2];
            let gathered = weights.gather(matrix, &ids).expect("rows");
            let numbers = whole.to_f32();
            let expected = ids.iter().flat_map(|&id| {
                let row = id as usize * matrix.columns;
                &numbers[row..row + matrix.columns]
            });
            assert!(gathered.iter().eq(expected), "{name}");
            let error = weights.gather(matrix, &[matrix.rows as u32]);
            assert!(matches!(error, Err(ModelError::TokenId { .. })));
        }
        let is_borrowed = |matrix: &Matrix, rows: Range<usize>| {
            let rows = weights.rows(matrix, rows).expect("rows");
            matches!(rows.bytes, Cow::Borrowed(_))
        };
        assert!(is_borrowed(&weights.embedding, 0..weights.embedding.rows));
        let [qkv, out, _, down] = &block.matrices;
        if !name.contains("gpt2") {
            assert!(is_borrowed(out, 0..out.rows) && is_borrowed(down, 0..7), "{name}");
            assert!(is_borrowed(qkv, 0..8), "{name}: within the first head");
        }
        // Falcon's rows lie as they are wanted although its layout need not.
        if ["random-phi3", "random-falcon"].contains(&name) {
            assert!(is_borrowed(qkv, 0..qkv.rows), "{name}");
        }
    }
}

#[test]
fn a_number_that_is_none_is_found_in_every_layout() {
    for (name, tensor, at, dtype) in [
        ("random-llama2", "model.layers.1.mlp.up_proj.weight", 10, Dtype::F32),
        ("random-llama2", "model.embed_tokens.weight", 512 * 48 - 1, Dtype::F32),
        ("random-llama2", "model.norm.weight", 3, Dtype::F32),
        ("random-gpt2", "h.2.attn.c_attn.weight", 17 * 96 + 40, Dtype::F32),
        ("random-gpt2", "h.3.mlp.c_proj.bias", 31, Dtype::F32),
        (
            "random-pythia",
            "gpt_neox.layers.0.attention.query_key_value.weight",
            100 * 48 + 7,
            Dtype::F16,
        ),
        ("random-pythia", "gpt_neox.layers.4.attention.query_key_value.bias", 143, Dtype::F16),
        (
            "random-falcon",
            "transformer.h.4.self_attention.query_key_value.weight",
            55 * 40,
            Dtype::F32,
        ),
        ("random-llama3", "model.layers.5.self_attn.v_proj.weight", 47, Dtype::BF16),
    ] {
        let mut tensors = stored(name);
        convert(&mut tensors, tensor, dtype);
        let (_, _, data) = tensors.get_mut(tensor).expect(tensor);
        match dtype {
            Dtype::F32 => data[at * 4..][..4].copy_from_slice(&f32::NAN.to_le_bytes()),
            Dtype::F16 => data[at * 2..][..2].copy_from_slice(&f16::NAN.to_le_bytes()),
            _ => data[at * 2..][..2].copy_from_slice(&bf16::NAN.to_le_bytes()),
        }
        let weights = opened(name, &tensors).expect("nothing is read yet");
        let ends = [&weights.embedding];
        let matrices = weights.block_matrices().chain(ends);
        let matrices = matrices.map(|matrix| weights.rows(matrix, 1..matrix.rows).err());
        let vectors = weights.vectors().map(|vector| weights.vector(vector).err());
        let errors: Vec<ModelError> = matrices.chain(vectors).flatten().collect();
        let [error] = &errors[..] else {
            panic!("{name}: {errors:?}");
        };
        let sentence = format!("tensor {tensor} in model.safetensors holds NaN at element {at};");
        assert!(error.to_string().starts_with(&sentence), "{error}");
    }
}
