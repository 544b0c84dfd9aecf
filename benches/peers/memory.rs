//! A whole `atelier lens`, from its start to the printed picture, on a model of gigabytes: time and
//! peak memory beside the file's size, and beside Python's transformers (`picture.py`), which loads
//! the same folder in bf16 and reads the same options' logits.
//!
//! `cargo bench -p atelier-benches --features peers --bench memory` has Llama-3.2-1B's shape, random
//! weights in bf16, a prompt of 12 tokens; then it runs 8 x 64 tokens in bf16 and in f32. With
//! `-- --shape 7b` it has Llama-2-7B's, and measures atelier's peak alone. The weights are written
//! below the target folder (2.5 and 4.9 GB, or 13.5 GB), kept in the page cache while the rounds
//! alternate, and removed. Linux: peak memory is the process's resident set, mapped pages counted.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

#[path = "../common/mod.rs"]
mod common;

use common::random::{RandomModel, Stored};
use common::setting::{python, run_apart, scratch, script};
use common::side::{assert_close, largest, threads};
use common::{by_turns, logits, median, open, own_plan, prompts};
use serde_json::Value;

const SMALL: &str = include_str!("shapes/llama-3.2-1b.json");
const LARGE: &str = include_str!("shapes/llama-2-7b.json");

/// 12 tokens, and three rows of the output head.
const IDS: &str = "1,306,4658,278,6593,310,2834,338,304,367,9796,29889";
const ROWS: &str = "17,2303,9001";
const ROUNDS: usize = 3;

fn main() {
    // cargo says --bench to every bench.
    let arguments = std::env::args().skip(1).filter(|word| word != "--bench");
    let arguments: Vec<String> = arguments.collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["write", shape, stored, folder] => {
            let stored = if *stored == "f32" { Stored::F32 } else { Stored::Bf16 };
            RandomModel::new(config(shape)).write(Path::new(folder), stored);
        }
        [] | ["--shape", "1b"] => small(),
        ["--shape", "7b"] => large(),
        _ => panic!("--shape is 1b or 7b, not {words:?}"),
    }
}

fn config(shape: &str) -> &'static str {
    if shape == "7b" { LARGE } else { SMALL }
}

/// A model folder that goes when this is dropped.
struct Folder(tempfile::TempDir);

impl Folder {
    fn write(shape: &str, stored: &str) -> Self {
        let folder = tempfile::tempdir_in(scratch("memory")).expect("a folder");
        println!("writing random weights of {shape} in {stored}");
        run_apart(&["write", shape, stored], folder.path());
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// MB
    fn size(&self) -> f64 {
        let file = std::fs::metadata(self.path().join("model.safetensors"));
        file.expect("the weights").len() as f64 / 1e6
    }

    /// Into the page cache.
    fn warm(&self) {
        let file = std::fs::File::open(self.path().join("model.safetensors"));
        let read = std::io::copy(&mut file.expect("the weights"), &mut std::io::sink());
        read.expect("all of it");
    }
}

/// One process from its start to its end.
struct Measured {
    /// Up to the last thing it printed.
    seconds: f64,
    /// MB
    peak: f64,
    printed: String,
}

impl Measured {
    /// Runs two processes by turns; each one's median time, highest peak, and what it printed first.
    fn by_turns(ours: impl Fn() -> Self, theirs: impl Fn() -> Self) -> [Self; 2] {
        let (ours, theirs): (Vec<_>, Vec<_>) = (0..ROUNDS).map(|_| (ours(), theirs())).unzip();
        [ours, theirs].map(|mut rounds| Self {
            seconds: median(rounds.iter().map(|round| round.seconds).collect()),
            peak: rounds.iter().map(|round| round.peak).fold(0.0, f64::max),
            printed: rounds.swap_remove(0).printed,
        })
    }
}

// Waited for by `wait4`, which says its peak too.
#[allow(clippy::zombie_processes)]
fn measure(command: &mut Command) -> Measured {
    let start = Instant::now();
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut output = child.stdout.take().expect("its output");
    let (mut printed, mut part) = (Vec::new(), [0; 4096]);
    let mut seconds = 0.0;
    loop {
        match output.read(&mut part).expect("what it prints") {
            0 => break,
            count => {
                seconds = start.elapsed().as_secs_f64();
                printed.extend_from_slice(&part[..count]);
            }
        }
    }
    let peak = wait(child.id(), command);
    let printed = String::from_utf8(printed).expect("text");
    Measured { seconds, peak, printed }
}

/// Waits for a process to end well: its peak of resident memory, MB.
fn wait(id: u32, command: &Command) -> f64 {
    let mut status = 0;
    // SAFETY: an `rusage` is plain numbers, for which zeros are valid; `wait4` writes to it and to
    // the status alone, and `id` is a child of this process that nobody else waits for.
    let (waited, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        let id = id as libc::pid_t;
        (libc::wait4(id, &raw mut status, 0, &raw mut usage), usage)
    };
    assert!(waited > 0 && status == 0, "{command:?} failed");
    usage.ru_maxrss as f64 * 1024.0 / 1e6
}

/// The release binary, built now if it is not.
fn atelier() -> PathBuf {
    let mut build = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()));
    build.args(["build", "--release", "--package", "atelier", "--bin"]);
    build.args(["atelier", "--message-format", "json-render-diagnostics"]);
    let child = build.stdout(Stdio::piped()).spawn();
    let mut child = child.unwrap_or_else(|error| panic!("{build:?}: {error}"));
    let output = BufReader::new(child.stdout.take().expect("its output"));
    let messages = output.lines().map_while(Result::ok);
    let built = messages.filter_map(|line| {
        let message: Value = serde_json::from_str(&line).ok()?;
        Some(PathBuf::from(message["executable"].as_str()?))
    });
    let built = built.last();
    assert!(child.wait().is_ok_and(|status| status.success()), "{build:?} failed");
    built.expect("an executable")
}

fn lens(atelier: &Path, folder: &Folder) -> Command {
    let mut lens = Command::new(atelier);
    lens.args(["lens", "--model"]).arg(folder.path());
    lens.args(["--ids", IDS, "--rows", ROWS, "--answer", "0"]);
    lens
}

fn small() {
    let threads = threads();
    let (python, atelier) = (python(), atelier());
    let folder = Folder::write("1b", "bf16");
    let theirs = || {
        folder.warm();
        let mut theirs = script(&python, "picture.py");
        measure(theirs.arg(folder.path()).args([IDS, ROWS, &threads.to_string()]))
    };
    let ours = || {
        folder.warm();
        let mut ours = lens(&atelier, &folder);
        measure(ours.env("RAYON_NUM_THREADS", threads.to_string()))
    };

    same(&measure(lens(&atelier, &folder).arg("--json")), &theirs());
    let [ours, theirs] = Measured::by_turns(ours, theirs);
    println!(
        "\nLlama-3.2-1B's shape in bf16, {:.0} MB, 12 tokens, {threads} threads; {ROUNDS} alternating rounds\n\
         {:<28} {:>9} {:>9} {:>8}",
        folder.size(),
        "",
        "atelier",
        "Python",
        "ratio"
    );
    let (a, b) = (ours.seconds, theirs.seconds);
    println!(
        "{:<28} {a:>7.2} s {b:>7.2} s {:>8.2} (want <= 0.50)",
        "start to picture, median",
        a / b
    );
    let (a, b) = (ours.peak, theirs.peak);
    println!("{:<28} {a:>6.0} MB {b:>6.0} MB {:>8.2}", "peak memory", a / b);
    let (a, b) = (a / folder.size(), b / folder.size());
    println!("{:<28} {a:>9.2} {b:>9.2}          (want <= 1.15)", "peak / file");
    depths(&atelier, &folder);
    rates(&folder);
}

/// Measures a run with the logit lens at every depth and after every member, against the run alone: time and
/// peak memory.
fn depths(atelier: &Path, folder: &Folder) {
    let run = |wish: &[&str]| {
        folder.warm();
        measure(lens(atelier, folder).args(wish))
    };
    let wish = ["--lens", "5", "--json"];
    let [plain, deep] = Measured::by_turns(|| run(&["--json"]), || run(&wish));
    let report: Value = serde_json::from_str(&deep.printed).expect("a report");
    let count = |field: &str| report["lens"][field].as_array().map_or(0, Vec::len);
    let (steps, members) = (count("logit_lens"), count("logit_lens_members"));
    assert!(steps == 17 && members > steps, "{steps} depths, {members} members");
    println!(
        "the whole vocabulary at {steps} depths and after {members} members: {:.2} s beside {:.2}, peak {:.0} MB beside {:.0}",
        deep.seconds, plain.seconds, deep.peak, plain.peak,
    );
}

/// 8 prompts of 64 tokens, in the type stored and in f32: rows/s.
fn rates(folder: &Folder) {
    let wide = Folder::write("1b", "f32");
    let (stored, wide) = (open(folder.path()).engine, open(wide.path()).engine);
    let prompts = prompts(stored.shape().vocabulary, 8, 64);
    let plan = own_plan(&stored);
    let (in_stored, in_wide) =
        (|| logits(&stored, &prompts, &plan), || logits(&wide, &prompts, &plan));
    // Both hold the same numbers.
    for (a, b) in in_stored().iter().zip(in_wide()) {
        assert!((a - b).abs() < 1e-2 * (1.0 + b.abs()), "{a}, {b}");
    }
    let [a, b] = by_turns(ROUNDS, in_stored, in_wide).map(|time| 8.0 / time.as_secs_f64());
    println!(
        "8 x 64 tokens: {a:.2} rows/s in {}, {b:.2} in {}: {:.2} (want >= 0.95)",
        stored.describe(),
        wide.describe(),
        a / b
    );
}

fn large() {
    let atelier = atelier();
    let folder = Folder::write("7b", "bf16");
    folder.warm();
    let ours = measure(&mut lens(&atelier, &folder));
    println!("{}", ours.printed);
    println!(
        "Llama-2-7B's shape in bf16, 12 tokens: {:.1} s, peak {:.0} MB of a file of {:.0} MB: {:.2} (want <= 1.15)",
        ours.seconds,
        ours.peak,
        folder.size(),
        ours.peak / folder.size()
    );
}

/// The comparison means nothing unless both compute the same thing; Python rounds to bf16 at every
/// step.
fn same(ours: &Measured, theirs: &Measured) {
    let json = |text: &str| -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
    };
    let (ours, theirs) = (json(&ours.printed), json(&theirs.printed));
    println!("atelier, {} against {}", ours["engine"], theirs["version"]);
    let largest = largest(&ours["lens"]["logits"]);
    assert_close(&ours["lens"]["logits"], &theirs["logits"], 0.1, |_| largest);
}
