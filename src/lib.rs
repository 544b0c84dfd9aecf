//! atelier runs a small language model and shows what each of its layers adds to a prediction.
//!
//! A decoder's residual stream is a sum of *members*: the embedding, then the attention and the
//! MLP output of every block that ran. Read through the final norm and the output rows of a few
//! options, every member casts a vote; how far the votes are from the right answer is *bias*, how
//! much they differ is *diversity*, and `mse = bias - diversity` exactly (Krogh & Vedelsby 1994;
//! *Diversity of Transformer Layers*, Theorem 1). A [`plan::Plan`] says in which order the blocks
//! run, so that one can ask what happens when they are skipped, repeated or run side by side
//! (*Transformer Layers as Painters*).
//!
//! # Layout
//!
//! - [`model`]: what a model is: a checked shape, a checkpoint's weights as they are stored, a tokenizer; one
//!   file a family.
//! - [`plan`]: the order in which blocks run, its notation, the painters' strategies.
//! - [`engine`]: runs plans and records members: one executor over the CPU, WebGPU and CUDA.
//! - [`atelier_kernels`], a crate of its own: the loops over numbers that [`model`] and the CPU engine
//!   call; it knows no other room.
//! - [`measure`]: numbers from recorded members; pure functions on slices.
//! - [`task`]: prompts with right answers: the generated teaching tasks, published data sets, a
//!   reader's own TOML files, and what counts as right.
//! - [`study`]: whole experiments (the lens, the lab of one order, sweeps over many, the coupling of
//!   blocks, surveys of models x tasks), and the reports they write.
//! - [`chart`]: report to picture, as SVG.
//! - `train` (command line): makes the scholars, the shipped teaching models.
//! - `guarded`: a panic of a library at what a file says is an error about the file.
//! - `unfinished` (command line): a file that is whole or not there.
//! - `cli`: the command line, one subcommand a file.
//! - [`app`]: the Leptos page and its worker (feature `web`), and the protocol between them.
//!
//! The schema of a survey's rows, for other programs, is in `docs/surveys.md` and in `cli::survey::rows_file`.
//!
//! # Using it
//!
//! `examples/` has five programs, which tests run: `lens.rs` (a model's folder, a prompt, its votes), `sweep.rs`
//! (orders on rows), `survey.rs` (models x tasks, and the report that the page opens), `claims/` (a paper's claims, from
//! the rows of a survey) and `backend.rs` (what a device of one's own is asked). They begin with `model::ModelFiles::open`, which checks what a folder says, and
//! [`study::LoadedModel`], which has the weights in an [`engine`]; errors are one enum a room
//! ([`model::ModelError`], [`engine::EngineError`], [`study::StudyError`]), each a sentence for people.
//!
//! # Data flow
//!
//! Top to bottom; a module uses those above it, never those below:
//!
//! ```text
//! config.json, *.safetensors or *.bin,
//! tokenizer.json or .model; or *.gguf ------> model -+
//! one-line notation ------------------------> plan  --+-> engine -> Trace -> measure
//! prompts, options, answers ----------------> task  --+                        |
//!                                   page <- chart <- report <- study <---------+
//! ```

/// Ends a function with an error, or with a text as one, where something is wrong.
macro_rules! refuse_if {
    ($is_wrong:expr, $said:literal $(, $shown:expr)* $(,)?) => {
        refuse_if!($is_wrong, format!($said $(, $shown)*))
    };
    ($is_wrong:expr, $error:expr $(,)?) => {
        if $is_wrong {
            return Err($error);
        }
    };
}

pub mod app;
pub mod chart;
#[cfg(feature = "cli")]
pub mod cli;
pub mod engine;
mod guarded;
pub mod measure;
pub mod model;
pub mod plan;
pub mod study;
pub mod task;
#[cfg(feature = "cli")]
pub mod train;
#[cfg(feature = "cli")]
mod unfinished;
