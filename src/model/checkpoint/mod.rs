//! Where every tensor of a checkpoint lies, by the headers alone; the tensors' bytes stay where they
//! are until someone asks for them.

#[cfg(feature = "cli")]
pub mod conversion;
mod described;
pub mod format;
pub mod gguf;
mod pytorch;
pub mod safetensors;
pub mod tensors;
