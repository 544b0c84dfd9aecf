//! On a terminal of 80 columns: what stands there is what a pipe gets, with long lines broken between words, and no
//! sequence of characters that moves a cursor or changes a colour is a part of it.

use std::io::{Read, Write};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use atelier::study::report::Report;

use super::support::{in_project, printed, refuses, without_colour_settings, words};

const COLUMNS: usize = 80;

const COMMANDS: [&str; 9] = [
    "tasks",
    "models",
    "lens --model scholar-2 --prompt 'The soup is bad. So it is' --option ' good' --option ' bad' --answer 1",
    "next --model scholar-2 --prompt 'The soup is bad. So it is'",
    "orders --model scholar-2 --task mood --rows 20 --strategy drop,swap",
    "lens --model scholar-2 --prompt 'The sum 1 + 2 ends in' --option ' 1' --option ' 2' --option ' 3' --option ' 4' --answer 2 --column paper",
    "lens --model scholar-4 --prompt 'The soup is bad. So it is' --option ' good' --option ' bad' --answer 1 --attention --lens 3 --member 1m",
    "need --model scholar-2 --task sum --rows 6",
    "coupling --model scholar-4 --task topic --rows 2",
];

/// Returns a command's output on a terminal, as `script` records it, with more in its environment.
fn on_a_terminal(command: &str, environment: &[(&str, &str)]) -> String {
    let program = env!("CARGO_BIN_EXE_atelier");
    let run = format!("stty cols 80 rows 24; exec '{program}' {command} 2>/dev/null");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &run, "/dev/null"]);
    without_colour_settings(&mut script).env("TERM", "xterm-256color");
    script.envs(environment.iter().copied());
    script.env("ATELIER_MODELS", in_project("target/no-models"));
    let output = script.stdin(std::process::Stdio::null()).output().expect("script");
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{command}: {shown}");
    shown.replace("\r\n", "\n")
}

#[test]
fn what_a_pipe_gets_fits_the_terminal() {
    for command in COMMANDS {
        let piped = printed(&words(command));
        let shown = on_a_terminal(command, &[]);
        assert!(shown.split_whitespace().eq(piped.split_whitespace()), "{command}:\n{shown}");
        for line in shown.lines() {
            let is_cut = line.chars().count() > COLUMNS && line.trim().contains(' ');
            assert!(!is_cut, "{command}: {line}");
        }
        for environment in [&[("NO_COLOR", "1")], &[("TERM", "dumb")]] {
            assert_eq!(on_a_terminal(command, environment), shown, "{command}: {environment:?}");
        }
    }
}

/// A line of a table is never broken: whoever reads a pipe's lines finds every row on one.
#[test]
fn tables_fit_in_a_pipe_too() {
    for command in COMMANDS {
        for line in printed(&words(command)).lines().filter(|line| line.starts_with('─')) {
            assert!(line.chars().count() <= COLUMNS, "{command}: {line}");
        }
    }
}

#[test]
fn the_first_ctrl_c_of_a_survey_is_answered_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let part = out.join("rows/scholar-12/sum.rows.part");
    let survey = "survey --models scholar-12 --tasks sum,topic,mood --rows 480";
    let run =
        format!("exec '{}' {survey} --out '{}'", env!("CARGO_BIN_EXE_atelier"), out.display());
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &run, "/dev/null"]);
    script.env("TERM", "xterm-256color").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("script");

    // The terminal makes a signal of the key, once rows are down.
    let mut keys = child.stdin.take().expect("keys");
    let began = Instant::now();
    while std::fs::metadata(&part).map_or(0, |part| part.len()) == 0
        && began.elapsed() < Duration::from_secs(60)
    {
        std::thread::sleep(Duration::from_millis(2));
    }
    keys.write_all(b"\x03").expect("Ctrl-C");
    keys.flush().expect("Ctrl-C");

    let output = child.wait_with_output().expect("an end");
    drop(keys);
    let shown = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(output.status.code(), Some(130), "{shown}");
    let stopping = shown.find("stopping at the end of the work at hand; Ctrl-C again ends at once");
    let stopped = shown.find("holds what is done, and --resume continues");
    assert!(stopping.is_some() && stopping < stopped, "{shown}");
}

#[test]
fn a_stopped_need_reports_the_rows_that_are_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("need.atelier.json");
    let need = "need --model scholar-12 --task sum --rows 480";
    let run = format!("exec '{}' {need} --out '{}'", env!("CARGO_BIN_EXE_atelier"), out.display());
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command", &run, "/dev/null"]);
    script.env("TERM", "xterm-256color").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = script.spawn().expect("script");

    // Rows run eight at a time: once the bar counts more, eight are done.
    let mut keys = child.stdin.take().expect("keys");
    let mut screen = child.stdout.take().expect("a screen");
    let mut shown = Vec::new();
    let mut piece = [0; 4096];
    while !counts_rows(&String::from_utf8_lossy(&shown), 9..480) {
        let read = screen.read(&mut piece).expect("the bar");
        assert!(read > 0, "{}", String::from_utf8_lossy(&shown));
        shown.extend_from_slice(&piece[..read]);
    }
    keys.write_all(b"\x03").expect("Ctrl-C");
    keys.flush().expect("Ctrl-C");
    screen.read_to_end(&mut shown).expect("the rest");

    let shown = String::from_utf8_lossy(&shown);
    assert_eq!(child.wait().expect("an end").code(), Some(130), "{shown}");
    drop(keys);
    let report = std::fs::read_to_string(&out).expect("a report");
    let rows = Report::read(&report).expect("a report").need[0].rows;
    assert!((8..480).contains(&rows) && rows.is_multiple_of(8), "{rows} rows");
    assert!(shown.contains(&format!("stopped after {rows} of 480 rows of sum")), "{shown}");
}

/// Whether a bar on this screen has counted a number of rows in this range.
fn counts_rows(screen: &str, range: Range<usize>) -> bool {
    // What follows the last count is not one yet.
    screen.rsplit("/480 rows").skip(1).any(|before| {
        let digits = before.rsplit(|c: char| !c.is_ascii_digit()).next();
        digits.and_then(|digits| digits.parse().ok()).is_some_and(|rows| range.contains(&rows))
    })
}

#[test]
fn an_empty_folder_has_no_survey_to_go_on_with() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let path = out.display().to_string();
    let ask = ["survey", "--models", "scholar-2", "--tasks", "sum", "--rows", "2", "--out", &path];
    let resumed = [&ask[..], &["--resume"]].concat();
    refuses(&resumed, "holds no survey to resume");
    assert!(!out.exists(), "nothing is begun");

    std::fs::create_dir(&out).expect("a folder");
    refuses(&resumed, "leave out --resume to begin one there");
    printed(&ask);
    printed(&resumed);
}

/// Help has colours where a terminal has them, and nowhere else.
#[test]
fn help_is_plain_where_it_is_asked_to_be() {
    assert!(on_a_terminal("lens --help", &[]).contains('\u{1b}'));
    let piped = printed(&["lens", "--help"]);
    for environment in [&[("NO_COLOR", "1")], &[("TERM", "dumb")]] {
        assert_eq!(on_a_terminal("lens --help", environment), piped, "{environment:?}");
    }
}
