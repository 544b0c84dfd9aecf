//! Makes a release for this system: `cargo xtask release`. One archive with the program (the page in it), its
//! manual, completions, and the licences of all its parts.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{self, Stop, run, step};
use crate::disk::{self, files_under, make_folder, remove};
use crate::embedded::{self, Program};
use crate::options::Options;
use crate::page;
use crate::place::Place;
use crate::setting::Setting;
use crate::tools;

/// Files that stand beside the program in the archive.
const BESIDE: &[&str] =
    &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md", "SECURITY.md"];

/// Shells, and the files that they look for.
const SHELLS: &[(&str, &str)] = &[
    ("bash", "atelier.bash"),
    ("elvish", "atelier.elv"),
    ("fish", "atelier.fish"),
    ("powershell", "atelier.ps1"),
    ("zsh", "_atelier"),
];

#[derive(Debug, PartialEq, Eq)]
pub struct Wishes {
    /// A page that was built before, instead of `dist/`.
    page: Option<PathBuf>,
    program: Program,
}

impl Wishes {
    pub fn take(options: &mut Options) -> Result<Self, Stop> {
        let program = if options.has("--cuda") { embedded::CUDA } else { embedded::PLAIN };
        let page = options.value("--page", "needs a folder")?.map(PathBuf::from);
        Ok(Self { page, program })
    }
}

pub fn pack(place: &Place, wishes: &Wishes) -> Result<(), Stop> {
    let page = match &wishes.page {
        None => {
            page::build(place, &Setting::of("release", place))?;
            place.dist()
        }
        Some(folder) if folder.join("page_bg.wasm").is_file() => folder.clone(),
        Some(folder) => {
            let shown = folder.display();
            return Err(Stop::new(format!("{shown} is no page that was built.")));
        }
    };
    let about = tools::cargo_about(place)?;
    let built = embedded::build(place, &page, wishes.program)?;

    let name = format!("{}-{}-{}", wishes.program.name, version(place)?, triple()?);
    let all = place.target().join("release-files");
    let folder = all.join(&name);
    remove(&folder)?;
    make_folder(&folder)?;
    let copy = |from: &Path, folder: &Path| {
        let to = folder.join(from.file_name().unwrap_or_default());
        disk::copy(from, to)
    };
    copy(&built, &folder)?;
    for file in BESIDE {
        copy(&place.root().join(file), &folder)?;
    }
    // README.md links to these.
    let docs = folder.join("docs");
    make_folder(&docs)?;
    for page in files_under(&place.root().join("docs"))? {
        copy(&page, &docs)?;
    }
    step("collecting licences", || {
        licences(place, &about, wishes.program, &folder.join("licences.html"))
    })?;
    // A program that links CUDA does not start where that is not.
    if wishes.program == embedded::PLAIN {
        step("writing the manual and completions", || words(&built, &folder))?;
    }
    let archive = step("packing", || archive(&all, &name))?;
    println!("{}", archive.display());
    Ok(())
}

/// As `Cargo.toml` says it.
pub fn version(place: &Place) -> Result<String, Stop> {
    let mut cargo = Command::new("cargo");
    cargo.current_dir(place.root()).args(["pkgid", "--package", "atelier"]);
    let id = command::output(&mut cargo);
    let version = id.as_deref().and_then(|id| id.rsplit(['#', '@']).next());
    let version = version.ok_or_else(|| Stop::new("`cargo pkgid` does not say the version."))?;
    Ok(version.to_string())
}

/// The system that the active compiler makes programs for.
fn triple() -> Result<String, Stop> {
    let said = command::output(Command::new("rustc").arg("-vV"));
    let line = said.as_deref().and_then(|said| {
        let mut lines = said.lines();
        lines.find_map(|line| line.strip_prefix("host: "))
    });
    let triple = line.ok_or_else(|| Stop::new("`rustc -vV` does not say the system."))?;
    Ok(triple.to_string())
}

/// Stops at a licence that `about.toml` does not accept.
fn licences(place: &Place, about: &Path, program: Program, to: &Path) -> Result<(), Stop> {
    let mut about = Command::new(about);
    about
        .current_dir(place.root())
        .args(["generate", "--locked", "--manifest-path", "Cargo.toml"])
        .args(["--features", program.features, "--fail"])
        .arg("about.hbs")
        .arg("--output-file")
        .arg(to);
    run(&mut about, "The licences could not be collected, or about.toml does not accept one.")
}

/// Writes the program's manual and completions into `folder`.
fn words(program: &Path, folder: &Path) -> Result<(), Stop> {
    let failed = || Stop::new(format!("{} does not run.", program.display()));
    let mut man = Command::new(program);
    man.args(["man", "--out"]).arg(folder.join("man/man1"));
    command::output(&mut man).ok_or_else(failed)?;
    let to = folder.join("completions");
    make_folder(&to)?;
    for (shell, file) in SHELLS {
        let script = command::output(Command::new(program).args(["completions", shell]));
        let path = to.join(file);
        disk::write(&path, script.ok_or_else(failed)? + "\n")?;
    }
    Ok(())
}

/// As people of the system unpack it. `tar` is everywhere, and Windows's own makes what a name's ending says.
fn archive(all: &Path, name: &str) -> Result<PathBuf, Stop> {
    let (end, how) = if cfg!(windows) { ("zip", "-acf") } else { ("tar.gz", "-czf") };
    let file = format!("{name}.{end}");
    // Beside Git there is another, which knows no zip.
    let own = std::env::var_os("SystemRoot").filter(|_| cfg!(windows));
    let own = own.map(|windows| Path::new(&windows).join("System32").join("tar.exe"));
    let mut tar = Command::new(own.unwrap_or_else(|| PathBuf::from("tar")));
    tar.current_dir(all).args([how, &file, name]);
    run(&mut tar, "tar could not pack the release.")?;
    Ok(all.join(file))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::process::Stdio;

    use super::*;
    use crate::options::taken;

    fn parsed(words: &[&str]) -> Result<Wishes, String> {
        taken("release", words, Wishes::take)
    }

    #[test]
    fn wishes_are_read_in_any_order() {
        let wishes = parsed(&["--cuda", "--page", "a"]).expect("wishes");
        assert_eq!(wishes.page, Some(PathBuf::from("a")));
        assert_eq!(wishes.program.name, "atelier-cuda");
        assert_eq!(parsed(&[]).expect("none").program, embedded::PLAIN);
        assert!(parsed(&["--page"]).is_err() && parsed(&["--fast"]).is_err());
    }

    /// As `.github/workflows/release.yml` asks for them.
    #[cfg(unix)]
    #[test]
    fn notes_are_of_one_version() {
        let root = Place::find().expect("the project").root().to_owned();
        let notes = |version: &str, changes: &str| {
            let mut script = Command::new("sh");
            script.arg(root.join(".github/notes.sh")).arg(version);
            script.stdin(Stdio::piped()).stdout(Stdio::piped());
            let mut child = script.stderr(Stdio::null()).spawn().expect("a shell");
            let mut stdin = child.stdin.take().expect("its input");
            stdin.write_all(changes.as_bytes()).expect("taken");
            drop(stdin);
            child.wait_with_output().expect("an end")
        };
        let changes = "# Changes\n\nWhat.\n\n## 0.2.0 (not released yet)\n\n- new\n\n## 0.1.0\n\n- old\n- older\n";
        let said = |version| String::from_utf8(notes(version, changes).stdout).expect("UTF-8");
        assert_eq!(said("0.2.0").trim(), "- new");
        assert_eq!(said("0.1.0").trim(), "- old\n- older");
        assert!(!notes("0.1", changes).status.success());
        // The present version has its notes.
        let own = std::fs::read_to_string(root.join("CHANGELOG.md")).expect("changes");
        let version = version(&Place::find().expect("the project")).expect("a version");
        assert!(notes(&version, &own).status.success());
    }

    #[test]
    fn system_and_version_are_said() {
        let triple = triple().expect("a system");
        assert!(triple.split('-').count() >= 3, "{triple}");
        let version = version(&Place::find().expect("the project")).expect("a version");
        let manifest = include_str!("../../Cargo.toml");
        assert!(manifest.contains(&format!("version = \"{version}\"")));
    }
}
