//! Which engine is taken where none is named, and why, in one sentence: the command line's, and the page's
//! own.

use crate::engine::trial::{AdapterFacts, KernelTrial};

/// The outcome of trying an adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdapterTrial {
    /// All of its kernels are right.
    Right,
    /// These of its kernels are wrong, in words.
    Wrong(String),
    /// Its kernels were not tried, or not all.
    NotAll,
    /// Why it could not be opened.
    Unopened(String),
    /// Why kernels could not be tried once it was.
    Failed(String),
}

/// Wrong kernels that a sentence names.
const MOST_NAMED: usize = 3;

impl AdapterTrial {
    /// Sums up the trials of `kernels`, which are all kernels where `is_whole`.
    pub fn of(kernels: &[KernelTrial], is_whole: bool) -> Self {
        if let Some(why) = kernels.iter().find_map(KernelTrial::failure)
            && kernels.iter().all(|trial| trial.is_right || trial.failure().is_some())
        {
            return Self::Failed(why.to_string());
        }
        let wrong = |trial: &&KernelTrial| !trial.is_right && trial.failure().is_none();
        let wrong: Vec<&KernelTrial> = kernels.iter().filter(wrong).collect();
        match (wrong.is_empty(), is_whole && !kernels.is_empty()) {
            (false, _) => Self::Wrong(in_words(&wrong)),
            (true, true) => Self::Right,
            (true, false) => Self::NotAll,
        }
    }
}

/// `"rope, norm (it wrote what is no number, or too few) and 4 more"`.
fn in_words(wrong: &[&KernelTrial]) -> String {
    let names = wrong.iter().take(MOST_NAMED).map(|trial| match &trial.said {
        Some(said) => format!("{} ({said})", trial.kernel),
        None => trial.kernel.clone(),
    });
    let names = names.collect::<Vec<_>>().join(", ");
    match wrong.len().saturating_sub(MOST_NAMED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// The command line takes the processor unless it is told otherwise; the page takes a real GPU whose
/// kernels are right. What became of each adapter stands at its place.
pub fn on_command_line(adapters: &[AdapterFacts], trials: &[AdapterTrial]) -> String {
    let page = if cfg!(not(feature = "webgpu")) {
        "what the page would take is unknown, for this atelier was built without WebGPU".to_string()
    } else {
        seen_from_command_line(adapters, trials)
    };
    let cuda = if cfg!(feature = "cuda") { " (atelier-cuda takes CUDA)" } else { "" };
    format!("The command line takes the CPU unless --engine names another{cuda}; {page}.")
}

fn seen_from_command_line(adapters: &[AdapterFacts], trials: &[AdapterTrial]) -> String {
    let cpu = "the page takes the CPU, because";
    let real = adapters.iter().zip(trials);
    let mut real = real.filter(|(facts, _)| !facts.is_software).peekable();
    if real.peek().is_none() {
        return match adapters.first() {
            None => format!("{cpu} there is no GPU adapter"),
            Some(facts) => format!("{cpu} {} is only a software GPU", facts.name),
        };
    }
    let mut reason = String::new();
    for (facts, trial) in real {
        match trial {
            AdapterTrial::Right => {
                return format!(
                    "the page takes the GPU {} where its browser offers it, for it is no software adapter and its kernels are right",
                    facts.name
                );
            }
            AdapterTrial::Wrong(_) => {
                reason = format!("{cpu} kernels of {} are wrong", facts.name);
            }
            AdapterTrial::Failed(why) => {
                reason = format!(
                    "what the page takes depends on the kernels of {}, which could not all be tried ({why})",
                    facts.name
                );
            }
            AdapterTrial::NotAll | AdapterTrial::Unopened(_) => {
                reason = format!(
                    "what the page takes depends on the kernels of {}, which were not tried",
                    facts.name
                );
            }
        }
    }
    reason
}

/// Returns which engine the page takes in the browser that it runs in, which offers one adapter or none.
pub fn in_page(adapters: &[AdapterFacts], trials: &[AdapterTrial]) -> String {
    let cpu = "This page takes the CPU, because";
    let Some((facts, trial)) = adapters.iter().zip(trials).next() else {
        return format!(
            "{cpu} this browser offers no GPU adapter: it has no WebGPU, has it switched off, or finds no driver for it."
        );
    };
    let name = &facts.name;
    if facts.is_software {
        return format!(
            "{cpu} the only adapter that this browser offers, {name}, is a software GPU, which runs on the CPU."
        );
    }
    match trial {
        AdapterTrial::Right => format!(
            "This page takes the GPU {name} for every model that fits there, for it is no software adapter and all of its kernels are right."
        ),
        AdapterTrial::Wrong(kernels) => {
            format!("{cpu} kernels of {name} are wrong: {kernels}.")
        }
        AdapterTrial::NotAll => format!(
            "Which engine this page takes depends on the kernels of {name}, and not all of them were tried."
        ),
        AdapterTrial::Failed(why) => format!(
            "Which engine this page takes depends on the kernels of {name}, which could not all be tried: {why}."
        ),
        AdapterTrial::Unopened(why) => format!("{cpu} {why}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::trial::AdapterLimits;

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

    fn tried(off: f32, is_whole: bool) -> AdapterTrial {
        let mut trial = KernelTrial::new("rope");
        trial.add(off, 1e-5);
        AdapterTrial::of(&[trial], is_whole)
    }

    #[test]
    fn an_adapter_is_right_where_all_of_its_kernels_are() {
        assert_eq!(tried(0.0, true), AdapterTrial::Right);
        assert_eq!(tried(0.0, false), AdapterTrial::NotAll);
        let wrong = AdapterTrial::Wrong("rope".into());
        assert_eq!((tried(1.0, true), tried(1.0, false)), (wrong.clone(), wrong));
        assert_eq!(AdapterTrial::of(&[], true), AdapterTrial::NotAll);
        let mut gone = KernelTrial::new("norm");
        gone.fail("the GPU was lost".into());
        // A device that is gone says nothing of its kernels; one that was wrong before it went does.
        let failed = AdapterTrial::Failed("the GPU was lost".into());
        assert_eq!(AdapterTrial::of(&vec![gone.clone(); 5], false), failed);
        let bad = |name: &str| {
            let mut bad = KernelTrial::new(name);
            bad.add(f32::NAN, 1e-5);
            bad
        };
        let all = [bad("rope"), gone, bad("gemm"), bad("votes"), bad("fate")];
        let AdapterTrial::Wrong(said) = AdapterTrial::of(&all, false) else {
            panic!("kernels are wrong");
        };
        assert!(said.starts_with("rope (it wrote") && said.ends_with("and 1 more"), "{said}");
    }

    #[cfg(feature = "webgpu")]
    #[test]
    fn the_page_takes_a_real_gpu_that_computes_right_and_says_why_not_another() {
        let (real, soft) = (adapter("Real", false), adapter("Soft", true));
        let (right, wrong) = (tried(0.0, true), tried(1.0, true));
        let said = on_command_line;
        assert!(said(&[], &[]).contains("no GPU adapter"));
        let found = said(std::slice::from_ref(&soft), std::slice::from_ref(&right));
        assert!(found.contains("Soft is only a software GPU"), "{found}");
        let both = [soft, real];
        let found = said(&both, &[right.clone(), right.clone()]);
        assert!(found.contains("takes the GPU Real"), "{found}");
        let found = said(&both, &[right.clone(), wrong]);
        assert!(found.contains("kernels of Real are wrong"), "{found}");
        for trial in [AdapterTrial::NotAll, AdapterTrial::Unopened("no".into())] {
            let found = said(&both, &[right.clone(), trial]);
            assert!(found.contains("were not tried"), "{found}");
        }
    }

    #[test]
    fn in_the_page_the_sentence_is_of_this_page_and_this_browser() {
        let (real, soft) = (adapter("Real", false), adapter("Soft", true));
        let of = |facts: &AdapterFacts, trial: AdapterTrial| {
            in_page(std::slice::from_ref(facts), &[trial])
        };
        let none = in_page(&[], &[]);
        assert!(none.contains("this browser offers no GPU adapter"), "{none}");
        let found = of(&soft, AdapterTrial::Right);
        assert!(found.contains("Soft, is a software GPU"), "{found}");
        let found = of(&real, AdapterTrial::Right);
        assert!(found.starts_with("This page takes the GPU Real"), "{found}");
        let found = of(&real, tried(1.0, false));
        assert!(found.ends_with("kernels of Real are wrong: rope."), "{found}");
        let found = of(&real, AdapterTrial::NotAll);
        assert!(found.contains("depends on the kernels of Real"), "{found}");
        let found = of(&real, AdapterTrial::Unopened("it refused".into()));
        assert_eq!(found, "This page takes the CPU, because it refused.");
        assert!([none, found].iter().all(|said| !said.contains("command line")));
    }
}
