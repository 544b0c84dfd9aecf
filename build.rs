//! Says which commit the command line was built from: `atelier --version` repeats it.
//!
//! A package carries its commit in a file, a clone has git, and whoever builds elsewhere (in a container, say)
//! sets `ATELIER_COMMIT`. Where none of them is there, no commit is said. Builds without optimisation do not
//! look: they would be compiled anew after every commit.

use std::path::{Path, PathBuf};
use std::process::Command;

const VARIABLE: &str = "ATELIER_COMMIT";

/// Environment variable that gives the commit to the compiled program.
const TOLD: &str = "ATELIER_BUILT_FROM";

/// File that `cargo package` writes, with the commit.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// Files and folders of the program's sources: changes there since the commit are reported too.
const SOURCES: &[&str] =
    &["build.rs", "Cargo.toml", "Cargo.lock", "public", "server/src", "src", "style"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let has = |name: &str| std::env::var_os(name);
    let is_optimised = has("PROFILE").is_some_and(|profile| profile == "release");
    if !is_optimised || has("CARGO_FEATURE_CLI").is_none() {
        return;
    }
    let root = has("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let named = std::env::var(VARIABLE).ok();
    let named = named.filter(|commit| is_commit(commit));
    if let Some(commit) = named.or_else(|| packaged(&root)).or_else(|| cloned(&root)) {
        println!("cargo::rustc-env={TOLD}={commit}");
    }
}

/// Hexadecimal digits, and maybe words about them: what ends a line would be another instruction to cargo.
fn is_commit(text: &str) -> bool {
    text.len() >= 7 && text.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ')
}

fn short(hash: &str) -> String {
    hash.chars().take(12).collect()
}

fn packaged(root: &Path) -> Option<String> {
    let file = root.join(PACKAGED);
    let text = std::fs::read_to_string(file).ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    let (hash, rest) = rest.split_once('"')?;
    let is_changed = rest.contains("\"dirty\": true");
    is_commit(hash).then(|| said(hash, is_changed))
}

fn cloned(root: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").current_dir(root).args(words).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
    };
    // Unpacked inside another project's clone, that project's commit is not this one's.
    let top = PathBuf::from(git(&["rev-parse", "--show-toplevel"])?);
    if top.canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    for file in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", file])?;
        // A path that is not there would be looked for at every build.
        if root.join(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    for source in SOURCES.iter().filter(|source| root.join(source).exists()) {
        println!("cargo::rerun-if-changed={source}");
    }
    let hash = git(&["rev-parse", "HEAD"])?;
    let words = [&["status", "--porcelain", "--"], SOURCES].concat();
    let is_changed = !git(&words)?.is_empty();
    is_commit(&hash).then(|| said(&hash, is_changed))
}

fn said(hash: &str, is_changed: bool) -> String {
    let since = if is_changed { " and changes since" } else { "" };
    format!("{}{since}", short(hash))
}
