//! This user's cache, which all clones share, and the real model in it. (The tests' `common` has this file as a module
//! of its own.)

use std::path::{Path, PathBuf};

use atelier_server::smollm2::{FILE, PACKAGE, VERSION};

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
    cache.join("tools").join(format!("{PACKAGE}-{VERSION}")).join(FILE)
}
