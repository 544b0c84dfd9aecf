//! Debian's compiler for wasm32, with a standard library built once into this user's cache: its packages bring
//! the library's sources alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::{Stop, on_path, output, path_starting_with, run, step};
use crate::disk::{self, files_under, make_folder, remove};
use crate::lock;
use crate::place::Place;
use crate::wasm::TRIPLE;

const RUSTC: &str = "/usr/bin/rustc";
pub const CARGO: &str = "/usr/bin/cargo";

/// The compiler and its library.
pub struct Debian {
    /// The sysroot that holds the wasm32 standard library and nothing else.
    sysroot: PathBuf,
    linker: PathBuf,
    /// A folder with Debian's `cargo` and friends alone, to put before rustup's in `PATH`.
    programs: PathBuf,
}

/// Removes the variables that the cargo that runs this program set for its own toolchain.
fn leave_rustup(command: &mut Command) {
    for name in ["RUSTUP_TOOLCHAIN", "CARGO", "LD_LIBRARY_PATH", "RUSTC_WRAPPER"] {
        command.env_remove(name);
    }
}

/// The folder with the standard library's sources, where Debian puts them.
fn sources() -> Option<PathBuf> {
    let root = debian_rustc(&["--print", "sysroot"])?;
    let library = Path::new(&root).join("lib/rustlib/src/rust/library");
    library.join("std/Cargo.toml").is_file().then_some(library)
}

fn debian_rustc(arguments: &[&str]) -> Option<String> {
    let mut rustc = Command::new(RUSTC);
    leave_rustup(&mut rustc);
    output(rustc.args(arguments))
}

impl Debian {
    /// Debian's cargo, where it is with its compiler and the library's sources.
    pub fn is_here() -> bool {
        let are_here = [RUSTC, CARGO].map(|program| Path::new(program).is_file());
        are_here == [true, true] && sources().is_some()
    }

    /// Makes a program that runs `cargo` for wasm itself run this one.
    pub fn dress(&self, command: &mut Command, path: std::ffi::OsString) {
        command
            .env("PATH", path_starting_with(&self.programs, Some(&path)))
            .env("RUSTC", RUSTC)
            .env("RUSTDOC", "/usr/bin/rustdoc")
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &self.linker)
            // Cargo adds these to the flags in .cargo/config.toml. `--target` keeps them from the
            // host's part of the build, which uses the compiler's own sysroot.
            .env(
                "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS",
                format!("--sysroot={}", self.sysroot.display()),
            );
        leave_rustup(command);
    }

    fn folder(place: &Place) -> Option<PathBuf> {
        let version = debian_rustc(&["--version"])?;
        Some(place.cache().join("debian").join(slug(&version)))
    }

    /// The standard library built for the very compiler that is installed now, if it was.
    pub fn built(place: &Place) -> Option<Result<Self, Stop>> {
        let folder = Self::folder(place)?;
        library_folder(&folder).is_dir().then(|| Self::at(&folder))
    }

    fn at(folder: &Path) -> Result<Self, Stop> {
        check_for_spaces(folder)?;
        let linker = linker()?;
        Ok(Self { sysroot: folder.to_path_buf(), linker, programs: folder.join("bin") })
    }

    /// Builds the standard library.
    pub fn build(place: &Place) -> Result<Self, Stop> {
        let folder = Self::folder(place)
            .ok_or_else(|| Stop::new(format!("Debian's compiler {RUSTC} does not run.")))?;
        let debian = Self::at(&folder)?;
        let work = place.cache().join("debian.lock");
        let _held = lock::hold(&work, "building the standard library")?;
        if library_folder(&folder).is_dir() {
            return Ok(debian);
        }
        step(
            &format!("building Rust's standard library for {TRIPLE}, once (about 1 minute)"),
            || debian.build_library(place),
        )?;
        Ok(debian)
    }

    fn build_library(&self, place: &Place) -> Result<(), Stop> {
        let work = place.cache().join("debian").join("work");
        make_folder(&work.join("src"))?;
        let manifest = "[package]\nname = \"hello\"\nedition = \"2024\"\n[workspace]\n";
        disk::write(&work.join("Cargo.toml"), manifest)?;
        disk::write(&work.join("src/main.rs"), "fn main() {}\n")?;
        let mut cargo = Command::new(CARGO);
        leave_rustup(&mut cargo);
        cargo
            .current_dir(&work)
            .env("RUSTC", RUSTC)
            // -Zbuild-std is for nightly compilers, or for those told to act as one.
            .env("RUSTC_BOOTSTRAP", "1")
            // Bitcode beside machine code, or the page could not be optimised across crates.
            .env("RUSTFLAGS", "-C embed-bitcode=yes")
            .env("CARGO_TARGET_DIR", work.join("target"))
            .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &self.linker)
            .args(["build", "--release", "-Zbuild-std=std,panic_abort", "--target", TRIPLE]);
        run(&mut cargo, "Rust's standard library could not be built for wasm32.")?;

        make_folder(&self.programs)?;
        for name in ["cargo", "rustc", "rustdoc", "cargo-clippy", "clippy-driver"] {
            let link = self.programs.join(name);
            if std::fs::symlink_metadata(&link).is_err() {
                link_program(&Path::new("/usr/bin").join(name), &link)?;
            }
        }
        // Its presence is what says that the library is whole: it comes last, by a rename.
        let unfinished = self.sysroot.join("unfinished");
        remove(&unfinished)?;
        make_folder(&unfinished)?;
        let built = work.join("target").join(TRIPLE).join("release/deps");
        for file in files_under(&built)? {
            let name = file.file_name().unwrap_or_default();
            if name.to_string_lossy().ends_with(".rlib") {
                disk::copy(&file, unfinished.join(name))?;
            }
        }
        let library = library_folder(&self.sysroot);
        make_folder(library.parent().unwrap_or(&library))?;
        std::fs::rename(&unfinished, &library)
            .map_err(|error| Stop::file("write", &library, &error))?;
        remove(&work)
    }
}

/// Cargo takes the compiler's flags from a variable that it cuts at spaces.
fn check_for_spaces(folder: &Path) -> Result<(), Stop> {
    if folder.to_string_lossy().contains(char::is_whitespace) {
        let shown = folder.display();
        return Err(Stop::new(format!(
            "Debian's compiler cannot be given the library in {shown}, whose path has a space."
        ))
        .try_running("export ATELIER_CACHE=<a folder without a space in its path>"));
    }
    Ok(())
}

fn library_folder(sysroot: &Path) -> PathBuf {
    sysroot.join("lib/rustlib").join(TRIPLE).join("lib")
}

#[cfg(unix)]
fn link_program(to: &Path, link: &Path) -> Result<(), Stop> {
    std::os::unix::fs::symlink(to, link).map_err(|error| Stop::file("write", link, &error))
}

#[cfg(not(unix))]
fn link_program(_: &Path, _: &Path) -> Result<(), Stop> {
    Err(Stop::new("Debian's compiler is for Debian."))
}

/// rustup's own linker from the active toolchain, or that of Debian's compiler's LLVM: an older one
/// does not know all that is in its object files.
fn linker() -> Result<PathBuf, Stop> {
    let active = output(Command::new("rustc").args(["--print", "sysroot"])).unwrap_or_default();
    let hosts = std::fs::read_dir(Path::new(&active).join("lib/rustlib")).ok();
    let mut rustups =
        hosts.into_iter().flatten().filter_map(|host| Some(host.ok()?.path().join("bin/rust-lld")));
    if let Some(program) = rustups.find(|program| program.is_file()) {
        return Ok(program);
    }
    let llvm = debian_rustc(&["-vV"])
        .and_then(|text| llvm_version(&text).map(str::to_string))
        .ok_or_else(|| Stop::new(format!("{RUSTC} does not say which LLVM it has.")))?;
    on_path(&["rust-lld", &format!("wasm-ld-{llvm}")]).ok_or_else(|| {
        Stop::new("There is no linker for wasm: neither rustup's rust-lld nor LLVM's wasm-ld.")
            .try_running(format!("sudo apt-get install --yes lld-{llvm}"))
    })
}

/// LLVM's major version in what `rustc -vV` prints.
fn llvm_version(text: &str) -> Option<&str> {
    let version = text.lines().find_map(|line| line.strip_prefix("LLVM version: "))?;
    version.split('.').next()
}

/// A version as the name of a folder.
fn slug(version: &str) -> String {
    let words = version.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compiler_version_names_a_folder() {
        let version = "rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)";
        assert_eq!(slug(version), "rustc-1.96.0-ac68faa20-2026-05-25-built-from-a-source-tarball");
    }

    /// rustc was given two halves of the path, and said that it has two inputs.
    #[test]
    fn a_path_with_a_space_is_said_to_have_one() {
        assert!(check_for_spaces(Path::new("/home/ann/.cache/atelier/debian")).is_ok());
        let stop = check_for_spaces(Path::new("/home/ann b/.cache/atelier/debian")).unwrap_err();
        assert!(stop.to_string().contains("whose path has a space. Run:"), "{stop}");
    }

    #[test]
    fn the_linker_must_fit_the_compilers_llvm() {
        let text = "rustc 1.96.0\nbinary: rustc\nLLVM version: 22.1.8";
        assert_eq!(llvm_version(text), Some("22"));
        assert_eq!(llvm_version("rustc 1.96.0"), None);
    }

    #[test]
    fn debian_builds_leave_rustup_and_find_their_own_library() {
        let debian = Debian {
            sysroot: "/c/root".into(),
            linker: "/t/rust-lld".into(),
            programs: "/c/root/bin".into(),
        };
        let cargo = {
            let mut command = Command::new("trunk");
            debian.dress(&mut command, "/usr/bin".into());
            command
        };
        let set = |name: &str| {
            let found = cargo.get_envs().find(|(key, _)| *key == name)?;
            found.1.map(|value| value.to_string_lossy().into_owned())
        };
        assert_eq!(set("PATH").as_deref(), Some("/c/root/bin:/usr/bin"));
        assert_eq!(
            set("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS").as_deref(),
            Some("--sysroot=/c/root")
        );
        assert_eq!(set("RUSTUP_TOOLCHAIN"), None);
        assert!(cargo.get_envs().any(|(key, value)| key == "RUSTUP_TOOLCHAIN" && value.is_none()));
    }
}
