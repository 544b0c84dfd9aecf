//! atelier's engines as a page calls them, to be timed beside onnxruntime-web.

#![cfg(target_arch = "wasm32")]

use std::rc::Rc;
use std::sync::Arc;

use atelier::engine::webgpu::AdapterChoice;
use atelier::engine::{Capture, Engine, EngineChoice, EngineError, Trace};
use atelier::model::weights::Weights;
use atelier::model::{FileBytes, ModelError, ModelFiles, Prompt};
use atelier::plan::Plan;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
pub struct Model {
    engine: Engine,
    plan: [Plan; 1],
}

#[wasm_bindgen]
impl Model {
    /// Opens a model from `config.json` and `model.safetensors`, on the CPU.
    pub async fn on_cpu(config: Vec<u8>, weights: Vec<u8>) -> Result<Model, String> {
        Self::open(config, weights, EngineChoice::Cpu).await
    }

    /// Opens a model from `config.json` and `model.safetensors`, on the GPU that the browser offers.
    pub async fn on_gpu(config: Vec<u8>, weights: Vec<u8>) -> Result<Model, String> {
        let choice = EngineChoice::WebGpu { adapter: AdapterChoice::default(), dtype: None };
        Self::open(config, weights, choice).await
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
        let prompt = |ids: &[u32]| Prompt { token_ids: ids.to_vec(), option_ids: options.clone() };
        let prompts: Arc<[Prompt]> = ids.chunks_exact(length).map(prompt).collect();
        let plans = self.plan.to_vec().into();
        let run = async || -> Result<Vec<Vec<Trace>>, EngineError> {
            let mut run = self.engine.start(prompts, plans, Capture::default())?;
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

impl Model {
    async fn open(config: Vec<u8>, weights: Vec<u8>, choice: EngineChoice) -> Result<Self, String> {
        let open = async || -> Result<Self, Box<dyn std::error::Error>> {
            let weights = Rc::new(Weights::open(&files(config, weights)?)?);
            let plan = [Plan::whole(&weights.shape.order)?];
            let mut loading = choice.begin(weights).await?;
            while loading.step()?.is_some() {}
            let engine = loading.finish()?;
            Ok(Self { engine, plan })
        };
        open().await.map_err(|error| error.to_string())
    }
}

fn files(config: Vec<u8>, weights: Vec<u8>) -> Result<ModelFiles, ModelError> {
    let files = vec![
        ("config.json".to_string(), FileBytes::Owned(config)),
        ("model.safetensors".to_string(), FileBytes::Owned(weights)),
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
