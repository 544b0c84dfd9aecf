//! Checks files that no compiler reads: workflows through actionlint, every YAML file through a parser, the
//! forms of issues by the fields that their host wants, every shell script through ShellCheck.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, run};
use crate::disk::{self, files_under};
use crate::place::Place;

/// Folders and files to check; files that are built, fetched or a model's lie elsewhere.
const PLACES: &[&str] = &[
    ".ci",
    ".github",
    "CITATION.cff",
    "examples",
    "tests/cluster",
    "tests/findings",
    "xtask/lines.sh",
];

/// Checks all there are.
///
/// # Errors
/// Something is wrong with one of them, or a linter is missing.
pub fn check(place: &Place, shellcheck: &Path) -> Result<(), Stop> {
    let mut files = Vec::new();
    for part in PLACES {
        files.extend(files_under(&place.root().join(part))?);
    }
    let below = |file: &PathBuf| file.strip_prefix(place.root()).ok().map(Path::to_path_buf);
    let files: Vec<PathBuf> = files.iter().filter_map(below).collect();
    let yaml: Vec<&PathBuf> = files.iter().filter(|file| is_yaml(file)).collect();
    let mut scripts = Vec::new();
    for file in &files {
        if is_script(&place.root().join(file))? {
            scripts.push(file);
        }
    }
    if yaml.is_empty() || scripts.is_empty() {
        return Err(Stop::new("There are no workflows or no scripts to check: were they moved?"));
    }
    let mut node = Command::new("node");
    node.current_dir(place.root()).arg("xtask/assets/lint.mjs").args(&yaml);
    run(&mut node, "A workflow or another YAML file is not right.")?;
    let mut shellcheck = Command::new(shellcheck);
    shellcheck.current_dir(place.root()).args(&scripts);
    run(&mut shellcheck, "ShellCheck has something to say.")?;
    println!("  {} YAML files, {} scripts", yaml.len(), scripts.len());
    Ok(())
}

fn is_yaml(file: &Path) -> bool {
    let ends = ["yml", "yaml", "cff"];
    file.extension().is_some_and(|end| ends.iter().any(|known| end == *known))
}

/// Named so, or begun so.
fn is_script(file: &Path) -> Result<bool, Stop> {
    if file.extension().is_some_and(|end| end == "sh") {
        return Ok(true);
    }
    let bytes = disk::read(file)?;
    let line = bytes.split(|&byte| byte == b'\n').next();
    let line = String::from_utf8_lossy(line.unwrap_or_default());
    Ok(line.starts_with("#!") && line.trim_end().ends_with("sh"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_names_and_first_lines() {
        assert!(is_yaml(Path::new("a/CITATION.cff")) && is_yaml(Path::new("b.yml")));
        assert!(!is_yaml(Path::new("examples/lens.rs")));
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        for (file, want) in [
            (".ci/run", true),
            ("examples/survey.slurm.sh", true),
            ("examples/lens.rs", false),
            ("CITATION.cff", false),
        ] {
            assert_eq!(is_script(&root.join(file)).expect(file), want, "{file}");
        }
    }

    /// One was linted nowhere.
    #[test]
    fn no_script_lies_elsewhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut scripts = Vec::new();
        for folder in
            ["benches", "crates", "docs", "server", "src", "style", "tests", "web", "xtask"]
        {
            let files = files_under(&root.join(folder)).expect(folder);
            scripts.extend(files.into_iter().filter(|file| {
                !file.components().any(|part| part.as_os_str() == "node_modules")
                    && file.extension().is_some_and(|end| end == "sh")
            }));
        }
        assert!(scripts.len() >= 3, "{scripts:?}");
        for script in scripts {
            let is_linted = PLACES.iter().any(|place| script.starts_with(root.join(place)));
            assert!(is_linted, "{} is in none of PLACES", script.display());
        }
    }
}
