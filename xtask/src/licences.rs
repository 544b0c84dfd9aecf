//! The licences of others' work that is inside `dist/`, as they ask to travel with it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::command::{self, Stop};
use crate::disk::{self, files_under, make_folder};
use crate::place::Place;
use crate::wasm::{TRIPLE, Wasm};

/// Writes `licences/` of the page: atelier's own, and Rust's crates' in one text.
pub fn collect(place: &Place, wasm: &Wasm, stage: &Path) -> Result<(), Stop> {
    let folder = stage.join("licences");
    make_folder(&folder)?;
    for own in ["LICENSE-MIT", "LICENSE-APACHE"] {
        let from = place.root().join(own);
        disk::copy(&from, folder.join(format!("atelier-{own}.txt")))?;
    }
    disk::write(&folder.join("rust-crates.txt"), crates(place, wasm)?)
}

/// Every crate in the page and its worker: name, version, licence, home, and its licence files.
fn crates(place: &Place, wasm: &Wasm) -> Result<String, Stop> {
    let mut cargo = wasm.cargo();
    cargo
        .current_dir(place.root())
        .args(["tree", "--package", "atelier", "--target", TRIPLE, "--no-default-features"])
        .args(["--features", "web", "--edges", "normal,no-proc-macro", "--prefix", "none"])
        .args(["--format", "{p}|{l}|{r}"]);
    let tree = command::output(&mut cargo)
        .ok_or_else(|| Stop::new("`cargo tree` could not list the crates of the page."))?;
    let mut lines: Vec<&str> = tree.lines().map(|line| line.trim_end_matches(" (*)")).collect();
    lines.sort_unstable();
    lines.dedup();
    let sources = registry_sources();
    let (text, without) = described(place.root(), &lines, &sources)?;
    if !without.is_empty() {
        println!(
            "✗ Cargo keeps the sources of {} crates elsewhere, so the page carries no text of their licences: {}",
            without.len(),
            without.join(", ")
        );
    }
    Ok(text)
}

/// The crates of `cargo tree`'s lines with their licences' texts, and those whose sources are in none of these folders.
fn described(
    root: &Path,
    lines: &[&str],
    sources: &[PathBuf],
) -> Result<(String, Vec<String>), Stop> {
    let mut text = String::from("The page and its worker contain these Rust crates.\n");
    let mut without = Vec::new();
    for (name, version, licence, home) in lines.iter().filter_map(|line| parse(line)) {
        let _ = write!(text, "\n{}\n{name} {version}\n{licence}\n{home}\n", "=".repeat(72));
        let mut packages = sources.iter().map(|source| source.join(format!("{name}-{version}")));
        let Some(package) = packages.find(|package| package.is_dir()) else {
            without.push(format!("{name}-{version}"));
            continue;
        };
        let files = licence_files(&package)?;
        if files.is_empty() {
            let _ = write!(text, "\n{}\n", standard(root, name, licence, &package)?.trim_end());
        }
        for file in files {
            let bytes = disk::read(&file)?;
            let _ = write!(text, "\n{}\n", String::from_utf8_lossy(&bytes).trim_end());
        }
    }
    Ok((text, without))
}

/// The text of the licence that a crate names where its package lacks the file: with its authors, as its manifest
/// names them.
///
/// # Errors
/// A licence whose text is not here.
fn standard(root: &Path, name: &str, licence: &str, package: &Path) -> Result<String, Stop> {
    if licence.contains("MIT") {
        let authors = authors(&disk::read_text(&package.join("Cargo.toml"))?);
        let own = disk::read_text(&root.join("LICENSE-MIT"))?;
        let terms = own.find("Permission is").map_or("", |at| &own[at..]);
        return Ok(format!("MIT License\n\nCopyright (c) {authors}\n\n{terms}"));
    }
    if licence.contains("Apache-2.0") {
        return disk::read_text(&root.join("LICENSE-APACHE"));
    }
    Err(Stop::new(format!("{name} has no licence file, and the text of {licence} is not here.")))
}

/// The authors of a manifest as cargo writes it: `authors = ["A <a@example.org>", "B"]`, on one line or several.
fn authors(manifest: &str) -> String {
    let list = manifest.split_once("\nauthors = [").map_or("", |(_, rest)| rest);
    let list = list.split_once(']').map_or("", |(list, _)| list);
    let names: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
    if names.is_empty() { "its authors".to_owned() } else { names.join(", ") }
}

/// A line of `cargo tree`; none for the project itself, whose entry carries its path.
fn parse(line: &str) -> Option<(&str, &str, &str, &str)> {
    let mut fields = line.split('|');
    let mut package = fields.next()?.split(' ');
    let (name, version) = (package.next()?, package.next()?.strip_prefix('v')?);
    // `(/home/…` or `(C:\…`; another host's address begins with more letters.
    let is_path = |more: &str| more.starts_with("(/") || more.chars().nth(2) == Some(':');
    if package.next().is_some_and(is_path) {
        return None;
    }
    Some((name, version, fields.next()?, fields.next()?))
}

/// The folders in which cargo keeps the sources of registries.
fn registry_sources() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cargo")));
    let folders = home.and_then(|home| std::fs::read_dir(home.join("registry/src")).ok());
    folders.into_iter().flatten().filter_map(|folder| Some(folder.ok()?.path())).collect()
}

fn licence_files(package: &Path) -> Result<Vec<PathBuf>, Stop> {
    let is_licence = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        let starts = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "COPYRIGHT", "UNLICENSE"];
        file.parent() == Some(package) && starts.iter().any(|start| name.starts_with(start))
    };
    Ok(files_under(package)?.into_iter().filter(is_licence).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page carried names alone, and nobody heard of it.
    #[test]
    fn a_crate_without_its_sources_is_named() {
        let home = std::env::temp_dir().join(format!("atelier-licences-{}", std::process::id()));
        let package = home.join("half-2.7.1");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("LICENSE-MIT"), "as you like").unwrap();
        let lines = ["half v2.7.1|MIT|https://a.test", "rayon v1.0.0|MIT|https://b.test"];
        let (text, without) = described(&home, &lines, std::slice::from_ref(&home)).unwrap();
        assert!(text.contains("as you like") && text.contains("rayon 1.0.0"), "{text}");
        assert_eq!(without, ["rayon-1.0.0"]);
        std::fs::remove_dir_all(&home).unwrap();
    }

    #[test]
    fn the_authors_of_a_manifest_are_named() {
        assert_eq!(authors("[package]\nauthors = [\"A B <a@b.c>\"]\n"), "A B <a@b.c>");
        assert_eq!(authors("[package]\nauthors = [\n    \"A\",\n    \"B\",\n]\n"), "A, B");
        assert_eq!(authors("[package]\nname = \"a\"\n"), "its authors");
    }

    #[test]
    fn a_line_of_cargo_tree_names_a_crate() {
        let line = "half v2.7.1|MIT OR Apache-2.0|https://example.org/half";
        let want = ("half", "2.7.1", "MIT OR Apache-2.0", "https://example.org/half");
        assert_eq!(parse(line), Some(want));
        assert_eq!(parse("atelier v0.1.0 (/home/me/atelier)|MIT|"), None);
        assert_eq!(parse(r"atelier v0.1.0 (C:\me\atelier)|MIT|"), None);
        assert_eq!(parse(""), None);
    }
}
