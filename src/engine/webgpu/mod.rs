//! The backend of any GPU: our own WGSL, through wgpu.
//!
//! One folder a kernel, each with a README and a check against the CPU's own or a plain twin;
//! `block` strings them together for a block of any shape. Every stream that waits for a block is
//! rows of the same matrix products, members are written where they are kept by the kernel that
//! makes them, and what a run gives back is read once, at its end. Weights lie there as they are
//! stored, each matrix in its own type.

mod activation;
mod add;
mod append;
mod arena;
mod attention;
mod attention_slope;
mod backend;
mod block;
mod blocks;
#[cfg(target_arch = "wasm32")]
mod browser;
mod counter;
mod device;
mod error;
mod facts;
mod gather;
mod gemm;
mod gemm_transposed;
mod gpu;
mod grid;
mod head;
mod kernel;
mod kv_cache;
mod lists;
mod loading;
mod looks;
mod matrix;
mod member;
mod mlp_slope;
mod norm;
mod norm_slope;
mod pass;
mod probe;
mod qk_norm;
mod readback;
mod recorder;
mod rope;
mod self_test;
mod tables;
mod tangent;
mod template;
mod vocabulary;
mod votes;
mod watchdog;
mod workbench;
// The bench's naive kernels. They are run by parts of this module that nobody else needs.
#[cfg(all(not(target_arch = "wasm32"), any(test, feature = "yardstick")))]
#[path = "../../../benches/yardstick/mod.rs"]
pub mod yardstick;

pub use device::AdapterChoice;
pub use error::GpuError;
pub use facts::adapters;
pub use loading::loader;
pub use workbench::{Copies, GpuProduct, Workbench};
