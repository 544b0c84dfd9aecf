//! Weights onto a candle device, slice by slice, in the type in which they are stored.

use std::collections::HashMap;
use std::rc::Rc;

use candle_core::{DType, Device};

use super::CandleBackend;
use super::block::CandleBlock;
use super::head::CandleHead;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Loader};
use crate::model::weights::{MatrixRole, VectorRole, Weights};
use crate::model::{self, Tensor};

/// Makes ready to take a model over on a candle device.
pub fn loader(weights: Rc<Weights>, device: Device) -> Box<dyn Loader> {
    let blocks = weights.blocks.iter().map(|_| IncomingTensors::default()).collect();
    Box::new(CandleLoader { weights, device, blocks })
}

struct CandleLoader {
    weights: Rc<Weights>,
    device: Device,
    blocks: Vec<IncomingTensors>,
}

/// The weights of a block that have arrived so far.
#[derive(Default)]
struct IncomingTensors {
    /// Whole from their first slice on, filled slice by slice: `[out, in]`.
    matrices: HashMap<MatrixRole, candle_core::Tensor>,
    vectors: HashMap<VectorRole, candle_core::Tensor>,
}

impl Loader for CandleLoader {
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError> {
        let whole = &self.weights.blocks[block].matrices[role as usize];
        let is_mixed = whole.parts.len() > 1;
        let mut slice = stored(rows, &self.device)?; // [rows, in]
        if is_mixed {
            slice = slice.to_dtype(DType::F32)?;
        }
        let matrices = &mut self.blocks[block].matrices;
        if first_row == 0 {
            let shape = &self.weights.shape;
            let [out, columns] = shape.blocks[block].matrix(role, shape.width);
            let whole = if out == rows.rows {
                slice
            } else {
                let whole =
                    candle_core::Tensor::zeros((out, columns), slice.dtype(), &self.device)?;
                whole.slice_set(&slice, 0, 0)?;
                whole
            };
            matrices.insert(role, whole);
        } else {
            let early =
                || candle_core::Error::msg(format!("rows of {role:?} came before its first"));
            let whole = matrices.get(&role).ok_or_else(early)?;
            whole.slice_set(&slice, 0, first_row)?;
        }
        Ok(())
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        let vector = candle_core::Tensor::new(numbers, &self.device)?;
        self.blocks[block].vectors.insert(role, vector);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        let types = self.weights.block_matrices().flat_map(|matrix| matrix.dtypes());
        let precision = model::names(types);
        let shapes = self.weights.shape.blocks.iter().cloned();
        let mut blocks = Vec::with_capacity(self.blocks.len());
        for (block, (mut came, shape)) in self.blocks.into_iter().zip(shapes).enumerate() {
            let mut matrix = |role: MatrixRole| {
                let what = format!("{role:?}");
                let came = came.matrices.remove(&role);
                came.ok_or(EngineError::Unfinished { block, what })
            };
            let [qkv, out, up, down] = MatrixRole::ALL;
            blocks.push(CandleBlock {
                matrices: [matrix(qkv)?, matrix(out)?, matrix(up)?, matrix(down)?],
                shape,
                vectors: came.vectors,
            });
        }
        Ok(Box::new(CandleBackend {
            precision,
            blocks,
            head: CandleHead::new(self.weights, self.device.clone()),
            device: self.device,
        }))
    }
}

/// Rows as they are stored, blocks as f32, on the device: `[rows, columns]`.
pub fn stored(rows: &Tensor, device: &Device) -> candle_core::Result<candle_core::Tensor> {
    let dtype = match rows.dtype {
        model::DType::F32 => DType::F32,
        model::DType::F16 => DType::F16,
        model::DType::Bf16 => DType::BF16,
        _ => {
            let numbers = rows.to_f32();
            return candle_core::Tensor::from_vec(numbers, (rows.rows, rows.columns), device);
        }
    };
    candle_core::Tensor::from_raw_buffer(&rows.bytes, dtype, &[rows.rows, rows.columns], device)
}
