//! Two processes that answer in turn, so that a machine that slows down slows both, and peak memory
//! can be told apart.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use super::median;

/// One of the two processes.
pub struct Side {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    pub version: String,
    peak_kb: f64,
}

impl Side {
    pub fn start(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a side that starts");
        let to = child.stdin.take().expect("its input");
        let from = BufReader::new(child.stdout.take().expect("its output"));
        let mut side = Self { child, to, from, version: String::new(), peak_kb: 0.0 };
        side.version = side.answer()["version"].as_str().expect("a version").into();
        side
    }

    pub fn round(&mut self, case: &str) -> Value {
        writeln!(self.to, "{case}").expect("a side that listens");
        let answer = self.answer();
        self.peak_kb = answer["peak_kb"].as_f64().expect("its peak memory");
        answer
    }

    /// Sends a case and returns the side's answer; `None` where the side ended itself.
    pub fn try_round(&mut self, case: &str) -> Option<Value> {
        writeln!(self.to, "{case}").ok()?;
        let mut line = String::new();
        self.from.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    fn answer(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).expect("an answer in JSON; see above for why there is none")
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// This program and a peer's script, which answer the same cases.
pub struct BothSides {
    pub ours: Side,
    pub theirs: Side,
}

impl BothSides {
    /// Starts this program with `ours` before its arguments, and the peer with the number of threads behind its own.
    pub fn start(arguments: &[&Path], peer: &mut Command) -> Self {
        let threads = threads().to_string();
        let mut ours = Command::new(std::env::current_exe().expect("this program"));
        ours.arg("ours").args(arguments).env("RAYON_NUM_THREADS", &threads);
        let theirs = Side::start(peer.args(arguments).arg(threads));
        Self { ours: Side::start(&mut ours), theirs }
    }

    /// Answers of alternating rounds, ours and theirs, after one that warms up and is compared.
    pub fn rounds(
        &mut self,
        case: &str,
        rounds: usize,
        compare: fn(&Value, &Value),
    ) -> [Vec<Value>; 2] {
        compare(&self.ours.round(case), &self.theirs.round(case));
        let (ours, theirs) =
            (0..rounds).map(|_| (self.ours.round(case), self.theirs.round(case))).unzip();
        [ours, theirs]
    }

    /// Median seconds of both in such rounds.
    pub fn seconds(&mut self, case: &str, rounds: usize, compare: fn(&Value, &Value)) -> [f64; 2] {
        self.rounds(case, rounds, compare)
            .map(|answers| median(answers.iter().map(seconds).collect()))
    }

    /// Peak memory of both, MB.
    pub fn peaks(&self) -> [f64; 2] {
        [&self.ours, &self.theirs].map(|side| side.peak_kb / 1024.0)
    }
}

/// The paths behind the word `ours`, where this process is to be our side.
pub fn paths_of_ours() -> Option<Vec<PathBuf>> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == "ours").then(|| arguments.map(PathBuf::from).collect())
}

/// Answers cases as a side does: first its version, then a line of JSON for each line of standard input, with the
/// peak memory so far.
pub fn answer_cases(version: &str, mut answer: impl FnMut(&str) -> Value) {
    println!("{}", json!({ "version": version }));
    for case in std::io::stdin().lines() {
        let mut reply = answer(&case.expect("a case"));
        reply["peak_kb"] = peak_kb().into();
        println!("{reply}");
    }
}

/// Returns what a function gives, and its seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed().as_secs_f64())
}

/// Threads that either side has.
pub fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Asserts that two lists of numbers, of any depth, differ by less than `tolerance` times what `scale` makes of theirs.
pub fn assert_close(ours: &Value, theirs: &Value, tolerance: f64, scale: impl Fn(f64) -> f64) {
    let (ours, theirs) = (numbers(ours), numbers(theirs));
    assert_eq!(ours.len(), theirs.len());
    for (i, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert!((ours - theirs).abs() < tolerance * scale(*theirs), "{i}: {ours}, {theirs}");
    }
}

/// Returns all numbers of lists in lists.
pub fn numbers(answer: &Value) -> Vec<f64> {
    match answer {
        Value::Array(list) => list.iter().flat_map(numbers).collect(),
        number => vec![number.as_f64().expect("a number")],
    }
}

/// Returns the largest of these numbers, whatever its sign.
pub fn largest(answer: &Value) -> f64 {
    numbers(answer).iter().fold(0.0, |largest, x| x.abs().max(largest))
}

/// Returns the seconds of a side's answer.
pub fn seconds(answer: &Value) -> f64 {
    answer["seconds"].as_f64().expect("seconds")
}

fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).expect("a peak")
}
