//! A model in candle's tensor operations, on any device of candle's: the CUDA backend, and on
//! `Device::Cpu` the slow, plain reference that tests hold the CPU engine against.
//!
//! Weights stay on the device in the type in which they are stored. All sums are of f32 numbers:
//! candle cannot multiply f32 rows by a matrix of halves, so each such matrix is widened when it is
//! multiplied with, and its f32 copy dropped again: at most one matrix of one block at a time. (A
//! GPU older than compute capability 8.0 cannot widen bf16; candle says so.)

mod attention;
mod block;
mod head;
mod loader;
mod norm;
mod pass;
mod rope;
#[cfg(test)]
mod tests;
mod vocabulary;

pub use loader::loader;

use candle_core::{DType, Device, Result, Tensor};

use self::block::CandleBlock;
use self::head::CandleHead;
use self::pass::CandlePass;
use super::EngineError;
use super::backend::{Backend, Limits, Pass, Start};

/// Bytes that the waiting streams of a pack may take.
const STREAM_BYTES: u64 = 1 << 30;

/// Rows that one block call takes at most (at least one pack).
const CALL_ROWS: usize = 8192;

/// A model's blocks and read-out on a candle device.
struct CandleBackend {
    device: Device,
    /// The matrices' types, for people: `"bf16"`.
    precision: String,
    blocks: Vec<CandleBlock>,
    head: CandleHead,
}

impl Backend for CandleBackend {
    fn describe(&self) -> String {
        // No GPU's name: the text stands in reports, which do not depend on it.
        let device = if self.device.is_cpu() { "candle on CPU" } else { "CUDA" };
        format!("{device} ({})", self.precision)
    }

    fn limits(&self) -> Limits {
        Limits {
            bytes: STREAM_BYTES,
            call_rows: CALL_ROWS,
            // Rows are numbered in 32 bits.
            pack_rows: u32::MAX as usize,
        }
    }

    fn begin<'a>(&'a self, start: Start) -> std::result::Result<Box<dyn Pass + 'a>, EngineError> {
        Ok(Box::new(CandlePass::new(self, start)?))
    }
}

/// `x W^T`: rows `[N, in]` by a matrix `[out, in]` of any type, in f32: `[N, out]`.
fn multiply(x: &Tensor, matrix: &Tensor) -> Result<Tensor> {
    let widened = matrix.to_dtype(DType::F32)?; // [out, in]
    x.matmul(&widened.t()?) // [N, out]
}
