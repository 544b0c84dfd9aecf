//! What the benches against peers share: folders, a Python environment, a model folder.

// Not every bench uses all of it.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::config;

/// MobileLLM-125M's shape with so many blocks, as a Llama `config.json`.
pub fn mobile(blocks: usize) -> String {
    config(32000, 576, 1536, blocks, 9, 3).replace("512", "2048")
}

/// The folder of this file.
pub fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// A folder of the target folder, which cargo cleans and git ignores.
pub fn scratch(name: &str) -> PathBuf {
    let program = std::env::current_exe().expect("this program");
    let target = program.ancestors().nth(3); // target/release/deps/program
    let folder = target.expect("the target folder").join("peers").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

pub fn run(command: &mut Command) {
    let status = command.status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}

/// Python with what `requirements.txt` names.
pub fn python() -> PathBuf {
    environment("venv", "requirements.txt")
}

/// Python with what a file of this folder names, in a folder of its own.
pub fn environment(name: &str, wanted: &str) -> PathBuf {
    let folder = scratch(name);
    let python = folder.join("bin/python");
    let wanted = here().join(wanted);
    let done = folder.join("requirements.txt");
    let text = std::fs::read_to_string(&wanted).expect("requirements");
    if std::fs::read_to_string(&done).is_ok_and(|have| have == text) {
        return python;
    }
    println!("setting up Python in {}", folder.display());
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let mut pip = Command::new(&python);
    run(pip
        .args(["-m", "pip", "install", "--quiet", "-r"])
        .arg(&wanted));
    std::fs::write(done, text).expect("a note of what is installed");
    python
}
