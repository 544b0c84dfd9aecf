//! Products with a block's Jacobians on this processor: rows of probes through the block's matrices and
//! the slopes of what stands between them, at values that are kept of the forward pass.

mod kept;
mod pull;
mod push;

use atelier_kernels::norm::Norm;
use atelier_kernels::sums::are_finite;
use rayon::prelude::*;

use self::kept::KeptPoint;
use super::backend::CpuBackend;
use super::block::Block;
use crate::engine::schedule::pack::Pack;
use crate::engine::tangent::{AskedProducts, ProbeRows, TokenPair};
use crate::engine::{EngineError, TangentPoint, TangentProduct, Tangents};
use crate::model::shape::{NormPlacement, Residual};
use crate::plan::{Half, HeadsOff};

/// Numbers of the widest rows that go through a block together.
const MOST_NUMBERS: usize = 1 << 23;

pub struct CpuTangents<'a> {
    function: Function<'a>,
    kept: KeptPoint,
    /// Which block, for people.
    number: usize,
    answer: Option<Vec<Vec<f32>>>,
}

/// A block as it is multiplied with.
#[derive(Clone, Copy)]
struct Function<'a> {
    block: &'a Block,
    half: Half,
    heads_off: HeadsOff,
}

impl<'a> CpuTangents<'a> {
    pub fn new(
        backend: &'a CpuBackend,
        point: TangentPoint,
        pack: &Pack,
    ) -> Result<Self, EngineError> {
        let function = Function {
            block: &backend.blocks[point.block],
            half: point.half,
            heads_off: point.heads_off,
        };
        let (stream, angles) = (&*point.stream, pack.angles(0).clone());
        Ok(Self {
            kept: in_pool(|| KeptPoint::new(function, stream, angles)),
            function,
            number: point.block,
            answer: None,
        })
    }
}

impl Tangents for CpuTangents<'_> {
    fn ask(&mut self, products: Vec<TangentProduct>) -> Result<(), EngineError> {
        assert!(self.answer.is_none(), "one question at a time");
        let (block, function) = (self.function.block, self.function);
        let (d, tokens) = (block.width, self.kept.tokens());
        let window = Some(block.heads.window);
        let asked = AskedProducts::sort(&products, d, tokens, window)?;
        let widest = block.up.outs().max(block.qkv.outs()).max(d);
        let rows = (MOST_NUMBERS / widest).max(1);
        let kept = &mut self.kept;
        let (forward, transposed) = in_pool(|| {
            kept.prepare(function, &asked);
            let each = |rows_of: &ProbeRows, transposed: bool| {
                let mut found = vec![0.0; rows_of.numbers.len()];
                let probes = rows_of.numbers.chunks(rows * d);
                let parts = rows_of.pairs.chunks(rows).zip(probes);
                for ((pairs, probes), found) in parts.zip(found.chunks_mut(rows * d)) {
                    match transposed {
                        false => function.push(kept, pairs, probes, found),
                        true => function.pull(kept, pairs, probes, found),
                    }
                }
                found
            };
            (each(&asked.forward, false), each(&asked.transposed, true))
        });
        if !are_finite(&forward) || !are_finite(&transposed) {
            let at = format!("a derivative of block {}", self.number);
            return Err(EngineError::NotFinite { at });
        }
        self.answer = Some(asked.outputs(&forward, &transposed));
        Ok(())
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        Ok(Some(self.answer.take().unwrap_or_default()))
    }
}

impl Function<'_> {
    /// Whether the MLP reads the stream with attention's member added.
    fn is_sequential(&self) -> bool {
        self.half.has_attention() && self.block.residual == Residual::Sequential
    }

    /// Whether norms stand after their branch.
    fn is_after(&self) -> bool {
        self.block.placement == NormPlacement::After
    }

    fn mlp_norm(&self) -> &Norm {
        let block = self.block;
        block.mlp_norm.as_ref().unwrap_or(&block.attention_norm)
    }

    /// How many of the rows the MLP has a part in: those of one token, which are the first, and where it
    /// reads what attention added all.
    fn mlp_rows(&self, pairs: &[TokenPair]) -> usize {
        match self.is_sequential() {
            true => pairs.len(),
            false => pairs.iter().take_while(|pair| pair.is_own()).count(),
        }
    }
}

/// The pool is entered once, as for a block: see [`Block::run`].
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

/// `to += from`
fn add(to: &mut [f32], from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += from);
}
