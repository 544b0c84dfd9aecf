//! atelier's set-up and every chore: `cargo xtask serve | build | release | test | check | peers | setup`.
//!
//! # Layout
//!
//! - [`command`]: running programs, timing steps, and the one way to stop: a sentence and the
//!   command that helps.
//! - [`place`]: the folders: the project, its `target/` and `dist/`, this user's [`cache`]; [`lock`] keeps two processes
//!   from working in one of them at once.
//! - [`setup`]: what each chore needs, made present: [`wasm`] (the wasm32 target, maybe with
//!   [`debian`]'s compiler), [`bindgen`], [`npm`] (JavaScript), [`browser`] (Chromium for tests), [`tools`]
//!   (Firefox's driver), [`python`] (pyarrow and huggingface_hub for tests), [`smollm2`] (a real model for them), [`apt`].
//! - [`options`]: the words behind a chore; [`setting`]: where the page will be, and which hub its download worker asks.
//! - [`page`]: sources to `dist/`, its first picture drawn into it; [`document`] is `index.html`'s list of files,
//!   [`wasm_opt`] makes wasm smaller or faster, [`stamp`] gives the URLs the build's id and the service worker the
//!   files to keep, [`licences`] collects what must travel with it, [`host`] writes what hosts make of it at the
//!   address where it will be, [`embed`] makes the document that others frame.
//! - [`pack`]: the page as a folder and a [`zip`] for places without a network.
//! - [`server`]: serves `dist/`; [`embedded`] puts it into the program `atelier`; [`release`] packs that with
//!   all that goes with it.
//! - [`peers`]: the benches against other programs.
//! - [`check`]: formatting, lints and documentation ([`documented`]); [`scripts`]: workflows, YAML and shell
//!   scripts; the tests, and their [`times`]; [`long`] those that take hours.

mod apt;
mod bindgen;
mod browser;
mod cache;
mod check;
mod command;
mod debian;
mod disk;
mod document;
mod documented;
mod embed;
mod embedded;
mod hash;
mod host;
mod licences;
mod lock;
mod long;
mod npm;
mod options;
mod pack;
mod page;
mod peers;
mod place;
mod python;
mod release;
mod scripts;
mod server;
mod setting;
mod setup;
mod smollm2;
mod stamp;
mod times;
mod tools;
mod wasm;
mod wasm_opt;
mod zip;

use std::process::ExitCode;

use command::Stop;
use options::Options;
use place::Place;
use setting::Setting;
use smollm2::Real;

const USAGE: &str = "\
Usage: cargo xtask <chore>

  serve [--no-open] [--port N] [--no-real]
                                 build the page in release, serve it, open a browser; beside it fetch
                                 SmolLM2 into the models folder, where there are Python and a network;
                                 --no-real fetches nothing, and still offers what lies there
  build [--binary] [--pack] [--no-real] [--site URL] [--hub URL] [--hub-cdn ORIGINS]
                                 build the page in release into dist/, for any static host; with
                                 --binary also the program `atelier` with the page in it; with --pack
                                 also a folder and a zip for places without a network; where the
                                 page will be; a mirror of the hub, and where it leads to for files
  release [--page DIR] [--cuda]  pack the program for this system with manual, completions and
                                 licences; with a page that was built before; with CUDA
  test [--only NAME] [--long] [--no-real]
                                 build the page and run every test, browser ones included; or only
                                 those of a module (`engine`, `cli::golden`), without the page, or of
                                 a group of the page (`page::orders`); with --long also hours of
                                 fuzzing, kills and benches with peers; with --no-real without SmolLM2
  check                          formatting, lints (native and wasm), documentation,
                                 workflows and scripts
  peers [BENCH]                  times the engine beside Python's and a browser's (gigabytes), or one
                                 bench alone (`wllama`)
  setup [--no-real]              only prepare what the other chores need

Every chore first prepares what is missing, and says so; with --no-install, serve, build, test and
setup only list what that is, and do nothing. Tools go to $ATELIER_CACHE, or else to
$XDG_CACHE_HOME/atelier, or else to ~/.cache/atelier; delete that folder to undo it. SmolLM2 goes to
the models folder, $ATELIER_MODELS or the system's place for data; `atelier models` names it.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("\n{stop}");
            ExitCode::from(stop.code)
        }
    }
}

fn run(arguments: &[String]) -> Result<(), Stop> {
    let clock = std::time::Instant::now();
    let (chore, options) = match arguments.split_first() {
        Some((chore, options)) => (chore.as_str(), options),
        None => ("help", arguments),
    };
    let place = Place::find()?;
    let mut options = Options::new(chore, options);
    let prepares = ["serve", "build", "test", "setup"].contains(&chore);
    let lists = prepares && options.has("--no-install");
    let binary = chore == "build" && options.has("--binary");
    let packs = chore == "build" && options.has("--pack");
    let long = chore == "test" && options.has("--long");
    let leaves_out = prepares && options.has("--no-real");
    let real = if leaves_out { Real::LeftOut } else { Real::Wanted };
    let only = if chore == "test" { options.value("--only", "wants a name")? } else { None };
    let peer = if chore == "peers" { options.last() } else { None };
    if lists {
        return match options.first() {
            Some(option) => {
                Err(Stop::usage(format!("`--no-install` takes no `{option}` beside it.")))
            }
            None => setup::check(&place, ["test", "setup"].contains(&chore), real),
        };
    }
    if !["serve", "build", "release"].contains(&chore) {
        options.end()?;
    }
    match chore {
        "serve" => {
            let wishes = server::Wishes::take(&mut options)?;
            options.end()?;
            // A taken port should not be found out after a build of minutes.
            let listener = server::listen(wishes.port)?;
            build_page(&place, &Setting::of(chore, &place), real)?;
            println!("ready after {}", command::spell(clock.elapsed()));
            return server::serve(listener, &place.dist(), wishes.open);
        }
        "build" => {
            let setting = Setting::take(&mut options)?;
            options.end()?;
            setting.keep(&place)?;
            build_page(&place, &setting, real)?;
            if binary {
                embedded::build(&place, &place.dist(), embedded::PLAIN)?;
            }
            if packs {
                pack::pack(&place)?;
            }
        }
        "release" => {
            let wishes = release::Wishes::take(&mut options)?;
            options.end()?;
            release::pack(&place, &wishes)?;
        }
        "test" => {
            if long {
                page::try_trunk(&place)?;
            }
            match &only {
                Some(name) => check::test_only(&place, real, name)?,
                None => check::test(&place, real)?,
            }
            if long {
                long::test(&place, real)?;
            }
        }
        "check" => check::check(&place)?,
        "peers" => peers::bench(&place, peer.as_deref())?,
        "setup" => {
            let (wasm, ..) = setup::for_tests(&place, real, None)?;
            page::bundle(&place)?;
            bindgen::build(&place)?;
            let trunk = setup::trunk_by_hand(&place, &wasm);
            println!(
                "everything is here; by hand, Trunk (where it is installed) serves what it builds with\n\n    {trunk}\n"
            );
        }
        "help" | "-h" | "--help" => {
            println!("{USAGE}");
            return Ok(());
        }
        other => return Err(Stop::usage(format!("There is no chore `{other}`."))),
    }
    println!("`cargo xtask {chore}` took {}", command::spell(clock.elapsed()));
    Ok(())
}

/// Builds the page, and puts the real model at hand beside it unless that is left out.
fn build_page(place: &Place, setting: &Setting, real: Real) -> Result<(), Stop> {
    std::thread::scope(|scope| {
        if real == Real::Wanted {
            scope.spawn(|| smollm2::offer(place));
        }
        page::build(place, setting)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beside_no_install_nothing_unknown_is_swallowed() {
        let words = ["serve", "--no-install", "--no-real", "--nonsense"].map(String::from);
        let why = run(&words).err().map(|stop| stop.to_string());
        assert!(why.is_some_and(|why| why.contains("takes no `--nonsense` beside it")));
    }
}
