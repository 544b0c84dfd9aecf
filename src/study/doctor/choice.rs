//! Which engine is taken where none is named, and why, in one sentence.

use super::{DeviceKernels, device_name};
use crate::engine::trial::AdapterFacts;

/// The command line takes the processor unless it is told otherwise; the page takes a real GPU whose
/// kernels are right.
pub fn sentence(adapters: &[AdapterFacts], kernels: &[DeviceKernels]) -> String {
    let page = if cfg!(not(feature = "webgpu")) {
        "what the page would take is unknown, for this atelier was built without WebGPU".to_string()
    } else {
        page(adapters, kernels)
    };
    let cuda = if cfg!(feature = "cuda") {
        " (atelier-cuda takes CUDA)"
    } else {
        ""
    };
    format!("The command line takes the CPU unless --engine names another{cuda}; {page}.")
}

fn page(adapters: &[AdapterFacts], kernels: &[DeviceKernels]) -> String {
    let state = |facts: &AdapterFacts| {
        let name = device_name(facts);
        let of = kernels.iter().find(|of| of.device == name);
        of.map(DeviceKernels::are_right)
    };
    let mut real = adapters
        .iter()
        .filter(|facts| !facts.is_software)
        .peekable();
    let processor = "the page takes the processor, because";
    if real.peek().is_none() {
        return match adapters.first() {
            None => format!("{processor} there is no GPU adapter"),
            Some(facts) => format!(
                "{processor} {} is only the processor in disguise",
                facts.name
            ),
        };
    }
    let mut reason = String::new();
    for facts in real {
        match state(facts) {
            Some(true) => {
                return format!(
                    "the page takes the GPU {} where its browser offers it, for it is no software adapter and its kernels are right",
                    facts.name
                );
            }
            Some(false) => reason = format!("{processor} kernels of {} are wrong", facts.name),
            None => {
                reason = format!(
                    "what the page takes depends on the kernels of {}, which were not tried",
                    facts.name
                );
            }
        }
    }
    reason
}

#[cfg(all(test, feature = "webgpu"))]
mod tests {
    use super::*;
    use crate::engine::trial::{AdapterLimits, KernelTrial};

    fn adapter(name: &str, is_software: bool) -> AdapterFacts {
        AdapterFacts {
            name: name.into(),
            backend: "Vulkan".into(),
            kind: "other".into(),
            is_software,
            driver: String::new(),
            has_f16: false,
            limits: AdapterLimits {
                buffer: 0,
                binding: 0,
                storage_buffers: 0,
                workgroup_threads: 0,
                workgroup_size: [0; 3],
                workgroup_bytes: 0,
            },
        }
    }

    fn kernels(facts: &AdapterFacts, are_right: bool) -> DeviceKernels {
        let mut trial = KernelTrial::new("rope");
        trial.add(if are_right { 0.0 } else { 1.0 }, 1e-5);
        DeviceKernels {
            device: device_name(facts),
            kernels: vec![trial],
        }
    }

    #[test]
    fn the_page_takes_a_real_gpu_that_computes_right_and_says_why_not_another() {
        let (real, soft) = (adapter("Real", false), adapter("Soft", true));
        let said =
            |adapters: &[AdapterFacts], kernels: &[DeviceKernels]| sentence(adapters, kernels);
        assert!(said(&[], &[]).contains("no GPU adapter"));
        let found = said(std::slice::from_ref(&soft), &[kernels(&soft, true)]);
        assert!(
            found.contains("Soft is only the processor in disguise"),
            "{found}"
        );
        let both = [soft, real.clone()];
        let found = said(&both, &[kernels(&real, true)]);
        assert!(found.contains("takes the GPU Real"), "{found}");
        let found = said(&both, &[kernels(&real, false)]);
        assert!(found.contains("kernels of Real are wrong"), "{found}");
        let found = said(&both, &[]);
        assert!(found.contains("were not tried"), "{found}");
    }
}
