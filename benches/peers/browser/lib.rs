//! atelier's CPU engine as a page calls it, to be timed beside onnxruntime-web.

#![cfg(target_arch = "wasm32")]

use std::ops::ControlFlow;

use atelier::engine::{Engine, EngineChoice};
use atelier::model::{Bytes, Checkpoint, ModelConfig, ModelFiles, Prompt, Weights};
use atelier::plan::Plan;
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
        let files = vec![
            ("config.json".to_string(), Bytes::Owned(config)),
            ("model.safetensors".to_string(), Bytes::Owned(weights)),
        ];
        let open = || -> Result<Self, Box<dyn std::error::Error>> {
            let files = ModelFiles::from_named("peer", files)?;
            let config = ModelConfig::from_json(&String::from_utf8_lossy(&files.config))?;
            let checkpoint = Checkpoint::open(&files)?;
            let weights = Weights::load(&config, &checkpoint, &mut |_, _| ())?;
            let plan = [Plan::whole(&config.order)?];
            let engine = EngineChoice::Cpu.open(config, weights)?;
            Ok(Self { engine, plan })
        };
        open().map_err(|error| error.to_string())
    }

    pub fn describe(&self) -> String {
        self.engine.describe()
    }

    /// One pass over prompts of `length` tokens each, members recorded: each prompt's logits for
    /// the `options`, prompt by prompt.
    pub fn run(&self, ids: &[u32], length: usize, options: &[u32]) -> Result<Vec<f32>, String> {
        let prompt = |ids: &[u32]| Prompt {
            token_ids: ids.to_vec(),
            option_ids: options.to_vec(),
        };
        let prompts: Vec<Prompt> = ids.chunks_exact(length).map(prompt).collect();
        let go_on = &mut |_, _| ControlFlow::Continue(());
        let traces = self.engine.run(&prompts, &self.plan, go_on);
        let traces = traces.map_err(|error| error.to_string())?;
        Ok(traces[0]
            .iter()
            .flat_map(|trace| trace.logits.clone())
            .collect())
    }
}
