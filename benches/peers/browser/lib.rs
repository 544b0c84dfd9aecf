//! atelier's engines as a page calls them, to be timed beside onnxruntime-web.

#![cfg(target_arch = "wasm32")]

use std::sync::Arc;

use atelier::engine::webgpu::AdapterChoice;
use atelier::engine::{Capture, Engine, EngineChoice, EngineError, Trace};
use atelier::model::{Bytes, Checkpoint, ModelConfig, ModelError, ModelFiles, Parts, Prompt};
use atelier::plan::Plan;
use atelier::study::LoadedModel;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct Model {
    engine: Box<dyn Engine>,
    plan: [Plan; 1],
}

#[wasm_bindgen]
impl Model {
    /// From `config.json` and `model.safetensors`.
    #[wasm_bindgen(constructor)]
    pub fn new(config: Vec<u8>, weights: Vec<u8>) -> Result<Model, String> {
        let open = || -> Result<Self, Box<dyn std::error::Error>> {
            let files = files(config, weights)?;
            let model = LoadedModel::from_files(&files, &mut |_, _| ())?;
            let plan = [model.plan(None)?];
            let engine = model.engine;
            Ok(Self { engine, plan })
        };
        open().map_err(|error| error.to_string())
    }

    /// The same, on the GPU that the browser offers.
    pub async fn on_gpu(config: Vec<u8>, weights: Vec<u8>) -> Result<Model, String> {
        let open = async || -> Result<Self, Box<dyn std::error::Error>> {
            let files = files(config, weights)?;
            let config = ModelConfig::from_json(&String::from_utf8_lossy(&files.config))?;
            let plan = [Plan::whole(&config.order)?];
            let checkpoint = Checkpoint::open(&files)?;
            let parts = Parts::new(&config, &checkpoint)?;
            let choice = EngineChoice::WebGpu {
                adapter: AdapterChoice::default(),
                format: None,
            };
            let mut loading = choice.begin(config, checkpoint.stored()).await?;
            for n in 0..parts.len() {
                loading.take(parts.read(n, &files.bytes(parts.slices(n)))?)?;
            }
            let engine = loading.finish()?;
            Ok(Self { engine, plan })
        };
        open().await.map_err(|error| error.to_string())
    }

    pub fn describe(&self) -> String {
        self.engine.describe()
    }

    /// One pass over prompts of `length` tokens each, members recorded: each prompt's logits for
    /// the `options`, prompt by prompt.
    pub async fn run(
        &self,
        ids: Vec<u32>,
        length: usize,
        options: Vec<u32>,
    ) -> Result<Vec<f32>, String> {
        let prompt = |ids: &[u32]| Prompt {
            token_ids: ids.to_vec(),
            option_ids: options.clone(),
        };
        let prompts: Arc<[Prompt]> = ids.chunks_exact(length).map(prompt).collect();
        let plans = self.plan.to_vec().into();
        let run = async || -> Result<Vec<Vec<Trace>>, EngineError> {
            let mut run = self.engine.start(prompts, plans, Capture::Members)?;
            while run.advance()?.is_some() {
                if run.is_waiting() {
                    turn().await;
                }
            }
            run.finish()
        };
        let traces = run().await.map_err(|error| error.to_string())?;
        let logits = traces[0].iter().flat_map(|trace| trace.logits.clone());
        Ok(logits.collect())
    }
}

fn files(config: Vec<u8>, weights: Vec<u8>) -> Result<ModelFiles, ModelError> {
    let files = vec![
        ("config.json".to_string(), Bytes::Owned(config)),
        ("model.safetensors".to_string(), Bytes::Owned(weights)),
    ];
    ModelFiles::from_named("peer", files)
}

/// Lets the browser's event loop turn once, so that its GPU can answer.
async fn turn() {
    let promise = js_sys::Promise::new(&mut |resolve, _| {
        if let Some(window) = web_sys::window() {
            // A time-out of nothing always comes.
            let _ = window.set_timeout_with_callback(&resolve);
        }
    });
    let _ = wasm_bindgen_futures::JsFuture::from(promise).await;
}
