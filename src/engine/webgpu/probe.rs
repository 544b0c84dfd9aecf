//! Shared parts of the kernels' checks: a device, numbers to try, and how far two answers lie apart.

pub use atelier_kernels::sample::noise;
use atelier_kernels::sample::{distance, worse};

use super::device::{Device, STORAGE};
use super::error::GpuError;
use super::readback::{PendingRead, Staging};
use super::recorder::{Bindings, Recorder};
use super::tables::Tables;
use crate::engine::trial::KernelTrial;
use crate::model::DType;
use crate::model::shape::{AttentionShape, QkNorm, RopeShape};

/// A device that kernels are tried on.
pub struct Probe<'a> {
    pub device: &'a Device,
    /// Every shape and type, as tests want it, or those that one start-up has time for.
    pub is_thorough: bool,
    /// The block dtypes (quantised formats) that are tried.
    pub dtypes: &'a [DType],
    /// Small where cut dispatches are tried.
    pub bindings: Bindings,
    trials: Vec<Trial>,
}

impl<'a> Probe<'a> {
    pub fn new(device: &'a Device, is_thorough: bool) -> Self {
        Self {
            bindings: Bindings::new(device),
            device,
            is_thorough,
            dtypes: &DType::BLOCKS,
            trials: Vec::new(),
        }
    }

    /// All of `shapes`, or as many of the first as one start-up has time for.
    pub fn some<'b, T>(&self, shapes: &'b [T], few: usize) -> &'b [T] {
        if self.is_thorough { shapes } else { &shapes[..few] }
    }

    pub fn storage<T: bytemuck::NoUninit>(&self, label: &str, content: &[T]) -> wgpu::Buffer {
        self.device.storage(label, content)
    }

    pub fn zeros(&self, numbers: usize) -> wgpu::Buffer {
        self.device.buffer("zeros", numbers as u64 * 4, STORAGE)
    }

    /// Tables of a pack of N rows: streams, steps and tokens as given, room for kept rows.
    pub fn tables(
        &self,
        rows: usize,
        streams: &[f32],
        steps: &[[u32; 8]],
        tokens: &[u32],
        kept: usize,
    ) -> Tables {
        Tables {
            rows,
            streams: self.storage("streams", streams),
            kept: self.zeros(kept),
            kept_rows: 0,
            steps: self.storage("steps", steps.as_flattened()),
            tokens: self.storage("tokens", tokens),
            angles: self.zeros(4),
            tiles: std::collections::HashMap::new(),
        }
    }

    /// Runs a kernel that is to write `expected`, to `most` of its largest number, to `out`.
    /// [`Self::settle`] says whether it did.
    pub fn expect(
        &mut self,
        kernel: &'static str,
        out: &wgpu::Buffer,
        expected: &[f32],
        most: f32,
        record: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        self.expect_columns(kernel, out, (expected, 1), most, record)
    }

    /// Runs a kernel that is to write rows of so many `columns`, each to `most` of its own largest number:
    /// token ids in one column hide nothing in another.
    pub fn expect_columns(
        &mut self,
        kernel: &'static str,
        out: &wgpu::Buffer,
        (expected, columns): (&[f32], usize),
        most: f32,
        record: impl FnOnce(&mut Recorder) -> Result<(), GpuError>,
    ) -> Result<(), GpuError> {
        let mut recorder = Recorder::new(self.device, &self.bindings);
        record(&mut recorder)?;
        let parts = vec![(expected.len(), "a kernel's check")];
        let pending = Staging::default().begin(&mut recorder, out, parts)?;
        let expected = expected.to_vec();
        self.trials.push(Trial { kernel, pending, expected, columns, most });
        Ok(())
    }

    /// Waits for every kernel run so far.
    ///
    /// # Errors
    /// The first that wrote something else than was expected.
    pub async fn settle(self) -> Result<(), GpuError> {
        for trial in self.trials {
            trial.pending.arrival(self.device).await?;
            let found = Staging::default().finish(self.device, trial.pending)?;
            let off = columns_distance(&found.concat(), &trial.expected, trial.columns);
            right(trial.kernel, off, trial.most)?;
        }
        Ok(())
    }

    /// Waits for every kernel run so far, and says of each how far it is off, added to what `found` says
    /// of it.
    pub async fn compare(self, found: &mut Vec<KernelTrial>) {
        for trial in self.trials {
            let at = found.iter().position(|of| of.kernel == trial.kernel);
            let at = at.unwrap_or_else(|| {
                found.push(KernelTrial::new(trial.kernel));
                found.len() - 1
            });
            let numbers = match trial.pending.arrival(self.device).await {
                Ok(()) => Staging::default().finish(self.device, trial.pending),
                Err(error) => Err(error),
            };
            match numbers {
                Ok(numbers) => {
                    let numbers = numbers.concat();
                    let off = columns_distance(&numbers, &trial.expected, trial.columns);
                    found[at].add(off, trial.most);
                }
                Err(error) => found[at].fail(error.to_string()),
            }
        }
    }
}

/// A kernel that was run, and what it should have written.
struct Trial {
    kernel: &'static str,
    pending: PendingRead,
    expected: Vec<f32>,
    columns: usize,
    most: f32,
}

/// Returns the largest [`distance`] of a column of rows; one column is the whole.
fn columns_distance(found: &[f32], expected: &[f32], columns: usize) -> f32 {
    let column = |numbers: &[f32], first: usize| -> Vec<f32> {
        numbers.iter().skip(first).step_by(columns).copied().collect()
    };
    let distances = (0..columns).map(|i| distance(&column(found, i), &column(expected, i)));
    distances.fold(0.0, worse)
}

/// # Errors
/// `found` differs from what the CPU computes by more than `most`, relative to its largest number.
#[cfg(test)]
pub fn agree(
    kernel: &'static str,
    found: &[f32],
    expected: &[f32],
    most: f32,
) -> Result<(), GpuError> {
    right(kernel, distance(found, expected), most)
}

fn right(kernel: &'static str, off: f32, most: f32) -> Result<(), GpuError> {
    if off <= most { Ok(()) } else { Err(GpuError::Wrong { kernel, off }) }
}

/// Attention with these heads and nothing else.
pub fn heads(
    heads: usize,
    kv_heads: usize,
    head_width: usize,
    window: Option<usize>,
) -> AttentionShape {
    AttentionShape {
        heads,
        kv_heads,
        head_width,
        window,
        qkv_bias: false,
        out_bias: false,
        qk_norm: QkNorm::None,
        rope: Some(RopeShape { width: head_width, theta: 10000.0, scaling: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::columns_distance;

    #[test]
    fn a_token_id_hides_no_wrong_entropy_beside_it() {
        let expected = [2.0, 332.0, 3.0, 5.0];
        let found = [2.003, 332.0, 3.0, 5.0];
        assert!(columns_distance(&found, &expected, 1) < 1e-5);
        assert!(columns_distance(&found, &expected, 2) > 9e-4);
        assert!(columns_distance(&[f32::NAN; 4], &expected, 2).is_nan());
        assert_eq!(columns_distance(&found[..3], &expected, 2), f32::INFINITY);
    }
}
