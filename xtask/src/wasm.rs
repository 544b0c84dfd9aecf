//! The wasm32 target: a standard library and a linker for it.
//!
//! The active toolchain may have it, or rustup may fetch it. Where rustup's servers are out of
//! reach, Debian's `rustc-web`, `cargo-web` and `rust-web-src` take their place: they come without
//! a wasm32 standard library, but with its sources, from which it is built once into this user's
//! cache. Compiler and library are then joined by `--sysroot`, so that neither the system's
//! compiler nor rustup's list of toolchains is touched.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::apt::Need;
use crate::command::{self, Stop, on_path, output, ready};
use crate::debian::{self, Debian};
use crate::place::Place;

pub const TRIPLE: &str = "wasm32-unknown-unknown";

/// rustup retries a server that does not answer; a newcomer should not wait for all of that.
const RUSTUP_LIMIT: Duration = Duration::from_secs(120);

/// The compiler that makes wasm here.
pub enum Wasm {
    /// The active toolchain.
    Active,
    /// Debian's compiler with a standard library of our building.
    Debian(Debian),
}

/// Where the target stands before any package is installed.
pub enum Found {
    Ready(Wasm),
    /// Only Debian's compiler can help, and these packages of it are missing (maybe none).
    FromDebian(Vec<Need>),
}

impl Wasm {
    /// Cargo for a wasm build.
    pub fn cargo(&self) -> Command {
        let program = match self {
            Self::Active => "cargo",
            Self::Debian(_) => debian::CARGO,
        };
        let mut command = Command::new(program);
        self.dress(&mut command, std::env::var_os("PATH").unwrap_or_default());
        command
    }

    /// Makes a program that runs `cargo` for wasm itself, as Trunk does, run the right one.
    pub fn dress(&self, command: &mut Command, path: std::ffi::OsString) {
        match self {
            Self::Active => {
                command.env("PATH", path);
            }
            Self::Debian(debian) => debian.dress(command, path),
        }
    }
}

/// Whether the target is here. Does not ask rustup to install it.
pub fn is_here(place: &Place) -> bool {
    active_has_target() || matches!(Debian::built(place), Some(Ok(_)))
}

/// Looks for the target, and asks rustup for it.
pub fn find(place: &Place) -> Result<Found, Stop> {
    if active_has_target() {
        ready(&format!("{TRIPLE}: in the active toolchain"));
        return Ok(Found::Ready(Wasm::Active));
    }
    if let Some(debian) = Debian::built(place) {
        ready(&format!("{TRIPLE}: Debian's compiler with a library built before"));
        return Ok(Found::Ready(Wasm::Debian(debian?)));
    }
    if on_path(&["rustup"]).is_some() {
        println!("… rustup target add {TRIPLE}");
        let mut rustup = Command::new("rustup");
        rustup.args(["target", "add", TRIPLE]);
        if command::succeeds_within(&mut rustup, RUSTUP_LIMIT) && active_has_target() {
            ready(&format!("{TRIPLE}: added by rustup"));
            return Ok(Found::Ready(Wasm::Active));
        }
        println!("  rustup cannot bring it here; trying Debian's packages");
    }
    if Debian::is_here() {
        return Ok(Found::FromDebian(Vec::new()));
    }
    Ok(Found::FromDebian(vec![Need {
        what: "the wasm32 target",
        packages: &["rustc-web", "cargo-web", "rust-web-src"],
        elsewhere: "make the wasm32-unknown-unknown target part of your Rust toolchain",
    }]))
}

/// Clippy for the compiler that makes wasm, where it does not come with it.
pub fn clippy_needs(wasm: &Wasm) -> Vec<Need> {
    if matches!(wasm, Wasm::Active) || Path::new("/usr/bin/cargo-clippy").is_file() {
        return Vec::new();
    }
    vec![Need {
        what: "clippy for Debian's compiler",
        packages: &["rust-web-clippy"],
        elsewhere: "install clippy for the compiler in /usr/bin",
    }]
}

fn active_has_target() -> bool {
    let mut rustc = Command::new("rustc");
    output(rustc.args(["--print", "target-libdir", "--target", TRIPLE])).is_some_and(|folder| {
        std::fs::read_dir(folder).is_ok_and(|mut files| {
            files.any(|file| {
                file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libstd-"))
            })
        })
    })
}
