//! A model's blocks and read-out on this processor, and the memory that its passes share.

use std::cell::RefCell;
use std::rc::Rc;

use super::block::{Block, Inside};
use super::cache::CpuCache;
use super::head::Head;
use super::pass::CpuPass;
use super::tangent::CpuTangents;
use crate::engine::backend::{Backend, KvCache, Limits, Pass, Start};
use crate::engine::schedule::Schedule;
use crate::engine::schedule::pack::Pack;
use crate::engine::{EngineError, TangentPoint, Tangents};
use crate::model::{DType, names};

/// Bytes that waiting streams may take, and as many again the insides of a block that is run.
const BYTES: u64 = if cfg!(target_arch = "wasm32") { 192 << 20 } else { 1 << 30 };

/// More rows in a call gain nothing.
const MOST_CALL_ROWS: usize = 8192;

pub struct CpuBackend {
    /// D
    pub(super) width: usize,
    dtypes: Vec<DType>,
    pub(super) blocks: Vec<Block>,
    pub(super) head: Head,
    /// Rows of whole sequences that go through a block together (at least one sequence).
    pub(super) call_rows: usize,
    /// Left by the last pass for the next.
    pub(super) memory: RefCell<PassMemory>,
}

/// The buffers of a pass, which the next pass uses again.
#[derive(Default)]
pub struct PassMemory {
    /// [slots, N, D]
    pub streams: Vec<f32>,
    /// [kept rows, D]
    pub kept: Vec<f32>,
    pub inside: Inside,
}

impl CpuBackend {
    pub fn new(width: usize, dtypes: Vec<DType>, blocks: Vec<Block>, head: Head) -> Self {
        let inside = blocks.iter().map(Block::inside_width).max().unwrap_or(1);
        let call_rows = (BYTES / (inside * size_of::<f32>()) as u64) as usize;
        Self {
            width,
            dtypes,
            blocks,
            head,
            call_rows: call_rows.clamp(1, MOST_CALL_ROWS),
            memory: RefCell::default(),
        }
    }
}

impl Backend for CpuBackend {
    fn describe(&self) -> String {
        format!("CPU ({})", names(self.dtypes.iter().copied()))
    }

    fn is_on_processor(&self) -> bool {
        true
    }

    fn limits(&self) -> Limits {
        Limits {
            bytes: BYTES,
            call_rows: self.call_rows,
            // A longer pack goes through a block in parts.
            pack_rows: usize::MAX,
        }
    }

    fn begin<'a>(&'a self, start: Start) -> Result<Box<dyn Pass + 'a>, EngineError> {
        Ok(Box::new(CpuPass::new(self, start, None)))
    }

    fn tangents<'a>(
        &'a self,
        point: TangentPoint,
        pack: Rc<Pack>,
    ) -> Result<Box<dyn Tangents + 'a>, EngineError> {
        Ok(Box::new(CpuTangents::new(self, point, &pack)?))
    }

    fn cache<'a>(
        &'a self,
        schedule: &Schedule,
        sequences: usize,
    ) -> Option<Box<dyn KvCache<'a> + 'a>> {
        Some(Box::new(CpuCache::new(self, schedule, sequences)))
    }
}
