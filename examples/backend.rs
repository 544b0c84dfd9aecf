//! A backend of one's own: what the executor asks of a device, and how a model is put on it.
//!
//! ```sh
//! cargo run --release --example backend -- public/models/scholar-4
//! ```
//!
//! This one counts: every call goes on to the processor's own backend, so that each trait can be read here
//! in full, and what comes out is right. In a device of one's own, [`Counting`] would hold the weights that
//! [`CountingLoader`] is given, slice by slice, and [`CountingPass`] would compute.

use std::cell::Cell;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;
use std::rc::Rc;

use atelier::engine::backend::{Backend, KvCache, Limits, Loader, Output, Pass, Start};
use atelier::engine::schedule::Schedule;
use atelier::engine::schedule::program::Program;
use atelier::engine::{EngineChoice, EngineError, Loading};
use atelier::model::weights::{MatrixRole, VectorRole, Weights};
use atelier::model::{ModelFiles, Prompt, Tensor};
use atelier::plan::Plan;

#[allow(dead_code)] // Its test calls `run`.
fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("give a model's folder")?;
    let counts = run(Path::new(&folder))?;
    println!(
        "{} bytes of matrices came in slices; {} packs, {} block calls, {} rows through blocks",
        counts.bytes.get(),
        counts.packs.get(),
        counts.calls.get(),
        counts.rows.get()
    );
    Ok(())
}

/// Counts of the device's work.
#[derive(Default)]
pub struct Counts {
    /// Bytes of the matrices that it got, as they are stored.
    pub bytes: Cell<usize>,
    /// Packs of sequences that were begun.
    pub packs: Cell<usize>,
    /// Block calls: equal next blocks of all plans and prompts are one call.
    pub calls: Cell<usize>,
    /// Rows `[D]` that went through blocks, every step of a call counted.
    pub rows: Cell<usize>,
}

fn add(to: &Cell<usize>, more: usize) {
    to.set(to.get() + more);
}

/// Runs the original order and the plan without the first block on one prompt.
pub fn run(folder: &Path) -> Result<Rc<Counts>, Box<dyn Error>> {
    let files = ModelFiles::open(folder)?;
    let weights = Rc::new(Weights::open(&files)?);
    let counts = Rc::new(Counts::default());
    let loader = CountingLoader {
        counts: counts.clone(),
        inner: pollster::block_on(EngineChoice::Cpu.loader(weights.clone()))?,
    };
    // The weights' way into the device: slices of rows, so that no one holds all of it twice.
    let mut loading = Loading::new(weights, Box::new(loader));
    while loading.step()?.is_some() {}
    let engine = loading.finish()?;

    let order = &engine.shape().order;
    let plans = [Plan::whole(order)?, Plan::parse("drop:0", order)?];
    let prompt = Prompt::from_ids(engine.shape(), vec![1, 5, 9], vec![17, 23])?;
    let traces = engine.run(&[prompt], &plans, &mut |_, _| ControlFlow::Continue(()))?;
    for (plan, traces) in plans.iter().zip(&traces) {
        for trace in traces {
            let sum: f32 = trace.member_logits.iter().map(|votes| votes[0]).sum();
            println!("{plan}: logit {:.4}, the votes' sum {sum:.4}", trace.logits[0]);
        }
    }
    Ok(counts)
}

/// Waits for the weights.
struct CountingLoader {
    counts: Rc<Counts>,
    inner: Box<dyn Loader>,
}

impl Loader for CountingLoader {
    fn matrix(
        &mut self,
        block: usize,
        role: MatrixRole,
        first_row: usize,
        rows: &Tensor,
    ) -> Result<(), EngineError> {
        add(&self.counts.bytes, rows.bytes.len());
        self.inner.matrix(block, role, first_row, rows)
    }

    fn vector(
        &mut self,
        block: usize,
        role: VectorRole,
        numbers: Vec<f32>,
    ) -> Result<(), EngineError> {
        self.inner.vector(block, role, numbers)
    }

    fn finish(self: Box<Self>) -> Result<Box<dyn Backend>, EngineError> {
        Ok(Box::new(Counting { counts: self.counts, inner: self.inner.finish()? }))
    }
}

/// The device, with the model on it.
struct Counting {
    counts: Rc<Counts>,
    inner: Box<dyn Backend>,
}

impl Backend for Counting {
    fn describe(&self) -> String {
        format!("{}, counted", self.inner.describe())
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn is_on_processor(&self) -> bool {
        self.inner.is_on_processor()
    }

    fn begin<'a>(&'a self, start: Start) -> Result<Box<dyn Pass + 'a>, EngineError> {
        add(&self.counts.packs, 1);
        Ok(Box::new(CountingPass {
            counts: &self.counts,
            pack_rows: start.pack.rows,
            program: start.program.clone(),
            inner: self.inner.begin(start)?,
        }))
    }

    /// A backend may leave this out: then texts are computed anew token by token.
    fn cache<'a>(
        &'a self,
        schedule: &Schedule,
        sequences: usize,
    ) -> Option<Box<dyn KvCache<'a> + 'a>> {
        self.inner.cache(schedule, sequences)
    }
}

/// One pack of sequences: N rows in every slot's stream.
struct CountingPass<'a> {
    counts: &'a Counts,
    /// N
    pack_rows: usize,
    program: Rc<Program>,
    inner: Box<dyn Pass + 'a>,
}

impl Pass for CountingPass<'_> {
    fn run(&mut self, call: usize) -> Result<(), EngineError> {
        add(&self.counts.calls, 1);
        let steps = self.program.calls[call].steps.len();
        add(&self.counts.rows, steps * self.pack_rows);
        self.inner.run(call)
    }

    fn keep(&mut self, slot: usize, rows: &[u32], at: usize) -> Result<(), EngineError> {
        self.inner.keep(slot, rows, at)
    }

    fn give(&mut self, output: Output) -> Result<(), EngineError> {
        self.inner.give(output)
    }

    fn put(&mut self, numbers: &[f32], first: usize) -> Result<(), EngineError> {
        self.inner.put(numbers, first)
    }

    fn is_crowded(&self) -> bool {
        self.inner.is_crowded()
    }

    fn finish(&mut self) -> Result<(), EngineError> {
        self.inner.finish()
    }

    fn answer(&mut self) -> Result<Option<Vec<Vec<f32>>>, EngineError> {
        self.inner.answer()
    }
}
