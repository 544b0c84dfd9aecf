//! The memory that the command line takes for the real model, as Linux counts it.

use std::io::Read;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::common::{TOLERANCE, assert_close_to, model_folder, u32s};
use crate::real::golden;

/// Peak of resident memory at most, of the file's size: all of it, pages of the mapped file too, but for those of the
/// program's own file, whose code in tests is not that of a release.
const MAX_MEMORY: f64 = 1.5;

#[test]
fn six_hundred_tokens_take_at_most_half_as_much_again_as_the_file() {
    let golden = golden();
    let Some(file) = model_folder(golden["model"].as_str().expect("a model")) else {
        return;
    };
    let size = std::fs::metadata(&file).expect("the file").len() as f64;
    let ids: Vec<String> = u32s(&golden["long"]["ids"]).iter().map(u32::to_string).collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_atelier"));
    command.args(["lens", "--answer", "0", "--json", "--rows", "7042,1546", "--ids"]);
    command.arg(ids.join(",")).arg("--model").arg(&file);
    // Every thread has room of its own, and machines have more threads with more memory.
    command.env("RAYON_NUM_THREADS", "2");
    let (peak, own, report) = measured(command);

    let lens = &report["lens"];
    assert_eq!(lens["token_ids"].as_array().map(Vec::len), Some(600));
    let log_z = &golden["long"]["after_second"]["log_z"];
    assert_close_to(&lens["vocabulary"]["log_partition"], log_z, "log Z", TOLERANCE);
    let [all, without] = [peak, peak - own].map(|bytes| bytes as f64 / size);
    println!("{all:.2} of the file, {without:.2} without the pages of the program itself");
    assert!(without <= MAX_MEMORY, "{without:.2} of the file");
}

/// Runs a command that prints a report longer than a page of memory: its peak of resident memory up to then, how
/// much of it is the program's own file, bytes, and the report.
fn measured(mut command: Command) -> (u64, u64, Value) {
    let mut child = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut stdout = child.stdout.take().expect("a pipe");
    // SAFETY: it sets how much an open pipe holds.
    let room = unsafe { libc::fcntl(stdout.as_raw_fd(), libc::F_SETPIPE_SZ, 4096) };
    assert_eq!(room, 4096, "a pipe of one page");

    // With its first byte all is computed, and the program waits until the rest is read.
    let mut report = vec![0];
    stdout.read_exact(&mut report).expect("a report");
    let process = |name: &str| {
        let path = format!("/proc/{}/{name}", child.id());
        std::fs::read_to_string(path).expect("it still runs")
    };
    let peak = kilobytes(process("status").lines(), "VmHWM:");
    let maps = process("smaps");
    let program = Path::new(env!("CARGO_BIN_EXE_atelier")).canonicalize().expect("the program");
    let program = program.display().to_string();
    // A mapping begins with its addresses in small letters; what is said of it, with a capital.
    let is_head = |line: &&str| !line.starts_with(|c: char| c.is_ascii_uppercase());
    let mut is_own = false;
    let own = maps.lines().filter(|line| {
        if is_head(line) {
            is_own = line.ends_with(&program);
        }
        is_own
    });
    let own = kilobytes(own, "Rss:");
    assert!(own > 0, "pages of {program}");

    stdout.read_to_end(&mut report).expect("a report");
    assert!(child.wait().expect("its end").success());
    (peak * 1024, own * 1024, serde_json::from_slice(&report).expect("JSON"))
}

/// Adds up what lines say under a name.
fn kilobytes<'a>(lines: impl Iterator<Item = &'a str>, name: &str) -> u64 {
    let numbers = lines.filter_map(|line| line.strip_prefix(name)?.strip_suffix("kB"));
    numbers.map(|number| number.trim().parse::<u64>().expect("a number")).sum()
}
