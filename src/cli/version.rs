//! Text of `atelier --version`: the version, the commit, and the features built in.

use std::sync::LazyLock;

/// Set by `build.rs`, where it is known.
const COMMIT: Option<&str> = option_env!("ATELIER_BUILT_FROM");

/// The features of a program that a reader may want to know of.
const FEATURES: [(&str, bool); 4] = [
    ("webgpu", cfg!(feature = "webgpu")),
    ("cuda", cfg!(feature = "cuda")),
    ("reference", cfg!(feature = "reference")),
    ("embedded-page", cfg!(feature = "embedded-page")),
];

/// Says which program wrote something, in one line: version and, where it is known, commit.
pub fn program() -> String {
    let version = env!("CARGO_PKG_VERSION");
    COMMIT.map_or_else(|| version.to_owned(), |commit| format!("{version}, commit {commit}"))
}

/// Three lines: version, commit, features.
pub fn long() -> &'static str {
    static LONG: LazyLock<String> = LazyLock::new(|| {
        let commit = match COMMIT {
            Some(commit) => commit,
            None if cfg!(debug_assertions) => "not asked for: built without optimisation",
            None => "not known: built without git",
        };
        let on = FEATURES.iter().filter(|(_, is_on)| *is_on);
        let names: Vec<&str> = std::iter::once("cli").chain(on.map(|(name, _)| *name)).collect();
        format!("{}\ncommit: {commit}\nfeatures: {}", env!("CARGO_PKG_VERSION"), names.join(", "))
    });
    &LONG
}
