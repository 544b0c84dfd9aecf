//! Sources to `dist/`: JavaScript and style bundled by esbuild, Rust compiled and given its JavaScript by
//! wasm-bindgen, wasm made smaller and faster by binaryen, the page's own pictures drawn, every URL stamped with the
//! build's id. Which files there are is said by `index.html`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use flate2::{Compression, write::GzEncoder};

use crate::command::{Stop, on_path, ready, run, step};
use crate::disk::{self, files_under, make_folder, named_under, remove};
use crate::document::Document;
use crate::hash::Hash;
use crate::place::Place;
use crate::setting::Setting;
use crate::setup;
use crate::wasm::{TRIPLE, Wasm};
use crate::{bindgen, embed, host, licences, lock, npm, stamp, wasm_opt};

/// Everything that the page is made from; a change in one of them makes it anew.
const SOURCES: &[&str] = &[
    "docs/words.md",
    "src",
    "style",
    "public",
    "index.html",
    "Cargo.toml",
    "Cargo.lock",
    ".cargo",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "crates",
    "package-lock.json",
    "server/src",
    "web",
    "xtask/assets",
    "xtask/bindgen",
    "xtask/src",
];

/// The worker runs the models: fast. Other programs travel before a picture: small.
const WORKER: &str = "worker";
pub const WORKER_LEVEL: &str = "-O3";
const OTHER_LEVEL: &str = "-Oz";

/// The page's JavaScript files, by wasm-bindgen and by people.
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
    "hub_frame.js",
    "worker_loader.js",
];

/// Prepares what is missing and makes `dist/`, unless it is there already from these sources.
pub fn build(place: &Place, setting: &Setting) -> Result<(), Stop> {
    build_in(&setup::for_page(place)?, place, setting)
}

pub fn build_in(wasm: &Wasm, place: &Place, setting: &Setting) -> Result<(), Stop> {
    // Two builds of one clone would write into the same folder.
    let _held = lock::hold(&place.generated().join("lock"), "building the page of this clone")?;
    let sources = fingerprint(place, setting)?;
    let note = place.generated().join("dist-sources");
    let made = std::fs::read_to_string(&note).is_ok_and(|text| text == sources);
    if made && place.dist().join("index.html").is_file() {
        ready("dist/ is up to date");
        return Ok(());
    }
    // The page is built in generated/dist and renamed into place when whole. Not in target/: that may be another
    // file system.
    let stage = place.generated().join("dist");
    remove(&stage)?;
    remove(&note)?;
    step("bundling JavaScript and style", || bundle(place))?;
    let document = Document::read(place)?;
    document.write(place, &stage)?;
    step("compiling the page and its worker, and wasm-bindgen beside them", || {
        std::thread::scope(|scope| {
            let bindgen = scope.spawn(|| bindgen::build(place));
            compile(place, wasm)?;
            let failed = |_| Err(Stop::new("The thread that builds wasm-bindgen ended."));
            bindgen.join().unwrap_or_else(failed)
        })
    })?;
    step("wasm-bindgen and wasm-opt, of all programs at once", || {
        finish(place, &document, &stage)
    })?;
    step("minifying JavaScript", || minify(place, &stage))?;
    embed::write(&stage)?;
    // The first picture names the hub.
    setting.write(&stage)?;
    step("drawing the first picture and the start page's", || prerender(place, &stage))?;
    step("collecting licences", || licences::collect(place, wasm, &stage))?;
    step("drawing the picture for links", || host::write(place, &stage, setting))?;
    host::write_headers(&stage)?;
    let id = stamp::stamp(&stage)?;
    put(&stage, &place.dist(), &place.generated().join("dist-before"))?;
    // What changed meanwhile is in some of the page: it is built again the next time.
    if fingerprint(place, setting)? == sources {
        disk::write(&note, sources)?;
    } else {
        println!("· sources changed during the build: run it again");
    }
    println!("dist/ is build {id}:");
    report_sizes(&place.dist())
}

/// Has Trunk, where it is installed, build what `trunk serve` serves.
pub fn try_trunk(place: &Place) -> Result<(), Stop> {
    if on_path(&["trunk"]).is_none() {
        println!("Trunk is not installed: not tried");
        return Ok(());
    }
    let wasm = setup::for_page(place)?;
    bundle(place)?;
    bindgen::build(place)?;
    let folder = place.scratch().join("trunk");
    remove(&folder)?;
    step("building the page with Trunk", || {
        let mut trunk = Command::new("trunk");
        trunk.current_dir(place.root()).args(["build", "--release", "--dist"]).arg(&folder);
        // Trunk takes NO_COLOR for a flag of its own that wants true or false.
        trunk.env_remove("NO_COLOR");
        wasm.dress(&mut trunk, setup::path_with_bindgen(place));
        run(&mut trunk, "Trunk could not build the page.")
    })?;
    // Trunk must make the same files as this program, except those that are only made in release.
    let document = Document::read(place)?;
    let own = place.scratch().join("trunk-compared");
    remove(&own)?;
    document.write(place, &own)?;
    for file in files_under(&own)? {
        let file = file.strip_prefix(&own).unwrap_or(&file);
        if !folder.join(file).is_file() {
            return Err(Stop::new(format!("Trunk's page lacks {}.", file.display())));
        }
    }
    for program in document.programs()?.0 {
        for file in [format!("{program}.js"), format!("{program}_bg.wasm")] {
            if !folder.join(&file).is_file() {
                return Err(Stop::new(format!("Trunk's page lacks {file}.")));
            }
        }
    }
    Ok(())
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

fn fingerprint(place: &Place, setting: &Setting) -> Result<String, Stop> {
    let mut hash = Hash::new();
    hash.add(setting.to_string().as_bytes());
    for source in SOURCES {
        hash.add(source.as_bytes());
        hash.add_path(&place.root().join(source))?;
    }
    Ok(hash.finish())
}

/// Makes one file of the style sheets.
pub fn bundle(place: &Place) -> Result<(), Stop> {
    let folder = place.generated();
    make_folder(&folder)?;
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

/// Compiles the programs that `index.html` names.
pub fn compile(place: &Place, wasm: &Wasm) -> Result<(), Stop> {
    let document = Document::read(place)?;
    let (programs, profile) = document.programs()?;
    let cargo = |chore: &str, programs: &[&str]| {
        let mut cargo = wasm.cargo();
        cargo.current_dir(place.root()).args([chore, "--quiet", "--package", "atelier"]);
        cargo.args(["--target", TRIPLE, "--no-default-features", "--features", "web"]);
        cargo.args(["--profile", profile, "--target-dir"]).arg(place.target());
        cargo.args(programs.iter().flat_map(|program| ["--bin", program]));
        cargo
    };

    // The step that sees a whole program has one level of optimisation, and only the highest makes vectors of the
    // kernels' loops; what was compiled for size stays small in it.
    let (workers, others): (Vec<_>, Vec<_>) =
        programs.into_iter().partition(|&program| program == WORKER);
    run(&mut cargo("build", &others), "The page could not be compiled.")?;
    let mut worker = cargo("rustc", &workers);
    run(worker.args(["--", "-C", "opt-level=3"]), "The page's worker could not be compiled.")
}

/// Gives every program its JavaScript and runs binaryen over it; each of these computes on one processor alone.
fn finish(place: &Place, document: &Document, stage: &Path) -> Result<(), Stop> {
    let (programs, profile) = document.programs()?;
    let built = place.target().join(TRIPLE).join(profile);
    let finish = |program: &str| {
        bindgen::generate(place, &built.join(format!("{program}.wasm")), stage, program)?;
        let level = if program == WORKER { WORKER_LEVEL } else { OTHER_LEVEL };
        wasm_opt::optimise(place, &stage.join(format!("{program}_bg.wasm")), level)
    };
    std::thread::scope(|scope| {
        let begun: Vec<_> =
            programs.iter().map(|&program| scope.spawn(move || finish(program))).collect();
        let failed = |_| Err(Stop::new("The thread that finishes a program ended."));
        begun.into_iter().try_for_each(|one| one.join().unwrap_or_else(failed))
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

/// Puts the first picture into `index.html`, where it is before any program is, and the start page's into files.
fn prerender(place: &Place, stage: &Path) -> Result<(), Stop> {
    let mut node = Command::new("node");
    node.current_dir(place.root()).arg("xtask/assets/prerender.mjs").arg(stage);
    run(&mut node, "The page's program could not draw its pictures.")
}

fn report_sizes(dist: &Path) -> Result<(), Stop> {
    for (name, file) in named_under(dist)? {
        if name.ends_with(".wasm") || name.ends_with(".js") || name.ends_with(".css") {
            let bytes = disk::read(&file)?;
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

#[cfg(test)]
mod tests {
    use super::put;

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
}
