//! Checks that take too long for every change: `cargo xtask test --long`. Lints of the benches, the page by
//! Trunk, licences of all crates, ten minutes of each fuzzer, twenty kills of a survey and of a sweep, seven
//! lessons on the real model, a model of a billion numbers in memory and in the page, and the benches against peers, 1B shapes among them.

use std::collections::VecDeque;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::command::{self, Stop, output, run, spell, step};
use crate::place::Place;
use crate::smollm2::Real;
use crate::{check, peers, tools};

/// How long each fuzzer runs.
const FUZZING: Duration = Duration::from_secs(600);

/// How many times the cases of an ordinary run one round of a fuzzer tries, each round others.
const TIMES: &str = "10";

/// The part of a test's name that says that it is a fuzzer.
const FUZZERS: &str = "fuzz::";

pub fn test(place: &Place, real: Real) -> Result<(), Stop> {
    check::check_benches(place)?;
    deny(place)?;
    let fuzzers = fuzzers(place)?;
    let minutes = FUZZING.as_secs() / 60;
    let what = format!("{} fuzzers, {minutes} minutes each", fuzzers.len());
    step(&what, || fuzz(place, fuzzers))?;
    step("kills in numbers", || {
        let mut kills = tests(place);
        kills.args(["--ignored", "--nocapture", "--test-threads=1", "kills::"]);
        run(&mut kills, "A run that was killed did not end as the others.")
    })?;
    step("memory of a model of a billion numbers", || {
        let mut memory = tests(place);
        memory.args(["--ignored", "--nocapture", "memory::"]);
        run(&mut memory, "It took more memory than its file has.")
    })?;
    step("seven lessons on the real model", || {
        let mut lessons = tests(place);
        lessons.args(["--ignored", "--nocapture", "lessons::real::"]);
        run(&mut lessons, "A step of a lesson cannot be shown with the real model.")
    })?;
    step("a model of a billion numbers in the page", || check::test_large(place, real))?;
    peers::bench(place, None)
}

/// Whether every crate may be part of the programs.
fn deny(place: &Place) -> Result<(), Stop> {
    let deny = tools::cargo_deny(place)?;
    step("licences and sources of all crates", || {
        let mut deny = Command::new(deny);
        deny.current_dir(place.root()).args(["check", "licenses", "sources", "bans"]);
        run(&mut deny, "deny.toml does not allow a crate.")
    })
}

/// The native tests, in release: cargo's words end with `--`.
fn tests(place: &Place) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(place.root())
        .args(["test", "--release", "--quiet", "--package", "atelier"])
        .args(["--test", "it", "--"]);
    cargo
}

/// The fuzzers' names.
fn fuzzers(place: &Place) -> Result<VecDeque<String>, Stop> {
    let mut list = tests(place);
    list.args(["--list", "--format", "terse", FUZZERS]);
    let names = step("building the tests in release", || {
        output(&mut list).ok_or_else(|| Stop::new("The tests could not be built."))
    })?;

    let names = names.lines().filter_map(|line| line.strip_suffix(": test"));
    let found: VecDeque<String> = names.map(str::to_string).collect();
    if found.is_empty() {
        return Err(Stop::new("There are no fuzzers: were the tests renamed?"));
    }
    Ok(found)
}

/// As many at a time as there are processors.
fn fuzz(place: &Place, fuzzers: VecDeque<String>) -> Result<(), Stop> {
    let left = Mutex::new(fuzzers);
    let next = || left.lock().ok().and_then(|mut left| left.pop_front());
    let work = || -> Result<(), Stop> {
        while let Some(name) = next() {
            let began = Instant::now();
            let mut rounds = 0;
            while began.elapsed() < FUZZING {
                let mut round = tests(place);
                round.args(["--exact", &name]).env("ATELIER_FUZZ", TIMES);
                let why = format!("The fuzzer {name} found something.");
                command::run_quietly(&mut round, &why)?;
                rounds += 1;
            }
            println!(
                "  {name}: {rounds} rounds of {TIMES} times its cases, {}",
                spell(began.elapsed())
            );
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| {
            thread.join().unwrap_or_else(|_| Err(Stop::new("A thread that ran fuzzers ended.")))
        })
    })
}
