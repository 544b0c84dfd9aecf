//! The processor: what it calls itself, and which instruction set the kernels take of it.

use atelier_kernels::matmul::Isa;
use serde::{Deserialize, Serialize};

use crate::engine::cpu::check;
use crate::engine::trial::KernelTrial;
use crate::model::DType;

/// This machine's processor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessorFacts {
    /// As it calls itself; `None` where it does not say.
    pub name: Option<String>,
    pub architecture: String,
    /// Logical processors that the system shows to this program, where it does.
    pub processors: Option<usize>,
    /// That the engine runs on.
    pub threads: usize,
    /// That the kernels take: the best of [`Self::instruction_sets`].
    pub instruction_set: String,
    /// That the kernels have, of those that the processor has.
    pub instruction_sets: Vec<String>,
}

/// Looks at this machine.
pub fn processor() -> ProcessorFacts {
    let sets = Isa::available();
    ProcessorFacts {
        name: name(),
        architecture: std::env::consts::ARCH.to_string(),
        processors: std::thread::available_parallelism().ok().map(usize::from),
        threads: rayon::current_num_threads(),
        instruction_set: Isa::best().name().to_string(),
        instruction_sets: sets.iter().map(|set| set.name().to_string()).collect(),
    }
}

/// How often [`kernels`] asks whether it is to go on.
pub const ROUNDS: usize = DType::PLAIN.len() + DType::BLOCKS.len();

/// The product of a dtype against the plain sum in f64: one result a dtype. `goes_on` hears, before each,
/// what was found so far and what comes next, and says whether to go on.
pub async fn kernels(
    mut goes_on: impl AsyncFnMut(&[KernelTrial], &str) -> bool,
) -> Vec<KernelTrial> {
    let mut found = Vec::new();
    for dtype in DType::PLAIN.into_iter().chain(DType::BLOCKS) {
        if !goes_on(&found, &format!("matmul of {}", dtype.name())).await {
            break;
        }
        found.push(check::matmul(dtype));
    }
    found
}

#[cfg(target_arch = "x86_64")]
fn name() -> Option<String> {
    use std::arch::x86_64::__cpuid;
    const BRAND: u32 = 0x8000_0002;
    if __cpuid(0x8000_0000).eax < BRAND + 2 {
        return None;
    }
    let words = (BRAND..BRAND + 3).flat_map(|leaf| {
        let found = __cpuid(leaf);
        [found.eax, found.ebx, found.ecx, found.edx]
    });
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    clean(&String::from_utf8_lossy(&bytes))
}

/// No browser says it to a page.
#[cfg(target_arch = "wasm32")]
fn name() -> Option<String> {
    None
}

/// Linux says it of some processors in a file; others say nothing.
#[cfg(not(any(target_arch = "x86_64", target_arch = "wasm32")))]
fn name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    clean(line.split_once(':')?.1)
}

/// Without the blanks and zeros that fill it up.
#[cfg(any(test, not(target_arch = "wasm32")))]
fn clean(name: &str) -> Option<String> {
    let words: Vec<&str> = name
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect();
    Some(words.join(" ")).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_without_what_fills_it_up() {
        let name = clean("  Some(R)  Processor \t 3.1 GHz\0\0\0");
        assert_eq!(name.as_deref(), Some("Some(R) Processor 3.1 GHz"));
        assert_eq!(clean("\0\0 \0"), None);
    }

    #[test]
    fn the_kernels_take_the_best_set_that_is_there() {
        let found = processor();
        assert_eq!(found.instruction_sets.first(), Some(&found.instruction_set));
        assert!(found.threads > 0);
    }
}
