//! Products with a block's Jacobians on this processor.

mod device;
mod sequence;

use atelier_kernels::attention::tangent::TokenLook;
use atelier_kernels::sums::are_finite;
use rayon::prelude::*;

use self::device::CpuRows;
use self::sequence::PointSequence;
use super::backend::CpuBackend;
use crate::engine::branch::Branches;
use crate::engine::schedule::pack::Pack;
use crate::engine::tangent::{AskedProducts, Linearised, Places, linearise, multiply};
use crate::engine::{EngineError, TangentPoint, TangentProduct, Tangents};

/// Numbers of the widest rows that go through a block together.
const MOST_NUMBERS: usize = 1 << 23;

pub struct CpuTangents<'a> {
    sequence: PointSequence<'a>,
    branches: Branches,
    places: Places,
    kept: Linearised<Vec<f32>, Vec<TokenLook>>,
    /// Which block, for people.
    number: usize,
    answer: Option<Vec<Vec<f32>>>,
}

impl<'a> CpuTangents<'a> {
    pub fn new(
        backend: &'a CpuBackend,
        point: TangentPoint,
        pack: &Pack,
    ) -> Result<Self, EngineError> {
        let block = &backend.blocks[point.block];
        let branches = Branches::new(&block.shape, point.half);
        let angles = pack.angles(0).clone();
        let mut sequence = PointSequence::new(block, point.heads_off, &point.stream, angles);
        if let Some(branch) = branches.attention {
            in_pool(|| sequence.attend(branch));
        }
        Ok(Self {
            sequence,
            branches,
            places: Places::default(),
            kept: Linearised::default(),
            number: point.block,
            answer: None,
        })
    }
}

impl Tangents for CpuTangents<'_> {
    fn ask(&mut self, products: Vec<TangentProduct>) -> Result<(), EngineError> {
        assert!(self.answer.is_none(), "one question at a time");
        let block = self.sequence.block;
        let (d, shape) = (block.width, &block.shape);
        let window = Some(block.heads.window);
        let asked = AskedProducts::sort(&products, d, self.sequence.tokens(), window)?;
        let widest = shape.mlp.up_rows().max(shape.attention.qkv_width()).max(d);
        let most = (MOST_NUMBERS / widest).max(1);

        // Keeps what places need, then multiplies.
        let has_new = self.places.add(&asked);
        let probes = asked.probes();
        let mut rows = CpuRows {
            sequence: &self.sequence,
            places: &self.places.0,
            pairs: self.places.pairs(&asked),
            products: vec![0.0; probes.len()],
            probes,
        };
        let (kept, branches) = (&mut self.kept, self.branches);
        let Ok(()) = in_pool(|| {
            if has_new {
                *kept = linearise(&mut rows, branches)?;
            }
            multiply(&mut rows, kept, &asked, most)
        });
        let products = rows.products;
        if !are_finite(&products) {
            let at = format!("a derivative of block {}", self.number);
            return Err(EngineError::NotFinite { at });
        }
        let (forward, transposed) = products.split_at(asked.forward.numbers.len());
        self.answer = Some(asked.outputs(forward, transposed));
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        Ok(Some(self.answer.take().unwrap_or_default()))
    }
}

/// The pool is entered once, as for a block: see [`Block::run`](super::block::Block::run).
fn in_pool<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if cfg!(target_arch = "wasm32") {
        return work();
    }
    rayon::scope(|_| work())
}

/// Each row of `rows` [N, width], by all threads.
fn each_row(rows: &mut [f32], width: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
    let rows = rows.par_chunks_exact_mut(width.max(1)).enumerate();
    rows.for_each(|(n, row)| work(n, row));
}
