//! Shared parts of the benches against peers: folders, Python environments, variables.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::config;

/// MobileLLM-125M's shape with so many blocks, as a Llama `config.json`.
pub fn mobile(blocks: usize) -> String {
    config(32000, 576, 1536, blocks, 9, 3).replace("512", "2048")
}

/// The folder of the benches against peers.
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

/// Returns a variable that `cargo xtask peers` sets.
pub fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name}: run this by `cargo xtask peers`"))
}

/// Reads a file of JSON.
pub fn json_file(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).expect("a file of the case");
    serde_json::from_str(&text).expect("a case in JSON")
}

/// Runs this program once more, with these arguments: what it holds then does not count for what is measured after it.
pub fn run_apart(words: &[&str], folder: &Path) {
    let program = std::env::current_exe().expect("this program");
    run(Command::new(program).args(words).arg(folder));
}

pub fn run(command: &mut Command) {
    let status = command.status();
    let status = status.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}

/// Python with what `requirements.txt` names.
pub fn python() -> PathBuf {
    environment("venv", "requirements.txt", None)
}

/// Python with llama.cpp.
pub fn llama_python() -> PathBuf {
    environment("venv-llama", "requirements-llama.txt", Some(&llama_cmake()))
}

/// A script of this folder, run by a Python.
pub fn script(python: &Path, name: &str) -> Command {
    let mut command = Command::new(python);
    command.arg(here().join(name));
    command
}

/// Python with what a file of this folder names, in a folder of its own; what is compiled from its source
/// is compiled with these arguments of CMake.
fn environment(name: &str, wanted: &str, cmake: Option<&str>) -> PathBuf {
    let folder = scratch(name);
    let python = folder.join("bin/python");
    let wanted = here().join(wanted);
    let done = folder.join("requirements.txt");
    let mut text = std::fs::read_to_string(&wanted).expect("requirements");
    if let Some(arguments) = cmake {
        text += &format!("# CMAKE_ARGS={arguments}\n");
    }
    if std::fs::read_to_string(&done).is_ok_and(|have| have == text) {
        return python;
    }
    println!("setting up Python in {}", folder.display());
    run(Command::new("python3").args(["-m", "venv"]).arg(&folder));
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "-r"]).arg(&wanted);
    if let Some(arguments) = cmake {
        // pip keeps what it compiled, whatever the arguments were.
        pip.args(["--no-cache-dir", "--force-reinstall"]).env("CMAKE_ARGS", arguments);
    }
    run(&mut pip);
    std::fs::write(done, text).expect("a note of what is installed");
    python
}

/// How llama.cpp is compiled: for what this processor has, named one by one. Left to find it out itself
/// (`GGML_NATIVE`) it takes AMX where the processor shows it, and its kernels for blocks then end in a
/// segmentation fault on virtual machines that do not let programs use it.
fn llama_cmake() -> String {
    let mut arguments = vec!["-DGGML_NATIVE=OFF", "-DLLAVA_BUILD=OFF"];
    #[cfg(target_arch = "x86_64")]
    {
        let all = [
            (is_x86_feature_detected!("avx512f"), "-DGGML_AVX512=ON"),
            (is_x86_feature_detected!("avx512vbmi"), "-DGGML_AVX512_VBMI=ON"),
            (is_x86_feature_detected!("avx512vnni"), "-DGGML_AVX512_VNNI=ON"),
            (is_x86_feature_detected!("avx512bf16"), "-DGGML_AVX512_BF16=ON"),
        ];
        arguments.extend(all.iter().filter(|(has, _)| *has).map(|(_, argument)| *argument));
    }
    arguments.join(" ")
}
