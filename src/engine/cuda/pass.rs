//! One pack of sequences: its streams, what is kept of them, what is given back.

use std::rc::Rc;

use candle_core::{DType, Result, Tensor};

use super::block::Members;
use super::rope::RopeTables;
use super::vocabulary::vocabulary;
use super::{CandleBackend, norm};
use crate::engine::EngineError;
use crate::engine::backend::{OptionRows, Output, Pass, ReadStreams, Start, VocabularyRows};
use crate::engine::schedule::pack::Pack;
use crate::engine::schedule::program::Program;

/// Logits computed at once where only a few numbers of each row are read: bounds the `[R, V]` tensor.
const LOGITS: usize = 1 << 25;

pub struct CandlePass<'a> {
    backend: &'a CandleBackend,
    pack: Rc<Pack>,
    program: Rc<Program>,
    tables: RopeTables,
    /// The row of each sequence's last token. `[P]`
    last: Tensor,
    /// By slot: `[N, D]`.
    streams: Vec<Option<Tensor>>,
    /// `[kept rows, D]`; `None`: nothing is kept.
    kept: Option<Tensor>,
    /// The outputs in the order in which they were asked for, each with a name for people.
    given: Vec<(&'static str, Tensor)>,
}

impl<'a> CandlePass<'a> {
    pub fn new(backend: &'a CandleBackend, start: Start) -> Result<Self> {
        let device = &backend.device;
        let rows = start.pack.rows;
        let width = start.embedded.len() / rows.max(1);
        let mut streams = vec![None; start.program.slots.max(1)];
        streams[0] = Some(Tensor::from_vec(start.embedded, (rows, width), device)?);
        let kept = match start.kept_rows {
            0 => None,
            kept => Some(Tensor::zeros((kept, width), DType::F32, device)?),
        };
        Ok(Self {
            tables: RopeTables::new(&start.pack, device)?,
            last: Tensor::new(start.pack.last_rows(), device)?,
            backend,
            pack: start.pack,
            program: start.program,
            streams,
            kept,
            given: Vec::new(),
        })
    }

    /// `[N, D]`
    fn stream(&self, slot: usize) -> Result<&Tensor> {
        let empty = || candle_core::Error::msg(format!("no stream lies in slot {slot}"));
        self.streams.get(slot).and_then(Option::as_ref).ok_or_else(empty)
    }

    /// Rows of a stream: `[rows, D]`.
    fn rows(&self, slot: usize, rows: &[u32]) -> Result<Tensor> {
        let rows = Tensor::new(rows, &self.backend.device)?; // [rows]
        self.stream(slot)?.index_select(&rows, 0)
    }

    /// `[kept rows, D]`
    fn kept(&self) -> Result<&Tensor> {
        self.kept.as_ref().ok_or_else(|| candle_core::Error::msg("no rows were kept"))
    }

    /// Sums of kept rows: `[S, D]`.
    fn sums(&self, sums: &[Vec<u32>]) -> Result<Tensor> {
        let kept = self.kept()?;
        let sums = sums.iter().map(|sum| {
            let rows = Tensor::new(sum.as_slice(), &self.backend.device)?; // [members]
            kept.index_select(&rows, 0)?.sum_keepdim(0) // [1, D]
        });
        Tensor::cat(&sums.collect::<Result<Vec<Tensor>>>()?, 0)
    }

    /// Block call `call`: every step's stream grows by its share of what the block's branches add.
    fn call(&mut self, call: usize) -> Result<()> {
        let program = self.program.clone();
        let call = &program.calls[call];
        let streams = call.steps.iter().map(|step| self.stream(step.slot_in));
        let streams = Tensor::cat(&streams.collect::<Result<Vec<&Tensor>>>()?, 0)?; // [C N, D]
        let block = &self.backend.blocks[call.run.index];
        let Members { attention, mlp } = block.run(&streams, call.run, &self.pack, &self.tables)?;
        let n = self.pack.rows;
        for (copy, step) in call.steps.iter().enumerate() {
            let base = if step.is_first { step.slot_in } else { step.slot_out };
            let mut stream = self.stream(base)?.clone(); // [N, D]
            for (member, branch) in [&attention, &mlp].into_iter().enumerate() {
                let Some(branch) = branch else { continue };
                let share = (branch.narrow(0, copy * n, n)? / step.share as f64)?; // [N, D]
                if let Some(kept) = step.kept {
                    let share = share.index_select(&self.last, 0)?; // [P, D]
                    self.kept()?.slice_set(&share, 0, kept[member])?;
                }
                stream = (stream + share)?;
            }
            self.streams[step.slot_out] = Some(stream);
        }
        // So that progress is of work done.
        self.backend.device.synchronize()
    }

    /// `[kept rows, K + 1]`
    fn votes(&self, options: &OptionRows) -> Result<Tensor> {
        let kept = self.kept()?; // [S P, D]
        let (rows, width) = kept.dims2()?;
        let (p, k) = (options.prompts, options.count);
        let device = &self.backend.device;
        let output = Tensor::from_slice(&options.numbers, (p, k, width), device)?; // [P, K, D]
        let by_prompt = kept
            .reshape((rows / p, p, width))? // [S, P, D]
            .transpose(0, 1)?
            .contiguous()?; // [P, S, D]
        let votes = by_prompt.matmul(&output.t()?)?; // [P, S, K]
        let votes = votes.transpose(0, 1)?.reshape((rows, k))?; // [S P, K]
        let spread = match options.is_centred {
            true => norm::mean_square(&norm::centred(kept)?)?, // [S P, 1]
            false => norm::mean_square(kept)?,                 // [S P, 1]
        };
        Tensor::cat(&[votes, spread], 1)
    }

    /// `[streams, numbers]`, one behind the other.
    fn vocabulary(&self, rows: &VocabularyRows) -> EngineResult<Tensor> {
        let streams = match &rows.streams {
            ReadStreams::Rows { slot, rows } => self.rows(*slot, rows)?, // [S, D]
            ReadStreams::Sums { sums, .. } => self.sums(sums)?,          // [S, D]
        };

        let (head, device) = (&self.backend.head, &self.backend.device);
        let mut numbers = Vec::new();
        for part in rows.parts((LOGITS / head.vocabulary().max(1)).max(1)) {
            let read: Vec<u32> = part.read.iter().map(|&stream| stream as u32).collect();
            let read = streams.index_select(&Tensor::new(read, device)?, 0)?; // [read, D]
            let logits = match &rows.streams {
                ReadStreams::Sums { is_held: true, .. } => {
                    head.held_logits(&read, &part.references)?
                }
                _ => head.logits(&read)?,
            }; // [read, V]
            numbers.extend(vocabulary(&logits.to_vec2::<f32>()?, &part, rows));
        }
        let count = numbers.len();
        Ok(Tensor::from_vec(numbers, count, device)?)
    }
}

type EngineResult<T> = std::result::Result<T, EngineError>;

impl Pass for CandlePass<'_> {
    fn run(&mut self, call: usize) -> EngineResult<()> {
        Ok(self.call(call)?)
    }

    fn keep(&mut self, slot: usize, rows: &[u32], at: usize) -> EngineResult<()> {
        Ok(self.kept()?.slice_set(&self.rows(slot, rows)?, 0, at)?)
    }

    fn put(&mut self, numbers: &[f32], first: usize) -> EngineResult<()> {
        let width = self.backend.head.width();
        let shape = (numbers.len() / width, width);
        let rows = Tensor::from_slice(numbers, shape, &self.backend.device)?; // [rows, D]
        Ok(self.kept()?.slice_set(&rows, 0, first)?)
    }

    fn give(&mut self, output: Output) -> EngineResult<()> {
        let (head, device) = (&self.backend.head, &self.backend.device);
        let numbers = match output {
            Output::Stream(slot) => self.stream(slot)?.clone(), // [N, D]
            Output::Kept(rows) => self.kept()?.index_select(&Tensor::new(rows, device)?, 0)?, // [rows, D]
            Output::Votes(options) => self.votes(options)?, // [kept rows, K + 1]
            Output::Logits { slot, rows } => head.logits(&self.rows(slot, rows)?)?, // [rows, V]
            Output::Vocabulary(rows) => self.vocabulary(rows)?,
            Output::Attention { call, rows } => {
                let call = &self.program.calls[call];
                let (start, length) = self.pack.spans[rows.sequence];
                let stream = self.stream(call.steps[rows.step].slot_in)?;
                let stream = stream.narrow(0, start, length)?; // [T, D]
                let block = &self.backend.blocks[call.run.index];
                block.looks(&stream, rows, call.run.heads_off, &self.tables)?
            }
        };
        self.given.push((output.name(), numbers));
        Ok(())
    }

    fn answer(&mut self) -> EngineResult<Option<Vec<Vec<f32>>>> {
        let mut outputs = Vec::with_capacity(self.given.len());
        for (what, tensor) in self.given.drain(..) {
            let numbers = tensor.flatten_all()?.to_vec1::<f32>()?;
            if !numbers.iter().all(|x| x.is_finite()) {
                let at = what.to_string();
                return Err(EngineError::NotFinite { at });
            }
            outputs.push(numbers);
        }
        Ok(Some(outputs))
    }
}
