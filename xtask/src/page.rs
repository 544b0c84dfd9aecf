//! Sources to `dist/`: JavaScript and style bundled by esbuild, Rust by Trunk, wasm made smaller
//! and faster by binaryen, the first picture drawn into the page, every URL stamped with the build's
//! id.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, write::GzEncoder};

use crate::command::{Stop, ready, run, step};
use crate::hash::{Hash, files_under};
use crate::place::Place;
use crate::setup::{self, Workshop};
use crate::site::Site;
use crate::split::{SplitError, split, watched};
use crate::wasm::{TRIPLE, Wasm};
use crate::{embed, host, hub, licences, npm, stamp, start, wasm_opt};

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

/// The page travels before its first picture: small. The worker runs the models: fast.
const WASM_FILES: &[(&str, &str)] =
    &[(PAGE, "-Oz"), ("hub_bg.wasm", "-Oz"), ("worker_bg.wasm", WORKER_LEVEL)];

const PAGE: &str = "page_bg.wasm";

/// What the page's file leaves to a second one, which comes behind the first picture: what other views are
/// made of, and what a reader sets off. What runs for the first picture stays, wherever it is named; what
/// runs a little later and is named here makes the page stand still, which `tests/page/first_picture.rs` sees.
const LATER: &[&str] = &[
    "<atelier::chart::plot::Plot>::option",
    "atelier::app::answers",
    "atelier::app::arrangement::edit",
    "atelier::app::asked",
    "atelier::app::embedding",
    "atelier::app::machine",
    "atelier::app::shell::doctor::panel",
    "atelier::app::shell::drop",
    "atelier::app::state::classroom",
    "atelier::app::shell::framed",
    "atelier::app::state::doctor",
    "atelier::app::state::sweeps",
    "atelier::app::state::teaching",
    "atelier::app::views::attention",
    "atelier::app::views::coupling",
    "atelier::app::views::lessons",
    "atelier::app::views::logit_lens",
    "atelier::app::views::member",
    "atelier::app::views::orders",
    "atelier::app::views::start",
    "atelier::app::views::survey",
    "atelier::app::views::theory",
    "atelier::app::widgets::download",
    "atelier::app::widgets::member_links",
    "atelier::chart::coupling",
    "atelier::chart::inside",
    "atelier::chart::lab",
    "atelier::chart::lesson",
    "atelier::chart::member",
    "atelier::chart::need",
    "atelier::chart::orders",
    "atelier::chart::plot::option",
    "atelier::chart::survey",
    "atelier::chart::theory",
    "atelier::engine::record",
    "atelier::engine::trial",
    "atelier::measure::coupling",
    "atelier::measure::information",
    "atelier::study::coupling",
    "atelier::study::doctor",
    "atelier::study::lessons",
    "atelier::study::member",
    "atelier::study::need",
    "atelier::study::orders",
    "atelier::study::report::check",
    "atelier::study::report::opened",
    "atelier::study::survey",
    "serde_json::ser::PrettyFormatter",
    "statrs",
];

pub const WORKER_LEVEL: &str = "-O3";

/// What wasm-bindgen and people wrote.
const SCRIPTS: &[&str] = &[
    "page.js",
    "worker.js",
    "hub.js",
    "boot.js",
    "later.js",
    "early.js",
    "hands.js",
    "offline.js",
    "service_worker.js",
    "hub_boot.js",
    "survey_redirect.js",
    "worker_loader.js",
];

/// Prepares what is missing and makes `dist/`, unless it is there already from these sources.
pub fn build(place: &Place, site: &Site) -> Result<(), Stop> {
    build_in(&setup::for_page(place)?, place, site)
}

pub fn build_in(workshop: &Workshop, place: &Place, site: &Site) -> Result<(), Stop> {
    let hub = hub::Setting::kept(place)?;
    let sources = fingerprint(place, &hub, site)?;
    let note = place.scratch().join("dist-sources");
    let made = std::fs::read_to_string(&note).is_ok_and(|text| text == sources);
    if made && place.dist().join("index.html").is_file() {
        ready("dist/ is up to date");
        return Ok(());
    }
    // Whole or not at all: what is unfinished stays out of dist/, and beside it: what cargo builds may lie on
    // another file system.
    let stage = place.generated().join("dist");
    remove(&stage)?;
    remove(&note)?;
    step("bundling JavaScript and style", || bundle(place))?;
    step("building the page and its worker in release", || trunk(workshop, place, &stage))?;
    step("wasm-opt, of all files at once", || optimise(place, &stage))?;
    step("minifying the wasm's JavaScript", || minify(place, &stage))?;
    embed::write(&stage)?;
    step("drawing the start page's pictures", || start::draw(place, &stage))?;
    step("drawing the first picture, and cutting off what later views need", || {
        first_picture(place, &stage)
    })?;
    step("collecting licences", || licences::collect(place, &workshop.wasm, &stage))?;
    hub.write(&stage)?;
    step("drawing the picture for links", || host::write(place, &stage, site))?;
    host::write_headers(&stage)?;
    let id = stamp::stamp(&stage)?;
    put(&stage, &place.dist(), &place.generated().join("dist-before"))?;
    std::fs::write(&note, sources).map_err(|error| Stop::file("write", &note, &error))?;
    println!("dist/ is build {id}:");
    report_sizes(&place.dist())
}

/// Puts a folder in another's place; where it cannot, that one stays. `aside` is where it lies meanwhile.
fn put(stage: &Path, dist: &Path, aside: &PathBuf) -> Result<(), Stop> {
    remove(aside)?;
    let was = dist.exists();
    let failed = |error| Stop::file("move the page to", dist, &error);
    if was {
        std::fs::rename(dist, aside).map_err(failed)?;
    }
    if let Err(error) = std::fs::rename(stage, dist) {
        if was {
            std::fs::rename(aside, dist).map_err(failed)?;
        }
        return Err(failed(error));
    }
    remove(aside)
}

fn fingerprint(place: &Place, hub: &hub::Setting, site: &Site) -> Result<String, Stop> {
    let mut hash = Hash::new();
    hash.add(hub.to_string().as_bytes());
    hash.add(site.to_string().as_bytes());
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
        for program in ["worker", "page", "hub"] {
            let mut cargo = wasm.cargo();
            cargo.current_dir(place.root()).args(["build", "--quiet"]);
            cargo.args(["--target", TRIPLE, "--no-default-features", "--features", "web"]);
            // As index.html says to Trunk.
            let profile = if program == "worker" { "web" } else { "page" };
            cargo.args(["--bin", program, "--profile", profile]);
            run(&mut cargo, "The page could not be compiled.")?;
        }
        Ok(())
    })
}

fn trunk(workshop: &Workshop, place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut trunk = Command::new("trunk");
    trunk.current_dir(place.root()).args(["build", "--release", "--dist"]).arg(stage);
    // Trunk takes NO_COLOR for a flag of its own that wants true or false.
    trunk.env_remove("NO_COLOR");
    workshop.wasm.dress(&mut trunk, workshop.tools.path());
    run(&mut trunk, "Trunk could not build the page.")
}

/// Each file's binaryen computes on one processor alone.
fn optimise(place: &Place, stage: &Path) -> Result<(), Stop> {
    std::thread::scope(|scope| {
        let begin = |&(file, level): &(&str, &'static str)| {
            let path = stage.join(file);
            let is_named = file == PAGE;
            scope.spawn(move || wasm_opt::optimise(place, &path, level, is_named))
        };
        let begun: Vec<_> = WASM_FILES.iter().map(begin).collect();
        let failed = |_| Err(Stop::new("The thread that runs wasm-opt ended."));
        begun.into_iter().try_for_each(|one| one.join().unwrap_or_else(failed))
    })
}

/// Has the page's program draw the first picture, and cuts its file in two: what ran stays.
fn first_picture(place: &Place, stage: &Path) -> Result<(), Stop> {
    let path = stage.join(PAGE);
    let write = |path: &Path, bytes: &[u8]| {
        std::fs::write(path, bytes).map_err(|error| Stop::file("write", path, &error))
    };
    let odd = |error: SplitError| Stop::new(error.to_string());
    let wasm = std::fs::read(&path).map_err(|error| Stop::file("read", &path, &error))?;
    let is_later = |name: &str| LATER.iter().any(|module| is_of(name, module));
    write(&path, &watched(&wasm, |_, name| is_later(name)).map_err(odd)?)?;
    let ran = place.scratch().join("ran");
    prerender(place, stage, &ran)?;
    let ran = std::fs::read_to_string(&ran).map_err(|error| Stop::file("read", &ran, &error))?;
    let ran: BTreeSet<u32> = ran.split_whitespace().filter_map(|n| n.parse().ok()).collect();
    let halves = split(&wasm, |function, name| is_later(name) && !ran.contains(&function));
    let halves = halves.map_err(odd)?;
    println!("  {} functions in a file of their own", halves.moved);
    write(&path, &halves.first)?;
    write(&stage.join("page_later.wasm"), &halves.later)
}

/// Is a function of a module or of this name, or made for one of its types? Names say by a hash which crate is meant, as in
/// `atelier[1f3a]::chart::lab::figure`.
fn is_of(name: &str, module: &str) -> bool {
    let mut plain = String::with_capacity(name.len());
    for (i, piece) in name.split('[').enumerate() {
        let hash = piece
            .split_once("]::")
            .filter(|(hash, _)| i > 0 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
        plain += hash.map_or(piece, |(_, rest)| rest);
        if hash.is_some() {
            let at = plain.len() - hash.map_or(0, |(_, rest)| rest.len());
            plain.insert_str(at, "::");
        }
    }
    plain.match_indices(module).any(|(at, _)| {
        let before = plain[..at].chars().next_back();
        let starts = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != ':');
        let after = plain[at + module.len()..].chars().next();
        starts && after.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

/// wasm-bindgen writes for people; these files are for browsers.
fn minify(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut esbuild = esbuild(place);
    esbuild
        .args(["--minify", "--format=esm", "--target=es2022", "--allow-overwrite"])
        .arg(format!("--outdir={}", stage.display()))
        .args(SCRIPTS.iter().map(|file| stage.join(file)));
    run(&mut esbuild, "esbuild could not minify the page's JavaScript.")
}

/// Puts the first picture into `index.html`: it is there before any program is. Which functions ran for it is
/// written to `ran`.
fn prerender(place: &Place, stage: &Path, ran: &Path) -> Result<(), Stop> {
    let mut node = Command::new("node");
    node.current_dir(place.root()).arg("xtask/assets/prerender.mjs").args([stage, ran]);
    run(&mut node, "The page's program could not draw the first picture into index.html.")
}

fn report_sizes(dist: &Path) -> Result<(), Stop> {
    for file in files_under(dist)? {
        let name = file.strip_prefix(dist).unwrap_or(&file).display().to_string();
        if name.ends_with(".wasm") || name.ends_with(".js") || name.ends_with(".css") {
            let bytes = std::fs::read(&file).map_err(|error| Stop::file("read", &file, &error))?;
            let small = gzip(&bytes).map_err(|error| Stop::file("compress", &file, &error))?;
            println!("  {:>7.1} kB gzipped {:>8.1} kB  {name}", kilo(&small), kilo(&bytes));
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
    use super::{is_of, put};

    #[test]
    fn a_page_that_cannot_be_moved_leaves_the_one_before() {
        let folder = std::env::temp_dir().join(format!("atelier-put-{}", std::process::id()));
        let [stage, dist, aside] = ["stage", "dist", "aside"].map(|name| folder.join(name));
        for (made, found) in [(true, "new"), (false, "new")] {
            if made {
                std::fs::create_dir_all(&stage).unwrap();
                std::fs::write(stage.join("index.html"), "new").unwrap();
                std::fs::create_dir_all(&dist).unwrap();
                std::fs::write(dist.join("index.html"), "old").unwrap();
            }
            assert_eq!(put(&stage, &dist, &aside).is_ok(), made);
            assert_eq!(std::fs::read_to_string(dist.join("index.html")).unwrap(), found);
            assert!(!aside.exists());
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn functions_are_told_by_their_modules() {
        let name = "<atelier[1f3a]::chart::lab::Lab as core[c593]::fmt::Debug>::fmt::{closure#0}";
        assert!(is_of(name, "atelier::chart::lab") && is_of(name, "core::fmt"));
        for other in ["atelier::chart::la", "chart::lab", "lab", "statrs"] {
            assert!(!is_of(name, other), "{other}");
        }
        let whole = "<atelier::chart::lab::Lab as core::fmt::Debug>::fmt";
        assert!(is_of(name, whole) && !is_of(name, &whole[..whole.len() - 1]));
        assert!(is_of("statrs[0a]::function::gamma::ln_gamma", "statrs"));
        assert!(!is_of("<[f32] as statrs2[0a]::Sum>::sum", "statrs"));
    }
}
