//! A model on its way to the GPU: room for all of its blocks first, then their weights as they arrive.

use std::cell::Cell;
use std::rc::Rc;

use super::attention::TileSize;
use super::backend::WebGpuBackend;
use super::block::GpuBlock;
use super::device::{AdapterChoice, Device};
use super::error::GpuError;
use super::gpu::Gpu;
use super::head::{FinalNorm, GpuHead};
use super::self_test;
use crate::engine::EngineError;
use crate::engine::backend::{Backend, Loader};
use crate::engine::memory::Memory;
use crate::model::shape::ModelShape;
use crate::model::weights::{Matrix, MatrixRole, TypedRows, VectorRole, Weights};
use crate::model::{DType, Tensor};

/// Opens the adapter, checks its arithmetic where that is wanted and was not done before, and takes all the
/// memory that the blocks' weights need: each matrix as it is stored, or all in `dtype`.
///
/// # Errors
/// No adapter, one too small or one that computes wrong numbers, or a model it has no room for.
pub async fn loader(
    weights: Rc<Weights>,
    adapter: &AdapterChoice,
    dtype: Option<DType>,
) -> Result<Box<dyn Loader>, EngineError> {
    let backend = reserve(weights, adapter, dtype).await?;
    Ok(Box::new(WebGpuLoader(backend)))
}

/// A backend with room for its blocks' weights, which are zeros yet.
pub(super) async fn reserve(
    weights: Rc<Weights>,
    adapter: &AdapterChoice,
    dtype: Option<DType>,
) -> Result<WebGpuBackend, EngineError> {
    let shape = &weights.shape;
    check_widths(shape)?;
    let device = Device::open(adapter).await?;
    if adapter.self_test {
        let stored = weights.block_matrices().flat_map(Matrix::dtypes);
        let stored = stored.chain(weights.head().dtypes());
        let mut dtypes: Vec<DType> = match dtype {
            Some(dtype) => vec![dtype],
            None => stored.collect(),
        };
        dtypes.sort_unstable();
        dtypes.dedup();
        self_test::once(&device, &dtypes).await?;
    }
    for block in &shape.blocks {
        TileSize::of(&device, block.attention.head_width)?;
    }
    let scope = device.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let blocks = shape.blocks.iter().zip(&weights.blocks);
    let blocks = blocks.map(|(shape, stored)| {
        let typed = std::array::from_fn(|i| held(&stored.matrices[i], dtype));
        GpuBlock::reserve(&device, shape, weights.shape.width, typed)
    });
    let blocks: Result<Vec<GpuBlock>, GpuError> = blocks.collect();
    let rows = MatrixRole::ALL.iter().flat_map(|&role| {
        let blocks = shape.blocks.iter();
        blocks.map(move |block| block.matrix(role, shape.width)[0])
    });
    let longest = rows.max().unwrap_or(0).max(shape.vocabulary);
    let (width, name) = (shape.width, device.name.clone());
    let gpu = Gpu::new(device, width, longest);
    if scope.pop().await.is_some() {
        let memory = Memory::on_device(&weights, dtype);
        return Err(GpuError::NoRoom { adapter: name, memory }.into());
    }
    gpu.device.check()?;

    Ok(WebGpuBackend {
        blocks: blocks?,
        final_norm: FinalNorm::upload(&gpu.device, &weights)?,
        head: head(&gpu.device, &weights, dtype, adapter.room).await?,
        is_head_gone: Cell::default(),
        arena: Cell::new(None),
        tangent_arena: Cell::new(None),
        tally: Cell::default(),
        passes: Cell::default(),
        cached_bytes: Cell::default(),
        gpu,
        dtype,
        weights,
    })
}

/// Room for the output head, where there is some beside the blocks: a model without it still runs.
async fn head(
    device: &Device,
    weights: &Weights,
    dtype: Option<DType>,
    room: Option<u64>,
) -> Result<Option<GpuHead>, EngineError> {
    let memory = Memory::on_device(weights, dtype);
    if room.is_some_and(|room| memory.weights + memory.head > room) {
        return Ok(None);
    }
    let scope = device.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let head = GpuHead::reserve(device, weights, dtype);
    match (scope.pop().await, head) {
        (Some(_), _) | (None, Err(EngineError::Gpu(GpuError::Limit { .. }))) => Ok(None),
        (None, head) => Ok(Some(head?)),
    }
}

/// The types of a matrix's rows on the GPU: as they are stored, or all `dtype`.
pub(super) fn held(matrix: &Matrix, dtype: Option<DType>) -> Vec<TypedRows> {
    let rows = matrix.rows;
    match dtype {
        Some(dtype) => vec![TypedRows { rows, dtype }],
        None => matrix.parts.clone(),
    }
}

/// A backend that waits for its weights.
struct WebGpuLoader(WebGpuBackend);

impl WebGpuLoader {
    fn check(&self) -> Result<(), EngineError> {
        let found = self.0.gpu.device.check();
        Ok(found.map_err(|error| self.of_loading(error))?)
    }

    /// Memory that runs out now is the model's affair, not a run's.
    fn of_loading(&self, error: GpuError) -> GpuError {
        match error {
            GpuError::Memory(_) => GpuError::NoRoom {
                adapter: self.0.gpu.device.name.clone(),
                memory: Memory::on_device(&self.0.weights, self.0.dtype),
            },
            other => other,
        }
    }
}

impl Loader for WebGpuLoader {
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError> {
        let device = &self.0.gpu.device;
        let name = || format!("the matrix {role:?} of block {block}");
        let matrix = self.0.blocks[block].matrix(role);
        let filled = matrix.fill(device, first_row, rows, name);
        filled.map_err(|error| self.of_loading(error))?;
        Ok(self.0.gpu.flush().map_err(|error| self.of_loading(error))?)
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        let device = &self.0.gpu.device;
        self.0.blocks[block].fill_vector(device, role, &numbers);
        self.check()
    }

    fn takes_head(&self) -> bool {
        self.0.vocabulary_lack().is_none()
    }

    fn head(&mut self, first_row: usize, rows: &Tensor) -> Result<(), EngineError> {
        let Ok(head) = self.0.head() else {
            return Ok(());
        };
        match head.fill(&self.0.gpu, first_row, rows) {
            Err(GpuError::Memory(_)) => {
                self.0.give_back_vocabulary();
                self.0.gpu.device.forgive();
                Ok(())
            }
            filled => Ok(filled?),
        }
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        self.check()?;
        Ok(Box::new(self.0))
    }
}

/// Four numbers at a time is how every kernel reads.
fn check_widths(shape: &ModelShape) -> Result<(), GpuError> {
    let blocks = shape.blocks.iter().flat_map(|block| {
        [("intermediate_size", block.mlp.width), ("head width", block.attention.head_width)]
    });
    let mut widths = std::iter::once(("hidden_size", shape.width)).chain(blocks);
    match widths.find(|(_, width)| width % 4 != 0) {
        None => Ok(()),
        Some((what, found)) => Err(GpuError::Width { what, found }),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use super::*;
    use crate::model::ModelFiles;

    /// A model of the goldens that travels with the project, its blocks' weights not loaded.
    pub fn backend(model: &str, dtype: Option<DType>) -> WebGpuBackend {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models");
        let files = ModelFiles::open(&folder.join(model)).expect("it travels with the project");
        let weights = Rc::new(Weights::open(&files).expect("weights"));
        let adapter = AdapterChoice { strict: true, ..AdapterChoice::default() };
        pollster::block_on(reserve(weights, &adapter, dtype))
            .expect("tests need an adapter: install Mesa's lavapipe")
    }

    #[test]
    fn memory_that_runs_out_while_the_head_is_uploaded_leaves_a_model_without_it() {
        let mut loader = WebGpuLoader(backend("random-llama2", None));
        assert!(loader.takes_head());
        let weights = loader.0.weights.clone();
        let rows = weights.rows(weights.head(), 0..4).expect("rows");

        loader.0.gpu.device.report(GpuError::Memory("a test".into()));
        loader.head(0, &rows).expect("the model runs without its head");
        loader.head(4, &rows).expect("what comes later is not taken");

        let backend = Box::new(loader).finish().expect("a backend");
        assert_eq!(backend.vocabulary_lack(), Some(weights.head().bytes_in(None)));
    }

    #[test]
    fn a_number_past_half_precision_is_refused_with_its_matrix() {
        let mut loader = WebGpuLoader(backend("random-llama2", Some(DType::F16)));
        let [rows, columns] = loader.0.blocks[1].shape.matrix(MatrixRole::Out, loader.0.gpu.width);
        let mut numbers = vec![0.5f32; rows * columns];
        numbers[7] = 131_072.0;
        let tensor = Tensor {
            dtype: DType::F32,
            rows,
            columns,
            bytes: Cow::Borrowed(bytemuck::cast_slice(&numbers)),
        };
        let refused = loader.matrix(1, MatrixRole::Out, 0, &tensor);
        let sentence = refused.expect_err("f16 ends at 65504").to_string();
        let expected = "the matrix Out of block 1 holds 131072, which is past f16";
        assert!(sentence.starts_with(expected), "{sentence}");
    }
}
