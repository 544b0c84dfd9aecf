//! `cargo bench` prints what atelier's engine costs: always a ratio, both sides measured in one run.
//!
//! - `recording`: recording every member, against candle-transformers' Llama on the same batch.
//! - `orders`: a sweep as one run, against its plans one by one.
//! - `coupling`: leading singular vectors by products, against whole Jacobians.
//! - `tangents`: products with a block's Jacobian, against one token through the block.
//! - `webgpu` (with that feature): the WGSL kernels against naive twins, and a sweep.
//! - `python`, `coupling-peer`, `browser`, `memory` (with the feature `peers`): against Hugging Face transformers and
//!   onnxruntime-web; see `peers/README.md`.
