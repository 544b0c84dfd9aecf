//! Files of `cargo package`: all that the program is compiled from, and no more than a registry takes.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use crate::common::{root, skipped, succeeded};
use flate2::{Compression, write::GzEncoder};

/// Bytes that a registry takes of a package, compressed.
const MOST: u64 = 10 << 20;

/// Lists the package's files, as paths below the project.
fn listed() -> BTreeSet<PathBuf> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["package", "--list", "--package", "atelier", "--allow-dirty"])
        .arg("--offline")
        // Set for test programs alone, so that they report times: cargo would compile everything anew.
        .env_remove("RUSTC_BOOTSTRAP")
        .output()
        .expect("cargo starts");
    succeeded(&output);
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
    let models = atelier::model::catalogue::all()
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
        "docs/README.md",
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
    // The charts' colours are compiled in; the page's other styles are none of the program's.
    let compiled = Path::new("style/tokens.css");
    let others = files.iter().filter(|file| {
        ["tests", "shared", "xtask", "benches", "style"]
            .iter()
            .any(|folder| file.starts_with(folder) && *file != compiled)
    });
    assert_eq!(others.count(), 0);
}

/// Returns the commit that the build script tells cargo, run in a folder; `named` is the commit given from outside.
fn told(program: &Path, folder: &Path, profile: &str, named: &str) -> Option<String> {
    let output = Command::new(program)
        .current_dir(folder)
        .env("CARGO_MANIFEST_DIR", folder)
        .env("CARGO_FEATURE_CLI", "1")
        .env("PROFILE", profile)
        .env("ATELIER_COMMIT", named)
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut lines = said.lines();
    lines.find_map(|line| {
        line.strip_prefix("cargo::rustc-env=ATELIER_BUILT_FROM=").map(str::to_string)
    })
}

#[test]
fn the_commit_is_said_by_whoever_knows_it() {
    let home = tempfile::tempdir().expect("a folder");
    let program = home.path().join(format!("build{}", std::env::consts::EXE_SUFFIX));
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = Command::new(rustc)
        .current_dir(root())
        .args(["--edition=2024", "build.rs", "-o"])
        .arg(&program)
        .status()
        .expect("rustc starts");
    assert!(compiled.success());

    // A package, with its commit in a file, and another project's clone around it.
    let package = home.path().join("package");
    std::fs::create_dir(&package).expect("a folder");
    let hash = "0123456789abcdef0123456789abcdef01234567";
    let info = |is_dirty: &str| {
        let info = format!("{{\n  \"git\": {{\n    \"sha1\": \"{hash}\"{is_dirty}\n  }}\n}}");
        std::fs::write(package.join(".cargo_vcs_info.json"), info).expect("written");
    };
    let said = |profile, named| told(&program, &package, profile, named);
    info("");
    assert_eq!(said("release", "").as_deref(), Some("0123456789ab"));
    info(",\n    \"dirty\": true");
    let since = "0123456789ab and changes since";
    assert_eq!(said("release", "").as_deref(), Some(since));
    // Who builds it elsewhere knows better; what is no commit is nobody's word.
    assert_eq!(said("release", "fedcba987654").as_deref(), Some("fedcba987654"));
    assert_eq!(said("release", "a\ncargo::x").as_deref(), Some(since));
    assert_eq!(said("debug", ""), None);

    std::fs::remove_file(package.join(".cargo_vcs_info.json")).expect("removed");
    assert_eq!(said("release", ""), None);
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(&package)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "user.name=a", "-c", "user.email=a@a.test"]);
        let output = git.args(words).output();
        output.is_ok_and(|output| output.status.success())
    };
    if !git(&["init", "--quiet"]) {
        skipped("there is no git here to say a commit");
        return;
    }
    std::fs::write(package.join("build.rs"), "").expect("written");
    assert!(git(&["add", "--all"]) && git(&["commit", "--quiet", "--message", "a"]));
    let commit = said("release", "").expect("a commit");
    assert!(commit.len() == 12 && commit.chars().all(|c| c.is_ascii_hexdigit()), "{commit}");
    std::fs::write(package.join("build.rs"), "// changed").expect("written");
    assert_eq!(said("release", ""), Some(format!("{commit} and changes since")));
    // Below another project's top, its commit is not this one's.
    let below = package.join("below");
    std::fs::create_dir(&below).expect("a folder");
    assert_eq!(told(&program, &below, "release", ""), None);
}
