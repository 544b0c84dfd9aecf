//! Sources to `dist/`: JavaScript and style bundled by esbuild, Rust by Trunk, wasm made smaller
//! and faster by binaryen, the first picture drawn into the page, every URL stamped with the build's
//! id.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, write::GzEncoder};

use crate::command::{Stop, ready, run, step};
use crate::hash::{Hash, files_under};
use crate::place::Place;
use crate::setup::{self, Workshop};
use crate::wasm::{TRIPLE, Wasm};
use crate::{hub, licences, npm, stamp};

/// Everything that the page is made from; a change in one of them makes it anew.
const SOURCES: &[&str] = &[
    "src",
    "style",
    "public",
    "index.html",
    "Trunk.toml",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "package-lock.json",
    "xtask/src",
    "xtask/assets",
];

/// What rustc's wasm may use, and so what binaryen must know.
const WASM_FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-simd",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// Like functions stand beside each other: 3 to 4 % less to send, because compression looks back
/// only so far.
const BESIDE: &str = "--reorder-functions-by-name";

/// The stack's last kilobyte lies lowest, so no address that the program computes with is that low, and offsets
/// can be folded into loads and stores.
const LOW_MEMORY: &str = "--low-memory-unused";

/// The page travels before its first picture: small. The worker runs the models: fast.
const WASM_FILES: &[(&str, &str)] = &[
    ("page_bg.wasm", "-Oz"),
    ("hub_bg.wasm", "-Oz"),
    ("worker_bg.wasm", WORKER_LEVEL),
];

pub const WORKER_LEVEL: &str = "-O3";

/// What wasm-bindgen and people wrote.
const SCRIPTS: &[&str] = &[
    "page.js",
    "worker.js",
    "hub.js",
    "boot.js",
    "early.js",
    "hands.js",
    "offline.js",
    "service_worker.js",
    "hub_boot.js",
    "survey_redirect.js",
    "worker_loader.js",
];

/// Prepares what is missing and makes `dist/`, unless it is there already from these sources.
pub fn build(place: &Place) -> Result<(), Stop> {
    build_in(&setup::for_page(place)?, place)
}

pub fn build_in(workshop: &Workshop, place: &Place) -> Result<(), Stop> {
    let hub = hub::Setting::kept(place)?;
    let sources = fingerprint(place, &hub)?;
    let note = place.scratch().join("dist-sources");
    let made = std::fs::read_to_string(&note).is_ok_and(|text| text == sources);
    if made && place.dist().join("index.html").is_file() {
        ready("dist/ is up to date");
        return Ok(());
    }
    // Whole or not at all: what is unfinished stays out of dist/.
    let stage = place.scratch().join("dist");
    remove(&stage)?;
    remove(&note)?;
    step("bundling JavaScript and style", || bundle(place))?;
    step("building the page and its worker in release", || {
        trunk(workshop, place, &stage)
    })?;
    for (file, level) in WASM_FILES {
        step(&format!("wasm-opt {level} {file}"), || {
            optimise(place, &stage.join(file), level)
        })?;
    }
    step("minifying the wasm's JavaScript", || minify(place, &stage))?;
    step("drawing the first picture", || prerender(place, &stage))?;
    step("collecting licences", || {
        licences::collect(place, &workshop.wasm, &stage)
    })?;
    hub.write(&stage)?;
    let id = stamp::stamp(&stage)?;
    remove(&place.dist())?;
    std::fs::rename(&stage, place.dist())
        .map_err(|error| Stop::file("move the page to", &place.dist(), &error))?;
    std::fs::write(&note, sources).map_err(|error| Stop::file("write", &note, &error))?;
    println!("dist/ is build {id}:");
    report_sizes(&place.dist())
}

fn fingerprint(place: &Place, hub: &hub::Setting) -> Result<String, Stop> {
    let mut hash = Hash::new();
    hash.add(hub.to_string().as_bytes());
    for source in SOURCES {
        hash.add(source.as_bytes());
        hash.add_path(&place.root().join(source))?;
    }
    Ok(hash.finish())
}

/// ECharts without what no chart uses, and the style sheets as one.
pub fn bundle(place: &Place) -> Result<(), Stop> {
    let folder = place.generated();
    // Its names follow its content, so what an older build left there would pile up.
    let charts = folder.join("charts");
    remove(&charts)?;
    make_folder(&charts)?;
    let mut echarts = esbuild(place);
    echarts
        .args(["xtask/assets/echarts.entry.js", "--bundle", "--format=esm"])
        .args([
            // What a later view needs is a file of its own.
            "--splitting",
            "--entry-names=echarts",
            "--chunk-names=[name]-[hash]",
            "--minify",
            "--target=es2022",
            "--legal-comments=none",
        ])
        // The notice that its licence asks for; the whole texts are in licences/.
        .arg("--banner:js=/*! Apache ECharts, Apache-2.0; zrender, BSD-3-Clause: licences/ */")
        .arg("--define:process.env.NODE_ENV=\"production\"")
        .arg(format!("--outdir={}", charts.display()));
    run(&mut echarts, "esbuild could not bundle ECharts.")?;
    let mut style = esbuild(place);
    style
        .args(["style/main.css", "--bundle", "--minify", "--target=es2022"])
        .arg(format!("--outfile={}", folder.join("style.css").display()));
    run(&mut style, "esbuild could not bundle style/main.css.")
}

fn esbuild(place: &Place) -> Command {
    let mut command = npm::program(place, "esbuild/bin/esbuild");
    command.arg("--log-level=warning");
    command
}

/// Compiles what Trunk will ask for, so that it finds it done.
pub fn compile(place: &Place, wasm: &Wasm) -> Result<(), Stop> {
    step("compiling the page and its worker meanwhile", || {
        for program in ["worker", "page"] {
            let mut cargo = wasm.cargo();
            cargo.current_dir(place.root()).args(["build", "--quiet"]);
            cargo.args([
                "--target",
                TRIPLE,
                "--no-default-features",
                "--features",
                "web",
            ]);
            // As index.html says to Trunk.
            let profile = if program == "worker" { "web" } else { program };
            cargo.args(["--bin", program, "--profile", profile]);
            run(&mut cargo, "The page could not be compiled.")?;
        }
        Ok(())
    })
}

fn trunk(workshop: &Workshop, place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut trunk = Command::new("trunk");
    trunk
        .current_dir(place.root())
        .args(["build", "--release", "--dist"])
        .arg(stage);
    // Trunk takes NO_COLOR for a flag of its own that wants true or false.
    trunk.env_remove("NO_COLOR");
    workshop.wasm.dress(&mut trunk, workshop.tools.path());
    run(&mut trunk, "Trunk could not build the page.")
}

/// Runs binaryen over a file. It takes a minute, so its result is kept for as long as the same
/// wasm comes in, as it does when only words or styles changed.
pub fn optimise(place: &Place, file: &Path, level: &str) -> Result<(), Stop> {
    let mut hash = Hash::new();
    hash.add_path(file)?;
    hash.add_path(&npm::folder(place).join("binaryen/package.json"))?;
    let kept = place.scratch().join("wasm-opt");
    make_folder(&kept)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let result = kept.join(format!("{}{level}-{name}", hash.finish()));
    if !result.is_file() {
        // One result a file is enough to keep.
        for old in files_under(&kept)? {
            if old.to_string_lossy().ends_with(&*name) {
                remove(&old)?;
            }
        }
        let unfinished = kept.join("unfinished");
        let mut wasm_opt = npm::program(place, "binaryen/bin/wasm-opt");
        wasm_opt
            .arg(level)
            .args(WASM_FEATURES)
            .args([BESIDE, LOW_MEMORY])
            .arg(file)
            .arg("-o")
            .arg(&unfinished);
        run(
            &mut wasm_opt,
            "wasm-opt could not optimise the page's wasm.",
        )?;
        // On a full disk, wasm-opt leaves the beginning of a file and says nothing.
        let made =
            std::fs::read(&unfinished).map_err(|error| Stop::file("read", &unfinished, &error))?;
        if !is_whole(&made) {
            return Err(Stop::new(format!(
                "wasm-opt left {} bytes of {name} that end in the middle: is the disk full? Make room and build again.",
                made.len()
            )));
        }
        std::fs::rename(&unfinished, &result)
            .map_err(|error| Stop::file("write", &result, &error))?;
    }
    std::fs::copy(&result, file).map_err(|error| Stop::file("write", file, &error))?;
    Ok(())
}

/// Do a module's sections end where its file does?
fn is_whole(wasm: &[u8]) -> bool {
    let mut rest = match wasm.strip_prefix(b"\0asm\x01\0\0\0") {
        Some(rest) if !rest.is_empty() => rest,
        _ => return false,
    };
    while let Some((_, after)) = rest.split_first() {
        let Some((length, after)) = leb128(after) else {
            return false;
        };
        let Some(next) = after.get(length..) else {
            return false;
        };
        rest = next;
    }
    true
}

/// A section's length and what follows it.
fn leb128(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_u64;
    for (i, byte) in bytes.iter().take(5).enumerate() {
        value |= u64::from(byte & 0x7f) << (7 * i);
        if byte & 0x80 == 0 {
            return Some((usize::try_from(value).ok()?, &bytes[i + 1..]));
        }
    }
    None
}

/// wasm-bindgen writes for people; these files are for browsers.
fn minify(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut esbuild = esbuild(place);
    esbuild
        .args([
            "--minify",
            "--format=esm",
            "--target=es2022",
            "--allow-overwrite",
        ])
        .arg(format!("--outdir={}", stage.display()))
        .args(SCRIPTS.iter().map(|file| stage.join(file)));
    run(
        &mut esbuild,
        "esbuild could not minify the page's JavaScript.",
    )
}

/// Puts the first picture into `index.html`: it is there before any program is.
fn prerender(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut node = Command::new("node");
    node.current_dir(place.root())
        .arg("xtask/assets/prerender.mjs")
        .arg(stage);
    run(
        &mut node,
        "The page's program could not draw the first picture into index.html.",
    )
}

fn report_sizes(dist: &Path) -> Result<(), Stop> {
    for file in files_under(dist)? {
        let name = file
            .strip_prefix(dist)
            .unwrap_or(&file)
            .display()
            .to_string();
        if name.ends_with(".wasm") || name.ends_with(".js") || name.ends_with(".css") {
            let bytes = std::fs::read(&file).map_err(|error| Stop::file("read", &file, &error))?;
            let small = gzip(&bytes).map_err(|error| Stop::file("compress", &file, &error))?;
            println!(
                "  {:>7.1} kB gzipped {:>8.1} kB  {name}",
                kilo(&small),
                kilo(&bytes)
            );
        }
    }
    Ok(())
}

fn kilo(bytes: &[u8]) -> f64 {
    bytes.len() as f64 / 1000.0
}

pub fn gzip(bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}

pub fn make_folder(path: &Path) -> Result<(), Stop> {
    std::fs::create_dir_all(path).map_err(|error| Stop::file("make the folder", path, &error))
}

/// Removes a file or a folder with all it holds, if it is there.
pub fn remove(path: &PathBuf) -> Result<(), Stop> {
    let removed = if path.is_dir() {
        std::fs::remove_dir_all(path)
    } else if path.exists() {
        std::fs::remove_file(path)
    } else {
        Ok(())
    };
    removed.map_err(|error| Stop::file("remove", path, &error))
}

#[cfg(test)]
mod tests {
    use super::is_whole;

    #[test]
    fn a_module_that_ends_in_the_middle_is_seen() {
        // A header, and two sections: of 3 bytes, and of 130, whose length takes two.
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        assert!(!is_whole(&wasm));
        wasm.extend([0, 3, 1, 2, 3, 10, 0x82, 0x01]);
        wasm.extend([0; 130]);
        assert!(is_whole(&wasm));
        for end in 0..wasm.len() {
            // Only after a section does a shorter file look whole.
            assert_eq!(is_whole(&wasm[..end]), end == 13, "{end}");
        }
        wasm[0] = b'<';
        assert!(!is_whole(&wasm));
    }
}
