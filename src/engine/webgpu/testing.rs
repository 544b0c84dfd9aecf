//! What the kernels' tests share.

use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::readback::Staging;
use super::recorder::{Recorder, Shared};

pub struct Gpu {
    pub device: Device,
    pub shared: Shared,
    staging: Staging,
}

impl Gpu {
    pub fn new() -> Self {
        let device = super::device::tests::device();
        Self {
            shared: Shared::new(&device),
            device,
            staging: Staging::default(),
        }
    }

    pub fn zeros(&self, numbers: usize) -> wgpu::Buffer {
        self.device.buffer("zeros", numbers as u64 * 4, STORAGE)
    }

    /// Records, submits, and reads the first numbers of `out`.
    pub fn run(
        &mut self,
        out: &wgpu::Buffer,
        numbers: usize,
        record: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Vec<f32> {
        let mut recorder = Recorder::new(&self.device, &self.shared);
        record(&mut recorder).expect("calls that are valid");
        self.staging
            .read(&mut recorder, out, 0, numbers, "a test")
            .expect("numbers")
    }

    pub fn read(&mut self, out: &wgpu::Buffer, numbers: usize) -> Vec<f32> {
        self.run(out, numbers, |_| Ok(()))
    }
}

/// Numbers in -1..1, the same for a seed.
pub fn noise(n: usize, seed: u32) -> Vec<f32> {
    let mut noise = rand_mt::Mt::new(seed);
    let mut next = || noise.next_u32() as f32 / u32::MAX as f32 * 2.0 - 1.0;
    (0..n).map(|_| next()).collect()
}

/// Largest difference, relative to the largest number expected.
pub fn worst(found: &[f32], expected: &[f32]) -> f32 {
    assert_eq!(found.len(), expected.len());
    let largest = expected.iter().fold(1e-9f32, |max, x| max.max(x.abs()));
    let off = found.iter().zip(expected).map(|(a, b)| (a - b).abs());
    off.fold(0.0, f32::max) / largest
}

/// A config with these heads, for kernels that ask for nothing else of it.
pub fn config(
    heads: usize,
    kv_heads: usize,
    head_width: usize,
    window: &str,
) -> crate::model::ModelConfig {
    let width = heads * head_width;
    crate::model::ModelConfig::from_json(&format!(
        r#"{{"model_type":"mistral","vocab_size":8,"hidden_size":{width},"intermediate_size":8,
        "num_hidden_layers":1,"num_attention_heads":{heads},"num_key_value_heads":{kv_heads},
        "max_position_embeddings":64,"rms_norm_eps":1e-5,"sliding_window":{window}}}"#
    ))
    .expect("a config")
}
