//! A device's description of itself, and how far its kernels are from their reference implementations.
//! The page and the command line show the same facts.

use serde::{Deserialize, Serialize};

/// A kernel compared with its reference implementation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KernelTrial {
    /// `"rope"`, `"matmul of q4_0"`.
    pub kernel: String,
    /// Outputs compared.
    pub trials: usize,
    /// The largest difference, relative to the output's largest number; `None` where there is no number
    /// to compare: `said` gives the reason.
    pub off: Option<f32>,
    /// The largest difference that counts as right.
    pub most: f32,
    pub is_right: bool,
    /// The reason, where the device gave no numbers to compare.
    pub said: Option<String>,
}

/// The reason for a kernel that wrote numbers that are not finite, or too few.
const NO_NUMBERS: &str = "it wrote what is no number, or too few";

impl KernelTrial {
    /// Nothing compared yet.
    pub fn new(kernel: &str) -> Self {
        Self {
            kernel: kernel.to_string(),
            trials: 0,
            off: Some(0.0),
            most: 0.0,
            is_right: true,
            said: None,
        }
    }

    /// One more output: how far it is off, and by how much it may be.
    pub fn add(&mut self, off: f32, most: f32) {
        self.trials += 1;
        self.most = self.most.max(most);
        self.is_right &= off <= most;
        // JSON has no word for what is no number.
        if !off.is_finite() {
            self.fail(NO_NUMBERS.into());
        } else if let Some(largest) = &mut self.off {
            *largest = largest.max(off);
        }
    }

    /// There are no numbers.
    pub fn fail(&mut self, said: String) {
        self.is_right = false;
        self.off = None;
        self.said.get_or_insert(said);
    }
}

impl KernelTrial {
    /// Why there is nothing to compare, where the device failed: that says nothing of the kernel.
    pub fn failure(&self) -> Option<&str> {
        let said = self.said.as_deref().filter(|_| self.off.is_none());
        said.filter(|said| *said != NO_NUMBERS)
    }
}

/// A GPU, or a program that does as if it were one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdapterFacts {
    pub name: String,
    /// `"Vulkan"`, `"Metal"`, `"DX12"`; `"WebGPU"` where a browser does not say what lies below.
    pub backend: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"processor"`, `"other"`.
    pub kind: String,
    /// It is the processor in disguise.
    pub is_software: bool,
    /// Name and version, as the driver says them; empty where it does not, as in a browser.
    pub driver: String,
    /// Shaders may compute in f16; the kernels do not need it.
    pub has_f16: bool,
    pub limits: AdapterLimits,
}

/// The limits that decide what fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdapterLimits {
    /// Bytes.
    pub buffer: u64,
    /// Bytes of a storage binding.
    pub binding: u64,
    pub storage_buffers: u32,
    /// Threads of a workgroup.
    pub workgroup_threads: u32,
    pub workgroup_size: [u32; 3],
    /// Bytes that a workgroup shares.
    pub workgroup_bytes: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_as_right_as_its_worst_output() {
        let mut trial = KernelTrial::new("rope");
        trial.add(1e-6, 1e-5);
        assert!(trial.is_right);
        trial.add(1e-3, 1e-5);
        trial.add(1e-7, 1e-5);
        assert_eq!((trial.trials, trial.off), (3, Some(1e-3)));
        assert!(!trial.is_right);
    }

    #[test]
    fn what_is_no_number_is_wrong_and_said() {
        for off in [f32::NAN, f32::INFINITY] {
            let mut trial = KernelTrial::new("rope");
            trial.add(off, 1e-5);
            trial.add(0.0, 1e-5);
            assert_eq!((trial.off, trial.is_right), (None, false));
            let line = serde_json::to_string(&trial).expect("JSON");
            let read: KernelTrial = serde_json::from_str(&line).expect("the same");
            assert_eq!(read, trial);
        }
    }
}
