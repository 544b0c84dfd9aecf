//! `cargo bench` prints what atelier's engine costs: always a ratio, both sides measured in one run.
//!
//! - `recording`: recording every member, against candle-transformers' Llama on the same batch.
