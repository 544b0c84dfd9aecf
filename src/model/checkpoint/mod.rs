//! Where every tensor of a checkpoint lies, by the headers alone; the tensors' bytes stay where they
//! are until someone asks for them.

mod format;
pub mod safetensors;
pub mod tensors;
