//! Puts a model into an engine, part by part, so that no more than one part of its weights is ever
//! in this program's own memory at once.

use web_sys::Blob;

use super::{Desk, Stop, failed, read, stop};
use crate::app::protocol::{EngineWish, Stage, Tell};
use crate::engine::EngineChoice;
use crate::engine::webgpu::AdapterChoice;
use crate::model::{Checkpoint, Header, ModelConfig, ModelFiles, Parts, Tokenizer};
use crate::study::LoadedModel;

/// The model in the engine the reader wishes, or on the processor; then also why, in a sentence.
pub async fn open(
    desk: &Desk,
    id: u32,
    files: &ModelFiles<Blob>,
    wish: EngineWish,
) -> Result<(LoadedModel, String), Stop> {
    let mut notice = String::new();
    if wish != EngineWish::Cpu {
        let adapter = AdapterChoice {
            no_software: wish == EngineWish::Auto,
            self_test: true,
            ..AdapterChoice::default()
        };
        let gpu = EngineChoice::WebGpu {
            adapter,
            format: None,
        };
        match put(desk, id, files, &gpu).await {
            Ok(model) => return Ok((model, notice)),
            Err(Stop::Gpu { reason, .. }) => {
                notice = format!("The model runs on the processor: {reason}.");
            }
            Err(other) => return Err(other),
        }
    }
    let model = put(desk, id, files, &EngineChoice::Cpu).await?;
    Ok((model, notice))
}

/// The model in this very engine.
pub async fn put(
    desk: &Desk,
    id: u32,
    files: &ModelFiles<Blob>,
    choice: &EngineChoice,
) -> Result<LoadedModel, Stop> {
    let config = String::from_utf8_lossy(&files.config);
    let config = ModelConfig::from_json(&config).map_err(failed)?;
    let tokenizer = files
        .tokenizer
        .as_ref()
        .map(|bytes| Tokenizer::from_json(bytes, &config))
        .transpose()
        .map_err(failed)?;
    let checkpoint = checkpoint(files).await?;
    let stored = checkpoint.stored();
    let line = format!(
        "{} will take about {}.",
        files.name,
        choice.memory(&config, stored)
    );
    let notice = String::new();
    desk.tell(id, Tell::Engine { line, notice });
    desk.listen(id).await?;
    let parts = Parts::new(&config, &checkpoint).map_err(failed)?;
    let mut loading = choice.begin(config, stored).await.map_err(stop)?;
    for n in 0..parts.len() {
        desk.listen(id).await?;
        desk.progress(id, Stage::Weights, n as f64, parts.len() as f64);
        let mut bytes = Vec::new();
        for slice in parts.slices(n) {
            let (name, file) = &files.weights[slice.file];
            bytes.push(read::slice(file, name, slice.range.clone()).await?);
        }
        let part = parts.read(n, &bytes).map_err(failed)?;
        loading.take(part).map_err(stop)?;
    }
    Ok(LoadedModel {
        name: files.name.clone(),
        tokenizer,
        engine: loading.finish().map_err(stop)?,
    })
}

/// Reads the headers, and nothing behind them.
async fn checkpoint(files: &ModelFiles<Blob>) -> Result<Checkpoint, Stop> {
    let mut read = Vec::with_capacity(files.weights.len());
    for (name, file) in &files.weights {
        let size = file.size() as u64;
        let first = read::slice(file, name, 0..size.min(8)).await?;
        let length = Header::length(&first, size);
        read.push((size, read::slice(file, name, 0..length).await?));
    }
    let headers = files.weights.iter().zip(&read);
    let headers = headers.map(|((file, _), (size, bytes))| Header {
        file,
        size: *size,
        bytes,
    });
    let headers: Vec<Header> = headers.collect();
    let index = files
        .index
        .as_ref()
        .map(|(name, bytes)| (name.as_str(), &bytes[..]));
    Checkpoint::from_headers(&headers, index).map_err(failed)
}
