//! The tests of the library and of the command line, in one program: `cargo test --test it orders::` runs
//! those of one module. The page's are a program of their own (`tests/page`): they need a browser.

mod baked;
mod candle_llama;
mod charts;
mod cli;
mod commands;
#[path = "../common/mod.rs"]
mod common;
mod coupling;
mod english;
mod examples;
mod fuzz;
mod gguf;
mod guards;
mod hub;
mod information;
#[cfg(unix)]
mod kills;
mod lessons;
mod member;
#[cfg(target_os = "linux")]
mod memory;
mod model;
mod need;
mod orders;
mod package;
mod parity;
mod plain;
mod plan;
mod pytorch;
mod real;
#[cfg(feature = "reference")]
mod reference;
mod refused;
mod sentencepiece;
mod shipped;
mod snapshot;
mod statistics;
mod survey;
mod survey_charts;
mod tangents;
mod tasks;
mod theory;
#[cfg(feature = "browser-tests")]
mod wasm;
#[cfg(feature = "webgpu")]
mod webgpu;
mod words;

/// Every file below `tests/it` is a module of the file that its folder is named for: cargo does not
/// compile a file that nobody names, and its tests would never run.
#[test]
fn every_file_is_a_module() {
    let folder = common::in_project("tests/it");
    let mut unnamed = Vec::new();
    let mut folders = vec![(folder.clone(), folder.join("main.rs"))];
    while let Some((folder, parent)) = folders.pop() {
        let parent = std::fs::read_to_string(parent).expect("the folder's own module");
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push((path.clone(), path.with_extension("rs")));
            }
            let name = path.file_stem().expect("a name").display().to_string();
            let is_source = path.is_dir() || path.extension().is_some_and(|end| end == "rs");
            if is_source && name != "main" && !parent.contains(&format!("mod {name};\n")) {
                unnamed.push(path);
            }
        }
    }
    assert!(unnamed.is_empty(), "no module names {unnamed:?}");
}
