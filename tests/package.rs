//! What `cargo package` takes along: all that the program is compiled from, and no more than a registry takes.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use flate2::{Compression, write::GzEncoder};

/// Bytes that a registry takes of a package, compressed.
const MOST: u64 = 10 << 20;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What the package holds, as paths below the project.
fn listed() -> BTreeSet<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["package", "--list", "--package", "atelier", "--allow-dirty"])
        .arg("--offline")
        .output()
        .expect("cargo starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let list = String::from_utf8(output.stdout).expect("UTF-8");
    list.lines().map(PathBuf::from).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
}

/// `a/b/../c` as `a/c`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The files that a source's `include_str!` and `include_bytes!` name.
fn included(source: &Path) -> Vec<PathBuf> {
    let text = std::fs::read_to_string(source).expect("a source");
    let folder = source.parent().expect("a folder");
    let ends = ["include_str!(\"", "include_bytes!(\""];
    let named = ends.iter().flat_map(|begin| {
        let pieces = text.split(begin).skip(1);
        pieces.filter_map(|piece| piece.split('"').next())
    });
    named.map(|name| plain(&folder.join(name))).collect()
}

#[test]
fn the_package_holds_all_that_the_program_is_made_of() {
    let listed = listed();
    let mut own = Vec::new();
    sources(&root().join("src"), &mut own);
    assert!(own.len() > 300);
    let named: Vec<PathBuf> = own.iter().flat_map(|source| included(source)).collect();
    assert!(named.len() > 20);
    let models = atelier::model::catalogue::KNOWN
        .iter()
        .chain(atelier::model::catalogue::TRAINING)
        .flat_map(|model| &model.files)
        .map(|file| root().join("public").join(file.path));
    for path in own.into_iter().chain(named).chain(models) {
        let below = path.strip_prefix(root()).expect("below the project");
        assert!(listed.contains(below), "{} is left out", below.display());
    }
    for file in [
        "build.rs",
        "Cargo.lock",
        "README.md",
        "CHANGELOG.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        assert!(listed.contains(Path::new(file)), "{file} is left out");
    }
}

#[test]
fn the_package_is_small_enough() {
    let files = listed();
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    for file in &files {
        // Some are made as it is packed.
        if let Ok(bytes) = std::fs::read(root().join(file)) {
            packed.write_all(&bytes).expect("memory");
        }
    }
    let bytes = packed.finish().expect("memory").len() as u64;
    println!("{} files, {} kB", files.len(), bytes / 1000);
    assert!(bytes < MOST, "{bytes} bytes");
    let others = files.iter().filter(|file| {
        ["tests", "shared", "xtask", "benches", "style"]
            .iter()
            .any(|folder| file.starts_with(folder))
    });
    assert_eq!(others.count(), 0);
}
