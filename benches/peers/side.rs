//! Two processes that answer in turn, so that a machine that slows down slows both, and peak memory
//! can be told apart.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value;

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

    /// MB
    pub fn peak(&self) -> f64 {
        self.peak_kb / 1024.0
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the seconds of a side's answer.
pub fn seconds(answer: &Value) -> f64 {
    answer["seconds"].as_f64().expect("seconds")
}

pub fn peak_kb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|n| n.parse().ok()).expect("a peak")
}
