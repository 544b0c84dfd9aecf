//! Puts a model into an engine, slice by slice, so that no more than one slice of its weights is ever
//! in this program's own memory at once.

use std::rc::Rc;

use web_sys::Blob;

use super::source::BlobSource;
use super::{Desk, Stop, failed, stop_opening};
use crate::app::protocol::{EngineWish, Stage, Tell};
use crate::engine::EngineChoice;
use crate::engine::webgpu::AdapterChoice;
use crate::model::ModelFiles;
use crate::model::weights::Weights;
use crate::study::{LoadedModel, ModelWords};

/// The model in the engine the reader wishes, or on the processor; then also why, in a sentence.
/// `make_room` hears in which engine and how many bytes it will take, before it takes any, and says whether anything
/// went.
pub async fn open(
    desk: &Desk,
    id: u32,
    files: &ModelFiles<Blob>,
    wish: EngineWish,
    make_room: &mut dyn FnMut(&EngineChoice, u64) -> bool,
) -> Result<(LoadedModel, String), Stop> {
    // The headers are read once, whichever engine takes the model in the end.
    let weights = Rc::new(weights(files)?);
    let model = OpeningModel { desk, id, files, weights };
    let mut first = None;
    if wish != EngineWish::Cpu {
        let adapter = AdapterChoice {
            no_software: wish == EngineWish::Auto,
            self_test: true,
            ..AdapterChoice::default()
        };
        let gpu = EngineChoice::WebGpu { adapter, dtype: None };
        let mut opened = model.put(&gpu, make_room).await;
        // What is there of another model may be what the GPU lacks the memory for.
        if matches!(opened, Err(Stop::Gpu { may_pass: true, .. })) && make_room(&gpu, u64::MAX) {
            opened = model.put(&gpu, make_room).await;
        }
        match opened {
            Ok(model) => return Ok((model, String::new())),
            Err(Stop::Gpu { reason, .. }) => first = Some(reason),
            Err(other) => return Err(other),
        }
    }
    let model = model.put(&EngineChoice::Cpu, make_room).await;
    match first {
        None => Ok((model?, String::new())),
        Some(first) => {
            let model = model.map_err(|stop| stop.after(&first))?;
            Ok((model, format!("The model runs on the CPU: {first}.")))
        }
    }
}

/// The model on the processor, to hold another engine's numbers to: it is not what runs the model, and
/// nothing of it is told.
pub async fn reference(
    desk: &Desk,
    id: u32,
    files: &ModelFiles<Blob>,
) -> Result<LoadedModel, Stop> {
    let weights = Rc::new(weights(files)?);
    OpeningModel { desk, id, files, weights }.fill(&EngineChoice::Cpu).await
}

/// Bytes that the model takes on the processor.
pub fn reference_bytes(files: &ModelFiles<Blob>) -> Result<u64, Stop> {
    Ok(EngineChoice::Cpu.memory(&weights(files)?).total())
}

/// The model on the processor, in a worker that has nobody to tell of it and need not listen meanwhile.
pub async fn at_once(files: &ModelFiles<Blob>) -> Result<LoadedModel, Stop> {
    let weights = Rc::new(weights(files)?);
    let words = ModelWords::of(&weights, files.tokenizer.as_ref()).map_err(failed)?;
    let mut loading = EngineChoice::Cpu.begin(weights).await.map_err(stop_opening)?;
    while loading.step().map_err(stop_opening)?.is_some() {}
    let engine = loading.finish().map_err(stop_opening)?;
    Ok(LoadedModel::new(&files.name, words, engine))
}

/// A model that is on its way into an engine.
struct OpeningModel<'a> {
    desk: &'a Desk,
    /// The number of the request that wants it.
    id: u32,
    files: &'a ModelFiles<Blob>,
    weights: Rc<Weights>,
}

impl OpeningModel<'_> {
    /// Puts the model into this very engine, and says before how many bytes it will take.
    async fn put(
        &self,
        choice: &EngineChoice,
        make_room: &mut dyn FnMut(&EngineChoice, u64) -> bool,
    ) -> Result<LoadedModel, Stop> {
        let memory = choice.memory(&self.weights);
        let line = format!("{} will take about {memory}.", self.files.name);
        let notice = String::new();
        self.desk.tell(self.id, Tell::Engine { line, notice });
        self.desk.listen(self.id).await?;
        make_room(choice, memory.total());
        self.fill(choice).await
    }

    async fn fill(&self, choice: &EngineChoice) -> Result<LoadedModel, Stop> {
        let Self { desk, id, files, weights } = self;
        let loading = choice.begin(Rc::clone(weights)).await;
        let mut loading = loading.map_err(stop_opening)?;
        // Only now: where there is no GPU its engine has not begun, and the tokenizer takes as long as all headers.
        let words = ModelWords::of(weights, files.tokenizer.as_ref()).map_err(failed)?;
        desk.listen(*id).await?;
        while let Some((done, of)) = loading.step().map_err(stop_opening)? {
            desk.progress(*id, Stage::Weights, done as f64, of as f64);
            desk.turn(*id, false).await?;
        }
        // What a GPU has to say of the last weights, it says between two of this program's turns.
        desk.listen(*id).await?;
        let engine = loading.finish().map_err(stop_opening)?;
        Ok(LoadedModel::new(&files.name, words, engine))
    }
}

/// Reads the headers, and nothing behind them.
fn weights(files: &ModelFiles<Blob>) -> Result<Weights, Stop> {
    let sizes: Vec<u64> = files.weights.iter().map(|(_, file)| file.size() as u64).collect();
    let source = Rc::new(BlobSource::new(&files.weights));
    Weights::from_source(files, &sizes, source).map_err(failed)
}
